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
};

/// What is added to a product's result, between implicit casts: a vector that is a parameter.
struct BiasOfProduct {
  CastOp before; ///< Of the product's result; null: none.
  AddOp sum;
  ParameterOp parameter;
  CastOp after; ///< Of the sum; null: none.
  Value result() { return after ? after.getResult() : sum.getResult(); }
};

/// The sole reader of `value` if it is an implicit cast, else null.
CastOp soleCast(Value value) {
  auto cast = value.hasOneUse() ? llvm::dyn_cast<CastOp>(*value.user_begin()) : CastOp();
  return cast && cast.getImplicit() ? cast : CastOp();
}

std::optional<BiasOfProduct> biasOfProduct(MatmulOp product) {
  BiasOfProduct bias;
  bias.before = soleCast(product.getResult());
  Value value = bias.before ? bias.before.getResult() : product.getResult();
  bias.sum = value.hasOneUse() ? llvm::dyn_cast<AddOp>(*value.user_begin()) : AddOp();
  if (!bias.sum || bias.sum.getLhs() == bias.sum.getRhs())
    return std::nullopt;
  Value vector = stretchedVector(bias.sum.getLhs() == value ? bias.sum.getRhs() : bias.sum.getLhs());
  auto reshape = vector ? vector.getDefiningOp<ReshapeOp>() : ReshapeOp();
  bias.parameter = reshape ? reshape.getOperand().getDefiningOp<ParameterOp>() : ParameterOp();
  if (!bias.parameter || typeOf(bias.parameter.getResult()).getRank() != 1 || !bias.parameter->hasOneUse() ||
      !reshape->hasOneUse())
    return std::nullopt;
  bias.after = soleCast(bias.sum.getResult());
  return bias;
}

