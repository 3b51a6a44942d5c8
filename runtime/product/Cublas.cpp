//===- Cublas.cpp - Matrix products by cuBLASLt ---------------------------===//
#include "runtime/product/Cublas.h"

#include "runtime/base/DynamicLibrary.h"

using namespace heddle::runtime;

#if HEDDLE_HAVE_CUDA

#include <algorithm>
#include <array>
#include <cstring>
#include <cublasLt.h>
#include <unordered_map>

namespace {

#define HEDDLE_CUBLAS_FUNCTIONS(X)                                                                           \
  X(cublasLtGetVersion)                                                                                      \
  X(cublasLtGetStatusString)                                                                                 \
  X(cublasLtCreate)                                                                                          \
  X(cublasLtDestroy)                                                                                         \
  X(cublasLtMatmulDescCreate)                                                                                \
  X(cublasLtMatmulDescDestroy)                                                                               \
  X(cublasLtMatmulDescSetAttribute)                                                                          \
  X(cublasLtMatrixLayoutCreate)                                                                              \
  X(cublasLtMatrixLayoutDestroy)                                                                             \
  X(cublasLtMatrixLayoutSetAttribute)                                                                        \
  X(cublasLtMatmulPreferenceCreate)                                                                          \
  X(cublasLtMatmulPreferenceDestroy)                                                                         \
  X(cublasLtMatmulPreferenceSetAttribute)                                                                    \
  X(cublasLtMatmulAlgoGetHeuristic)                                                                          \
  X(cublasLtMatmulAlgoCheck)                                                                                 \
  X(cublasLtMatmul)

/// The library's functions, loaded once a process.
struct Functions {
  static StatusOr<const Functions *> get() {
    static Functions functions;
    static Status loaded = functions.load();
    if (!loaded)
      return Status(loaded).with("cuBLASLt, the library of matrix products");
    return static_cast<const Functions *>(&functions);
  }

