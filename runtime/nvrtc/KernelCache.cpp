//===- KernelCache.cpp - Compiled kernels on disk -------------------------===//
//
// An entry is: the line "heddle-kernel-1", the key, the lengths of cubin and log as two little-endian 64-bit
// numbers, the cubin, the log, and the hash of all that in hex.
//
//===----------------------------------------------------------------------===//
#include "runtime/nvrtc/KernelCache.h"

#include "runtime/base/File.h"
#include "runtime/base/Hash.h"

#include <cstdlib>
#include <filesystem>

using namespace heddle::runtime;
namespace fs = std::filesystem;

static constexpr std::string_view kMagic = "heddle-kernel-1\n";
static constexpr size_t kHashLength = 32;
static constexpr size_t kHeaderLength = kMagic.size() + kHashLength + 16;

std::string KernelCache::defaultFolder() {
  auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string folder = variable("HEDDLE_CACHE_DIR"); !folder.empty())
    return folder;
  if (std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/heddle";
  if (std::string folder = variable("HOME"); !folder.empty())
    return folder + "/.cache/heddle";
  return "";
}

std::string KernelCache::keyOf(const CompileRequest &request, const std::vector<SourceHeader> &headers,
                               const std::string &nvrtcVersion) {
  Hasher hash;
  hash.add(kMagic).add(std::string_view(nvrtcVersion));
  // The name counts because the log that is stored with the cubin has it.
  hash.add(std::string_view(request.name)).add(std::string_view(request.source));
  std::vector<std::string> options = compilerOptions(request);
  hash.add(int64_t(options.size()));
  for (const std::string &option : options)
    hash.add(std::string_view(option));
  // Which headers a source includes is not known without preprocessing it, so all of them count.
  for (const SourceHeader &header : headers)
    hash.add(std::string_view(header.name)).add(std::string_view(header.text));
  return hash.finish().hex();
}

static void appendNumber(std::string &text, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    text.push_back(char(value >> (8 * i)));
}

static uint64_t numberAt(std::string_view text, size_t at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= uint64_t(uint8_t(text[at + i])) << (8 * i);
  return value;
}

static std::string checksumOf(std::string_view text) {
  return hash128({reinterpret_cast<const uint8_t *>(text.data()), text.size()}).hex();
}

std::optional<CompiledKernel> KernelCache::load(const std::string &key) {
  std::error_code error;
  if (folder_.empty() || !fs::exists(fileOf(key), error))
    return std::nullopt;
  auto damaged = [&](const std::string &reason) -> std::optional<CompiledKernel> {
    remark("kernel cache: " + fileOf(key) + " is " + reason + "; the kernel is compiled again");
    return std::nullopt;
  };
  StatusOr<std::vector<uint8_t>> file = readFile(fileOf(key));
  if (!file)
    return damaged("unreadable (" + file.status().message() + ")");
  std::string_view bytes(reinterpret_cast<const char *>(file->data()), file->size());
  if (bytes.size() < kHeaderLength + kHashLength)
    return damaged("cut short");
  std::string_view content = bytes.substr(0, bytes.size() - kHashLength);
  if (content.substr(0, kMagic.size()) != kMagic || content.substr(kMagic.size(), kHashLength) != key ||
      checksumOf(content) != bytes.substr(content.size()))
    return damaged("damaged");
  uint64_t cubinLength = numberAt(content, kMagic.size() + kHashLength);
  uint64_t logLength = numberAt(content, kMagic.size() + kHashLength + 8);
  uint64_t payload = content.size() - kHeaderLength;
  if (cubinLength > payload || logLength != payload - cubinLength)
    return damaged("damaged");

  CompiledKernel kernel;
  kernel.cubin.assign(content.begin() + kHeaderLength, content.begin() + kHeaderLength + cubinLength);
  kernel.log = content.substr(kHeaderLength + cubinLength);
  kernel.resources = parseAssemblerLog(kernel.log);
  return kernel;
}

void KernelCache::store(const std::string &key, const CompiledKernel &kernel) {
  if (folder_.empty())
    return;
  std::string bytes(kMagic);
  bytes += key;
  appendNumber(bytes, kernel.cubin.size());
  appendNumber(bytes, kernel.log.size());
  bytes.append(kernel.cubin.begin(), kernel.cubin.end());
  bytes += kernel.log;
  bytes += checksumOf(bytes);

  // Where the folder cannot be made, writing says why.
  std::error_code error;
  fs::create_directories(fs::path(fileOf(key)).parent_path(), error);
  Status written = writeFile(fileOf(key), {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  if (!written)
    remark("kernel cache: " + written.message() + "; kernels are compiled again in every process");
}

void KernelCache::remark(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex_);
  // One remark says it; a thousand kernels in an unwritable folder do not need a thousand.
  if (note_.empty())
    note_ = text;
}

std::string KernelCache::note() {
  std::lock_guard<std::mutex> lock(mutex_);
  return note_;
}
