//===- Generate.h - Draws and converts tensors on the CPU --------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CPU_GENERATE_H
#define HEDDLE_RUNTIME_DEVICE_CPU_GENERATE_H

#include "runtime/base/Status.h"
#include "runtime/base/ThreadPool.h"
#include "runtime/plan/Plan.h"

namespace heddle::runtime {

/// Fills `count` elements on all threads: Normal by normalElement (Random.h), Constant with `scale`; narrow
/// types are rounded to nearest even. Element i depends on seed, stream and i alone. Internal for integer
/// types.
Status generateElements(ThreadPool &pool, void *destination, DType dtype, int64_t count, InitKind kind,
                        double scale, uint64_t seed, uint64_t stream);

/// Device::convert on all threads.
Status convertElements(ThreadPool &pool, void *destination, DType to, const void *source, DType from,
                       int64_t count);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CPU_GENERATE_H
