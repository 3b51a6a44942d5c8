//===- RandomTensor.h - Inputs and weights drawn on the host ----*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_TOOLING_RANDOMTENSOR_H
#define HEDDLE_RUNTIME_TOOLING_RANDOMTENSOR_H

#include "runtime/plan/Plan.h"
#include "runtime/tooling/HostTensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Values for an input named `name`. Floating types: normal with mean 0 and deviation 1. Integers: uniform in
/// [0, limit), but for I32 and I64 with a limit of 2 the first of each row is 1: such integers mostly say
/// which positions are seen (attention_mask), and a row that sees nothing has no result that two computations
/// could agree on. Segment ids of two kinds (token_type_ids) are drawn so too: nothing tells them apart.
/// Bool: 0 or 1. The values depend on seed, name and position alone (runtime/base/Random.h). InvalidInput for
/// an integer type without a positive `limit`: no range can be guessed.
StatusOr<HostTensor> randomTensor(DType dtype, const std::vector<int64_t> &shape, int64_t limit,
                                  uint64_t seed, const std::string &name);

/// The elements of a parameter part as Device::generate draws them in float32, widened to float64. Drawn by
/// all cores.
std::vector<double> drawParameter(const ParameterPart &part, uint64_t seed);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_RANDOMTENSOR_H
