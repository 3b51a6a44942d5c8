//===- Safetensors.h - Named tensors in one file ----------------*- C++ -*-===//
//
// The format: eight bytes of header length (little-endian), a JSON object that gives each tensor's dtype,
// shape and data_offsets, then the data. Offsets count from the header's end and cover the data without gap
// or overlap.
//
// A file is opened by reading its header alone, which is checked as a whole against the file's size before
// any data is read or any memory taken for it. Data is then read piece by piece into memory of the caller,
// which for weights is a staging buffer of fixed size. It is read and not mapped: a mapping saves nothing
// here, since every byte is copied to a device once, and a file that another process truncates would end
// this one by SIGBUS.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_TOOLING_SAFETENSORS_H
#define HEDDLE_RUNTIME_TOOLING_SAFETENSORS_H

#include "runtime/base/File.h"
#include "runtime/tooling/HostTensor.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

/// One tensor as its file declares it; its bytes are inside the file.
struct StoredTensor {
  std::string typeName;       ///< As in the file: "F32", "F8_E4M3".
  std::optional<DType> dtype; ///< Absent where Heddle has no such type; then only the name can be shown.
  std::vector<int64_t> shape;
  uint64_t offset = 0; ///< Of its first byte in the file.
  int64_t bytes = 0;
};

/// "bf16[768, 3072]"; a type that Heddle does not have keeps the file's name: "F8_E4M3[4]".
std::string describe(const StoredTensor &tensor);

/// Parses the JSON of a header. `dataOffset` is where data begins in the file and `dataBytes` what the file
/// has from there on. InvalidInput names the tensor, what was wanted and what was found for whatever the
/// format forbids: JSON that is no such object, a name or a field given twice, an unknown element type, a
/// shape whose product does not fit, offsets that leave gaps, overlap, lie beyond the file or do not match
/// type and shape.
StatusOr<std::map<std::string, StoredTensor>> parseSafetensorsHeader(std::string_view json,
                                                                     uint64_t dataOffset, uint64_t dataBytes);

class SafetensorsFile {
public:
  /// Reads and checks the header; errors as above, and for a header beyond 100 MB (the format's own limit) or
  /// beyond the file. All name the file.
  static StatusOr<SafetensorsFile> open(const std::string &path);

  const std::string &path() const { return file_.path(); }
  const std::map<std::string, StoredTensor> &tensors() const { return tensors_; }

  /// Bytes of `tensor`, one of tensors(), from `byteOffset` on. Internal where the range is outside of it,
  /// InvalidInput where the file was truncated since.
  Status read(const StoredTensor &tensor, int64_t byteOffset, std::span<uint8_t> destination) const;

private:
  SafetensorsFile(RandomAccessFile file, std::map<std::string, StoredTensor> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}
  RandomAccessFile file_;
  std::map<std::string, StoredTensor> tensors_;
};

/// Every tensor of a file, in memory: for inputs. InvalidInput also for element types that Heddle does not
/// have.
StatusOr<std::map<std::string, HostTensor>> readSafetensors(const std::string &path);

/// Writes a file whose data comes piece by piece, whole or not at all (AtomicFile).
class SafetensorsWriter {
public:
  struct Tensor {
    std::string name;
    DType dtype = DType::F32;
    std::vector<int64_t> shape;
  };
  /// Writes the header: the tensors in the order given, names all different, data 8-byte aligned as a whole.
  /// `metadata` becomes __metadata__ where it is not empty.
  static StatusOr<SafetensorsWriter> create(const std::string &path, const std::vector<Tensor> &tensors,
                                            const std::map<std::string, std::string> &metadata = {});
  /// The next bytes of the data, in the tensors' order, in pieces of any size.
  Status append(std::span<const uint8_t> bytes);
  /// Internal when more or fewer bytes came than the header promises.
  Status commit();

private:
  SafetensorsWriter(AtomicFile file, int64_t left) : file_(std::move(file)), left_(left) {}
  AtomicFile file_;
  int64_t left_ = 0; ///< Bytes that are still to come.
};

/// Writes the tensors in the order of their names, whole or not at all.
Status writeSafetensors(const std::string &path, const std::map<std::string, HostTensor> &tensors);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_SAFETENSORS_H
