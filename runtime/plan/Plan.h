//===- Plan.h - What the compiler hands to the runtime ----------*- C++ -*-===//
//
// A plan is everything that is needed to run a model on one device, without MLIR: buffers, kernels, steps and
// a memory layout. The compiler builds it from the plan dialect, the artifact (Plan.fbs) stores it, the
// executors run it. The same structure serves the compiled pipeline (buffers placed in one arena) and the
// eager pipeline (scratch buffers unplaced: the executor allocates each at its first use and frees it after
// its last).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PLAN_PLAN_H
#define HEDDLE_RUNTIME_PLAN_PLAN_H

#include "runtime/base/DType.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

/// What a buffer is for. Decides who allocates it and how long it lives.
enum class BufferRole : uint8_t {
  Input = 0,     ///< Written by the caller before a run.
  Output = 1,    ///< Read by the caller after a run.
  Parameter = 2, ///< A weight: filled once, from a file or by the generator.
  /// Lives across runs and is updated by them (optimizer moments). Without parts it has no name outside of
  /// the plan: what Init steps make of a parameter, and runs together with it (its bf16 copy).
  State = 3,
  Constant = 4, ///< Computed by the steps of phase Init, or given as bytes in `data`.
  Saved = 5,    ///< Written in forward and read in backward.
  Scratch = 6,  ///< Lives within one run.
};

/// When a step runs. Init steps run once, after the parameters are filled, and again after they were set.
enum class Phase : uint8_t { Init = 0, Forward = 1, Backward = 2, Optimizer = 3 };

/// How a parameter gets its values when no file gives them.
enum class InitKind : uint8_t {
  Normal = 0,   ///< Mean 0, standard deviation `scale`; see runtime/base/Random.h.
  Constant = 1, ///< Every element is `scale`.
};

/// One tensor of the model's state dict, at a place in a parameter buffer. A buffer has several when the
/// compiler merged them (Q, K and V; gate and up): merged parameters are a placement, never a copy at run
/// time.
struct ParameterPart {
  std::string name;           ///< As in the model's state dict: "blocks.0.q.weight".
  std::vector<int64_t> shape; ///< Its own shape.
  int64_t elementOffset = 0;  ///< Where it starts in the buffer, in elements; contiguous from there.
  InitKind init = InitKind::Normal;
  double scale = 0.02;
};

struct Buffer {
  std::string name;
  BufferRole role = BufferRole::Scratch;
  DType dtype = DType::F32;
  std::vector<int64_t> shape; ///< Row-major, contiguous; but see `panel`.
  int64_t bytes = 0;          ///< At least product(shape) * sizeOf(dtype).
  /// Byte offset in the arena (a multiple of 256), or kUnplaced for a buffer with an allocation of its own.
  int64_t offset = kUnplaced;
  /// First and last step that touch it, inclusive, as indices into Plan::steps; -1 where none does.
  int32_t firstStep = -1, lastStep = -1;
  /// Integer inputs that index something (token ids): every value must be in [0, indexLimit). 0: any value.
  int64_t indexLimit = 0;
  /// A further value that such an input may have, inside that range or not: targets that count for nothing.
  std::optional<int64_t> ignoredIndex;
  /// Of parameters and states, and of outputs that are gradients of parameters: then with their names,
  /// "q.weight.grad".
  std::vector<ParameterPart> parts;
  /// Parameters only: how many of its rows are stored together, transposed (runtime/plan/Panels.h), for
  /// the tiled products of a CPU, which read it in that order. 0: row-major.
  int64_t panel = 0;
  /// Outputs: elements from a row of the last dimension to the next, where rows lie further apart than they
  /// are long; 0: they do not. Executor::output leaves out what lies between.
  int64_t pitch = 0;
  std::vector<uint8_t> data; ///< Constants given by value only.
  std::string location;      ///< The layer and line of the model description that it comes from.

  static constexpr int64_t kUnplaced = -1;
};

/// The tensors of the state dict in a buffer: none where it is no parameter.
inline std::span<const ParameterPart> weightsIn(const Buffer &buffer) {
  return buffer.role == BufferRole::Parameter ? std::span(buffer.parts) : std::span<const ParameterPart>();
}

/// A buffer from a byte offset on: how views reach kernels and products.
struct BufferRef {
  int32_t buffer = -1; ///< -1: absent (an optional operand).
  int64_t byteOffset = 0;
  bool present() const { return buffer >= 0; }
};

enum class KernelLanguage : uint8_t {
  Cuda = 0, ///< `source` is CUDA C++; `binary` is a cubin, or empty: then NVRTC compiles the source at load.
  Cpu = 1,  ///< `binary` is a relocatable x86-64 ELF object with one function.
};

struct Kernel {
  std::string name; ///< The entry point's symbol; unique in the plan.
  KernelLanguage language = KernelLanguage::Cuda;
  std::string source;
  std::vector<uint8_t> binary;
  std::string target;      ///< "sm_80", "sm_90a", "x86-64-v3", "x86-64-v4".
  int32_t threads = 0;     ///< Threads a block (CUDA).
  int32_t sharedBytes = 0; ///< Dynamic shared memory a block (CUDA).
};

/// How a copy of a tensor map's box permutes the 16-byte chunks of its rows in shared memory. The numbers are
/// those of CUDA's CUtensorMapSwizzle.
enum class Swizzle : uint8_t { None = 0, Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };

