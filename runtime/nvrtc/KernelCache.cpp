//===- KernelCache.cpp - Compiled kernels on disk -------------------------===//
//
// An entry's payload is: the cubin's length as a little-endian 64-bit number, the cubin, the log.
//
//===----------------------------------------------------------------------===//
#include "runtime/nvrtc/KernelCache.h"

#include "runtime/base/Hash.h"
#include "runtime/base/LittleEndian.h"

using namespace heddle::runtime;

/// Part of every key: what an entry holds, and how.
static constexpr std::string_view kFormat = "heddle-kernel-2";

std::string KernelCache::keyOf(const CompileRequest &request, const std::vector<SourceHeader> &headers,
                               const std::string &nvrtcVersion) {
  Hasher hash;
  hash.add(kFormat).add(std::string_view(nvrtcVersion));
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

std::optional<CompiledKernel> KernelCache::load(const std::string &key) {
  std::optional<std::string> payload = disk_.load(key);
  if (!payload)
    return std::nullopt;
  uint64_t length = payload->size() < 8 ? 0 : little64At(*payload);
  if (payload->size() < 8 || length > payload->size() - 8) {
    disk_.remarkDamage(key, "no kernel");
    return std::nullopt;
  }
  CompiledKernel kernel;
  auto cubin = payload->begin() + 8;
  kernel.cubin.assign(cubin, cubin + int64_t(length));
  kernel.log = payload->substr(8 + length);
  kernel.resources = parseAssemblerLog(kernel.log);
  return kernel;
}

void KernelCache::store(const std::string &key, const CompiledKernel &kernel, const std::string &title) {
  std::string payload;
  appendLittle64(payload, kernel.cubin.size());
  payload.append(kernel.cubin.begin(), kernel.cubin.end());
  payload += kernel.log;
  disk_.store(key, payload, title);
}
