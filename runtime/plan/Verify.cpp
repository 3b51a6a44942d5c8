//===- Verify.cpp - Whether a plan means something ------------------------===//
#include "runtime/plan/Verify.h"
#include "runtime/plan/CpuAlgorithm.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::runtime {

int64_t elementsOf(const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
      return -1;
  return elements;
}

bool livesThroughout(const Buffer &buffer) {
  if (buffer.role == BufferRole::Output)
    return buffer.offset == Buffer::kUnplaced;
  return buffer.role != BufferRole::Scratch && buffer.role != BufferRole::Saved;
}

std::string detail::describe(const Plan &plan, int32_t buffer) {
  return "buffer " + std::to_string(buffer) + " (" + plan.buffers[static_cast<size_t>(buffer)].name + ")";
}

namespace {

std::string number(int64_t value) { return std::to_string(value); }

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + number(shape[i]);
  return text + "]";
}

Status verifyParts(const Buffer &buffer) {
  bool weights = buffer.role == BufferRole::Parameter && !buffer.parts.empty();
  if (weights && !isFloating(buffer.dtype)) // What the generator draws and weights are kept in.
    return invalidInput("a parameter wants f32, bf16 or f16, found " + std::string(nameOf(buffer.dtype)));
  int64_t capacity = buffer.bytes / sizeOf(buffer.dtype);
  std::vector<std::pair<int64_t, const ParameterPart *>> order;
  for (const ParameterPart &part : buffer.parts) {
    int64_t elements = elementsOf(part.shape);
    if (elements < 0 || part.elementOffset < 0 || elements > capacity - part.elementOffset)
      return invalidInput("part " + part.name + " of shape " + shapeText(part.shape) + " at element " +
                          number(part.elementOffset) + " is outside the buffer's " + number(capacity) +
                          " elements");
    if (part.init > InitKind::Constant)
      return invalidInput("part " + part.name + " has unknown initialisation " +
                          number(static_cast<int64_t>(part.init)));
    order.emplace_back(part.elementOffset, &part);
  }
  std::stable_sort(order.begin(), order.end(), [](auto &a, auto &b) { return a.first < b.first; });
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i - 1].first + elementsOf(order[i - 1].second->shape) > order[i].first)
      return invalidInput("parts " + order[i - 1].second->name + " and " + order[i].second->name +
                          " overlap");
  return Status::ok();
}

Status verifyBuffer(const Plan &plan, const Buffer &buffer) {
  if (buffer.role > BufferRole::Scratch)
    return invalidInput("unknown role " + number(static_cast<int64_t>(buffer.role)));
  if (buffer.dtype > DType::U8)
    return invalidInput("unknown element type " + number(static_cast<int64_t>(buffer.dtype)));
  int64_t elements = elementsOf(buffer.shape), needed = 0;
  if (elements < 0 || __builtin_mul_overflow(elements, sizeOf(buffer.dtype), &needed))
    return invalidInput("shape " + shapeText(buffer.shape) + " is negative or too large");
  if (buffer.bytes < needed)
    return invalidInput("shape " + shapeText(buffer.shape) + " of " + std::string(nameOf(buffer.dtype)) +
                        " wants " + number(needed) + " bytes, found " + number(buffer.bytes));
  if (buffer.offset != Buffer::kUnplaced) {
    if (buffer.offset < 0 || buffer.offset % 256 != 0)
      return invalidInput("offset " + number(buffer.offset) + " is not a multiple of 256");
    if (buffer.bytes > plan.arenaBytes || buffer.offset > plan.arenaBytes - buffer.bytes)
      return invalidInput("bytes " + number(buffer.offset) + " to " + number(buffer.offset) + "+" +
                          number(buffer.bytes) + " are outside the arena of " + number(plan.arenaBytes));
  }
  auto steps = static_cast<int64_t>(plan.steps.size());
  bool unused = buffer.firstStep == -1 && buffer.lastStep == -1;
  if (!unused && (buffer.firstStep < 0 || buffer.lastStep < buffer.firstStep || buffer.lastStep >= steps))
    return invalidInput("life from step " + number(buffer.firstStep) + " to " + number(buffer.lastStep) +
                        " is not within the plan's " + number(steps) + " steps");
  if (buffer.role == BufferRole::Output && buffer.offset != Buffer::kUnplaced && buffer.lastStep != steps - 1)
    return invalidInput("an output in the arena wants to live until the last step " + number(steps - 1) +
                        ", found " + number(buffer.lastStep));
  if (!buffer.data.empty()) {
    if (buffer.role != BufferRole::Constant)
      return invalidInput("only a constant has data");
    if (static_cast<int64_t>(buffer.data.size()) != needed)
      return invalidInput("data wants " + number(needed) + " bytes, found " +
                          number(static_cast<int64_t>(buffer.data.size())));
  }
  if (!buffer.parts.empty() && buffer.role != BufferRole::Parameter && buffer.role != BufferRole::State &&
      buffer.role != BufferRole::Output)
    return invalidInput("only a parameter, a state or an output has parts");
  if (buffer.panel != 0) {
    if (buffer.role != BufferRole::Parameter || buffer.shape.size() != 2 || !isFloating(buffer.dtype) ||
        buffer.bytes != needed)
      return invalidInput("panels of " + number(buffer.panel) +
                          " rows: wanted them of a parameter that is a matrix of floats and nothing else");
    int64_t panel = plan.device == "cpu" ? panelOf(plan.target) : 0;
    if (buffer.panel != panel)
      return invalidInput("panels of " + number(buffer.panel) + " rows: wanted " +
                          (panel == 0 ? "none" : number(panel)) + " for target " + plan.target);
  }
  if (buffer.pitch != 0) {
    int64_t width = buffer.shape.empty() ? 0 : buffer.shape.back();
    int64_t rows = width > 0 ? elements / width : 0;
    int64_t most = rows > 0 ? buffer.bytes / sizeOf(buffer.dtype) / rows : 0;
    if (buffer.role != BufferRole::Output || !buffer.parts.empty() || elements == 0 ||
        buffer.pitch <= width || buffer.pitch > most)
      return invalidInput(
          "pitch " + number(buffer.pitch) +
          ": wanted 0, or more than the last extent for an output without parts whose bytes hold "
          "all its rows");
  }
  bool indices =
      buffer.role == BufferRole::Input && (buffer.dtype == DType::I32 || buffer.dtype == DType::I64);
  if (buffer.indexLimit < 0 || (buffer.indexLimit > 0 && !indices))
    return invalidInput("index limit " + number(buffer.indexLimit) +
                        ": wanted 0, or above 0 for an input of i32 or i64");
  if (buffer.ignoredIndex && buffer.indexLimit == 0)
    return invalidInput("ignored index " + number(*buffer.ignoredIndex) + " without an index limit");
  return verifyParts(buffer);
}