/// A strided view of an operand from which the GPU's tensor unit copies boxes (CUDA's CUtensorMap, compute
/// capability 9.0 on). Dimensions go from the innermost, contiguous one outwards, as in CUDA. What of a box
/// lies outside of the extents reads as zero.
struct TensorMap {
  int32_t operand = -1; ///< Element (0, …, 0) is at Launch::buffers[operand], at a multiple of 16 bytes.
  DType dtype = DType::BF16;    ///< A floating type.
  std::vector<int64_t> extents; ///< In elements, 1 to 5 of them, each 1 to 2^32.
  std::vector<int64_t> strides; ///< In bytes, of extents[1] on: multiples of 16, above 0 and below 2^40.
  std::vector<int64_t> box;     ///< In elements, one for each extent, each 1 to 256.
  Swizzle swizzle = Swizzle::None;
};

/// Runs kernel `kernel`.
///  CUDA: entry(buffer pointers…, counts as long long…, tensor maps by value…) on `grid` blocks.
///  CPU:  void entry(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end), called by
///  worker
///        threads on disjoint ranges that cover [0, items).
/// With `shares` the kernel runs on several instances at once: `buffers` and `counts` hold as many for each,
/// instance after instance.
///  CUDA: entry(const long long *table, long long instances): the table (runtime/plan/InstanceTable.h) says
///        each instance's first block, buffers and counts.
///  CPU:  the entry is that of one instance; a range that covers several of them becomes several calls.
struct Launch {
  int32_t kernel = -1;
  std::vector<BufferRef> buffers;
  std::vector<int64_t> counts;
  std::array<int64_t, 3> grid{1, 1, 1}; ///< CUDA.
  int64_t items = 0;                    ///< CPU.
  std::vector<TensorMap> maps;          ///< CUDA; encoded by the runtime, which knows the addresses.
  /// Of each instance: its blocks (CUDA), which grid[0] is the sum of, or its items. Empty: there is one.
  std::vector<int64_t> shares;
};

/// How many instances a launch runs its kernel on.
inline int64_t instancesOf(const Launch &launch) {
  return launch.shares.empty() ? 1 : static_cast<int64_t>(launch.shares.size());
}

/// What a product adds after the sum, in this order. GELU is the tanh form, x/2 * (1 + tanh(sqrt(2/pi) * (x +
/// 0.044715 * x^3))), which is the one that cuBLASLt computes; the erf form is no epilogue.
/// SiluMul is the gate of SwiGLU (Shazeer, arXiv:2002.05202), which halves the columns: d is m×(n/2) and
/// column j is silu(s_j) * s_(j + n/2), silu(x) = x / (1 + e^-x); without c. Only the CPU's tiled products
/// have it.
enum class Epilogue : uint8_t {
  None = 0,
  Bias = 1,
  GeluTanh = 2,
  BiasGeluTanh = 3,
  Relu = 4,
  BiasRelu = 5,
  SiluMul = 6,
};

/// Whether the product reads `Product::bias`.
inline bool hasBias(Epilogue epilogue) {
  return epilogue == Epilogue::Bias || epilogue == Epilogue::BiasGeluTanh || epilogue == Epilogue::BiasRelu;
}

/// A matrix operand in row-major terms: element (i, j) of batch b is at data[b*batchStride + i*ld + j], or at
/// data[b*batchStride + j*ld + i] where `transposed`. Strides are in elements.
struct MatrixRef {
  BufferRef ref;
  DType dtype = DType::F32;
  int64_t ld = 0;
  int64_t batchStride = 0;
  bool transposed = false;
};

/// How the products of a step are computed.
enum class MathMode : uint8_t {
  F32 = 0,  ///< float32 in, float32 sums, no tf32.
  TF32 = 1, ///< float32 in, rounded to tf32, float32 sums.
  Low = 2,  ///< bf16 or f16 in, float32 sums.
};

/// d = epilogue(alpha * a·b + beta * c), for each of `batch` matrices: a is m×k, b is k×n, c and d are m×n
/// (resultColumns) and never transposed. `c` may be d itself, or absent when beta is 0. `bias` has n elements
/// of type biasType.
struct Product {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  MatrixRef a, b, c, d;
  double alpha = 1.0, beta = 0.0;
  MathMode math = MathMode::F32;
  Epilogue epilogue = Epilogue::None;
  BufferRef bias;
  DType biasType = DType::F32;
  std::vector<uint8_t> algorithm; ///< Opaque bytes; empty: the device's library and its heuristic.
};

/// The columns of d.
inline int64_t resultColumns(const Product &product) {
  return product.epilogue == Epilogue::SiluMul ? product.n / 2 : product.n;
}

enum class StepKind : uint8_t { Launch = 0, Product = 1, Copy = 2 };

/// Copies `bytes` from one buffer to another.
struct Copy {
  BufferRef source, destination;
  int64_t bytes = 0;
};

struct Step {
  StepKind kind = StepKind::Launch;
  Phase phase = Phase::Forward;
  Launch launch;        ///< kind Launch
  Product product;      ///< kind Product
  Copy copy;            ///< kind Copy
  std::string label;    ///< What a profile shows: "blocks.3 rms_norm+cast".
  std::string location; ///< As Buffer::location.
};

/// A symbolic dimension of the model and the value that this plan was made for: {"batch", 4}.
struct SymbolValue {
  std::string name;
  int64_t value = 0;
};

struct Plan {
  std::string model;     ///< "study:small", or the path's last part.
  std::string device;    ///< "cpu" or "cuda".
  std::string target;    ///< "sm_90a", "x86-64-v4", …
  std::string pipeline;  ///< "compiled" or "eager".
  std::string mode;      ///< "forward", "backward", "step", "accumulate".
  std::string precision; ///< "fp32", "tf32", "bf16".
  std::vector<SymbolValue> symbols;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  int64_t arenaBytes = 0;     ///< Of all placed buffers: the peak that is known before anything runs.
  int64_t workspaceBytes = 0; ///< For the product library.
  double matrixFlops =
      0; ///< Multiply-adds ×2 of all products and attention of one run, for the FLOP/s share.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_PLAN_H