  std::string path;
#define HEDDLE_MEMBER(name) decltype(&::name) name = nullptr;
  HEDDLE_CUBLAS_FUNCTIONS(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER

private:
  Status load() {
    HEDDLE_ASSIGN_OR_RETURN(
        DynamicLibrary library,
        DynamicLibrary::open({"libcublasLt.so.13", "libcublasLt.so.12"}, cudaLibraryFolders()));
    path = library.path();
#define HEDDLE_BIND(name) HEDDLE_RETURN_IF_ERROR(library.bind(#name, name));
    HEDDLE_CUBLAS_FUNCTIONS(HEDDLE_BIND)
#undef HEDDLE_BIND
    return Status::ok();
  }
};

StatusOr<cudaDataType_t> cudaTypeOf(DType type) {
  switch (type) {
  case DType::F32:
    return CUDA_R_32F;
  case DType::BF16:
    return CUDA_R_16BF;
  case DType::F16:
    return CUDA_R_16F;
  default:
    return invalidInput("a product of " + std::string(nameOf(type)) + ": f32, bf16 and f16 are possible");
  }
}

/// The largest power of two up to 256 that divides the address; 256 is the most that any algorithm asks for.
uint32_t alignmentOf(const void *address) {
  auto bits = reinterpret_cast<uintptr_t>(address);
  return bits ? uint32_t(std::min<uintptr_t>(bits & -bits, 256)) : 256;
}

/// The library's GELU is the tanh form, by the hardware's tanh: off by up to 2^-11 (GpuProduct.Epilogues).
cublasLtEpilogue_t epilogueOf(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::None:
    return CUBLASLT_EPILOGUE_DEFAULT;
  case Epilogue::Bias:
    return CUBLASLT_EPILOGUE_BIAS;
  case Epilogue::GeluTanh:
    return CUBLASLT_EPILOGUE_GELU;
  case Epilogue::BiasGeluTanh:
    return CUBLASLT_EPILOGUE_GELU_BIAS;
  case Epilogue::Relu:
    return CUBLASLT_EPILOGUE_RELU;
  case Epilogue::BiasRelu:
    return CUBLASLT_EPILOGUE_RELU_BIAS;
  case Epilogue::SiluMul:
    break; // Refused before.
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

std::string describe(const Product &p) {
  auto operand = [](const char *name, const MatrixRef &matrix) {
    return std::string(" ") + name + ":" + std::string(nameOf(matrix.dtype)) + "[ld " +
           std::to_string(matrix.ld) + (matrix.transposed ? ", transposed" : "") + "]";
  };
  static const char *kEpilogues[] = {"none", "bias",      "gelu tanh", "bias+gelu tanh",
                                     "relu", "bias+relu", "silu mul"};
  static_assert(std::size(kEpilogues) == size_t(Epilogue::SiluMul) + 1);
  static const char *kModes[] = {"f32", "tf32", "low"};
  return "product m=" + std::to_string(p.m) + " n=" + std::to_string(p.n) + " k=" + std::to_string(p.k) +
         " batch=" + std::to_string(p.batch) + operand("a", p.a) + operand("b", p.b) + operand("d", p.d) +
         " math " + kModes[size_t(p.math)] + " epilogue " + kEpilogues[size_t(p.epilogue)];
}

/// What tells one product's choice of algorithm from another's. Scalars and addresses do not, alignments do.
struct Key {
  std::array<uint64_t, 30> words{};
  bool operator==(const Key &) const = default;
};

struct KeyHash {
  size_t operator()(const Key &key) const {
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (uint64_t word : key.words)
      hash = (hash ^ word) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    return hash;
  }
};

/// An algorithm as plans keep it: the version of the library that chose it, then its bytes.
constexpr size_t kAlgorithmBytes = 8 + sizeof(cublasLtMatmulAlgo_t);

Key keyOf(const Product &p, const Device::ProductAddresses &at) {
  Key key;
  size_t next = 0;
  auto add = [&](uint64_t word) { key.words[next++] = word; };
  for (int64_t size : {p.m, p.n, p.k, p.batch})
    add(size);
  uint64_t flags = uint64_t(p.math) | uint64_t(p.epilogue) << 8 | uint64_t(p.biasType) << 16;
  for (const MatrixRef *matrix : {&p.a, &p.b, &p.c, &p.d}) {
    add(matrix->ld);
    add(matrix->batchStride);
    flags = flags << 4 | uint64_t(matrix->dtype) << 1 | uint64_t(matrix->transposed);
  }
  add(flags);
  uint64_t alignments = uint64_t(p.beta != 0) << 1 | uint64_t(at.c == at.d);
  for (const void *address : {at.a, at.b, at.c ? at.c : at.d, static_cast<const void *>(at.d), at.bias})
    alignments = alignments << 10 | alignmentOf(address);
  add(alignments);
  add(at.workspace ? at.workspaceBytes : 0);
  add(p.algorithm.size());
  std::memcpy(key.words.data() + next, p.algorithm.data(), std::min(p.algorithm.size(), kAlgorithmBytes));
  return key;
}

/// A product that is ready to be enqueued.
struct Prepared {
  const Functions *functions = nullptr;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr, d = nullptr;
  cublasLtMatmulAlgo_t algo{};
  size_t workspace = 0;
  const void *bias = nullptr; ///< As set in `desc`.

  Prepared() = default;
  Prepared(const Prepared &) = delete;
  ~Prepared() {
    for (cublasLtMatrixLayout_t layout : {a, b, c, d})
      if (layout)
        functions->cublasLtMatrixLayoutDestroy(layout);
    if (desc)
      functions->cublasLtMatmulDescDestroy(desc);
  }
};

class LoadedCublas final : public Cublas {
public:
  explicit LoadedCublas(const Functions &functions) : f(functions) {}
  ~LoadedCublas() override {
    prepared_.clear();
    if (handle_)
      f.cublasLtDestroy(handle_);
  }

  Status start() { return check("cublasLtCreate", f.cublasLtCreate(&handle_), f.path); }

  Status enqueue(const Product &product, const Device::ProductAddresses &addresses, void *stream) override;
  StatusOr<std::vector<uint8_t>> algorithm(const Product &product,
                                           const Device::ProductAddresses &addresses) override;
  StatusOr<std::vector<std::vector<uint8_t>>>
  candidates(const Product &product, const Device::ProductAddresses &addresses, int count) override;

private:
  Status check(const char *call, cublasStatus_t result, const std::string &context) const {
    if (result == CUBLAS_STATUS_SUCCESS)
      return Status::ok();
    std::string message = std::string(call) + ": " + f.cublasLtGetStatusString(result) + "; " + context;
    if (result == CUBLAS_STATUS_NOT_SUPPORTED || result == CUBLAS_STATUS_INVALID_VALUE)
      return invalidInput(std::move(message));
    return result == CUBLAS_STATUS_ALLOC_FAILED ? outOfMemory(std::move(message))
                                                : unavailable(std::move(message));
  }

  Status verify(const Product &product, const Device::ProductAddresses &addresses) const;
  Status layout(cublasLtMatrixLayout_t &layout, const MatrixRef &matrix, int64_t rows, int64_t columns,
                int64_t batch) const;
  Status describeTo(Prepared &prepared, const Product &product, const Device::ProductAddresses &at) const;
  StatusOr<std::vector<cublasLtMatmulHeuristicResult_t>> guesses(const Prepared &prepared,
                                                                 const Product &product,
                                                                 const Device::ProductAddresses &at,
                                                                 int count) const;
  Status pin(Prepared &prepared, const Product &product, const Device::ProductAddresses &at) const;
  StatusOr<Prepared *> prepare(const Product &product, const Device::ProductAddresses &at);
  std::vector<uint8_t> bytesOf(const cublasLtMatmulAlgo_t &algo) const;

  const Functions &f;
  cublasLtHandle_t handle_ = nullptr;
  std::unordered_map<Key, std::unique_ptr<Prepared>, KeyHash> prepared_;
};

Status LoadedCublas::verify(const Product &p, const Device::ProductAddresses &at) const {
  auto refuse = [&](const std::string &reason) { return invalidInput(describe(p) + ": " + reason); };
  if (p.m <= 0 || p.n <= 0 || p.k <= 0 || p.batch <= 0)
    return refuse("sizes must be positive");
  if (p.c.transposed || p.d.transposed)
    return refuse("c and d must not be transposed");
  if (!at.a || !at.b || !at.d)
    return refuse("an operand has no address");
  if (p.beta != 0 && !at.c)
    return refuse("beta is " + std::to_string(p.beta) + " but there is no c");
  if (p.epilogue == Epilogue::SiluMul)
    return refuse("cuBLASLt has no epilogue that multiplies two halves");
  if (hasBias(p.epilogue) && !at.bias)
    return refuse("the epilogue adds a bias but there is none");
  bool low = p.a.dtype != DType::F32 || p.b.dtype != DType::F32;
  if (low != (p.math == MathMode::Low))
    return refuse(low ? "math must be low for operands that are not f32"
                      : "math low needs bf16 or f16 operands");
  return Status::ok();
}

/// A row-major rows×columns matrix is a column-major columns×rows one with the same leading dimension.
Status LoadedCublas::layout(cublasLtMatrixLayout_t &layout, const MatrixRef &matrix, int64_t rows,
                            int64_t columns, int64_t batch) const {
  HEDDLE_ASSIGN_OR_RETURN(cudaDataType_t type, cudaTypeOf(matrix.dtype));
  HEDDLE_RETURN_IF_ERROR(check("cublasLtMatrixLayoutCreate",
                               f.cublasLtMatrixLayoutCreate(&layout, type, columns, rows, matrix.ld),
                               std::to_string(rows) + "x" + std::to_string(columns)));
  if (batch == 1)
    return Status::ok();
  auto count = int32_t(batch);
  HEDDLE_RETURN_IF_ERROR(check(
      "cublasLtMatrixLayoutSetAttribute(BATCH_COUNT)",
      f.cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)),
      ""));
  return check("cublasLtMatrixLayoutSetAttribute(STRIDED_BATCH_OFFSET)",
               f.cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                  &matrix.batchStride, sizeof(matrix.batchStride)),
               "");
}

