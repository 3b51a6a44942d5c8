// Compile time of plans for several batch and sequence lengths in one process: what another length costs once
// the kernels are there. Built by the target recompile (with HEDDLE_BUILD_BENCHES=ON).
//   recompile MODEL cpu|cuda:ARCH fp32|tf32|bf16|bf16-true BATCHxCONTEXT…      prints CSV
#include "compiler/Pipelines/Compiler.h"
#include "runtime/nvrtc/CompileKernels.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace heddle;

/// Sources of all kernels so far: a plan whose kernels are all among them compiles none.
static int32_t countNew(const runtime::Plan &plan, std::set<std::string> &known) {
  int32_t fresh = 0;
  for (const runtime::Kernel &kernel : plan.kernels)
    fresh += known.insert(kernel.source).second;
  return fresh;
}

/// "4x512" as batch and context; false where the text is anything else.
static bool parseSizes(std::string_view text, ModelRequest &request) {
  int64_t batch = 0, context = 0;
  const char *end = text.data() + text.size();
  auto [x, noBatch] = std::from_chars(text.data(), end, batch);
  if (noBatch != std::errc() || x == end || *x != 'x')
    return false;
  auto [last, noContext] = std::from_chars(x + 1, end, context);
  request.batch = batch;
  request.context = context;
  return noContext == std::errc() && last == end && batch > 0 && context > 0;
}

int main(int argc, char **argv) {
  std::optional<Precision> precision = argc > 3 ? parsePrecision(argv[3]) : std::nullopt;
  std::vector<ModelRequest> requests;
  bool sized = argc > 4;
  for (int i = 4; i < argc; ++i)
    sized &= parseSizes(argv[i], requests.emplace_back());
  if (!precision || !sized) {
    std::fprintf(stderr, "usage: recompile MODEL cpu|cuda:ARCH fp32|tf32|bf16|bf16-true BATCHxCONTEXT...\n");
    return 2;
  }
  Compiler compiler;
  CompileOptions options;
  std::string device = argv[2];
  size_t colon = device.find(':');
  options.device = device.substr(0, colon);
  options.target = colon == std::string::npos ? "" : device.substr(colon + 1);
  options.precision = *precision;
  std::set<std::string> known;
  std::printf("model,device,precision,batch,context,plan_ms,kernels,new_kernels,kernels_ms\n");
  for (ModelRequest &request : requests) {
    request.model = argv[1];
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
