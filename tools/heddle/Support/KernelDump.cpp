//===- KernelDump.cpp - A plan's CUDA kernels as files --------------------===//
#include "tools/heddle/Support/KernelDump.h"

#include "runtime/base/File.h"
#include "runtime/nvrtc/Nvrtc.h"
#include "runtime/plan/InstanceTable.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace heddle::driver {

using namespace runtime;

namespace {

/// The part of a bench that is the same for every kernel; between the kernel's text and `main`. Floats get
/// magnitudes in [0.5, 1) and either sign, by their bits alone: no value is NaN, infinite or denormal, and
/// sums neither vanish nor overflow. Integers stay below the limit of what they index.
constexpr const char *kHarness = R"(
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t error_ = (call);                                                                             \
    if (error_ != cudaSuccess) {                                                                             \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                                   \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

enum Fill { kF32, kBf16, kF16, kI32, kI64, kBool, kU8 };

__device__ unsigned int mix(unsigned long long index) {
  unsigned long long x = (index + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9ull;
  return (unsigned int)(x >> 32);
}

__global__ void fill(void *data, long long count, Fill type, unsigned int limit) {
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned int bits = mix(i), sign = bits >> 31;
    switch (type) {
    case kF32: ((unsigned int *)data)[i] = sign << 31 | 0x3f000000u | (bits & 0x7fffffu); break;
    case kBf16: ((unsigned short *)data)[i] = (unsigned short)(sign << 15 | 0x3f00u | (bits & 0x7fu)); break;
    case kF16: ((unsigned short *)data)[i] = (unsigned short)(sign << 15 | 0x3800u | (bits & 0x3ffu)); break;
    case kI32: ((int *)data)[i] = (int)(bits % limit); break;
    case kI64: ((long long *)data)[i] = (long long)(bits % limit); break;
    case kBool: ((unsigned char *)data)[i] = (unsigned char)sign; break;
    case kU8: ((unsigned char *)data)[i] = (unsigned char)bits; break;
    }
  }
}

static char *filled(long long bytes, int size, Fill type, unsigned int limit) {
  char *data = nullptr;
  CHECK(cudaMalloc(&data, bytes > 0 ? bytes : 1));
  fill<<<1024, 256>>>(data, bytes / size, type, limit);
  CHECK(cudaGetLastError());
  return data;
}
)";

/// As kHarness, where the kernel takes tensor maps.
constexpr const char *kMapHarness = R"(
#include <cuda.h>

struct Extents { cuuint64_t values[5]; };
struct Box { cuuint32_t values[5]; };

static CUtensorMap mapOf(void *data, CUtensorMapDataType type, int rank, Extents extents, Extents strides, Box box,
                         int swizzle) {
  const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMap map;
  CUresult result = cuTensorMapEncodeTiled(
      &map, type, rank, data, extents.values, strides.values, box.values, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", (int)result);
    std::exit(1);
  }
  return map;
}
)";

/// The end of `main`: `kernel`, `grid`, `block`, `shared`, `arguments` and `bytes` are set.
constexpr const char *kTiming = R"(
  if (shared > 0)
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const int launches = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  for (int i = 0; i < 5; ++i) // Warm-up.
    CHECK(cudaLaunchKernel(kernel, grid, block, arguments, shared, 0));
  CHECK(cudaDeviceSynchronize());
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times(launches);
  for (float &ms : times) {
    CHECK(cudaEventRecord(begin));
    CHECK(cudaLaunchKernel(kernel, grid, block, arguments, shared, 0));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
  }
  std::sort(times.begin(), times.end());
  const double ms = times[launches / 2];
  std::printf("%s: %.4f ms (median of %d), %.1f GB/s\n", name, ms, launches, bytes / ms * 1e-6);
  return 0;
}
)";

const char *fillOf(DType type) {
  switch (type) {
  case DType::F32:
    return "kF32";
  case DType::BF16:
    return "kBf16";
  case DType::F16:
    return "kF16";
  case DType::I32:
    return "kI32";
  case DType::I64:
    return "kI64";
  case DType::Bool:
    return "kBool";
  case DType::U8:
    return "kU8";
  }
  return "";
}

