//===- ProductLayouts.cpp - plan-product-layouts --------------------------===//
#include "compiler/Plan/Passes.h"
#include "runtime/plan/CpuAlgorithm.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace heddle::plan {

#define GEN_PASS_DEF_PLANPRODUCTLAYOUTS
#include "compiler/Plan/Passes.h.inc"

namespace {

/// Rows this many bytes apart, or a multiple, begin in the same set of a first-level cache (64 sets of 64
/// bytes, on every x86-64 processor with AVX2).
constexpr int64_t kSetsBytes = 4096;
/// Elements that are added to such rows: a cache line, so that rows stay aligned.
constexpr int64_t kRowPadding = 16;

/// What rows of a product's result begin at multiples of on a GPU: its library stores 16 bytes at a time, and
/// with other rows takes kernels of a fifth of the speed.
constexpr int64_t kStoreBytes = 16;

/// Why a parameter stays in rows; None where it goes into panels.
enum class Obstacle { None, OtherReader, Form, NoProduct };

mlir::DenseI8ArrayAttr algorithm(mlir::Builder &builder, int64_t panel) {
  std::string text = runtime::tiledAlgorithm(panel);
  return builder.getDenseI8ArrayAttr({reinterpret_cast<const int8_t *>(text.data()), text.size()});
}

/// Whether a product is tiled, with b in rows or in panels.
bool isTiled(ProductOp product) {
  std::optional<llvm::ArrayRef<int8_t>> bytes = product.getAlgorithm();
  return bytes &&
         runtime::tiledPanel({reinterpret_cast<const char *>(bytes->data()), bytes->size()}).has_value();
}

bool names(RefAttr ref, BufferOp buffer) {
  return ref && ref.getBuffer() && ref.getBuffer().getAttr() == buffer.getSymNameAttr();
}

/// Whether `product` reads all of `buffer` as its b, as rows of k elements, and may read it in panels.
Obstacle obstacleOf(ProductOp product, BufferOp buffer, int64_t panel) {
  MatrixAttr b = product.getB();
  int64_t uses = llvm::count_if(product.getRefs(), [&](RefAttr ref) { return names(ref, buffer); });
  if (!isTiled(product) || !names(b.getRef(), buffer) || uses > 1)
    return Obstacle::OtherReader;
  auto n = static_cast<int64_t>(product.getN()), k = static_cast<int64_t>(product.getK());
  bool whole = b.getTransposed() && b.getRef().getByteOffset() == 0 && b.getLd() == k &&
               buffer.getTensorType().getShape() == llvm::ArrayRef<int64_t>{n, k} &&
               b.getElementType() == buffer.getElementType() && product.getBatch() == 1;
  // The gate's two halves are read side by side, panel by panel.
  bool halves = product.getEpilogue() != Epilogue::SiluMul || n / 2 % panel == 0;
  return whole && halves ? Obstacle::None : Obstacle::Form;
}

/// As obstacleOf, for all steps that touch a parameter.
Obstacle obstacleOf(BufferOp buffer, llvm::ArrayRef<StepInterface> users, int64_t panel) {
  auto isProduct = [](StepInterface step) { return llvm::isa<ProductOp>(*step); };
  if (llvm::none_of(users, isProduct))
    return Obstacle::NoProduct;
  if (!llvm::all_of(users, isProduct))
    return Obstacle::OtherReader;
  for (StepInterface step : users)
    if (Obstacle found = obstacleOf(llvm::cast<ProductOp>(*step), buffer, panel); found != Obstacle::None)
      return found;
  return Obstacle::None;
}

/// The rows and their distance of a scratch buffer that tiled products alone touch, as all of a, c or d;
/// none where it is touched otherwise.
std::optional<std::pair<int64_t, int64_t>> rowsOf(BufferOp buffer, llvm::ArrayRef<StepInterface> users) {
  std::optional<std::pair<int64_t, int64_t>> rows;
  for (StepInterface step : users) {
    auto product = llvm::dyn_cast<ProductOp>(*step);
    if (!product || !isTiled(product) || product.getBatch() != 1 || names(product.getB().getRef(), buffer) ||
        (product.getBias() && names(*product.getBias(), buffer)))
      return std::nullopt;
    for (MatrixAttr matrix : {product.getA(), product.getC().value_or(MatrixAttr()), product.getD()}) {
      if (!matrix || !names(matrix.getRef(), buffer))
        continue;
      std::pair<int64_t, int64_t> found(product.getM(), matrix.getLd());
      auto bytes = found.first * found.second * static_cast<int64_t>(sizeof(float));
      if (matrix.getTransposed() || !matrix.getElementType().isF32() ||
          matrix.getRef().getByteOffset() != 0 || bytes != buffer.getByteSize() || (rows && *rows != found))
        return std::nullopt;
      rows = found;
    }
  }
  return rows;
}

struct PlanProductLayoutsPass : impl::PlanProductLayoutsBase<PlanProductLayoutsPass> {
  void runOnOperation() override {
    ProgramOp program = program_ = getOperation();
    int64_t panel = runtime::panelOf(std::string_view(program.getTarget()));
    bool cuda = program.getDevice() == "cuda";
    if (!cuda && panel == 0)
      return;
    llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<StepInterface>> users;
    for (StepInterface step : program.getSteps()) {
      llvm::SmallPtrSet<mlir::Attribute, 4> seen;
      for (RefAttr ref : step.getRefs())
        if (ref.getBuffer() && seen.insert(ref.getBuffer().getAttr()).second)
          users[ref.getBuffer().getAttr()].push_back(step);
    }
    for (BufferOp buffer : program.getBuffers()) {
      if (cuda) {
        if (buffer.getRole() == Role::Output)
          separate(buffer, users.lookup(buffer.getSymNameAttr()));
        continue;
      }
      // What changes parameters, an optimizer, knows rows.
      if (buffer.getRole() == Role::Parameter && program.getMode() == "forward")
        pack(buffer, users.lookup(buffer.getSymNameAttr()), panel);
      if (buffer.getRole() == Role::Scratch)
        pad(buffer, users.lookup(buffer.getSymNameAttr()));
    }
  }

