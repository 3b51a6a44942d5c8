//===- Execution.cpp - Devices, executors, inputs and outputs -------------===//
#include "tools/heddle/Support/Execution.h"

#include "runtime/plan/Verify.h"
#include "runtime/tooling/RandomTensor.h"
#include "tools/heddle/Support/Indices.h"
#include "tools/heddle/Support/Table.h"

#include <cstring>
#include <optional>

namespace heddle::driver {

using namespace runtime;

StatusOr<std::unique_ptr<Device>> openDevice(const ModelFlags &flags, const Plan &plan) {
  if (plan.device == "cpu")
    return createCpuDevice();
  if (plan.device != "cuda")
    return invalidInput("device '" + plan.device + "' of the plan; wanted cpu or cuda");
  StatusOr<std::unique_ptr<Device>> device = createCudaDevice();
  if (device || device.status().code() != StatusCode::Unavailable)
    return device;
  std::string asked =
      flags.planFile ? flags.request.model + " is a plan for cuda:" + plan.target : "--device cuda";
  std::string instead = flags.planFile ? "the model compiled with --device cpu" : "--device cpu";
  return unavailable(asked + ", and this machine has no GPU that can be used (" + device.status().message() +
                     "); " + instead + " runs here");
}

StatusOr<ExecutorKind> executorFor(const Plan &plan, const std::string &executor) {
  if (plan.pipeline == "eager")
    return ExecutorKind::Eager;
  if (executor == "graph" || (executor.empty() && plan.device == "cuda"))
    return ExecutorKind::Graph;
  return ExecutorKind::Sequential;
}

std::string nameOf(ExecutorKind kind) {
  switch (kind) {
  case ExecutorKind::Eager:
    return "eager";
  case ExecutorKind::Sequential:
    return "sequential";
  case ExecutorKind::Graph:
    return "graph";
  }
  return "";
}

StatusOr<Tensors> randomInputs(const Plan &plan, uint64_t seed) {
  Tensors inputs;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Input) {
      HEDDLE_ASSIGN_OR_RETURN(HostTensor tensor,
                              randomTensor(buffer.dtype, buffer.shape, buffer.indexLimit, seed, buffer.name));
      inputs.emplace(buffer.name, std::move(tensor));
    }
  return inputs;
}

/// Token ids are often stored as int64 where the model reads int32. A value that does not fit makes it no
/// conversion.
static std::optional<HostTensor> toI32(const HostTensor &tensor) {
  HostTensor narrow{DType::I32, tensor.shape, std::vector<uint8_t>(tensor.data.size() / 2)};
  for (size_t i = 0; i < tensor.data.size() / sizeof(int64_t); ++i) {
    int64_t value;
    std::memcpy(&value, tensor.data.data() + i * sizeof(value), sizeof(value));
    auto small = static_cast<int32_t>(value);
    if (small != value)
      return std::nullopt;
    std::memcpy(narrow.data.data() + i * sizeof(small), &small, sizeof(small));
  }
  return narrow;
}

Status checkInput(const Buffer &input, const HostTensor &tensor) {
  if (tensor.dtype != input.dtype || tensor.shape != input.shape)
    return invalidInput("input '" + input.name + "': wanted " + describe(input.dtype, input.shape) +
                        ", found " + describe(tensor.dtype, tensor.shape));
  return checkIndices(input, tensor.data);
}

Status setInputs(Executor &executor, const Plan &plan, const Tensors &inputs) {
  Tensors fitted = inputs;
  std::string missing;
  size_t known = 0;
  for (const Buffer &buffer : plan.buffers) {
    if (buffer.role != BufferRole::Input)
      continue;
    auto found = inputs.find(buffer.name);
    if (found == inputs.end()) {
      missing += "\n  " + buffer.name + "  " + describe(buffer.dtype, buffer.shape);
      continue;
    }
    ++known;
    if (buffer.dtype == DType::I32 && found->second.dtype == DType::I64 &&
        found->second.shape == buffer.shape)
      if (std::optional<HostTensor> narrow = toI32(found->second))
        fitted[buffer.name] = *std::move(narrow);
    HEDDLE_RETURN_IF_ERROR(checkInput(buffer, fitted.at(buffer.name)));
  }
  if (!missing.empty())
    return invalidInput("these inputs of " + plan.model +
                        " are missing (--input NAME=FILE or NAME=random:SEED):" + missing);
  if (known != inputs.size())
    for (const auto &[name, tensor] : inputs) {
      bool isInput = false;
      std::string names;
      for (const Buffer &buffer : plan.buffers)
        if (buffer.role == BufferRole::Input) {
          isInput |= buffer.name == name;
          names.append(" ").append(buffer.name);
        }
      if (!isInput)
        return invalidInput(plan.model + " has no input '" + name + "'; it has:" + names);
    }
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Input)
      HEDDLE_RETURN_IF_ERROR(executor.setInput(buffer.name, fitted.at(buffer.name).data));
  return Status::ok();
}

StatusOr<Tensors> readOutputs(Executor &executor, const Plan &plan) {
  Tensors outputs;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Output) {
      HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> data, executor.output(buffer.name));
      if (buffer.parts.empty()) {
        outputs.emplace(buffer.name, HostTensor{buffer.dtype, buffer.shape, std::move(data)});
        continue;
      }
      // A gradient of merged parameters is several tensors of the state dict.
      for (const ParameterPart &part : buffer.parts) {
        auto begin = data.begin() + part.elementOffset * sizeOf(buffer.dtype);
        auto end = begin + elementsOf(part.shape) * sizeOf(buffer.dtype);
        outputs.emplace(part.name, HostTensor{buffer.dtype, part.shape, std::vector<uint8_t>(begin, end)});
      }
    }
  return outputs;
}

StatusOr<Tensors> readState(Executor &executor, const Plan &plan) {
  Tensors state;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Parameter || buffer.role == BufferRole::State)
      for (const ParameterPart &part : buffer.parts) {
        HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> data, executor.parameter(part.name));
        state.emplace(part.name, HostTensor{buffer.dtype, part.shape, std::move(data)});
      }
  return state;
}

Status withPlannedPeak(Status status, const Plan &plan) {
  if (status.code() != StatusCode::OutOfMemory)
    return status;
  // Everything outside the arena has a buffer of its own; an eager plan's scratch is unplaced and only comes
  // and goes.
  int64_t bytes = plan.arenaBytes;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.offset == Buffer::kUnplaced && buffer.role != BufferRole::Scratch)
      bytes += buffer.bytes;
  return outOfMemory(status.message() + "; the " + plan.pipeline + " plan needs " + bytesText(bytes) +
                     " and " + bytesText(plan.workspaceBytes) + " of workspace" +
                     (plan.pipeline == "eager" ? ", and what eager execution allocates on its way" : ""));
}

} // namespace heddle::driver