const char *mapTypeOf(DType type) {
  return type == DType::F32    ? "CU_TENSOR_MAP_DATA_TYPE_FLOAT32"
         : type == DType::BF16 ? "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16"
                               : "CU_TENSOR_MAP_DATA_TYPE_FLOAT16";
}

std::string listOf(const std::vector<int64_t> &values) {
  std::string list;
  for (int64_t value : values)
    list += (list.empty() ? "" : ", ") + std::to_string(value);
  return list;
}

/// The launch of `kernel` with the most blocks, the first of equals; -1 where there is none.
int32_t largestLaunch(const Plan &plan, int32_t kernel) {
  auto blocks = [](const Launch &launch) { return launch.grid[0] * launch.grid[1] * launch.grid[2]; };
  int32_t largest = -1;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step &step = plan.steps[i];
    if (step.kind == StepKind::Launch && step.launch.kernel == kernel &&
        (largest < 0 || blocks(step.launch) > blocks(plan.steps[largest].launch)))
      largest = static_cast<int32_t>(i);
  }
  return largest;
}

/// What an integer of this launch must stay below: the least limit of the plan's inputs, since a buffer that
/// was computed from one carries no limit of its own.
int64_t indexLimit(const Plan &plan, const Buffer &buffer) {
  if (buffer.indexLimit > 0)
    return buffer.indexLimit;
  int64_t limit = 0;
  for (const Buffer &other : plan.buffers)
    if (other.indexLimit > 0 && (limit == 0 || other.indexLimit < limit))
      limit = other.indexLimit;
  return limit > 0 ? limit : 2;
}

/// The table of a batched launch, whose pointers and counts are variables already; returns the arguments.
std::string printTable(const Launch &launch, std::string &out) {
  std::vector<std::string> buffers, counts;
  for (size_t i = 0; i < launch.buffers.size(); ++i)
    buffers.push_back("(long long)pointer" + std::to_string(i));
  for (size_t i = 0; i < launch.counts.size(); ++i)
    counts.push_back("count" + std::to_string(i));
  std::string text;
  for (const std::string &word : instanceWords<std::string>(
           launch.shares, buffers, counts, [](int64_t first) { return std::to_string(first) + "ll"; }))
    text += (text.empty() ? "" : ", ") + word;
  out += "  const std::vector<long long> words = {" + text;
  out +=
      "};\n  long long *table = nullptr;\n"
      "  CHECK(cudaMalloc(&table, words.size() * sizeof(long long)));\n"
      "  CHECK(cudaMemcpy(table, words.data(), words.size() * sizeof(long long), cudaMemcpyHostToDevice));\n"
      "  long long instances = " +
      std::to_string(launch.shares.size()) + ";\n";
  return "&table, &instances";
}

/// A text as the rest of a line comment: without what would end or continue the line.
std::string inComment(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\r' || c == '\\')
      c = ' ';
  return text;
}

} // namespace

