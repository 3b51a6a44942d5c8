//===- CudaKernels.cpp - Loading, launching, generating -------------------===//
#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/base/Convert.h"
#include "runtime/base/Random.h"
#include "runtime/device/cuda/Embedded.h"
#include "runtime/device/cuda/Target.h"
#include "runtime/nvrtc/CompileKernels.h"
#include "runtime/plan/InstanceTable.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>

using namespace heddle::runtime;

/// The driver takes 4 KiB of arguments (32 KiB on newer ones): 8 bytes each, a tensor map 128.
static constexpr size_t kMaxArguments = 512;
static constexpr size_t kArgumentsOfMap = sizeof(CUtensorMap) / 8;

CudaKernels::~CudaKernels() {
  for (auto &[launch, table] : tables_)
    driver_.cuMemFree(table.memory);
  for (CUmodule module : modules_)
    driver_.cuModuleUnload(module);
}

Status CudaKernels::add(const Kernel &kernel, const std::vector<uint8_t> &cubin) {
  std::string context = "kernel " + kernel.name;
  CUmodule module = nullptr;
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuModuleLoadData, (&module, cubin.data()), context);
  modules_.push_back(module);
  CudaFunction loaded;
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuModuleGetFunction, (&loaded.function, module, kernel.name.c_str()),
                              context);
  // Without this the driver loads the code at the first launch, which may be in the middle of a measurement.
  if (driver_.funcLoad)
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, funcLoad, (loaded.function), context);
  if (kernel.sharedBytes > 0)
    HEDDLE_RETURN_IF_CUDA_ERROR(
        driver_, cuFuncSetAttribute,
        (loaded.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel.sharedBytes),
        context + ", " + std::to_string(kernel.sharedBytes) + " bytes of shared memory");
  if (driver_.funcGetParamInfo) {
    size_t offset = 0, size = 0;
    loaded.parameters = 0;
    while (driver_.funcGetParamInfo(loaded.function, loaded.parameters, &offset, &size) == CUDA_SUCCESS)
      ++loaded.parameters;
  }
  loaded.threads = unsigned(kernel.threads);
  loaded.sharedBytes = unsigned(kernel.sharedBytes);
  functions.push_back(loaded);
  names.push_back(kernel.name);
  return Status::ok();
}

