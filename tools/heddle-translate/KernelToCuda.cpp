//===- KernelToCuda.cpp - Legal kernel dialect to CUDA C++ ----------------===//
#include "compiler/Pipelines/Registration.h"
#include "compiler/Target/CUDA/Kernels.h"
#include "tools/heddle-translate/Translations.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool> whole("cuda-with-library",
                                 llvm::cl::desc("Print the device library in place of its #include lines"));
static llvm::cl::opt<std::string> arch("cuda-arch",
                                       llvm::cl::desc("Architecture that the kernels must be legal for"),
                                       llvm::cl::init("sm_90a"));

static llvm::LogicalResult translate(mlir::Operation *module, llvm::raw_ostream &out) {
  const heddle::cuda::TargetInfo *target = heddle::cuda::targetOrError(module, arch);
  if (!target)
    return mlir::failure();
  bool first = true;
  auto result = module->walk([&](heddle::kernel::FuncOp func) {
    if (failed(heddle::cuda::verifyKernel(func, *target)))
      return mlir::WalkResult::interrupt();
    mlir::FailureOr<std::string> text = heddle::cuda::printKernel(func);
    if (failed(text))
      return mlir::WalkResult::interrupt();
    out << (first ? "" : "\n") << (whole ? heddle::cuda::withDeviceLibrary(*text) : *text);
    first = false;
    return mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

void heddle::registerKernelToCuda() {
  static mlir::TranslateFromMLIRRegistration registration(
      "kernel-to-cuda", "Legal kernel dialect to CUDA C++ text", translate,
      [](mlir::DialectRegistry &registry) { registerDialects(registry); });
}
