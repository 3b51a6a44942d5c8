//===- Safetensors.h - Named tensors in one file ----------------*- C++ -*-===//
//
// The format: eight bytes of header length (little-endian), a JSON object that gives each tensor's dtype,
// shape and data_offsets, then the data. Offsets count from the header's end and cover the data without gap
// or overlap.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_TOOLING_SAFETENSORS_H
#define HEDDLE_RUNTIME_TOOLING_SAFETENSORS_H

#include "runtime/tooling/HostTensor.h"

#include <map>
#include <string>

namespace heddle::runtime {

/// Reads every tensor. InvalidInput names the file, the tensor and the field for whatever the format forbids:
/// a header beyond 100 MB or the file, JSON that is no such object, a name given twice, offsets that leave
/// gaps, overlap or do not match dtype and shape, and for element types that Heddle does not have.
StatusOr<std::map<std::string, HostTensor>> readSafetensors(const std::string &path);

/// Writes the tensors in the order of their names, data 8-byte aligned, whole or not at all.
Status writeSafetensors(const std::string &path, const std::map<std::string, HostTensor> &tensors);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_SAFETENSORS_H