/// The driver's form of a map whose first element is at `address`; the plan's verifier has seen it.
static Status encode(const Driver &driver, const TensorMap &map, void *address, const std::string &context,
                     CUtensorMap &encoded) {
  const CUtensorMapDataType type = map.dtype == DType::F32    ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                   : map.dtype == DType::BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                              : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const std::vector<cuuint64_t> extents(map.extents.begin(), map.extents.end());
  const std::vector<cuuint64_t> strides(map.strides.begin(), map.strides.end());
  const std::vector<cuuint32_t> box(map.box.begin(), map.box.end());
  const std::vector<cuuint32_t> steps(map.extents.size(), 1);
  HEDDLE_RETURN_IF_CUDA_ERROR(driver, tensorMapEncodeTiled,
                              (&encoded, type, cuuint32_t(extents.size()), address, extents.data(),
                               strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                               static_cast<CUtensorMapSwizzle>(map.swizzle),
                               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                              context);
  return Status::ok();
}

StatusOr<std::span<CUtensorMap>> CudaKernels::maps(const Launch &launch, std::span<void *const> buffers) {
  const std::string &name = names[launch.kernel];
  if (!driver_.tensorMapEncodeTiled)
    return unavailable("kernel " + name + " has tensor maps, which this driver lacks; wanted CUDA 12.0");
  EncodedMaps &kept = encoded_[&launch];
  kept.maps.resize(launch.maps.size());
  kept.addresses.resize(launch.maps.size(), nullptr);
  for (size_t i = 0; i < launch.maps.size(); ++i) {
    const TensorMap &map = launch.maps[i];
    if (map.operand < 0 || size_t(map.operand) >= buffers.size() || !buffers[map.operand])
      return internalError("kernel " + name + ": tensor map " + std::to_string(i) + " has no address");
    if (kept.addresses[i] == buffers[map.operand])
      continue;
    HEDDLE_RETURN_IF_ERROR(encode(driver_, map, buffers[map.operand],
                                  "kernel " + name + ", tensor map " + std::to_string(i), kept.maps[i]));
    kept.addresses[i] = buffers[map.operand];
  }
  return std::span<CUtensorMap>(kept.maps);
}

StatusOr<void *> CudaKernels::table(Device &device, const Launch &launch, std::span<void *const> buffers) {
  BoundTable &bound = tables_[&launch];
  if (bound.memory != 0 &&
      std::equal(buffers.begin(), buffers.end(), bound.addresses.begin(), bound.addresses.end()))
    return reinterpret_cast<void *>(bound.memory);
  const std::vector<int64_t> words = instanceTable(launch, buffers);
  const auto bytes = static_cast<int64_t>(words.size() * sizeof(words[0]));
  std::string context =
      "kernel " + names[launch.kernel] + ", table of " + std::to_string(launch.shares.size()) + " instances";
  if (bound.memory == 0) { // Of one size for a launch, wherever its buffers are.
    StatusOr<void *> memory = device.allocate(bytes);
    if (!memory)
      return std::move(memory).status().with(context);
    bound.memory = reinterpret_cast<CUdeviceptr>(*memory);
  }
  bound.addresses.clear(); // Until it is written: an upload within a recording is refused.
  if (Status written = device.upload(reinterpret_cast<void *>(bound.memory), words.data(), bytes); !written)
    return std::move(written).with(context);
  bound.addresses.assign(buffers.begin(), buffers.end());
  return reinterpret_cast<void *>(bound.memory);
}

StatusOr<std::unique_ptr<LoadedKernels>> CudaDevice::load(const Plan &plan) {
  HEDDLE_RETURN_IF_ERROR(bind());
  // The cubins that do not run here, or are not there, are made from the source for this very device.
  std::vector<CompileRequest> requests;
  std::vector<int32_t> requestOf;
  for (const Kernel &kernel : plan.kernels) {
    if (kernel.language != KernelLanguage::Cuda)
      return invalidInput("kernel " + kernel.name + " of the plan is for " + kernel.target +
                          " and not for CUDA");
    std::optional<CudaTarget> made = parseCudaTarget(kernel.target);
    if (!made)
      return invalidInput("kernel " + kernel.name + " has target \"" + kernel.target + "\"; wanted sm_NN");
    if (kernel.threads < 1 || kernel.threads > 1024 || kernel.sharedBytes < 0)
      return invalidInput("kernel " + kernel.name + " has " + std::to_string(kernel.threads) +
                          " threads and " + std::to_string(kernel.sharedBytes) + " bytes of shared memory");
    if (!kernel.binary.empty() && cubinRunsOn(*made, major_, minor_)) {
      requestOf.push_back(-1);
      continue;
    }
    if (kernel.source.empty() || !sourceRunsOn(*made, major_, minor_))
      return unavailable("kernel " + kernel.name + " is made for " + kernel.target +
                         " and cannot be compiled for " + target() +
                         (kernel.source.empty() ? ": the plan lacks its source" : ""));
    requestOf.push_back(int32_t(requests.size()));
    requests.push_back({kernel.name, kernel.source, target(), {}});
  }
  HEDDLE_ASSIGN_OR_RETURN(std::vector<CompiledKernel> compiled,
                          compileKernels(std::span<const CompileRequest>(requests)));
  auto loaded = std::make_unique<CudaKernels>(driver_);
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(loaded->add(plan.kernels[i], requestOf[i] < 0 ? plan.kernels[i].binary
                                                                         : compiled[requestOf[i]].cubin));
  // Not at the first product, which may be in a recording.
  for (const Step &step : plan.steps)
    if (step.kind == StepKind::Product) {
      HEDDLE_RETURN_IF_ERROR(Status(cublas().status()));
      break;
    }
  return std::unique_ptr<LoadedKernels>(std::move(loaded));
}

Status CudaDevice::bind(LoadedKernels &kernels, const Launch &launch, std::span<void *const> buffers) {
  if (launch.shares.empty())
    return Status::ok();
  HEDDLE_RETURN_IF_ERROR(bind());
  return static_cast<CudaKernels &>(kernels).table(*this, launch, buffers).status();
}

Status CudaDevice::launch(LoadedKernels &kernels, const Launch &launch, std::span<void *const> buffers) {
  HEDDLE_RETURN_IF_ERROR(bind());
  auto &loaded = static_cast<CudaKernels &>(kernels);
  if (launch.kernel < 0 || size_t(launch.kernel) >= loaded.functions.size())
    return internalError("launch of kernel " + std::to_string(launch.kernel) + " of " +
                         std::to_string(loaded.functions.size()));
  const CudaFunction &function = loaded.functions[launch.kernel];

  // The driver copies the arguments in the call; it is given pointers to where they are already.
  const bool batched = !launch.shares.empty();
  const size_t count = batched ? 2 : buffers.size() + launch.counts.size() + launch.maps.size();
  if (count + launch.maps.size() * (kArgumentsOfMap - 1) > kMaxArguments ||
      (function.parameters >= 0 && count != size_t(function.parameters)))
    return internalError("kernel " + loaded.names[launch.kernel] + " takes " +
                         std::to_string(function.parameters) + " arguments; the plan gives " +
                         std::to_string(count) + ", at most " + std::to_string(kMaxArguments) +
                         " words are possible");
  void *arguments[kMaxArguments];
  size_t next = 0;
  void *table = nullptr;
  int64_t instances = instancesOf(launch);
  if (batched) {
    HEDDLE_ASSIGN_OR_RETURN(table, loaded.table(*this, launch, buffers));
    arguments[next++] = &table;
    arguments[next++] = &instances;
  } else {
    for (void *const &buffer : buffers)
      arguments[next++] = const_cast<void **>(&buffer);
    for (const int64_t &value : launch.counts)
      arguments[next++] = const_cast<int64_t *>(&value);
  }
  if (!launch.maps.empty()) {
    HEDDLE_ASSIGN_OR_RETURN(std::span<CUtensorMap> maps, loaded.maps(launch, buffers));
    for (CUtensorMap &map : maps)
      arguments[next++] = &map;
  }

  for (int64_t blocks : launch.grid)
    if (blocks < 1 || blocks > INT_MAX)
      return internalError("kernel " + loaded.names[launch.kernel] + ": a grid of " + std::to_string(blocks));
  HEDDLE_RETURN_IF_CUDA_ERROR(
      driver_, cuLaunchKernel,
      (function.function, unsigned(launch.grid[0]), unsigned(launch.grid[1]), unsigned(launch.grid[2]),
       function.threads, 1, 1, function.sharedBytes, stream_, arguments, nullptr),
      "kernel " + loaded.names[launch.kernel] + ", grid " + std::to_string(launch.grid[0]) + "x" +
          std::to_string(launch.grid[1]) + "x" + std::to_string(launch.grid[2]) + ", " +
          std::to_string(function.threads) + " threads, " + std::to_string(function.sharedBytes) +
          " bytes of shared memory");
  return Status::ok();
}

/// Threads of a block of the embedded kernels.
static constexpr int kEmbeddedThreads = 256;

Status CudaDevice::loadEmbedded(std::unique_ptr<CudaKernels> &kernels, const char *name, const char *source,
                                std::span<const char *const> entries, const char *context) {
  if (kernels)
    return Status::ok();
  CompileRequest request{name, source, target(), {}};
  auto compiled = compileKernels(std::span<const CompileRequest>(&request, 1));
  if (!compiled)
    return std::move(compiled).status().with(context);
  auto loaded = std::make_unique<CudaKernels>(driver_);
  for (const char *entry : entries) {
    Kernel kernel;
    kernel.name = entry;
    kernel.threads = kEmbeddedThreads;
    if (Status added = loaded->add(kernel, compiled->front().cubin); !added)
      return std::move(added).with(context);
  }
  kernels = std::move(loaded);
  return Status::ok();
}

unsigned CudaDevice::blocksFor(int64_t count) const {
  return unsigned(
      std::min<int64_t>((count + kEmbeddedThreads - 1) / kEmbeddedThreads, int64_t(processors_) * 32));
}

/// The kernels of Generate.cu, in this order.
enum Generator { GenerateF32, GenerateBF16, GenerateF16 };
static constexpr const char *kGenerators[] = {"heddle_generate_f32", "heddle_generate_bf16",
                                              "heddle_generate_f16"};

Status CudaDevice::generate(void *destination, DType dtype, int64_t count, InitKind kind, double scale,
                            uint64_t seed, uint64_t stream) {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (count <= 0)
    return count < 0 ? internalError("generation of " + std::to_string(count) + " elements") : Status::ok();
  if (kind == InitKind::Constant)
    return fillConstant(reinterpret_cast<CUdeviceptr>(destination), dtype, count, scale);
  if (!isFloating(dtype))
    return invalidInput("normal values of type " + std::string(nameOf(dtype)) +
                        ": f32, bf16 and f16 are possible");
  HEDDLE_RETURN_IF_ERROR(
      loadEmbedded(generators_, "heddle_generate", kGenerateSource, kGenerators, "the generator of tensors"));

  Generator which = dtype == DType::F32 ? GenerateF32 : dtype == DType::BF16 ? GenerateBF16 : GenerateF16;
  float factor = normalFactor(scale);
  void *arguments[] = {&destination, &count, &seed, &stream, &factor};
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuLaunchKernel,
                              (generators_->functions[which].function, blocksFor(count), 1, 1,
                               kEmbeddedThreads, 1, 1, 0, stream_, arguments, nullptr),
                              "generation of " + std::to_string(count) + " elements");
  return Status::ok();
}

