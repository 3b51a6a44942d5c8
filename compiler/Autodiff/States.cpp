#include "compiler/Autodiff/States.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

static PartAttr part(mlir::OpBuilder &builder, const std::string &name, llvm::ArrayRef<int64_t> shape,
                     double value) {
  return PartAttr::get(builder.getContext(), name, shape, InitKind::Constant, builder.getF64FloatAttr(value));
}

static Value state(GraphBuilder &g, StateKind kind, llvm::ArrayRef<mlir::Attribute> parts,
                   mlir::RankedTensorType type) {
  return StateOp::create(g.builder(), g.location(), type, kind == StateKind::Accumulator,
                         g.builder().getArrayAttr(parts));
}

Value heddle::scalarState(GraphBuilder &g, StateKind kind, const std::string &name, double value) {
  mlir::OpBuilder &builder = g.builder();
  return state(g, kind, part(builder, name, {1}, value),
               tensorType(builder.getContext(), {SymbolicDim::fixed(1)}, builder.getF32Type()));
}

Value heddle::stateLike(GraphBuilder &g, StateKind kind, ParameterOp parameter, const std::string &prefix) {
  llvm::SmallVector<mlir::Attribute> parts;
  for (PartAttr of : parameter.getParts().getAsRange<PartAttr>())
    parts.push_back(part(g.builder(), prefix + of.getName().str(), of.getShape(), 0.0));
  return state(g, kind, parts, withElementType(typeOf(parameter.getResult()), g.builder().getF32Type()));
}

Value heddle::spread(GraphBuilder &g, Value single, SymbolicShape shape) {
  llvm::SmallVector<SymbolicDim> ones(shape.size(), SymbolicDim::fixed(1));
  return g.broadcast(g.reshape(single, ones), shape);
}