  void pack(BufferOp buffer, llvm::ArrayRef<StepInterface> users, int64_t panel) {
    mlir::Builder builder(&getContext());
    switch (obstacleOf(buffer, users, panel)) {
    case Obstacle::None:
      buffer.setPanel(panel);
      for (StepInterface step : users)
        llvm::cast<ProductOp>(*step).setAlgorithmAttr(algorithm(builder, panel));
      ++numPacked;
      return;
    case Obstacle::OtherReader:
      ++numOtherReader;
      return;
    case Obstacle::Form:
      ++numForm;
      return;
    case Obstacle::NoProduct:
      ++numNoProduct;
      return;
    }
  }

  /// An output that one product writes, as a whole: aligned rows, where its own are not.
  void separate(BufferOp buffer, llvm::ArrayRef<StepInterface> users) {
    auto product = users.size() == 1 ? llvm::dyn_cast<ProductOp>(*users.front()) : ProductOp();
    mlir::RankedTensorType type = buffer.getTensorType();
    int64_t size = buffer.getElementType().getIntOrFloatBitWidth() / 8;
    if (!product || product.getBatch() != 1 || type.getRank() == 0 || buffer.getParts() ||
        buffer.getBytes() != 0)
      return;
    MatrixAttr d = product.getD();
    int64_t width = type.getShape().back(), each = kStoreBytes / size;
    int64_t uses = llvm::count_if(product.getRefs(), [&](RefAttr ref) { return names(ref, buffer); });
    if (uses != 1 || !names(d.getRef(), buffer) || d.getRef().getByteOffset() != 0 || d.getLd() != width ||
        width % each == 0 || static_cast<int64_t>(product.getM()) * width != type.getNumElements())
      return;
    // The library wants as many columns, too. Those behind the last are products of what lies behind the
    // weight, which gets the room, and are given to nobody.
    int64_t pitch = (width + each - 1) / each * each;
    MatrixAttr b = product.getB();
    auto k = static_cast<int64_t>(product.getK());
    auto weight = program_.lookupSymbol<BufferOp>(b.getRef().getBuffer());
    int64_t weightSize = b.getElementType().getIntOrFloatBitWidth() / 8;
    if (product.getEpilogue() != Epilogue::None || product.getC() || !b.getTransposed() ||
        b.getRef().getByteOffset() != 0 || b.getLd() != k || weight.getByteSize() != width * k * weightSize ||
        (weight.getRole() != Role::Parameter && weight.getRole() != Role::Scratch))
      return;
    weight.setBytes(pitch * k * weightSize);
    product.setN(pitch);
    buffer.setPitch(pitch);
    buffer.setBytes(static_cast<int64_t>(product.getM()) * pitch * size);
    product.setDAttr(MatrixAttr::get(&getContext(), d.getRef(), d.getElementType(), pitch, d.getBatchStride(),
                                     d.getTransposed()));
    ++numSeparated;
  }

  void pad(BufferOp buffer, llvm::ArrayRef<StepInterface> users) {
    auto rows = rowsOf(buffer, users);
    if (!rows || rows->first < 2 || rows->second * static_cast<int64_t>(sizeof(float)) % kSetsBytes != 0)
      return;
    int64_t longer = rows->second + kRowPadding;
    auto type = mlir::RankedTensorType::get({rows->first, longer}, buffer.getElementType());
    buffer.setTypeAttr(mlir::TypeAttr::get(type));
    for (StepInterface step : users) {
      auto product = llvm::cast<ProductOp>(*step);
      auto with = [&](MatrixAttr matrix) {
        if (!matrix || !names(matrix.getRef(), buffer))
          return matrix;
        return MatrixAttr::get(&getContext(), matrix.getRef(), matrix.getElementType(), longer,
                               matrix.getBatchStride(), matrix.getTransposed());
      };
      product.setAAttr(with(product.getA()));
      if (product.getC())
        product.setCAttr(with(*product.getC()));
      product.setDAttr(with(product.getD()));
    }
    ++numPadded;
  }

  ProgramOp program_;
};

} // namespace
} // namespace heddle::plan
