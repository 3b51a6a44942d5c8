//===- Executor.cpp - Runs a plan on a device -----------------------------===//
#include "runtime/executor/Executor.h"

#include "runtime/executor/CachingAllocator.h"
#include "runtime/executor/Layout.h"
#include "runtime/executor/Parameters.h"
#include "runtime/plan/Panels.h"
#include "runtime/plan/Verify.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace heddle::runtime {

namespace {

/// "wanted one of a, b, found c".
Status unknownName(const char *what, const std::string &name, const std::vector<std::string> &known) {
  std::string list;
  for (const std::string &entry : known)
    list += (list.empty() ? "" : ", ") + entry;
  return invalidInput(std::string("the plan has no ") + what + " named \"" + name + "\"; it has " +
                      (list.empty() ? "none" : list));
}

int64_t valueBytes(const Buffer &buffer) { return elementsOf(buffer.shape) * sizeOf(buffer.dtype); }

class PlanExecutor : public Executor {
public:
  PlanExecutor(Device &device, const Plan &plan, const ExecutorOptions &options)
      : device_(device), plan_(plan), options_(options), allocator_(device) {}

  ~PlanExecutor() override {
    (void)device_.synchronize(); // Memory must not go while work is under way; an error has nobody to go to.
    for (void *memory : {fixed_, arena_, workspace_})
      if (memory)
        device_.release(memory);
  }

  Status prepare(const ParameterSource &parameters) {
    HEDDLE_RETURN_IF_ERROR(verifyPlan(plan_));
    if (plan_.device != device_.kind())
      return invalidInput("the plan is for device " + plan_.device + ", found device " + device_.kind());
    if (!plan_.target.empty() && !device_.supports(plan_.target))
      return unavailable("the plan was made for " + plan_.target + "; this device (" + device_.name() +
                         ") is " + device_.target());
    layout_ = layOut(plan_, options_.kind);
    indexNames();
    HEDDLE_RETURN_IF_ERROR(allocate());
    HEDDLE_ASSIGN_OR_RETURN(kernels_, device_.load(plan_));
    if (options_.kind != ExecutorKind::Eager) // Whose buffers come and go: each launch brings its own.
      HEDDLE_RETURN_IF_ERROR(bindLaunches());
    HEDDLE_RETURN_IF_ERROR(fillBuffers(device_, plan_, addresses_, options_.seed, parameters));
    if (options_.poison)
      HEDDLE_RETURN_IF_ERROR(poison());
    HEDDLE_RETURN_IF_ERROR(runSteps(layout_.init, /*mark=*/false));
    HEDDLE_RETURN_IF_ERROR(device_.synchronize());
    return options_.kind == ExecutorKind::Graph ? record(layout_.run, recording_) : Status::ok();
  }

  Status setInput(const std::string &name, std::span<const uint8_t> data) override {
    auto found = inputs_.find(name);
    if (found == inputs_.end())
      return unknownName("input", name, names(inputs_));
    const Buffer &buffer = plan_.buffers[found->second];
    if (static_cast<int64_t>(data.size()) != valueBytes(buffer))
      return invalidInput("input " + name + ": wanted " + std::to_string(valueBytes(buffer)) + " bytes (" +
                          std::string(nameOf(buffer.dtype)) + " " + shapeText(buffer.shape) + "), found " +
                          std::to_string(data.size()));
    return device_.upload(addresses_[found->second], data.data(), static_cast<int64_t>(data.size()));
  }

  Status run() override { return runAll(layout_.run, recording_); }

  Status runWithoutOptimizer() override {
    if (withoutOptimizer_.empty()) {
      for (const PreparedStep &step : layout_.run)
        if (step.step->phase != Phase::Optimizer)
          withoutOptimizer_.push_back(step);
      if (options_.kind == ExecutorKind::Graph)
        HEDDLE_RETURN_IF_ERROR(record(withoutOptimizer_, recordingWithout_));
    }
    HEDDLE_RETURN_IF_ERROR(runAll(withoutOptimizer_, recordingWithout_));
    for (size_t i = 0; i < blocks_.size(); ++i) // What the optimizer would have read.
      if (plan_.buffers[i].role != BufferRole::Output)
        releaseDynamic(static_cast<int32_t>(i));
    return Status::ok();
  }

  Status synchronize() override { return device_.synchronize(); }

