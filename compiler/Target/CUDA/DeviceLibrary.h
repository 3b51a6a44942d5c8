//===- DeviceLibrary.h - The .cuh files, embedded ---------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_DEVICELIBRARY_H
#define HEDDLE_COMPILER_TARGET_CUDA_DEVICELIBRARY_H

#include <cstddef>
#include <string_view>

namespace heddle::cuda {

struct DeviceFile {
  std::string_view name; ///< As in an #include line: "row.cuh".
  std::string_view text;
};

/// The files of compiler/Target/CUDA/device, by name; made at build by cmake/HeddleEmbed.cmake.
extern const DeviceFile kDeviceFiles[];
extern const size_t kDeviceFileCount;

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_DEVICELIBRARY_H
