//===- GradientSums.h - Gradients of several runs ---------------*- C++ -*-===//
//
// A step on more sequences than fit into memory: each run adds its gradients, times a weight, to float32
// states; the optimizer's steps are left out of all runs but the last, which takes the sums.
//
//   sum = (keep > 0 ? sum : 0) + weight * gradient
//
// Whoever runs the plan sets both scalars before each run: accumulate.keep, 0 for the first run of a step
// and 1 for the others; accumulate.weight, this run's share of the step's valid targets, so that the mean is
// over all of them. The sums are accumulate.sum.NAME. Between steps they mean nothing.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_AUTODIFF_GRADIENTSUMS_H
#define HEDDLE_COMPILER_AUTODIFF_GRADIENTSUMS_H

#include "compiler/Autodiff/AdamW.h"

namespace heddle {

/// Builds the sums where `builder` stands, and gives each of `trained` its own instead of its gradient.
void addUpOverRuns(mlir::OpBuilder &builder, llvm::MutableArrayRef<Trained> trained);

} // namespace heddle

#endif // HEDDLE_COMPILER_AUTODIFF_GRADIENTSUMS_H
