// Compile time of plans for several batch and sequence lengths in one process: what another length costs once
// the kernels are there. Built by the target recompile (with HEDDLE_BUILD_BENCHES=ON).
//   recompile MODEL cpu|cuda:ARCH fp32|bf16 BATCHxCONTEXT…      prints CSV
#include "compiler/Pipelines/Compiler.h"
#include "runtime/nvrtc/CompileKernels.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

using namespace heddle;

/// Sources of all kernels so far: a plan whose kernels are all among them compiles none.
static int32_t countNew(const runtime::Plan &plan, std::set<std::string> &known) {
  int32_t fresh = 0;
  for (const runtime::Kernel &kernel : plan.kernels)
    fresh += known.insert(kernel.source).second;
  return fresh;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: recompile MODEL cpu|cuda:ARCH fp32|bf16 BATCHxCONTEXT...\n");
    return 2;
  }
  Compiler compiler;
  CompileOptions options;
  std::string device = argv[2];
  size_t colon = device.find(':');
  options.device = device.substr(0, colon);
  options.target = colon == std::string::npos ? "" : device.substr(colon + 1);
  options.precision = std::string(argv[3]) == "bf16" ? Precision::BF16 : Precision::F32;
  std::set<std::string> known;
  std::printf("model,device,precision,batch,context,plan_ms,kernels,new_kernels,kernels_ms\n");
  for (int i = 4; i < argc; ++i) {
    ModelRequest request;
    request.model = argv[1];
    char *rest = nullptr;
    request.batch = std::strtoll(argv[i], &rest, 10);
    request.context = std::strtoll(rest + (*rest == 'x'), nullptr, 10);
    auto start = std::chrono::steady_clock::now();
    runtime::StatusOr<CompileResult> result = compiler.compile(request, options);
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!result) {
      std::fprintf(stderr, "error: %s\n", result.status().message().c_str());
      return 1;
    }
    int32_t fresh = options.device == "cuda" ? countNew(result->plan, known) : 0;
    runtime::CompileStats stats;
    if (options.device == "cuda")
      if (runtime::Status status = runtime::compileKernels(result->plan, {}, nullptr, &stats); !status) {
        std::fprintf(stderr, "error: %s\n", status.message().c_str());
        return 1;
      }
    std::printf("%s,%s,%s,%lld,%lld,%.1f,%zu,%d,%.1f\n", argv[1], argv[2], argv[3], (long long)*request.batch,
                (long long)*request.context, ms, result->plan.kernels.size(), fresh, stats.ms);
    std::fflush(stdout);
  }
  return 0;
}