Status LoadedCublas::describeTo(Prepared &prepared, const Product &p,
                                const Device::ProductAddresses &at) const {
  prepared.functions = &f;
  cublasComputeType_t compute = p.math == MathMode::TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  HEDDLE_RETURN_IF_ERROR(check("cublasLtMatmulDescCreate",
                               f.cublasLtMatmulDescCreate(&prepared.desc, compute, CUDA_R_32F), describe(p)));
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto &value) {
    return check("cublasLtMatmulDescSetAttribute",
                 f.cublasLtMatmulDescSetAttribute(prepared.desc, attribute, &value, sizeof(value)),
                 describe(p));
  };
  // dᵀ = bᵀ·aᵀ: the library's first operand is b. Row-major bytes read column-major are already transposed,
  // so an operand that is not transposed here needs no operation there.
  cublasOperation_t first = p.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t second = p.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_TRANSA, first));
  HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_TRANSB, second));
  HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(p.epilogue)));
  if (hasBias(p.epilogue)) {
    // A row-major bias over columns is the library's bias over rows.
    HEDDLE_ASSIGN_OR_RETURN(cudaDataType_t biasType, cudaTypeOf(p.biasType));
    HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, int32_t(biasType)));
    HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, at.bias));
    prepared.bias = at.bias;
  }
  auto shaped = [&](cublasLtMatrixLayout_t &to, const MatrixRef &matrix, int64_t rows, int64_t columns) {
    if (matrix.transposed)
      std::swap(rows, columns);
    return layout(to, matrix, rows, columns, p.batch);
  };
  HEDDLE_RETURN_IF_ERROR(shaped(prepared.a, p.b, p.k, p.n));
  HEDDLE_RETURN_IF_ERROR(shaped(prepared.b, p.a, p.m, p.k));
  HEDDLE_RETURN_IF_ERROR(shaped(prepared.c, p.beta != 0 ? p.c : p.d, p.m, p.n));
  return shaped(prepared.d, p.d, p.m, p.n);
}

