//===- PackParameters.cpp - plan-pack-parameters --------------------------===//
#include "compiler/Plan/Passes.h"
#include "runtime/plan/CpuAlgorithm.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace heddle::plan {

#define GEN_PASS_DEF_PLANPACKPARAMETERS
#include "compiler/Plan/Passes.h.inc"

namespace {

/// Why a parameter stays in rows; None where it goes into panels.
enum class Obstacle { None, OtherReader, Form, NoProduct };

mlir::DenseI8ArrayAttr algorithm(mlir::Builder &builder, int64_t panel) {
  std::string text = runtime::tiledAlgorithm(panel);
  return builder.getDenseI8ArrayAttr({reinterpret_cast<const int8_t *>(text.data()), text.size()});
}

bool isTiled(ProductOp product) {
  std::optional<llvm::ArrayRef<int8_t>> bytes = product.getAlgorithm();
  return bytes && std::string_view(reinterpret_cast<const char *>(bytes->data()), bytes->size()) ==
                      runtime::kTiledProduct;
}

/// Whether `product` reads all of `buffer` as its b, as rows of k elements, and may read it in panels.
Obstacle obstacleOf(ProductOp product, BufferOp buffer, int64_t panel) {
  auto names = [&](RefAttr ref) {
    return ref && ref.getBuffer() && ref.getBuffer().getAttr() == buffer.getSymNameAttr();
  };
  MatrixAttr b = product.getB();
  int64_t others = llvm::count_if(product.getRefs(), names) - (names(b.getRef()) ? 1 : 0);
  if (!isTiled(product) || others > 0)
    return Obstacle::OtherReader;
  auto n = static_cast<int64_t>(product.getN()), k = static_cast<int64_t>(product.getK());
  bool whole = b.getTransposed() && b.getRef().getByteOffset() == 0 && b.getLd() == k &&
               buffer.getTensorType().getShape() == llvm::ArrayRef<int64_t>{n, k} &&
               b.getElementType() == buffer.getElementType() && product.getBatch() == 1;
  // The gate's two halves are read side by side, panel by panel.
  bool halves = product.getEpilogue() != Epilogue::SiluMul || n / 2 % panel == 0;
  return whole && halves ? Obstacle::None : Obstacle::Form;
}

struct PlanPackParametersPass : impl::PlanPackParametersBase<PlanPackParametersPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    int64_t panel = runtime::panelOf(std::string_view(program.getTarget()));
    // What changes parameters, an optimizer, knows rows.
    if (program.getDevice() != "cpu" || program.getMode() != "forward" || panel == 0)
      return;
    llvm::MapVector<mlir::StringAttr, BufferOp> parameters;
    llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<StepInterface>> readers;
    for (BufferOp buffer : program.getBuffers())
      if (buffer.getRole() == Role::Parameter)
        parameters[buffer.getSymNameAttr()] = buffer;
    for (StepInterface step : program.getSteps()) {
      llvm::SmallPtrSet<mlir::Attribute, 4> seen;
      for (RefAttr ref : step.getRefs())
        if (ref.getBuffer() && parameters.contains(ref.getBuffer().getAttr()) &&
            seen.insert(ref.getBuffer().getAttr()).second)
          readers[ref.getBuffer().getAttr()].push_back(step);
    }
    mlir::Builder builder(&getContext());
    for (auto [name, buffer] : parameters) {
      switch (obstacle(buffer, readers.lookup(name), panel)) {
      case Obstacle::None:
        buffer.setPanel(panel);
        for (StepInterface step : readers.lookup(name))
          llvm::cast<ProductOp>(*step).setAlgorithmAttr(algorithm(builder, panel));
        ++numPacked;
        break;
      case Obstacle::OtherReader:
        ++numOtherReader;
        break;
      case Obstacle::Form:
        ++numForm;
        break;
      case Obstacle::NoProduct:
        ++numNoProduct;
        break;
      }
    }
  }

  static Obstacle obstacle(BufferOp buffer, llvm::ArrayRef<StepInterface> readers, int64_t panel) {
    auto isProduct = [](StepInterface step) { return llvm::isa<ProductOp>(*step); };
    if (llvm::none_of(readers, isProduct))
      return Obstacle::NoProduct;
    for (StepInterface step : readers) {
      if (!isProduct(step))
        return Obstacle::OtherReader;
      if (Obstacle found = obstacleOf(llvm::cast<ProductOp>(*step), buffer, panel); found != Obstacle::None)
        return found;
    }
    return Obstacle::None;
  }
};

} // namespace
} // namespace heddle::plan
