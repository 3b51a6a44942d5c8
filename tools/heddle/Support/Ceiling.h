//===- Ceiling.h - What a large matrix product reaches here -----*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_CEILING_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_CEILING_H

#include "runtime/device/Device.h"

#include <string>

namespace heddle::driver {

/// FLOP/s of a large square product on this device in the math of `precision` ("fp32", "tf32", "bf16"),
/// measured: that of the fastest product in `budget` seconds. A table of data sheets would know neither this
/// machine's clocks nor a CPU's library. The side is doubled from 1024 until one product takes 5 ms, at most
/// to 8192. Random operands: a GPU's clock falls with the bits that toggle, so zeros would flatter. On the
/// CPU the library's products and Heddle's own are both tried, as plans have both, in float32 whatever the
/// precision: it is what the CPU multiplies in.
runtime::StatusOr<double> measureCeiling(runtime::Device &device, const std::string &precision,
                                         double budget = 0.3);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_CEILING_H
