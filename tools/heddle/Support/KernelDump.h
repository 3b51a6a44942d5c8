//===- KernelDump.h - A plan's CUDA kernels as files ------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_KERNELDUMP_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_KERNELDUMP_H

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include "tools/heddle/Support/Progress.h"

#include <string>

namespace heddle::driver {

/// A program that times one CUDA kernel of a plan by itself: the kernel's own text and a main that allocates
/// the buffers of the kernel's largest launch with the plan's sizes, fills them with a fixed pattern, runs
/// that launch with the plan's grid, block, shared memory and counts, and prints milliseconds and GB/s. Its
/// first lines say the plan's step and the nvcc command that builds it. Empty where no step launches the
/// kernel or where the plan holds no text of it.
std::string kernelBench(const runtime::Plan &plan, int32_t kernel);

/// Writes for each CUDA kernel of `plan` that has a text: NAME.ptx, what NVRTC makes of it for the kernel's
/// target; bench/NAME.cu, kernelBench; and, where `texts` is set, NAME.cu, the text. Makes the folder. Where
/// NVRTC is not found the PTX is left out, a note on stderr says so and where it was looked for, and the
/// result is false.
runtime::StatusOr<bool> dumpKernels(const runtime::Plan &plan, const std::string &folder, bool texts,
                                    Progress &progress);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_KERNELDUMP_H
