#include "CpuKernel.h"

#include "compiler/Target/CPU/Passes.h"
#include "dialects/Kernel/KernelDialect.h"
#include "runtime/base/CpuFeatures.h"
#include "runtime/device/cpu/ElfObject.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace heddle;

std::vector<std::string> test::targetsHere() {
  std::vector<std::string> targets;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    targets.push_back("x86-64-v3");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    targets.push_back("x86-64-v4");
  return targets;
}

test::Guarded::Guarded(size_t bytes) {
  size_t page = sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
  size_ = used + page;
  mapping_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED)
    throw std::runtime_error("no memory");
  mprotect(static_cast<char *>(mapping_) + used, page, PROT_NONE);
  data_ = static_cast<char *>(mapping_) + used - bytes;
}

test::Guarded::~Guarded() { munmap(mapping_, size_); }

namespace {
struct Session {
  Session() {
    mlir::DialectRegistry registry;
    registry.insert<kernel::KernelDialect, plan::PlanDialect, mlir::arith::ArithDialect,
                    mlir::math::MathDialect>();
    context.appendDialectRegistry(registry);
  }

  /// The program after the pass, or null and diagnostics.
  mlir::OwningOpRef<mlir::ModuleOp> run(const std::string &text, const std::string &target) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return mlir::success();
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    mlir::PassManager manager(&context);
    manager.addNestedPass<plan::ProgramOp>(createTargetCpu({target}));
    if (failed(manager.run(*module)))
      return nullptr;
    return module;
  }

  mlir::MLIRContext context;
  std::string diagnostics;
};
} // namespace

std::string test::programText(const std::string &body, const std::string &target) {
  return "plan.program @program attributes {model = \"test\", device = \"cpu\", target = \"" + target +
         "\", pipeline = \"compiled\", mode = \"forward\", precision = \"fp32\", symbols = {}} {\n" + body +
         "}\n";
}

std::string test::runTargetCpu(const std::string &program, const std::string &target) {
  Session session;
  auto module = session.run(program, target);
  if (!module)
    return "error: " + session.diagnostics;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

test::CpuKernel::CpuKernel(const std::string &text, const std::string &target,
                           std::vector<std::vector<int64_t>> launches, bool oneBuffer)
    : counts(std::move(launches)) {
  // Each launch names a buffer of its own for each `kernel.buffer` argument.
  size_t at = text.find('@') + 1;
  std::string name = text.substr(at, text.find('(') - at), references, body;
  std::string signature = text.substr(0, text.find(") {"));
  const std::string type = "!kernel.buffer<";
  size_t found = signature.find(type);
  for (size_t index = 0; found != std::string::npos; ++index, found = signature.find(type, found + 1)) {
    std::string element = signature.substr(found + type.size());
    std::string buffer = "b" + std::to_string(index);
    body += "plan.buffer @" + buffer + " scratch tensor<1x" + element.substr(0, element.find('>')) + ">\n";
    references += (index ? ", #plan.ref<@" : "#plan.ref<@") + (oneBuffer ? "b0" : buffer) + ">";
  }
  body += text;
  for (const std::vector<int64_t> &launch : counts) {
    body += "plan.launch @" + name + " [" + references + "] counts [";
    for (size_t index = 0; index < launch.size(); ++index)
      body.append(index ? ", " : "").append(std::to_string(launch[index]));
    body += "] phase forward\n";
  }

  Session session;
  auto module = session.run(programText(body, target), target);
  if (!module)
    throw std::runtime_error(session.diagnostics);
  module->walk([&](plan::KernelOp op) {
    llvm::ArrayRef<int8_t> bytes = op.getBinary()->data() ? *op.getBinary() : llvm::ArrayRef<int8_t>();
    object.assign(bytes.begin(), bytes.end());
  });
  module->walk([&](plan::LaunchOp op) { items.push_back(*op.getItems()); });
  auto file = runtime::ElfObject::load(object);
  if (!file.isOk())
    throw std::runtime_error("the loader refused the object: " + file.status().message());
  loaded = std::move(*file);
  auto function = loaded->function(name);
  if (!function.isOk())
    throw std::runtime_error(function.status().message());
  entry = reinterpret_cast<decltype(entry)>(*function);
}

test::CpuKernel::~CpuKernel() = default;

void test::CpuKernel::run(size_t index, std::vector<void *> buffers, int64_t pieces) {
  for (int64_t piece = pieces; piece-- > 0;)
    entry(buffers.data(), counts[index].data(), items[index] * piece / pieces,
          items[index] * (piece + 1) / pieces);
}

std::vector<float> test::randomFloats(size_t count, float range, uint64_t seed) {
  std::vector<float> values(count);
  uint64_t state = seed * 0x9e3779b97f4a7c15ull;
  for (float &value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = range * (float(state >> 40) / float(1 << 23) - 1.0f);
  }
  return values;
}

uint16_t test::toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value)
    return uint16_t((bits | 0x400000) >> 16);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float test::fromBF16(uint16_t half) {
  uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

std::string test::fill(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[key, value] : values)
    for (size_t at = text.find("$" + key); at != std::string::npos;
         at = text.find("$" + key, at + value.size()))
      text.replace(at, key.size() + 1, value);
  return text;
}
