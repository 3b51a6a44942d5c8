//===- plan.cpp - Fuzzes the reader of plan files -------------------------===//
//
// The input is a plan file without its header of 40 bytes, which is put in front with the right checksum:
// otherwise nothing would get past that. What reads as a plan is laid out for every executor, written and
// read again, and its CPU objects are loaded; nothing of it runs.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/Hash.h"
#include "runtime/device/cpu/ElfObject.h"
#include "runtime/executor/Layout.h"
#include "runtime/plan/Artifact.h"
#include "runtime/plan/MemoryReport.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

/// The header that Artifact.h describes.
static std::vector<uint8_t> withHeader(std::span<const uint8_t> content) {
  std::vector<uint8_t> bytes(40 + content.size());
  Hash128 hash = hash128(content);
  uint64_t length = content.size();
  std::memcpy(bytes.data(), "HEDDLEPL", 8);
  std::memcpy(bytes.data() + 8, &kArtifactVersion, 4);
  std::memcpy(bytes.data() + 16, &length, 8);
  std::memcpy(bytes.data() + 24, &hash.low, 8);
  std::memcpy(bytes.data() + 32, &hash.high, 8);
  if (!content.empty())
    std::memcpy(bytes.data() + 40, content.data(), content.size());
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StatusOr<Plan> raw = readPlan({data, size});
  if (!raw)
    fuzz::requireGoodError(raw.status());

  StatusOr<Plan> plan = readPlan(withHeader({data, size}));
  if (!plan) {
    fuzz::require(!plan.status().message().starts_with("the plan is damaged"), "the header is right",
                  plan.status().message());
    fuzz::requireGoodError(plan.status());
    return 0;
  }
  for (ExecutorKind kind : {ExecutorKind::Eager, ExecutorKind::Sequential, ExecutorKind::Graph})
    fuzz::require(layOut(*plan, kind).peakBytes() >= 0, "a plan's memory is a number of bytes");
  StatusOr<std::vector<uint8_t>> written = writePlan(*plan);
  fuzz::require(written.isOk(), "a plan that was read can be written", written.status().message());
  StatusOr<Plan> again = readPlan(*written);
  fuzz::require(again.isOk(), "a plan that was written can be read", again.status().message());
  StatusOr<std::vector<uint8_t>> twice = writePlan(*again);
  fuzz::require(twice.isOk() && *twice == *written, "writing and reading is exact");
  for (const Kernel &kernel : plan->kernels)
    if (kernel.language == KernelLanguage::Cpu) {
      StatusOr<std::unique_ptr<ElfObject>> object = ElfObject::load(kernel.binary);
      if (!object)
        fuzz::requireGoodError(object.status());
    }
  return 0;
}
