//===- Embedded.h - Device code inside the program --------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_EMBEDDED_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_EMBEDDED_H

namespace heddle::runtime {

/// The text of Generate.cu.
extern const char *const kGenerateSource;
/// The text of Convert.cu.
extern const char *const kConvertSource;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_EMBEDDED_H
