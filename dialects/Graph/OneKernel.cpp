#include "dialects/Graph/OneKernel.h"
#include "dialects/Graph/GraphDialect.h"

using namespace heddle::graph;
using mlir::Operation;

mlir::Attribute heddle::graph::newKernel(mlir::MLIRContext *context) {
  return mlir::DistinctAttr::create(mlir::UnitAttr::get(context));
}

mlir::Attribute heddle::graph::inEachReader(mlir::MLIRContext *context) {
  return mlir::UnitAttr::get(context);
}

static Operation *opBefore(mlir::OpBuilder &builder) {
  mlir::Block::iterator place = builder.getInsertionPoint();
  return place == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(place);
}

KernelScope::KernelScope(mlir::OpBuilder &builder, mlir::Attribute mark)
    : builder_(builder), mark_(mark), before_(opBefore(builder)) {}

KernelScope::~KernelScope() {
  for (Operation *op = opBefore(builder_); op != before_; op = op->getPrevNode()) {
    bool computes = !op->hasTrait<ViewLike>() && !llvm::isa<ParameterOp, StateOp, ConstantOp, AssignOp>(op);
    if (computes && !op->hasAttr(kKernelAttr))
      op->setAttr(kKernelAttr, mark_);
  }
}
