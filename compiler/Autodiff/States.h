//===- States.h - What a step keeps from run to run -------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_AUTODIFF_STATES_H
#define HEDDLE_COMPILER_AUTODIFF_STATES_H

#include "dialects/Graph/GraphBuilder.h"

namespace heddle {

/// Whether a state is the optimizer's, or gradients are added up in it.
enum class StateKind { Optimizer, Accumulator };

/// A state of one float32, [1], that begins as `value`.
mlir::Value scalarState(graph::GraphBuilder &g, StateKind kind, const std::string &name, double value);

/// A state as a parameter: its shape, its parts with `prefix` before their names; float32, zeros at first.
mlir::Value stateLike(graph::GraphBuilder &g, StateKind kind, graph::ParameterOp parameter,
                      const std::string &prefix);

/// [1] as a tensor of that shape, everywhere the same.
mlir::Value spread(graph::GraphBuilder &g, mlir::Value single, graph::SymbolicShape shape);

} // namespace heddle

#endif // HEDDLE_COMPILER_AUTODIFF_STATES_H