/// The biases of all products, in order; none where one has none, or is cast otherwise.
llvm::SmallVector<BiasOfProduct> biasesOf(llvm::ArrayRef<WeightProduct> products) {
  llvm::SmallVector<BiasOfProduct> biases;
  auto typeOfCast = [](CastOp cast) {
    return cast ? typeOf(cast.getResult()).getElementType() : mlir::Type();
  };
  for (const WeightProduct &product : products) {
    std::optional<BiasOfProduct> bias = biasOfProduct(product.product);
    if (!bias || (!biases.empty() && (typeOfCast(bias->before) != typeOfCast(biases.front().before) ||
                                      typeOfCast(bias->after) != typeOfCast(biases.front().after) ||
                                      typeOf(bias->parameter.getResult()).getElementType() !=
                                          typeOf(biases.front().parameter.getResult()).getElementType())))
      return {};
    biases.push_back(*bias);
  }
  return biases;
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

/// Adds the biases, as one parameter of several parts, to the merged product.
Value addBiases(GraphBuilder &g, Value merged, llvm::MutableArrayRef<BiasOfProduct> biases) {
  llvm::SmallVector<PartAttr> parts;
  int64_t extent = 0;
  for (BiasOfProduct &bias : biases) {
    llvm::append_range(parts, bias.parameter.getParts().getAsRange<PartAttr>());
    extent += typeOf(bias.parameter.getResult()).getDimSize(0);
  }
  BiasOfProduct first = biases.front();
  auto cast = [&](Value value, CastOp like) {
    return like ? g.cast(value, typeOf(like.getResult()).getElementType(), /*implicit=*/true) : value;
  };
  merged = cast(merged, first.before);
  mlir::Type element = typeOf(first.parameter.getResult()).getElementType();
  Value vector = g.parameter(parts, tensorType(g.context(), {SymbolicDim::fixed(extent)}, element));
  return cast(g.binary<AddOp>(merged, g.broadcast(vector, symbolicShape(typeOf(merged)))), first.after);
}

/// A weight that is cast before its product reads it: the bytes of the cast, and the product's columns. Zero
/// where it is read as it is.
struct CastWeight {
  int64_t bytes = 0, columns = 0;

  /// `weight` is a parameter or its cast; precision will cast float32 to elements of `castBytes` bytes.
  static CastWeight of(Value weight, int64_t castBytes) {
    mlir::RankedTensorType type = typeOf(weight);
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    if (!weight.getDefiningOp<CastOp>()) {
      if (castBytes == 0 || !type.getElementType().isF32())
        return {};
      bytes = castBytes;
    }
    return {type.getNumElements() * bytes, type.getShape().front()};
  }
};

/// The largest of the module's, products apart. Weights that others read count: a tied head is cast as a
/// whole.
CastWeight largestCast(mlir::ModuleOp module, int64_t castBytes) {
  CastWeight largest;
  module.walk([&](MatmulOp product) {
    auto transpose = product.getRhs().getDefiningOp<TransposeOp>();
    Value matrix = transpose ? transpose.getOperand() : Value();
    auto cast = matrix ? matrix.getDefiningOp<CastOp>() : CastOp();
    if (!matrix || !(cast ? cast.getOperand() : matrix).getDefiningOp<ParameterOp>())
      return;
    if (CastWeight weight = CastWeight::of(matrix, castBytes); weight.bytes > largest.bytes)
      largest = weight;
  });
  return largest;
}

/// Puts the merged product in the first one's place, and slices in the others'.
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
  llvm::SmallVector<BiasOfProduct> biases = biasesOf(products);
  if (!biases.empty())
    merged = addBiases(g, merged, biases);
  int64_t last = typeOf(merged).getRank() - 1, offset = 0;
  for (auto [index, product] : llvm::enumerate(products)) {
    Value result = biases.empty() ? Value(product.product.getResult()) : biases[index].result();
    int64_t extent = typeOf(result).getDimSize(last);
    g.setLocation(product.product->getLoc());
    result.replaceAllUsesWith(g.slice(merged, last, offset, extent));
    offset += extent;
  }
  // Only now: everything above was put in before the earliest of them. What read the products goes first.
  for (BiasOfProduct &bias : biases)
    for (Operation *op : {bias.after.getOperation(), bias.sum.getOperation(), bias.before.getOperation()})
      if (op)
        op->erase();
  for (WeightProduct &product : products)
    product.product->erase();
  return made;
}

struct MergeProducts : public heddle::impl::MergeProductsBase<MergeProducts> {
  using MergeProductsBase::MergeProductsBase;
  MergeProducts(int64_t bytes, MatchReports *reports) : reports(reports) { castBytes = bytes; }

  void runOnOperation() override {
    Log log(reports, remarks);
    CastWeight largest = largestCast(getOperation(), castBytes);
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
          merging.push_back(*found);
          continue;
        }
        if (miss.op) {
          log.missed("merge-products", product, miss);
          ++numMissed;
        }
      }
      if (merging.size() < 2)
        continue;
      CastWeight merged;
      for (WeightProduct &product : merging) {
        CastWeight weight = CastWeight::of(product.transpose.getOperand(), castBytes);
        merged.bytes += weight.bytes;
        merged.columns += weight.columns;
      }
      if (merged.bytes > largest.bytes || merged.columns > largest.columns) {
        log.missed("merge-products", merging.front().product,
                   {merging.back().transpose,
                    "would be cast with the others: " + std::to_string(merged.bytes) + " bytes for " +
                        std::to_string(merged.columns) +
                        " columns at once, where the largest weight of the model takes " +
                        std::to_string(largest.bytes) + " for " + std::to_string(largest.columns)});
        ++numMissed;
        continue;
      }
      numMerged += merging.size() - 1;
      log.matched("merge-products", merge(merging));
    }
    eraseDead(getOperation());
  }

  MatchReports *reports = nullptr;
};

} // namespace

std::unique_ptr<mlir::Pass> heddle::createMergeProducts(int64_t castBytes, MatchReports *reports) {
  return std::make_unique<MergeProducts>(castBytes, reports);
}
