//===- Models.h - From MODEL to a plan --------------------------*- C++ -*-===//
//
// The only place of the driver that reaches the compiler. It has two bodies: WithCompiler.cpp, and
// WithoutCompiler.cpp for a build with HEDDLE_BUILD_COMPILER=OFF, which runs plan files alone.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_MODELS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_MODELS_H

#include "compiler/Precision/PolicyTable.h"
#include "runtime/nvrtc/CompileKernels.h"
#include "runtime/product/PlanTuning.h"
#include "tools/heddle/Support/Flags.h"
#include "tools/heddle/Support/Progress.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::driver {

/// A plan that is ready to load, and what it took.
struct Built {
  runtime::Plan plan;
  CompileReport report;          ///< Empty for a plan file.
  runtime::CompileStats kernels; ///< CUDA kernels: from the cache, compiled now, time.
  runtime::TuningStats tuning;   ///< Algorithms of products.
  double compileMs = 0; ///< Wall time of the pipeline, kernels and tuning; of reading, for a plan file.
};

/// Whether CUDA kernels that a plan holds as text are compiled: to run it, not to look at it.
enum class KernelCode { Machine, Text };

/// Makes plans. One object keeps one compiler, so that several plans of a model share its set-up.
class Models {
public:
  Models();
  ~Models();

  /// Compiles MODEL, or reads it where it is a plan file. Unavailable in a build without the compiler for
  /// anything but a plan file.
  runtime::StatusOr<Built> build(const ModelFlags &flags, const CompileOptions &options, Progress &progress,
                                 KernelCode code = KernelCode::Machine);

  /// The unraised graph for the float64 reference.
  runtime::StatusOr<runtime::reference::Program> reference(const ModelFlags &flags);

  /// The compiler's phases in order; empty in a build without it.
  static std::vector<std::string> phases();
  /// The rows of a precision's policy, "fp32", "tf32", "bf16" or "bf16-true"; empty in a build without the
  /// compiler.
  static std::vector<PolicyRow> policy(const std::string &precision);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Gives the CUDA kernels of `plan` their machine code, from the cache or from NVRTC.
runtime::Status compilePlanKernels(runtime::Plan &plan, runtime::CompileStats &stats, Progress &progress);

/// Reads the plan file that `flags` name; for KernelCode::Machine, compiles what kernels it holds as source
/// only. Does what --tune says.
runtime::StatusOr<Built> readPlanFile(const ModelFlags &flags, Progress &progress, KernelCode code);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_MODELS_H
