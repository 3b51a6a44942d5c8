//===- Layout.cpp - What an executor prepares from a plan -----------------===//
#include "runtime/executor/Layout.h"

#include "runtime/executor/CachingAllocator.h"

#include <algorithm>

namespace heddle::runtime {

namespace {

Home homeOf(const Buffer &buffer, ExecutorKind kind) {
  bool transient = buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Saved ||
                   buffer.role == BufferRole::Output;
  if (kind == ExecutorKind::Eager)
    return transient ? Home::Dynamic : Home::Fixed;
  return buffer.offset == Buffer::kUnplaced ? Home::Fixed : Home::Arena;
}

std::vector<BufferRef> operandsOf(const Step &step) {
  switch (step.kind) {
  case StepKind::Launch:
    return step.launch.buffers;
  case StepKind::Product: {
    const Product &p = step.product;
    return {p.a.ref, p.b.ref, p.c.ref, p.bias, p.d.ref};
  }
  case StepKind::Copy:
    return {step.copy.source, step.copy.destination};
  }
  return {};
}

} // namespace

Layout layOut(const Plan &plan, ExecutorKind kind) {
  Layout layout;
  size_t count = plan.buffers.size();
  layout.homes.resize(count);
  layout.fixedOffsets.assign(count, -1);
  for (size_t i = 0; i < count; ++i)
    layout.homes[i] = homeOf(plan.buffers[i], kind);
  // An output that the Init steps write is written once and stays.
  for (const Step &step : plan.steps)
    if (step.phase == Phase::Init)
      for (const BufferRef &ref : operandsOf(step))
        if (ref.present() && layout.homes[ref.buffer] == Home::Dynamic &&
            plan.buffers[ref.buffer].role == BufferRole::Output)
          layout.homes[ref.buffer] = Home::Fixed;
  for (size_t i = 0; i < count; ++i) {
    if (layout.homes[i] == Home::Fixed) {
      layout.fixedOffsets[i] = layout.fixedBytes;
      layout.fixedBytes += (plan.buffers[i].bytes + 255) / 256 * 256;
    } else if (layout.homes[i] == Home::Arena) {
      layout.arenaBytes = plan.arenaBytes;
    }
  }

  // Lives of dynamic buffers. A plan says them for what is temporary; an output's begins at its first use.
  std::vector<std::vector<int32_t>> born(plan.steps.size()), dead(plan.steps.size());
  std::vector<bool> seen(count, false);
  for (size_t s = 0; s < plan.steps.size(); ++s)
    for (const BufferRef &ref : operandsOf(plan.steps[s])) {
      if (!ref.present() || layout.homes[ref.buffer] != Home::Dynamic || seen[ref.buffer])
        continue;
      seen[ref.buffer] = true;
      const Buffer &buffer = plan.buffers[ref.buffer];
      if (buffer.role == BufferRole::Output) {
        born[s].push_back(ref.buffer);
        layout.outputs.push_back(ref.buffer);
      } else {
        born[buffer.firstStep].push_back(ref.buffer);
        dead[buffer.lastStep].push_back(ref.buffer);
      }
    }

  int64_t used = 0;
  auto append = [&](const std::vector<int32_t> &buffers) {
    Range range{static_cast<uint32_t>(layout.buffers.size()), static_cast<uint32_t>(buffers.size())};
    layout.buffers.insert(layout.buffers.end(), buffers.begin(), buffers.end());
    return range;
  };
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    PreparedStep prepared;
    prepared.step = &plan.steps[s];
    prepared.index = static_cast<int32_t>(s);
    std::vector<BufferRef> operands = operandsOf(plan.steps[s]);
    prepared.operands = {static_cast<uint32_t>(layout.operands.size()),
                         static_cast<uint32_t>(operands.size())};
    layout.operands.insert(layout.operands.end(), operands.begin(), operands.end());
    prepared.allocate = append(born[s]);
    prepared.release = append(dead[s]);
    for (int32_t buffer : born[s])
      used += CachingAllocator::roundedSize(plan.buffers[buffer].bytes);
    layout.dynamicPeak = std::max(layout.dynamicPeak, used);
    for (int32_t buffer : dead[s])
      used -= CachingAllocator::roundedSize(plan.buffers[buffer].bytes);
    (plan.steps[s].phase == Phase::Init ? layout.init : layout.run).push_back(prepared);
  }
  return layout;
}

std::string Layout::describeMemory(int64_t workspaceBytes) const {
  std::string text = std::to_string(peakBytes() + workspaceBytes) + " bytes: " + std::to_string(fixedBytes) +
                     " of parameters, inputs and constants";
  if (arenaBytes > 0)
    text += ", " + std::to_string(arenaBytes) + " of arena";
  if (dynamicPeak > 0)
    text += ", " + std::to_string(dynamicPeak) + " at the eager peak";
  if (workspaceBytes > 0)
    text += ", " + std::to_string(workspaceBytes) + " of library workspace";
  return text;
}

} // namespace heddle::runtime
