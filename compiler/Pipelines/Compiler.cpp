//===- Compiler.cpp - The compiler as a library ---------------------------===//
#include "compiler/Pipelines/Compiler.h"
#include "compiler/Autodiff/Passes.h"
#include "compiler/Import/Importer.h"
#include "compiler/Pipelines/GroupReports.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Pipelines/Registration.h"
#include "compiler/Plan/Artifact.h"
#include "compiler/Plan/ReferenceProgram.h"
#include "compiler/Support/Locations.h"
#include "runtime/base/File.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace heddle;
using runtime::Status;
using runtime::StatusOr;

namespace {

/// Keeps the first error that passes report, with its notes, as one message.
class FirstDiagnostic {
public:
  explicit FirstDiagnostic(mlir::MLIRContext *context)
      : handler_(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error || !message_.empty())
            return mlir::success();
          std::string place = locationText(diagnostic.getLocation());
          message_ = place + ": " + diagnostic.str();
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            message_ += "\n  note: " + note.str();
          return mlir::success();
        }) {}

  Status status(llvm::StringRef phase) const {
    std::string what = message_.empty() ? "no reason given" : message_;
    return runtime::invalidInput(("phase " + phase + ": " + what).str());
  }

private:
  std::string message_;
  mlir::ScopedDiagnosticHandler handler_;
};

double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Writes text under a folder that it makes; the whole file or none.
Status writeDump(const std::string &directory, const std::string &name, const std::string &text) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return runtime::cannotMake("make folder '" + directory + "'", error.value());
  llvm::SmallString<256> path(directory);
  llvm::sys::path::append(path, name);
  return runtime::writeFile(path.str().str(), text);
}

/// "study:small", or a path's last part; of a config.json the folder's, which is what people call the model.
std::string shortName(const std::string &model) {
  llvm::StringRef path = model;
  if (path.starts_with("study:"))
    return model;
  if (llvm::sys::path::filename(path) == "config.json" && llvm::sys::path::has_parent_path(path))
    path = llvm::sys::path::parent_path(path);
  while (path.size() > 1 && llvm::sys::path::is_separator(path.back()))
    path = path.drop_back();
  return llvm::sys::path::filename(path).str();
}

/// Whatever is not a forward pass begins at a loss.
ModelRequest withLoss(ModelRequest request, const std::string &mode) {
  request.loss = parseMode(mode) != Mode::Forward;
  return request;
}

} // namespace

struct Compiler::Impl {
  Impl() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    // Errors name their op and its place; a note with its text would hold the whole module where that is the
    // op.
    context.printOpOnDiagnostic(false);
  }

  Status run(mlir::ModuleOp module, const ModelRequest &request, const CompileOptions &options,
             CompileReport &report) {
    for (int number = 0; number <= static_cast<int>(CompilePhase::Plan); ++number) {
      auto phase = static_cast<CompilePhase>(number);
      std::string name = nameOf(phase).str();
      auto start = std::chrono::steady_clock::now();
      mlir::PassManager manager(&context);
      addPhase(manager, phase, options, shortName(request.model), report.matches);
      manager.enableVerifier(false); // Once at the phase's end, below, and not after each of its passes.
      if (!options.reproducer.empty())
        manager.enableCrashReproducerGeneration(options.reproducer, /*genLocalReproducer=*/false);
      FirstDiagnostic diagnostic(&context);
      if (failed(manager.run(module)) || failed(mlir::verify(module)))
        return diagnostic.status(name);
      if (phase == CompilePhase::Fusion)
        report.groups = groupReports(module);
      if (phase != CompilePhase::Import)
        report.times.push_back({name, millisecondsSince(start)});
      if (!options.dumpDirectory.empty())
        HEDDLE_RETURN_IF_ERROR(dump(module, number, name, options.dumpDirectory));
      if (name == options.stopAfter)
        break;
    }
    return Status::ok();
  }

  /// The IR after a phase, and the kernels' text once there is some.
  Status dump(mlir::ModuleOp module, int number, const std::string &name, const std::string &directory) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out); // Whole, so that the graph's phases read back.
    HEDDLE_RETURN_IF_ERROR(writeDump(directory, std::to_string(number) + "-" + name + ".mlir", text));
    if (name != "Target")
      return Status::ok();
    Status status;
    module.walk([&](plan::KernelOp kernel) {
      if (!kernel.getSource().empty() && status.isOk())
        status = writeDump(directory, (kernel.getSymName() + ".cu").str(), kernel.getSource().str());
    });
    return status;
  }

  mlir::MLIRContext context;
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;

StatusOr<CompileResult> Compiler::compile(const ModelRequest &request, const CompileOptions &given) {
  CompileOptions options = given;
  if (options.device != "cpu" && options.device != "cuda")
    return runtime::invalidInput("unknown device '" + options.device + "', wanted cpu or cuda");
  if (!parseMode(options.mode))
    return runtime::invalidInput("unknown mode '" + options.mode + "', wanted one of " +
                                 llvm::join(modeNames(), ", "));
  if (options.prepareWeights && parseMode(options.mode) != Mode::Forward)
    return runtime::invalidInput("weights are prepared for mode forward alone: others change them");
  if (options.prepareWeights && options.precision != Precision::BF16)
    return runtime::invalidInput("weights are prepared for precision bf16 alone");
  if (options.target.empty())
    options.target = targetsOf(options.device).front();
  CompileResult result;
  auto start = std::chrono::steady_clock::now();
  HEDDLE_ASSIGN_OR_RETURN(auto module, import::importModel(&impl_->context, withLoss(request, options.mode),
                                                           &result.report.warnings, &result.report.sizes));
  result.report.times.push_back({"Import", millisecondsSince(start)});
  HEDDLE_RETURN_IF_ERROR(impl_->run(*module, request, options, result.report));
  if (!options.stopAfter.empty() && options.stopAfter != phaseNames().back()) {
    // No plan yet, but what it would be of and for.
    result.plan.model = shortName(request.model);
    result.plan.device = options.device;
    result.plan.target = options.target;
    return result;
  }
  FirstDiagnostic diagnostic(&impl_->context);
  auto programs = module->getOps<plan::ProgramOp>();
  llvm::FailureOr<runtime::Plan> plan = plan::toRuntimePlan(*programs.begin());
  if (failed(plan))
    return diagnostic.status("Plan");
  result.plan = std::move(*plan);
  return result;
}

StatusOr<runtime::reference::Program> Compiler::reference(const ModelRequest &request,
                                                          const std::string &mode) {
  HEDDLE_ASSIGN_OR_RETURN(auto module, import::importModel(&impl_->context, withLoss(request, mode)));
  if (parseMode(mode) != Mode::Forward) {
    mlir::PassManager manager(&impl_->context);
    addAutodiffPhase(manager, autodiffOptions(*parseMode(mode)));
    FirstDiagnostic diagnostic(&impl_->context);
    if (failed(manager.run(*module)))
      return diagnostic.status("Autodiff");
  }
  return buildReferenceProgram(*module);
}

StatusOr<std::string> Compiler::importedText(const ModelRequest &request, const std::string &mode) {
  HEDDLE_ASSIGN_OR_RETURN(auto module, import::importModel(&impl_->context, withLoss(request, mode)));
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out);
  return text;
}
