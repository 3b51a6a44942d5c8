//===- plan.cpp - Fuzzes the reader of plan files -------------------------===//
//
// The input is a plan file without its header of 40 bytes, which is put in front with the right checksum:
// otherwise nothing would get past that. What reads as a plan is laid out for every executor, written and
// read again, its CPU objects are loaded, and a plan for the CPU runs, twice, with every executor that the
// CPU has; of its machine code nothing is called (nothing can vouch for that): a launch writes over all that
// its operands may reach instead.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/Hash.h"
#include "runtime/device/Device.h"
#include "runtime/device/cpu/ElfObject.h"
#include "runtime/executor/Executor.h"
#include "runtime/executor/Layout.h"
#include "runtime/plan/Artifact.h"
#include "runtime/plan/MemoryReport.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <cstring>
#include <random>

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

namespace {

/// The CPU, but for a plan's machine code.
class Tame : public Device {
public:
  Tame(std::unique_ptr<Device> cpu, const Plan &plan) : cpu(std::move(cpu)), plan(plan) {}

  std::string kind() const override { return cpu->kind(); }
  std::string name() const override { return cpu->name(); }
  std::string target() const override { return cpu->target(); }
  bool supports(const std::string &target) const override { return cpu->supports(target); }
  StatusOr<void *> allocate(int64_t bytes) override { return cpu->allocate(bytes); }
  void release(void *memory) override { cpu->release(memory); }
  StatusOr<MemoryInfo> memoryInfo() override { return cpu->memoryInfo(); }
  Status upload(void *to, const void *from, int64_t bytes) override { return cpu->upload(to, from, bytes); }
  Status download(void *to, const void *from, int64_t bytes) override {
    return cpu->download(to, from, bytes);
  }
  Status copy(void *to, const void *from, int64_t bytes) override { return cpu->copy(to, from, bytes); }
  Status fill(void *to, uint8_t value, int64_t bytes) override { return cpu->fill(to, value, bytes); }
  Status generate(void *to, DType dtype, int64_t count, InitKind kind, double scale, uint64_t seed,
                  uint64_t stream) override {
    return cpu->generate(to, dtype, count, kind, scale, seed, stream);
  }
  Status convert(void *to, DType dtype, const void *from, DType fromType, int64_t count) override {
    return cpu->convert(to, dtype, from, fromType, count);
  }
  Status synchronize() override { return cpu->synchronize(); }
  StatusOr<std::unique_ptr<LoadedKernels>> load(const Plan &) override {
    return std::make_unique<LoadedKernels>();
  }
  Status launch(LoadedKernels &, const Launch &launch, std::span<void *const> buffers) override {
    for (size_t i = 0; i < launch.buffers.size(); ++i) {
      const BufferRef &ref = launch.buffers[i];
      if (!ref.present())
        continue;
      const Buffer &buffer = plan.buffers[static_cast<size_t>(ref.buffer)];
      fuzz::require(buffers[i] != nullptr, "a buffer that a step uses has memory then");
      std::memset(buffers[i], 0, static_cast<size_t>(buffer.bytes - ref.byteOffset));
    }
    return Status::ok();
  }
  Status product(const Product &product, const ProductAddresses &addresses) override {
    return cpu->product(product, addresses);
  }
  Status beginRecording() override { return cpu->beginRecording(); }
  StatusOr<std::unique_ptr<Recording>> endRecording() override { return cpu->endRecording(); }
  Status replay(Recording &recording) override { return cpu->replay(recording); }
  Status startProfile() override { return cpu->startProfile(); }
  void markStep(int32_t step) override { cpu->markStep(step); }
  StatusOr<std::vector<StepTime>> stopProfile() override { return cpu->stopProfile(); }

private:
  std::unique_ptr<Device> cpu;
  const Plan &plan;
};

/// Whether running the plan takes milliseconds and little memory.
bool isSmall(const Plan &plan) {
  for (ExecutorKind kind : {ExecutorKind::Eager, ExecutorKind::Sequential})
    if (layOut(plan, kind).peakBytes() + plan.workspaceBytes > int64_t{32} << 20)
      return false;
  double work = 0;
  for (const Step &step : plan.steps)
    if (step.kind == StepKind::Product)
      work += static_cast<double>(step.product.m) * static_cast<double>(step.product.n) *
              static_cast<double>(step.product.k + 1) * static_cast<double>(step.product.batch);
  return work < 1e7;
}

/// What is wrong with a plan that verifies may only be the machine's lack, or what is left to the device.
void requireCallersFault(const Status &status) {
  fuzz::require(status.isOk() || status.code() != StatusCode::Internal, "a plan's fault is none of Heddle's",
                status.message());
}

void runTamely(const Plan &plan) {
  for (ExecutorKind kind : {ExecutorKind::Eager, ExecutorKind::Sequential}) {
    StatusOr<std::unique_ptr<Device>> cpu = createCpuDevice(2);
    fuzz::require(cpu.isOk(), "there is a CPU", cpu.status().message());
    Tame device(*std::move(cpu), plan);
    ExecutorOptions options;
    options.kind = kind;
    options.poison = true;
    StatusOr<std::unique_ptr<Executor>> executor = Executor::create(device, plan, options);
    requireCallersFault(executor.status());
    for (int run = 0; run < 2 && executor.isOk(); ++run) {
      Status status = (*executor)->run();
      requireCallersFault(status);
      for (const Buffer &buffer : plan.buffers)
        if (status.isOk() && buffer.role == BufferRole::Output)
          requireCallersFault((*executor)->output(buffer.name).status());
    }
  }
}

} // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/// Half of the changes are to one number where FlatBuffers keeps them, and keep the file's form: the general
/// ones mostly break that.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  std::minstd_rand draw(seed);
  if (size < 16 || draw() % 2 == 0)
    return LLVMFuzzerMutate(data, size, most);
  const int64_t numbers[] = {0, 1, -1, 2, 255, 256, 65536, INT32_MAX, int64_t{1} << 32, INT64_MAX, INT64_MIN};
  size_t width = size_t{1} << draw() % 4, place = draw() % (size / width) * width;
  int64_t value = 0;
  std::memcpy(&value, data + place, width);
  switch (draw() % 4) {
  case 0:
    value = numbers[draw() % std::size(numbers)];
    break;
  case 1:
    value = static_cast<int64_t>(static_cast<uint64_t>(value) + draw() % 9 - 4);
    break;
  case 2: // Another number of the plan: an index, an offset or a size that means something elsewhere.
    std::memcpy(&value, data + draw() % (size / width) * width, width);
    break;
  case 3:
    value = static_cast<int64_t>(draw() % 2 ? static_cast<uint64_t>(value) << 1
                                            : static_cast<uint64_t>(value) >> 1);
    break;
  }
  std::memcpy(data + place, &value, width);
  return size;
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
  if (plan->device == "cpu" && isSmall(*plan))
    runTamely(*plan);
  return 0;
}