/// The types of Convert.cu, and its kernels: from each type into the two others, in this order.
static constexpr DType kConverted[] = {DType::F32, DType::BF16, DType::F16};
static constexpr const char *kConverters[] = {"heddle_convert_f32_bf16", "heddle_convert_f32_f16",
                                              "heddle_convert_bf16_f32", "heddle_convert_bf16_f16",
                                              "heddle_convert_f16_f32",  "heddle_convert_f16_bf16"};

Status CudaDevice::convert(void *destination, DType to, const void *source, DType from, int64_t count) {
  HEDDLE_RETURN_IF_ERROR(bind());
  std::string context = "conversion of " + std::to_string(count) + " elements from " +
                        std::string(nameOf(from)) + " to " + std::string(nameOf(to));
  auto at = [](DType type) {
    return std::find(std::begin(kConverted), std::end(kConverted), type) - std::begin(kConverted);
  };
  int64_t fromAt = at(from), toAt = at(to);
  if (fromAt == std::ssize(kConverted) || toAt == std::ssize(kConverted) || count < 0)
    return internalError(context + ": f32, bf16 and f16 are possible");
  if (from == to)
    return copy(destination, source, count * sizeOf(to));
  if (count == 0)
    return Status::ok();
  HEDDLE_RETURN_IF_ERROR(
      loadEmbedded(converters_, "heddle_convert", kConvertSource, kConverters, "the conversion of tensors"));
  int64_t which = fromAt * 2 + toAt - (toAt > fromAt);
  void *arguments[] = {&destination, &source, &count};
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuLaunchKernel,
                              (converters_->functions[which].function, blocksFor(count), 1, 1,
                               kEmbeddedThreads, 1, 1, 0, stream_, arguments, nullptr),
                              context);
  return Status::ok();
}

