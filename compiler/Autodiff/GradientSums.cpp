#include "compiler/Autodiff/GradientSums.h"

#include "compiler/Autodiff/States.h"
#include "runtime/plan/Accumulators.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

void heddle::addUpOverRuns(mlir::OpBuilder &builder, llvm::MutableArrayRef<Trained> trained) {
  mlir::Type f32 = builder.getF32Type();
  GraphBuilder g(builder, mlir::NameLoc::get(builder.getStringAttr("accumulate")));
  Value keep = scalarState(g, StateKind::Accumulator, runtime::kKeepSums, 0.0);
  Value weight = scalarState(g, StateKind::Accumulator, runtime::kRunWeight, 1.0);
  Value keeps = g.compare(Predicate::GT, keep, g.splat(typeOf(keep), 0.0));
  for (Trained &each : trained) {
    g.setLocation(each.parameter.getLoc());
    Value sum = stateLike(g, StateKind::Accumulator, each.parameter, runtime::kGradientSum);
    SymbolicShape shape = symbolicShape(typeOf(sum));
    // Not keep * sum: what is left of gradients that were not finite must not stay.
    Value before = g.select(spread(g, keeps, shape), sum, g.splat(typeOf(sum), 0.0));
    Value gradient = g.mul(g.cast(each.gradient, f32, /*implicit=*/true), spread(g, weight, shape));
    Value next = g.add(before, gradient);
    AssignOp::create(builder, g.location(), sum, next);
    each.gradient = next;
  }
}
