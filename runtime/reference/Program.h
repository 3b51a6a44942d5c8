//===- Program.h - The oracle's program -------------------------*- C++ -*-===//
//
// The unraised graph, free of MLIR, for the float64 reference. The compiler writes it from the graph dialect
// right after import (compiler/Plan/ReferenceProgram.h); the interpreter executes it in float64 and int64 on
// the CPU. Casts between floating types are the identity here: the reference is the mathematics, not a
// rounding.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_REFERENCE_PROGRAM_H
#define HEDDLE_RUNTIME_REFERENCE_PROGRAM_H

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heddle::runtime::reference {

/// One operation of the graph dialect. `name` is the op's mnemonic without the dialect ("add", "matmul",
/// "softmax"); attributes keep the names and meaning they have in the graph dialect's documentation.
struct Operation {
  std::string name;
  std::vector<int32_t> operands; ///< Indices into Program::values.
  std::vector<int32_t> results;
  std::map<std::string, std::vector<int64_t>>
      ints; ///< "axes", "permutation", "offsets", "strides", "axis", "causal", …
  std::map<std::string, double> floats;       ///< "scale", "epsilon", "value", …
  std::map<std::string, std::string> strings; ///< "predicate", "kind", "approximate", …
  std::string location;
};

struct Value {
  DType dtype = DType::F32; ///< Of the graph: tells floating, integer and boolean values apart.
  std::vector<int64_t> shape;
};

struct Program {
  std::vector<Value> values;
  std::vector<std::pair<std::string, int32_t>> inputs;
  std::vector<std::pair<std::string, int32_t>> outputs;
  /// Parameter buffers and the parts they are made of.
  std::vector<std::pair<std::vector<ParameterPart>, int32_t>> parameters;
  /// Constants, in float64; one element when splat.
  std::vector<std::pair<std::vector<double>, int32_t>> constants;
  std::vector<Operation> operations;
};

using Tensor = std::vector<double>;

/// Gives the elements of a parameter part, widened to float64.
using ParameterReader = std::function<StatusOr<Tensor>(const ParameterPart &part)>;

/// Executes `program` on `threads` threads (0: all cores). Inputs by name; returns the outputs by name.
StatusOr<std::map<std::string, Tensor>> execute(const Program &program,
                                                const std::map<std::string, Tensor> &inputs,
                                                const ParameterReader &parameters, int threads = 0);

} // namespace heddle::runtime::reference

#endif // HEDDLE_RUNTIME_REFERENCE_PROGRAM_H