Status CudaDevice::fillConstant(CUdeviceptr destination, DType dtype, int64_t count, double value) {
  std::string context = "fill of " + std::to_string(count) + " elements";
  auto words = [&](uint32_t bits) -> Status {
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemsetD32Async, (destination, bits, size_t(count), stream_),
                                context);
    return Status::ok();
  };
  auto halves = [&](uint16_t bits) -> Status {
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemsetD16Async, (destination, bits, size_t(count), stream_),
                                context);
    return Status::ok();
  };
  switch (dtype) {
  case DType::F32:
    return words(std::bit_cast<uint32_t>(float(value)));
  case DType::I32:
    return words(uint32_t(int32_t(value)));
  case DType::BF16:
    return halves(f32ToBf16(float(value)));
  case DType::F16:
    return halves(f32ToF16(float(value)));
  case DType::I64:
    // There is no fill by eight bytes: low and high words are columns, one element wide, of an array of rows.
    for (int half = 0; half < 2; ++half)
      HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemsetD2D32Async,
                                  (destination + int64_t{4} * half, 8,
                                   uint32_t(uint64_t(int64_t(value)) >> (32 * half)), 1, size_t(count),
                                   stream_),
                                  context);
    return Status::ok();
  case DType::Bool:
    return fill(reinterpret_cast<void *>(destination), value != 0, count);
  case DType::U8:
    return fill(reinterpret_cast<void *>(destination), uint8_t(value), count);
  }
  return internalError("fill of an unknown type");
}