  StatusOr<std::vector<uint8_t>> output(const std::string &name) override {
    auto found = outputs_.find(name);
    if (found == outputs_.end())
      return unknownName("output", name, names(outputs_));
    if (!hasRun_)
      return invalidInput("output " + name + " has no value: the plan has not run yet");
    const Buffer &buffer = plan_.buffers[found->second];
    if (buffer.pitch == 0)
      return read(addresses_[found->second], valueBytes(buffer));
    // Rows that lie apart are moved together.
    int64_t size = sizeOf(buffer.dtype), width = buffer.shape.back() * size, step = buffer.pitch * size;
    int64_t rows = valueBytes(buffer) / width;
    HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> data,
                            read(addresses_[found->second], (rows - 1) * step + width));
    for (int64_t row = 1; row < rows; ++row)
      std::memmove(data.data() + row * width, data.data() + row * step, static_cast<size_t>(width));
    data.resize(static_cast<size_t>(rows * width));
    return data;
  }

  StatusOr<std::vector<uint8_t>> parameter(const std::string &partName) override {
    auto found = parts_.find(partName);
    if (found == parts_.end())
      return unknownName("parameter", partName, names(parts_));
    auto [index, part] = found->second;
    int64_t size = sizeOf(plan_.buffers[index].dtype);
    if (plan_.buffers[index].panel > 0)
      return readFromPanels(plan_.buffers[index], *part, addresses_[index]);
    return read(addresses_[index] + part->elementOffset * size, elementsOf(part->shape) * size);
  }

  Status setParameter(const std::string &partName, std::span<const uint8_t> data) override {
    auto found = parts_.find(partName);
    if (found == parts_.end())
      return unknownName("parameter", partName, names(parts_));
    auto [index, part] = found->second;
    int64_t size = sizeOf(plan_.buffers[index].dtype), bytes = elementsOf(part->shape) * size;
    if (plan_.buffers[index].panel > 0)
      return invalidInput("parameter " + partName +
                          " is stored in panels, in which a forward plan keeps what "
                          "nothing changes");
    if (static_cast<int64_t>(data.size()) != bytes)
      return invalidInput("parameter " + partName + ": wanted " + std::to_string(bytes) + " bytes, found " +
                          std::to_string(data.size()));
    initIsStale_ |= plan_.buffers[index].role == BufferRole::Parameter;
    return device_.upload(addresses_[index] + part->elementOffset * size, data.data(), bytes);
  }

  StatusOr<std::vector<StepTime>> profile() override {
    HEDDLE_RETURN_IF_ERROR(beginRun());
    HEDDLE_RETURN_IF_ERROR(device_.startProfile());
    Status status = runSteps(layout_.run, /*mark=*/true);
    StatusOr<std::vector<StepTime>> times = device_.stopProfile();
    HEDDLE_RETURN_IF_ERROR(std::move(status));
    hasRun_ = true;
    return times;
  }

  ExecutorStats stats() const override {
    ExecutorStats stats;
    stats.peakBytes = layout_.fixedBytes + layout_.arenaBytes + allocator_.peakBytes();
    stats.workspaceBytes = plan_.workspaceBytes;
    stats.kernelsPerRun = static_cast<int64_t>(layout_.run.size());
    return stats;
  }

private:
  static std::string shapeText(const std::vector<int64_t> &shape) {
    std::string text = "[";
    for (int64_t size : shape)
      text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + "]";
  }

  template <typename T>
  static std::vector<std::string> names(const std::map<std::string, T> &map) {
    std::vector<std::string> keys;
    keys.reserve(map.size());
    for (auto &[key, value] : map)
      keys.push_back(key);
    return keys;
  }