StatusOr<std::vector<cublasLtMatmulHeuristicResult_t>>
LoadedCublas::guesses(const Prepared &prepared, const Product &p, const Device::ProductAddresses &at,
                      int count) const {
  cublasLtMatmulPreference_t preference = nullptr;
  HEDDLE_RETURN_IF_ERROR(
      check("cublasLtMatmulPreferenceCreate", f.cublasLtMatmulPreferenceCreate(&preference), describe(p)));
  std::unique_ptr<std::remove_pointer_t<cublasLtMatmulPreference_t>,
                  decltype(f.cublasLtMatmulPreferenceDestroy)>
      owner(preference, f.cublasLtMatmulPreferenceDestroy);
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    return check("cublasLtMatmulPreferenceSetAttribute",
                 f.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
                 describe(p));
  };
  HEDDLE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(at.workspace ? at.workspaceBytes : 0)));
  // Partial sums keep the compute type: a bf16 result is rounded once. In place they have the output's type,
  // which is the same thing for float32.
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE |
                        (p.d.dtype == DType::F32 ? uint32_t(CUBLASLT_REDUCTION_SCHEME_INPLACE) : 0u);
  HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions));
  HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignmentOf(at.b)));
  HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignmentOf(at.a)));
  HEDDLE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignmentOf(p.beta != 0 ? at.c : at.d)));
  HEDDLE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignmentOf(at.d)));

  std::vector<cublasLtMatmulHeuristicResult_t> results(count);
  int found = 0;
  cublasStatus_t status =
      f.cublasLtMatmulAlgoGetHeuristic(handle_, prepared.desc, prepared.a, prepared.b, prepared.c, prepared.d,
                                       preference, count, results.data(), &found);
  HEDDLE_RETURN_IF_ERROR(check("cublasLtMatmulAlgoGetHeuristic", status, describe(p)));
  results.resize(found);
  std::erase_if(results, [](const auto &result) { return result.state != CUBLAS_STATUS_SUCCESS; });
  if (results.empty())
    return invalidInput("cuBLASLt has no algorithm for " + describe(p));
  return results;
}

Status LoadedCublas::pin(Prepared &prepared, const Product &p, const Device::ProductAddresses &at) const {
  auto refuse = [&](const std::string &reason) {
    return invalidInput("the plan's algorithm for " + describe(p) + " " + reason +
                        "; compile the plan again, or leave the choice to the library with --tune off");
  };
  if (p.algorithm.size() != kAlgorithmBytes)
    return refuse("has " + std::to_string(p.algorithm.size()) + " bytes instead of " +
                  std::to_string(kAlgorithmBytes));
  uint64_t version = 0;
  std::memcpy(&version, p.algorithm.data(), 8);
  // The bytes mean nothing to another version, and it might take them for another algorithm.
  if (version != f.cublasLtGetVersion())
    return refuse("is of cuBLASLt " + std::to_string(version) + " and this is " +
                  std::to_string(f.cublasLtGetVersion()));
  std::memcpy(&prepared.algo, p.algorithm.data() + 8, sizeof(prepared.algo));
  cublasLtMatmulHeuristicResult_t result{};
  cublasStatus_t status = f.cublasLtMatmulAlgoCheck(handle_, prepared.desc, prepared.a, prepared.b,
                                                    prepared.c, prepared.d, &prepared.algo, &result);
  if (status != CUBLAS_STATUS_SUCCESS || result.state != CUBLAS_STATUS_SUCCESS)
    return refuse("is not possible on this device");
  if (int64_t(result.workspaceSize) > (at.workspace ? at.workspaceBytes : 0))
    return refuse("needs a workspace of " + std::to_string(result.workspaceSize) + " bytes");
  prepared.workspace = result.workspaceSize;
  return Status::ok();
}