std::string kernelBench(const Plan &plan, int32_t index) {
  const Kernel &kernel = plan.kernels[index];
  int32_t number = largestLaunch(plan, index);
  if (number < 0 || kernel.source.empty())
    return "";
  const Step &step = plan.steps[number];
  const Launch &launch = step.launch;
  auto text = [](int64_t value) { return std::to_string(value); };

  // The short form, -arch, also makes PTX for the architecture without the "a", which lacks its instructions.
  std::string version = kernel.target.substr(kernel.target.find('_') + 1);
  std::string out = "// nvcc -std=c++17 -O3 -gencode arch=compute_" + version + ",code=" + kernel.target +
                    " -o " + kernel.name + " " + kernel.name + ".cu" +
                    (launch.maps.empty() ? "" : " -lcuda") + " && ./" + kernel.name + " [LAUNCHES]\n";
  out += "// Times kernel " + kernel.name + " of " + inComment(plan.model) + " (" + plan.precision + ", " +
         plan.mode + ") as step " + text(number) + " of the plan launches it: " + inComment(step.label) +
         ".\n";
  out += "// GB/s counts each buffer once and whole, whatever the kernel reads of it; small ones stay in a "
         "cache.\n\n";
  out += kernel.source + kHarness + (launch.maps.empty() ? "" : kMapHarness) +
         "\nint main(int argc, char **argv) {\n";
  out += "  const char *name = \"" + kernel.name + "\";\n";
  out += "  const void *kernel = (const void *)" + kernel.name + ";\n";
  out += "  const dim3 grid(" + text(launch.grid[0]) + ", " + text(launch.grid[1]) + ", " +
         text(launch.grid[2]) + "), block(" + text(kernel.threads) + ");\n";
  out += "  const size_t shared = " + text(kernel.sharedBytes) + ";\n  double bytes = 0;\n";
  std::vector<int32_t> made;
  std::string arguments;
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const BufferRef &ref = launch.buffers[i];
    std::string pointer = "pointer" + text(static_cast<int64_t>(i));
    arguments += (arguments.empty() ? "&" : ", &") + pointer;
    if (!ref.present()) {
      out += "  char *" + pointer + " = nullptr;\n";
      continue;
    }
    const Buffer &buffer = plan.buffers[ref.buffer];
    std::string name = "buffer" + text(ref.buffer);
    if (std::find(made.begin(), made.end(), ref.buffer) == made.end()) {
      made.push_back(ref.buffer);
      out += "  char *" + name + " = filled(" + text(buffer.bytes) + "ll, " + text(sizeOf(buffer.dtype)) +
             ", " + fillOf(buffer.dtype) + ", " + text(indexLimit(plan, buffer)) + "u); // " +
             inComment(buffer.name) + "\n  bytes += " + text(buffer.bytes) + "ll;\n";
    }
    out += "  char *" + pointer + " = " + name + " + " + text(ref.byteOffset) + "ll;\n";
  }
  for (size_t i = 0; i < launch.counts.size(); ++i) {
    std::string count = "count" + text(static_cast<int64_t>(i));
    out += "  long long " + count + " = " + text(launch.counts[i]) + "ll;\n";
    arguments += (arguments.empty() ? "&" : ", &") + count;
  }
  for (size_t i = 0; i < launch.maps.size(); ++i) {
    const TensorMap &map = launch.maps[i];
    std::string name = "map" + text(static_cast<int64_t>(i));
    out += "  CUtensorMap " + name + " = mapOf(pointer" + text(map.operand) + ", " + mapTypeOf(map.dtype) +
           ", " + text(static_cast<int64_t>(map.extents.size())) + ", {" + listOf(map.extents) + "}, {" +
           listOf(map.strides) + "}, {" + listOf(map.box) + "}, " + text(static_cast<int64_t>(map.swizzle)) +
           ");\n";
    arguments += (arguments.empty() ? "&" : ", &") + name;
  }
  if (!launch.shares.empty())
    arguments = printTable(launch, out);
  out += "  void *arguments[] = {" + arguments + "};\n";
  return out + kTiming;
}

StatusOr<bool> dumpKernels(const Plan &plan, const std::string &folder, bool texts, Progress &progress) {
  std::error_code error;
  std::filesystem::create_directories(folder + "/bench", error);
  if (error)
    return runtime::cannotMake("make folder '" + folder + "/bench'", error.value());
  StatusOr<const Nvrtc *> nvrtc = Nvrtc::get();
  if (!nvrtc)
    std::fprintf(stderr, "note: no PTX in %s: %s\n", folder.c_str(), nvrtc.status().message().c_str());
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const Kernel &kernel = plan.kernels[i];
    if (kernel.source.empty()) {
      std::fprintf(stderr, "note: kernel %s is in the plan as a binary only: no text of it\n",
                   kernel.name.c_str());
      continue;
    }
    progress.show("kernels written " + std::to_string(i) + "/" + std::to_string(plan.kernels.size()));
    if (texts)
      HEDDLE_RETURN_IF_ERROR(writeFile(folder + "/" + kernel.name + ".cu", kernel.source));
    if (nvrtc) {
      HEDDLE_ASSIGN_OR_RETURN(std::string ptx,
                              (*nvrtc)->ptx({kernel.name, kernel.source, kernel.target, {}}, {}));
      HEDDLE_RETURN_IF_ERROR(writeFile(folder + "/" + kernel.name + ".ptx", ptx));
    }
    if (std::string bench = kernelBench(plan, static_cast<int32_t>(i)); !bench.empty())
      HEDDLE_RETURN_IF_ERROR(writeFile(folder + "/bench/" + kernel.name + ".cu", bench));
  }
  progress.clear();
  return bool(nvrtc);
}

} // namespace heddle::driver