  void indexNames() {
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const Buffer &buffer = plan_.buffers[i];
      if (buffer.role == BufferRole::Input)
        inputs_[buffer.name] = i;
      if (buffer.role == BufferRole::Output)
        outputs_[buffer.name] = i;
      if (buffer.role == BufferRole::Parameter || buffer.role == BufferRole::State)
        for (const ParameterPart &part : buffer.parts)
          parts_[part.name] = {i, &part};
    }
  }

  Status allocate() {
    // Checked as a whole first: a message that gives the plan's own peak is worth more than the failure of
    // whichever allocation comes last, and a CPU would grant all of them.
    int64_t wanted = layout_.peakBytes() + plan_.workspaceBytes;
    std::string needs = "the plan needs " + layout_.describeMemory(plan_.workspaceBytes);
    HEDDLE_ASSIGN_OR_RETURN(MemoryInfo memory, device_.memoryInfo());
    if (wanted > memory.free)
      return outOfMemory(needs + "; free on device " + device_.kind() + ": " + std::to_string(memory.free) +
                         " of " + std::to_string(memory.total));
    struct Request {
      void **memory;
      int64_t bytes;
    };
    for (auto [place, bytes] : {Request{&fixed_, layout_.fixedBytes}, Request{&arena_, layout_.arenaBytes},
                                Request{&workspace_, plan_.workspaceBytes}}) {
      if (bytes == 0)
        continue;
      StatusOr<void *> allocated = device_.allocate(bytes);
      if (!allocated.isOk())
        return std::move(allocated).status().with(needs);
      *place = *allocated;
    }
    addresses_.assign(plan_.buffers.size(), nullptr);
    blocks_.assign(plan_.buffers.size(), nullptr);
    for (size_t i = 0; i < plan_.buffers.size(); ++i)
      if (layout_.homes[i] == Home::Fixed)
        addresses_[i] = static_cast<char *>(fixed_) + layout_.fixedOffsets[i];
      else if (layout_.homes[i] == Home::Arena)
        addresses_[i] = static_cast<char *>(arena_) + plan_.buffers[i].offset;
    resolved_.assign(layout_.operands.size(), nullptr);
    for (size_t i = 0; i < resolved_.size(); ++i)
      resolve(i);
    return Status::ok();
  }

  /// Everything has its place for good: devices prepare what launches need of the addresses.
  Status bindLaunches() {
    for (const std::vector<PreparedStep> *steps : {&layout_.init, &layout_.run})
      for (const PreparedStep &prepared : *steps)
        if (prepared.step->kind == StepKind::Launch)
          HEDDLE_RETURN_IF_ERROR(device_.bind(*kernels_, prepared.step->launch, operandsOf(prepared)));
    return Status::ok();
  }

  std::span<void *const> operandsOf(const PreparedStep &prepared) const {
    return {resolved_.data() + prepared.operands.first, prepared.operands.count};
  }

  void resolve(size_t operand) {
    const BufferRef &ref = layout_.operands[operand];
    char *base = ref.present() ? addresses_[ref.buffer] : nullptr;
    resolved_[operand] = base ? base + ref.byteOffset : nullptr;
  }

  /// Every byte of what no run may read before writing becomes 0xff: a NaN in each floating type.
  Status poison() {
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      BufferRole role = plan_.buffers[i].role;
      bool temporary = role == BufferRole::Scratch || role == BufferRole::Saved || role == BufferRole::Output;
      if (temporary && addresses_[i])
        HEDDLE_RETURN_IF_ERROR(device_.fill(addresses_[i], 0xff, plan_.buffers[i].bytes));
    }
    return Status::ok();
  }

  Status record(const std::vector<PreparedStep> &steps, std::unique_ptr<Recording> &place) {
    HEDDLE_RETURN_IF_ERROR(device_.beginRecording());
    Status enqueued = runSteps(steps, /*mark=*/false);
    // Recording ends in any case, so that the device is usable after an error.
    StatusOr<std::unique_ptr<Recording>> recording = device_.endRecording();
    HEDDLE_RETURN_IF_ERROR(std::move(enqueued));
    HEDDLE_ASSIGN_OR_RETURN(place, std::move(recording));
    return Status::ok();
  }

  Status runAll(const std::vector<PreparedStep> &steps, const std::unique_ptr<Recording> &recording) {
    HEDDLE_RETURN_IF_ERROR(beginRun());
    if (recording)
      HEDDLE_RETURN_IF_ERROR(device_.replay(*recording));
    else
      HEDDLE_RETURN_IF_ERROR(runSteps(steps, /*mark=*/false));
    hasRun_ = true;
    return Status::ok();
  }

  Status beginRun() {
    for (int32_t output : layout_.outputs)
      releaseDynamic(output);
    if (options_.poison)
      HEDDLE_RETURN_IF_ERROR(poison());
    if (!initIsStale_)
      return Status::ok();
    HEDDLE_RETURN_IF_ERROR(runSteps(layout_.init, /*mark=*/false));
    initIsStale_ = false;
    return Status::ok();
  }

  Status allocateDynamic(int32_t buffer) {
    HEDDLE_ASSIGN_OR_RETURN(CachingAllocator::Block * block,
                            allocator_.allocate(plan_.buffers[buffer].bytes));
    blocks_[buffer] = block;
    addresses_[buffer] = block->address;
    return options_.poison ? device_.fill(block->address, 0xff, plan_.buffers[buffer].bytes) : Status::ok();
  }

  void releaseDynamic(int32_t buffer) {
    if (!blocks_[buffer])
      return;
    allocator_.release(blocks_[buffer]);
    blocks_[buffer] = nullptr;
    addresses_[buffer] = nullptr;
  }

  Status enqueue(const PreparedStep &prepared) {
    const Step &step = *prepared.step;
    void **operands = resolved_.data() + prepared.operands.first;
    switch (step.kind) {
    case StepKind::Launch:
      return device_.launch(*kernels_, step.launch, operandsOf(prepared));
    case StepKind::Product: {
      Device::ProductAddresses addresses;
      addresses.a = operands[0];
      addresses.b = operands[1];
      addresses.c = operands[2];
      addresses.bias = operands[3];
      addresses.d = operands[4];
      addresses.workspace = workspace_;
      addresses.workspaceBytes = plan_.workspaceBytes;
      return device_.product(step.product, addresses);
    }
    case StepKind::Copy:
      return device_.copy(operands[1], operands[0], step.copy.bytes);
    }
    return internalError("unknown step kind");
  }

  Status runStep(const PreparedStep &prepared) {
    for (uint32_t i = 0; i < prepared.allocate.count; ++i)
      HEDDLE_RETURN_IF_ERROR(allocateDynamic(layout_.buffers[prepared.allocate.first + i]));
    if (options_.kind == ExecutorKind::Eager)
      for (uint32_t i = 0; i < prepared.operands.count; ++i)
        resolve(prepared.operands.first + i);
    HEDDLE_RETURN_IF_ERROR(enqueue(prepared));
    for (uint32_t i = 0; i < prepared.release.count; ++i)
      releaseDynamic(layout_.buffers[prepared.release.first + i]);
    return Status::ok();
  }

  Status runSteps(const std::vector<PreparedStep> &steps, bool mark) {
    for (const PreparedStep &prepared : steps) {
      if (mark)
        device_.markStep(prepared.index);
      Status status = runStep(prepared);
      if (!status.isOk()) {
        for (size_t i = 0; i < blocks_.size(); ++i)
          releaseDynamic(static_cast<int32_t>(i));
        hasRun_ = false;
        return std::move(status).with("step " + std::to_string(prepared.index) + " (" + prepared.step->label +
                                      ")");
      }
    }
    return Status::ok();
  }

  StatusOr<std::vector<uint8_t>> read(const void *address, int64_t bytes) {
    std::vector<uint8_t> data(static_cast<size_t>(bytes));
    HEDDLE_RETURN_IF_ERROR(device_.download(data.data(), address, bytes));
    HEDDLE_RETURN_IF_ERROR(device_.synchronize());
    return data;
  }

  /// A part's values in the order of the state dict: of the panels that hold them, its share.
  StatusOr<std::vector<uint8_t>> readFromPanels(const Buffer &buffer, const ParameterPart &part,
                                                const char *address) {
    PanelOrder order{buffer.shape[0], buffer.shape[1], buffer.panel};
    int64_t size = sizeOf(buffer.dtype), elements = elementsOf(part.shape), perPanel = order.begin(1);
    if (elements == 0)
      return std::vector<uint8_t>();
    int64_t first = part.elementOffset / perPanel, last = (part.elementOffset + elements - 1) / perPanel;
    int64_t begin = order.begin(first), end = order.begin(last) + order.width(last) * order.columns;
    HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> packed, read(address + begin * size, (end - begin) * size));
    std::vector<uint8_t> rows(packed.size());
    for (int64_t index = first; index <= last; ++index)
      order.unpack(index, size, packed.data() + (order.begin(index) - begin) * size,
                   rows.data() + (order.begin(index) - begin) * size);
    auto from = rows.begin() + (part.elementOffset - begin) * size;
    return std::vector<uint8_t>(from, from + elements * size);
  }

  Device &device_;
  const Plan &plan_;
  const ExecutorOptions options_;
  CachingAllocator allocator_;
  Layout layout_;
  std::unique_ptr<LoadedKernels> kernels_;
  std::unique_ptr<Recording> recording_, recordingWithout_;
  std::vector<PreparedStep> withoutOptimizer_; ///< Of layout_.run; empty until they are wanted.
  void *fixed_ = nullptr, *arena_ = nullptr, *workspace_ = nullptr;
  std::vector<char *> addresses_; ///< Of each buffer; null for a dynamic one that is not alive.
  std::vector<CachingAllocator::Block *> blocks_;  ///< Of dynamic buffers that are alive.
  std::vector<void *> resolved_;                   ///< Of each operand in layout_.operands.
  std::map<std::string, size_t> inputs_, outputs_; ///< To buffers; not used in a run.
  std::map<std::string, std::pair<size_t, const ParameterPart *>> parts_;
  bool hasRun_ = false;
  bool initIsStale_ = false; ///< Parameters have changed from which steps of phase init compute.
};

} // namespace

StatusOr<std::unique_ptr<Executor>> Executor::create(Device &device, const Plan &plan,
                                                     const ExecutorOptions &options,
                                                     const ParameterSource &parameters) {
  auto executor = std::make_unique<PlanExecutor>(device, plan, options);
  HEDDLE_RETURN_IF_ERROR(executor->prepare(parameters));
  return std::unique_ptr<Executor>(std::move(executor));
}

} // namespace heddle::runtime
