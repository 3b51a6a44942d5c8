// Times cuBLASLt's guesses for every product of a model's plan on a CUDA device: what the library's first
// guess, which an untuned plan runs with, costs beside the best. Weights are read from memory, activations
// from the cache, as in a run. Built by the target cuda-product (with HEDDLE_BUILD_BENCHES=ON).
//   cuda-product fp32|tf32|bf16|bf16-true CANDIDATES MODEL...      prints CSV; a line "all" sums a model's
//   calls
#include "compiler/Pipelines/Compiler.h"
#include "runtime/device/cuda/Tune.h"

#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>

using namespace heddle;
using namespace heddle::runtime;

static Status measure(CudaProductTuner &tuner, const Plan &plan, const char *precision, int count) {
  struct Entry {
    const Product *product;
    ProductSite site;
    int calls = 0;
  };
  std::map<std::string, Entry> products;
  for (const Step &step : plan.steps)
    if (step.kind == StepKind::Product) {
      ProductSite site = siteOf(plan, step.product);
      std::string name = describeProduct(step.product, site) + (site.coldA || site.coldB ? ", weight" : "");
      ++products.try_emplace(name, Entry{&step.product, site}).first->second.calls;
    }
  double guessMs = 0, bestMs = 0;
  for (const auto &[name, entry] : products) {
    HEDDLE_ASSIGN_OR_RETURN(std::vector<TunedAlgorithm> tuned,
                            tuner.candidates(*entry.product, entry.site, count));
    const TunedAlgorithm &best = tuned.front();
    double guess = tuned[guessOf(tuned)].ms;
    double flops = 2.0 * double(entry.product->m) * double(entry.product->n) * double(entry.product->k) *
                   double(entry.product->batch);
    std::printf("%s,%s,\"%s\",%d,%.4f,%.4f,%.3f,%d,%zu,%.1f\n", plan.model.c_str(), precision, name.c_str(),
                entry.calls, guess, best.ms, guess / best.ms, best.rank, tuned.size(),
                flops / best.ms * 1e-9);
    std::fflush(stdout);
    guessMs += entry.calls * guess;
    bestMs += entry.calls * best.ms;
  }
  std::printf("%s,%s,all,,%.4f,%.4f,%.3f,,,\n", plan.model.c_str(), precision, guessMs, bestMs,
              guessMs / bestMs);
  return Status::ok();
}

static Status run(Precision precision, const char *precisionName, int count, char **models) {
  HEDDLE_ASSIGN_OR_RETURN(TuningDevice here, tuningDevice());
  HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, createCudaDevice());
  HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<CudaProductTuner> tuner, CudaProductTuner::create(*device));
  std::printf("# %s\nmodel,precision,product,calls,guess_ms,best_ms,gain,best_rank,candidates,best_tflops\n",
              here.identity.c_str());
  Compiler compiler;
  heddle::CompileOptions options;
  options.device = "cuda";
  options.precision = precision;
  for (; *models; ++models) {
    ModelRequest request;
    request.model = *models;
    HEDDLE_ASSIGN_OR_RETURN(CompileResult result, compiler.compile(request, options));
    HEDDLE_RETURN_IF_ERROR(measure(*tuner, result.plan, precisionName, count));
  }
  return Status::ok();
}

int main(int argc, char **argv) {
  std::optional<Precision> precision = argc > 1 ? parsePrecision(argv[1]) : std::nullopt;
  int count = 0;
  std::string_view text = argc > 2 ? argv[2] : "";
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (argc < 4 || !precision || error != std::errc() || end != text.data() + text.size() || count < 1) {
    std::fprintf(stderr, "usage: cuda-product fp32|tf32|bf16|bf16-true CANDIDATES MODEL...\n");
    return 2;
  }
  Status status = run(*precision, argv[1], count, argv + 3);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status ? 0 : 3;
}
