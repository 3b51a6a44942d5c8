//===- MergeProducts.cpp - One product for Q, K and V ---------------------===//
#include "compiler/Graph/Match.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Support/Locations.h"

#include "llvm/ADT/MapVector.h"

namespace heddle {
#define GEN_PASS_DEF_MERGEPRODUCTS
#include "compiler/Layout/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::match;
using mlir::Operation;
using mlir::Value;

namespace {

/// lhs × transpose([cast] parameter): what can be merged.
struct WeightProduct {
  MatmulOp product;
  TransposeOp transpose;
  CastOp cast; ///< Null where the product reads the parameter as it is.
  ParameterOp parameter;
  AddOp sum;        ///< product + bias, where that is the product's only reader; else null.
  ParameterOp bias; ///< [n], stretched over the rows.
};

/// Finds the bias that is added to a product: it becomes part of one vector, as the weights of one matrix.
void findBias(WeightProduct &product) {
  Value result = product.product.getResult();
  if (!result.hasOneUse())
    return;
  auto sum = llvm::dyn_cast<AddOp>(*result.user_begin());
  if (!sum)
    return;
  Value vector = stretchedVector(sum.getLhs() == result ? sum.getRhs() : sum.getLhs());
  if (auto reshape = vector ? vector.getDefiningOp<ReshapeOp>() : ReshapeOp())
    vector = reshape->hasOneUse() ? reshape.getOperand() : Value();
  auto bias = vector ? vector.getDefiningOp<ParameterOp>() : ParameterOp();
  if (!bias || !bias->hasOneUse() || typeOf(bias.getResult()).getRank() != 1)
    return;
  product.sum = sum;
  product.bias = bias;
}

/// The weight behind a product. `miss` stays empty where the right-hand side is no weight at all.
std::optional<WeightProduct> weightProduct(MatmulOp product, NearMiss &miss) {
  auto transpose = product.getRhs().getDefiningOp<TransposeOp>();
  if (!transpose || transpose.getPermutation() != llvm::ArrayRef<int64_t>{1, 0})
    return std::nullopt;
  Value source = transpose.getOperand();
  auto cast = source.getDefiningOp<CastOp>();
  if (cast)
    source = cast.getOperand();
  auto parameter = source.getDefiningOp<ParameterOp>();
  if (!parameter)
    return std::nullopt;
  for (Operation *step : {parameter.getOperation(), cast.getOperation(), transpose.getOperation()})
    if (step && !step->hasOneUse()) {
      auto part = llvm::cast<PartAttr>(parameter.getParts()[0]);
      miss = {step, "of \"" + part.getName().str() + "\" is read by others as well"};
      return std::nullopt;
    }
  return WeightProduct{product, transpose, cast, parameter};
}

/// Whether two products can be parts of one; else `miss` says why.
bool agree(WeightProduct first, WeightProduct next, NearMiss &miss) {
  if (first.parameter.getType() != next.parameter.getType() &&
      typeOf(first.parameter).getElementType() != typeOf(next.parameter).getElementType()) {
    miss = {next.parameter, "has other elements than the first weight's"};
    return false;
  }
  if (static_cast<bool>(first.cast) != static_cast<bool>(next.cast) ||
      (first.cast && first.cast.getImplicit() != next.cast.getImplicit())) {
    miss = {next.transpose, "is cast otherwise than the first weight"};
    return false;
  }
  if (typeOf(first.product.getResult()).getElementType() !=
      typeOf(next.product.getResult()).getElementType()) {
    miss = {next.product, "has a result of other elements than the first product's"};
    return false;
  }
  return true;
}

/// The biases of all products as one parameter, or null where one has none or another type.
Value mergedBias(GraphBuilder &g, llvm::ArrayRef<WeightProduct> products) {
  llvm::SmallVector<PartAttr> parts;
  int64_t extent = 0;
  mlir::Type element;
  for (WeightProduct product : products) {
    if (!product.bias)
      return {};
    mlir::RankedTensorType type = typeOf(product.bias.getResult());
    if (element && element != type.getElementType())
      return {};
    element = type.getElementType();
    llvm::append_range(parts, product.bias.getParts().getAsRange<PartAttr>());
    extent += type.getDimSize(0);
  }
  return g.parameter(parts, tensorType(g.context(), {SymbolicDim::fixed(extent)}, element));
}

/// Puts the merged product in the first one's place, and slices in the others'. Biases are added to the
/// whole: the slices are then views of what one product with its epilogue writes.
Operation *merge(llvm::MutableArrayRef<WeightProduct> products) {
  WeightProduct first = products.front();
  MatmulOp earliest = first.product;
  mlir::OpBuilder builder(earliest);
  llvm::SmallVector<mlir::Location> parameterPlaces, productPlaces;
  llvm::SmallVector<PartAttr> parts;
  int64_t rows = 0;
  for (WeightProduct &product : products) {
    llvm::append_range(parts, product.parameter.getParts().getAsRange<PartAttr>());
    parameterPlaces.push_back(product.parameter.getLoc());
    productPlaces.push_back(product.product->getLoc());
    rows += typeOf(product.parameter.getResult()).getDimSize(0);
  }
  GraphBuilder g(builder, commonLocation(parameterPlaces));
  SymbolicShape shape = symbolicShape(typeOf(first.parameter.getResult()));
  shape.front() = SymbolicDim::fixed(rows);
  Value weight = g.parameter(
      parts, tensorType(builder.getContext(), shape, typeOf(first.parameter.getResult()).getElementType()));
  if (first.cast)
    weight = g.cast(weight, typeOf(first.cast.getResult()).getElementType(), first.cast.getImplicit());
  g.setLocation(commonLocation(productPlaces));
  Value merged =
      g.matmul(earliest.getLhs(), g.transpose(weight, {1, 0}), typeOf(earliest.getResult()).getElementType());
  Operation *made = merged.getDefiningOp();
  Value bias = mergedBias(g, products);
  if (bias)
    merged = g.binary<AddOp>(merged, g.broadcast(bias, symbolicShape(typeOf(merged))));
  int64_t last = typeOf(merged).getRank() - 1, offset = 0;
  for (WeightProduct &product : products) {
    Value result = bias ? product.sum.getResult() : product.product.getResult();
    int64_t extent = typeOf(result).getDimSize(last);
    g.setLocation(product.product->getLoc());
    result.replaceAllUsesWith(g.slice(merged, last, offset, extent));
    offset += extent;
  }
  // Only now: everything above was put in before the earliest of them.
  for (WeightProduct &product : products) {
    if (bias)
      product.sum->erase();
    product.product->erase();
  }
  return made;
}

struct MergeProducts : public heddle::impl::MergeProductsBase<MergeProducts> {
  using MergeProductsBase::MergeProductsBase;
  explicit MergeProducts(MatchReports *reports) : reports(reports) {}

  void runOnOperation() override {
    Log log(reports, remarks);
    llvm::MapVector<Value, llvm::SmallVector<MatmulOp>> byOperand;
    getOperation().walk([&](MatmulOp product) { byOperand[product.getLhs()].push_back(product); });
    for (auto &[lhs, products] : byOperand) {
      if (products.size() < 2)
        continue;
      llvm::SmallVector<WeightProduct> merging;
      for (MatmulOp product : products) {
        NearMiss miss;
        std::optional<WeightProduct> found = weightProduct(product, miss);
        if (found && (merging.empty() || agree(merging.front(), *found, miss))) {
          findBias(merging.emplace_back(*found));
          continue;
        }
        if (miss.op) {
          log.missed("merge-products", product, miss);
          ++numMissed;
        }
      }
      if (merging.size() < 2)
        continue;
      numMerged += merging.size() - 1;
      log.matched("merge-products", merge(merging));
    }
    eraseDead(getOperation());
  }

  MatchReports *reports = nullptr;
};

} // namespace

std::unique_ptr<mlir::Pass> heddle::createMergeProducts(MatchReports *reports) {
  return std::make_unique<MergeProducts>(reports);
}