StatusOr<Prepared *> LoadedCublas::prepare(const Product &product, const Device::ProductAddresses &at) {
  Key key = keyOf(product, at);
  if (auto found = prepared_.find(key); found != prepared_.end())
    return found->second.get();
  HEDDLE_RETURN_IF_ERROR(verify(product, at));
  auto prepared = std::make_unique<Prepared>();
  HEDDLE_RETURN_IF_ERROR(describeTo(*prepared, product, at));
  if (!product.algorithm.empty()) {
    HEDDLE_RETURN_IF_ERROR(pin(*prepared, product, at));
  } else {
    HEDDLE_ASSIGN_OR_RETURN(std::vector<cublasLtMatmulHeuristicResult_t> best,
                            guesses(*prepared, product, at, 1));
    prepared->algo = best.front().algo;
    prepared->workspace = best.front().workspaceSize;
  }
  return (prepared_[key] = std::move(prepared)).get();
}

Status LoadedCublas::enqueue(const Product &p, const Device::ProductAddresses &at, void *stream) {
  HEDDLE_ASSIGN_OR_RETURN(Prepared * prepared, prepare(p, at));
  if (hasBias(p.epilogue) && prepared->bias != at.bias) {
    HEDDLE_RETURN_IF_ERROR(
        check("cublasLtMatmulDescSetAttribute(BIAS_POINTER)",
              f.cublasLtMatmulDescSetAttribute(prepared->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at.bias,
                                               sizeof(at.bias)),
              describe(p)));
    prepared->bias = at.bias;
  }
  auto alpha = float(p.alpha), beta = float(p.beta);
  cublasStatus_t status =
      f.cublasLtMatmul(handle_, prepared->desc, &alpha, at.b, prepared->a, at.a, prepared->b, &beta,
                       p.beta != 0 ? at.c : at.d, prepared->c, at.d, prepared->d, &prepared->algo,
                       at.workspace, prepared->workspace, static_cast<cudaStream_t>(stream));
  // The description is made only for the error.
  return status == CUBLAS_STATUS_SUCCESS ? Status::ok() : check("cublasLtMatmul", status, describe(p));
}

std::vector<uint8_t> LoadedCublas::bytesOf(const cublasLtMatmulAlgo_t &algo) const {
  std::vector<uint8_t> bytes(kAlgorithmBytes);
  uint64_t version = f.cublasLtGetVersion();
  std::memcpy(bytes.data(), &version, 8);
  std::memcpy(bytes.data() + 8, &algo, sizeof(algo));
  return bytes;
}

StatusOr<std::vector<uint8_t>> LoadedCublas::algorithm(const Product &product,
                                                       const Device::ProductAddresses &at) {
  HEDDLE_ASSIGN_OR_RETURN(Prepared * prepared, prepare(product, at));
  return bytesOf(prepared->algo);
}

StatusOr<std::vector<std::vector<uint8_t>>>
LoadedCublas::candidates(const Product &product, const Device::ProductAddresses &at, int count) {
  HEDDLE_RETURN_IF_ERROR(verify(product, at));
  Prepared prepared;
  HEDDLE_RETURN_IF_ERROR(describeTo(prepared, product, at));
  HEDDLE_ASSIGN_OR_RETURN(std::vector<cublasLtMatmulHeuristicResult_t> results,
                          guesses(prepared, product, at, count));
  std::vector<std::vector<uint8_t>> algorithms;
  algorithms.reserve(results.size());
  for (const auto &result : results)
    algorithms.push_back(bytesOf(result.algo));
  return algorithms;
}

} // namespace

StatusOr<std::unique_ptr<Cublas>> Cublas::create() {
  HEDDLE_ASSIGN_OR_RETURN(const Functions *functions, Functions::get());
  auto cublas = std::make_unique<LoadedCublas>(*functions);
  HEDDLE_RETURN_IF_ERROR(cublas->start());
  return std::unique_ptr<Cublas>(std::move(cublas));
}

StatusOr<Cublas::Library> Cublas::library() {
  HEDDLE_ASSIGN_OR_RETURN(const Functions *functions, Functions::get());
  size_t version = functions->cublasLtGetVersion(); // 130100 for 13.1.0
  return Library{functions->path, std::to_string(version / 10000) + "." +
                                      std::to_string(version / 100 % 100) + "." +
                                      std::to_string(version % 100)};
}

#else

static Status builtWithout() {
  return unavailable(
      "cuBLASLt, the library of matrix products: this program was built without the CUDA headers");
}
StatusOr<std::unique_ptr<Cublas>> Cublas::create() { return builtWithout(); }
StatusOr<Cublas::Library> Cublas::library() { return builtWithout(); }

#endif // HEDDLE_HAVE_CUDA
