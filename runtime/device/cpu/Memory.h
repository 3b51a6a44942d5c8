//===- Memory.h - The machine's memory --------------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CPU_MEMORY_H
#define HEDDLE_RUNTIME_DEVICE_CPU_MEMORY_H

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"

namespace heddle::runtime {

/// What this process may still take, and the whole: the machine's memory, or its control group's where that
/// is less.
StatusOr<MemoryInfo> hostMemory();

/// Memory aligned to 256 bytes, or to large pages from 2 MiB on, which the system is asked to use.
/// OutOfMemory where `bytes` is more than hostMemory().free: the system would grant it and end the process at
/// the first touch.
StatusOr<void *> allocateHost(int64_t bytes);
void releaseHost(void *memory);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CPU_MEMORY_H
