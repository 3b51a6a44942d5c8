//===- safetensors.cpp - Fuzzes the reader of weight files ----------------===//
//
// The input is read three times: as a whole file, as the JSON of a header (so that the length in front of it
// need not be right), and as an index over one good file.
//
//===----------------------------------------------------------------------===//
#include "runtime/tooling/Weights.h"
#include "test/fuzz/Fuzz.h"

using namespace heddle;
using namespace heddle::runtime;

namespace {

/// Data bytes that the header read alone is told of. Seeds of that kind describe as many.
constexpr uint64_t kDataBytes = 64;

void checkTensors(const std::map<std::string, StoredTensor> &tensors, uint64_t begin, uint64_t end) {
  uint64_t total = 0;
  for (const auto &[name, tensor] : tensors) {
    fuzz::require(tensor.bytes >= 0 && tensor.offset >= begin && tensor.offset <= end &&
                      static_cast<uint64_t>(tensor.bytes) <= end - tensor.offset,
                  "a tensor is inside its file", name);
    total += static_cast<uint64_t>(tensor.bytes);
    if (tensor.dtype) {
      StatusOr<int64_t> bytes = byteCount(*tensor.dtype, tensor.shape);
      fuzz::require(bytes && *bytes == tensor.bytes, "a tensor's bytes are its shape's", name);
    }
  }
  fuzz::require(total == end - begin, "tensors cover the data");
}

void readWhole(const std::string &path, size_t size) {
  StatusOr<WeightFiles> files = WeightFiles::open(path);
  if (!files)
    return fuzz::requireGoodError(files.status());
  std::vector<WantedWeight> wanted;
  for (const auto &[name, tensor] : files->tensors()) {
    std::vector<uint8_t> data(static_cast<size_t>(tensor.stored->bytes));
    fuzz::require(data.size() <= size, "a tensor is no larger than its file", name);
    fuzz::require(tensor.file->read(*tensor.stored, 0, data).isOk(), "a tensor of an opened file reads",
                  name);
    if (tensor.stored->dtype)
      wanted.push_back({name, *tensor.stored->dtype, tensor.stored->shape});
  }
  StatusOr<WeightMatch> match = matchWeights(*files, wanted);
  if (!match)
    fuzz::requireGoodError(match.status());
  else
    fuzz::require(match->byName.size() == wanted.size(), "each wanted tensor is matched");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const fuzz::Folder folder;
  readWhole(folder.write("model.safetensors", data, size), size);

  auto tensors = parseSafetensorsHeader({reinterpret_cast<const char *>(data), size}, 8, kDataBytes);
  if (tensors)
    checkTensors(*tensors, 8, 8 + kDataBytes);
  else
    fuzz::requireGoodError(tensors.status());

  static const bool shard = [] {
    std::map<std::string, HostTensor> held = {{"a", {DType::U8, {2}, {1, 2}}}, {"b", {DType::U8, {}, {3}}}};
    return writeSafetensors(folder.write("one.safetensors", nullptr, 0), held).isOk();
  }();
  fuzz::require(shard, "the good file can be written");
  StatusOr<WeightFiles> index = WeightFiles::open(folder.write("index.json", data, size));
  if (!index)
    fuzz::requireGoodError(index.status());
  return 0;
}