Status verifyKernel(const Plan &plan, const Kernel &kernel) {
  if (kernel.name.empty())
    return invalidInput("has no name");
  KernelLanguage wanted = plan.device == "cuda" ? KernelLanguage::Cuda : KernelLanguage::Cpu;
  if (kernel.language != wanted)
    return invalidInput("language wanted for device " + plan.device + " is " +
                        number(static_cast<int64_t>(wanted)) + ", found " +
                        number(static_cast<int64_t>(kernel.language)));
  if (kernel.target.empty())
    return invalidInput("has no target");
  if (wanted == KernelLanguage::Cpu) {
    if (kernel.binary.empty())
      return invalidInput("has no object code");
    return Status::ok();
  }
  if (kernel.binary.empty() && kernel.source.empty())
    return invalidInput("has neither source nor binary");
  if (kernel.threads < 1 || kernel.threads > 1024)
    return invalidInput("threads a block: wanted 1 to 1024, found " + number(kernel.threads));
  if (kernel.sharedBytes < 0)
    return invalidInput("shared bytes: wanted none or more, found " + number(kernel.sharedBytes));
  return Status::ok();
}

/// What lives within a run is not there any more when the steps after Init run a second time.
Status verifyLives(const Plan &plan) {
  auto init = static_cast<int32_t>(std::count_if(plan.steps.begin(), plan.steps.end(),
                                                 [](const Step &step) { return step.phase == Phase::Init; }));
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer &buffer = plan.buffers[i];
    bool temporary = buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Saved;
    if (temporary && buffer.firstStep >= 0 && buffer.firstStep < init && buffer.lastStep >= init)
      return invalidInput(detail::describe(plan, static_cast<int32_t>(i)) + " lives from step " +
                          number(buffer.firstStep) + " of phase Init to step " + number(buffer.lastStep) +
                          ", which every run repeats");
  }
  return Status::ok();
}

/// An output that no step touches has no value to give.
Status verifyOutputs(const Plan &plan) {
  std::vector<bool> touched(plan.buffers.size(), false);
  auto touch = [&](const BufferRef &ref) {
    if (ref.present())
      touched[static_cast<size_t>(ref.buffer)] = true;
  };
  for (const Step &step : plan.steps) {
    if (step.kind == StepKind::Launch)
      for (const BufferRef &ref : step.launch.buffers)
        touch(ref);
    else
      touch(step.kind == StepKind::Product ? step.product.d.ref : step.copy.destination);
  }
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].role == BufferRole::Output && !touched[i])
      return invalidInput(detail::describe(plan, static_cast<int32_t>(i)) +
                          " is an output that no step writes");
  return Status::ok();
}

