#include "compiler/Target/CPU/KernelLowering.h"
#include "compiler/Target/CPU/ObjectCode.h"
#include "compiler/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {
#define GEN_PASS_DEF_TARGETCPU
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using llvm::FailureOr;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

namespace {
/// One kernel to compile, its launches, and what comes out.
struct Job {
  kernel::FuncOp func;
  llvm::SmallVector<plan::LaunchOp> launches;
  cpu::KernelUses uses;
  llvm::SmallVector<char, 0> object;
};

struct TargetCpu : impl::TargetCpuBase<TargetCpu> {
  using TargetCpuBase::TargetCpuBase;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    TargetCpuBase::getDependentDialects(registry);
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
  }

  void runOnOperation() override;

private:
  std::vector<Job> collectJobs();
  LogicalResult prepare(Job &job, const cpu::CpuTarget &cpuTarget);
  LogicalResult compile(Job &job, const cpu::CpuTarget &cpuTarget);
};
} // namespace

/// The kernel's text under a name that all kernels share, to find equal ones.
static std::string textWithoutName(kernel::FuncOp func) {
  std::string name = func.getName().str(), text;
  func.setName("kernel");
  llvm::raw_string_ostream stream(text);
  func->print(stream, mlir::OpPrintingFlags().useLocalScope().skipRegions(false));
  func.setName(name);
  return text;
}

/// The distinct kernels in their order, with all launches of each; equal ones are merged here.
std::vector<Job> TargetCpu::collectJobs() {
  std::vector<Job> jobs;
  llvm::StringMap<size_t> byText, byName;
  for (auto func : llvm::make_early_inc_range(getOperation().getBody().front().getOps<kernel::FuncOp>())) {
    auto [entry, inserted] = byText.try_emplace(textWithoutName(func), jobs.size());
    byName[func.getName()] = entry->second;
    if (inserted) {
      jobs.push_back({func, {}, {}, {}});
      continue;
    }
    ++numShared;
    func.erase();
  }
  for (auto launch : getOperation().getBody().front().getOps<plan::LaunchOp>()) {
    auto found = byName.find(launch.getKernel());
    if (found == byName.end())
      continue;
    Job &job = jobs[found->second];
    launch.setKernel(job.func.getName());
    job.launches.push_back(launch);
  }
  return jobs;
}

/// Arguments whose memory an instance of a launch also gives under another argument, where one of the two is
/// written.
static void findShared(Job &job, llvm::ArrayRef<plan::RefAttr> buffers) {
  llvm::SmallVector<kernel::BufferUse> uses = kernel::bufferUses(job.func);
  for (size_t x = 0; x < buffers.size(); ++x)
    for (size_t y = x + 1; y < buffers.size(); ++y)
      if (buffers[x].getBuffer() == buffers[y].getBuffer() && (uses[x].written || uses[y].written)) {
        job.uses.shared.set(x);
        job.uses.shared.set(y);
      }
}

/// Sets the launches' items and finds what the code must respect.
LogicalResult TargetCpu::prepare(Job &job, const cpu::CpuTarget &cpuTarget) {
  job.uses.shared.resize(job.func.getBuffers().size());
  int64_t stack = 0;
  for (plan::LaunchOp launch : job.launches) {
    llvm::SmallVector<int64_t> shares;
    int64_t sum = 0;
    for (int64_t instance = 0; instance < static_cast<int64_t>(launch.getInstances()); ++instance) {
      llvm::ArrayRef<int64_t> counts = launch.getCountsOf(instance);
      FailureOr<int64_t> items = cpu::itemsOf(job.func, cpuTarget, counts);
      if (failed(items))
        return failure();
      shares.push_back(*items);
      sum += *items;
      findShared(job, launch.getBuffersOf(instance));
      // Extents that depend on more than counts are refused by the lowering.
      if (FailureOr<int64_t> bytes = cpu::keptBytes(job.func, counts); succeeded(bytes))
        stack = std::max(stack, *bytes);
    }
    launch.setItems(sum);
    if (job.func.getBatched())
      launch.setShares(llvm::ArrayRef<int64_t>(shares));
  }
  numAliased += job.uses.shared.any();
  if (stack <= cpu::kStackBytes)
    return success();
  if (!cpu::canRecompute(job.func))
    return job.func.emitOpError()
           << "keeps rows of " << stack << " bytes, more than the " << cpu::kStackBytes
           << " that fit on a thread's stack, and overwrites what they are computed from";
  job.uses.keepRows = false;
  ++numRecomputed;
  return success();
}

LogicalResult TargetCpu::compile(Job &job, const cpu::CpuTarget &cpuTarget) {
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(job.func.getLoc()));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  if (failed(cpu::lowerKernel(builder, job.func, cpuTarget, job.uses)) || failed(cpu::convertToLLVM(*module)))
    return failure();
  FailureOr<llvm::SmallVector<char, 0>> object = cpu::emitObject(*module, cpuTarget);
  if (failed(object))
    return failure();
  job.object = std::move(*object);
  return success();
}

void TargetCpu::runOnOperation() {
  plan::ProgramOp program = getOperation();
  std::string name = target.empty() ? program.getTarget().str() : target;
  std::optional<cpu::CpuTarget> cpuTarget = cpu::lookupCpuTarget(name);
  if (!cpuTarget) {
    program.emitOpError() << "is for target '" << name << "', wanted x86-64-v3 or x86-64-v4";
    return signalPassFailure();
  }
  std::vector<Job> jobs = collectJobs();
  for (Job &job : jobs)
    if (failed(prepare(job, *cpuTarget)))
      return signalPassFailure();
  mlir::ParallelDiagnosticHandler diagnostics(&getContext());
  auto indices = llvm::to_vector(llvm::seq<size_t>(0, jobs.size()));
  LogicalResult compiled = mlir::failableParallelForEach(&getContext(), indices, [&](size_t index) {
    diagnostics.setOrderIDForThread(index);
    LogicalResult result = compile(jobs[index], *cpuTarget);
    diagnostics.eraseOrderIDForThread();
    return result;
  });
  if (failed(compiled))
    return signalPassFailure();
  for (Job &job : jobs) {
    mlir::OpBuilder builder(job.func);
    auto bytes = llvm::ArrayRef(reinterpret_cast<const int8_t *>(job.object.data()), job.object.size());
    plan::KernelOp::create(builder, job.func.getLoc(), job.func.getName(), plan::Language::Cpu,
                           cpuTarget->name,
                           /*source=*/"", builder.getDenseI8ArrayAttr(bytes));
    job.func.erase();
    ++numCompiled;
  }
}