/// No two placed buffers that live at once share bytes: sweeps over the steps with the map of what lives now,
/// offset to buffer. Neighbours in the map are the only candidates, since what lives is disjoint so far.
Status verifyMemory(const Plan &plan) {
  struct Event {
    int64_t time;
    bool begins;
    int32_t buffer;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer &buffer = plan.buffers[i];
    if (buffer.offset == Buffer::kUnplaced || buffer.bytes == 0)
      continue;
    bool throughout = livesThroughout(buffer);
    if (!throughout && buffer.firstStep < 0)
      continue;
    events.push_back({throughout ? -1 : buffer.firstStep, true, static_cast<int32_t>(i)});
    if (!throughout) // Ends before the next step begins.
      events.push_back({int64_t{buffer.lastStep} + 1, false, static_cast<int32_t>(i)});
  }
  std::stable_sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.time != b.time ? a.time < b.time : a.begins < b.begins;
  });
  std::map<int64_t, int32_t> live;
  auto clash = [&](int32_t a, int32_t b) {
    return invalidInput(detail::describe(plan, std::min(a, b)) + " and " +
                        detail::describe(plan, std::max(a, b)) +
                        " live at once and share bytes of the arena");
  };
  for (const Event &event : events) {
    const Buffer &buffer = plan.buffers[static_cast<size_t>(event.buffer)];
    if (!event.begins) {
      live.erase(buffer.offset);
      continue;
    }
    auto next = live.lower_bound(buffer.offset);
    if (next != live.end() && next->first < buffer.offset + buffer.bytes)
      return clash(event.buffer, next->second);
    if (next != live.begin()) {
      auto previous = std::prev(next);
      if (previous->first + plan.buffers[static_cast<size_t>(previous->second)].bytes > buffer.offset)
        return clash(previous->second, event.buffer);
    }
    live.emplace(buffer.offset, event.buffer);
  }
  return Status::ok();
}

Status verifyNames(const Plan &plan) {
  std::set<std::string> inputs, outputs, parts, kernels;
  auto insert = [](std::set<std::string> &names, const char *what, const std::string &name) {
    if (name.empty())
      return invalidInput(std::string("an ") + what + " has no name");
    if (!names.insert(name).second)
      return invalidInput(std::string("two buffers or parts are named ") + name + " (" + what + ")");
    return Status::ok();
  };
  for (const Buffer &buffer : plan.buffers) {
    if (buffer.role == BufferRole::Input)
      HEDDLE_RETURN_IF_ERROR(insert(inputs, "input", buffer.name));
    if (buffer.role == BufferRole::Output)
      HEDDLE_RETURN_IF_ERROR(insert(outputs, "output", buffer.name));
    // A gradient's buffer may have the name of its first part.
    for (const ParameterPart &part : buffer.parts)
      if (buffer.role != BufferRole::Output || part.name != buffer.name)
        HEDDLE_RETURN_IF_ERROR(buffer.role != BufferRole::Output
                                   ? insert(parts, "element of the state dict", part.name)
                                   : insert(outputs, "part of an output", part.name));
  }
  for (const Kernel &kernel : plan.kernels)
    if (!kernels.insert(kernel.name).second)
      return invalidInput("two kernels are named " + kernel.name);
  return Status::ok();
}

/// What all memory of the plan comes to, rounded up as allocators do, is a number that sums of it fit into.
Status verifyTotal(const Plan &plan) {
  constexpr int64_t most = int64_t{1} << 62, rounding = int64_t{4} << 20;
  int64_t left = most;
  auto take = [&](int64_t bytes) {
    bool fits = bytes <= left - rounding;
    left -= fits ? bytes + rounding : 0;
    return fits;
  };
  bool fits = take(plan.arenaBytes) && take(plan.workspaceBytes);
  for (const Buffer &buffer : plan.buffers)
    fits = fits && take(buffer.bytes);
  if (!fits)
    return invalidInput("buffers, arena and workspace take more than " + number(most) + " bytes together");
  return Status::ok();
}

} // namespace

Status verifyPlan(const Plan &plan) {
  if (plan.device != "cpu" && plan.device != "cuda")
    return invalidInput("plan: device wanted cpu or cuda, found \"" + plan.device + "\"");
  if (plan.arenaBytes < 0 || plan.workspaceBytes < 0)
    return invalidInput("plan: arena of " + number(plan.arenaBytes) + " and workspace of " +
                        number(plan.workspaceBytes) + " bytes: wanted none below zero");
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(
        verifyBuffer(plan, plan.buffers[i]).with("plan: " + detail::describe(plan, static_cast<int32_t>(i))));
  HEDDLE_RETURN_IF_ERROR(verifyTotal(plan).with("plan"));
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(
        verifyKernel(plan, plan.kernels[i])
            .with("plan: kernel " + std::to_string(i) + " (" + plan.kernels[i].name + ")"));
  HEDDLE_RETURN_IF_ERROR(verifyNames(plan).with("plan"));
  bool pastInit = false;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step &step = plan.steps[i];
    std::string context = "plan: step " + std::to_string(i) + " (" + step.label + ")";
    if (step.phase > Phase::Optimizer)
      return invalidInput(context + ": unknown phase " + number(static_cast<int64_t>(step.phase)));
    if (step.phase == Phase::Init && pastInit)
      return invalidInput(context + ": a step of phase Init comes after a step of another phase");
    pastInit |= step.phase != Phase::Init;
    HEDDLE_RETURN_IF_ERROR(detail::verifyStep(plan, step).with(context));
  }
  HEDDLE_RETURN_IF_ERROR(verifyLives(plan).with("plan"));
  HEDDLE_RETURN_IF_ERROR(verifyOutputs(plan).with("plan"));
  return verifyMemory(plan).with("plan");
}

} // namespace heddle::runtime
