//===- PlanTuning.cpp - Algorithms of a plan's products -------------------===//
//
// A cache entry's payload is: two float64 numbers, the times of TunedProduct in milliseconds, and the
// algorithm's bytes.
//
//===----------------------------------------------------------------------===//
#include "runtime/product/PlanTuning.h"

#include "runtime/base/DiskCache.h"
#include "runtime/base/Hash.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>

namespace heddle::runtime {

namespace {

/// Part of every key: what an entry holds, and how its product was timed.
constexpr std::string_view kFormat = "heddle-product-1";

uint32_t alignmentOf(const BufferRef &ref) {
  if (!ref.present())
    return 0;
  auto offset = static_cast<uint64_t>(ref.byteOffset);
  return offset == 0 ? 256 : static_cast<uint32_t>(std::min<uint64_t>(offset & -offset, 256));
}

/// Everything that a choice depends on, as one text: products of equal text share it. Values of alpha and
/// beta do not count, whether there is a beta does.
std::string keyText(const Product &p, const ProductSite &site) {
  std::string text;
  auto add = [&](int64_t value) { text += std::to_string(value) + ','; };
  for (int64_t size : {p.m, p.n, p.k, p.batch})
    add(size);
  for (const MatrixRef *matrix : {&p.a, &p.b, &p.c, &p.d}) {
    bool absent = matrix == &p.c && p.beta == 0;
    add(absent ? -1 : static_cast<int64_t>(matrix->dtype));
    add(absent ? 0 : matrix->ld);
    add(absent || p.batch == 1 ? 0 : matrix->batchStride);
    add(!absent && matrix->transposed);
  }
  for (int64_t value :
       {int64_t(p.math), int64_t(p.epilogue), int64_t(site.alignment[3] ? int(p.biasType) : -1)})
    add(value);
  for (uint32_t alignment : site.alignment)
    add(alignment);
  for (int64_t value : {int64_t(site.coldA), int64_t(site.coldB), int64_t(site.inPlace), site.workspaceBytes})
    add(value);
  return text;
}

std::string payloadOf(const TunedProduct &tuned) {
  std::string payload(2 * sizeof(double), '\0');
  std::memcpy(payload.data(), &tuned.ms, sizeof(double));
  std::memcpy(payload.data() + sizeof(double), &tuned.guessMs, sizeof(double));
  payload.append(tuned.algorithm.begin(), tuned.algorithm.end());
  return payload;
}

std::optional<TunedProduct> tunedOf(const std::string &payload) {
  if (payload.size() <= 2 * sizeof(double))
    return std::nullopt;
  TunedProduct tuned;
  std::memcpy(&tuned.ms, payload.data(), sizeof(double));
  std::memcpy(&tuned.guessMs, payload.data() + sizeof(double), sizeof(double));
  tuned.algorithm.assign(payload.begin() + 2 * sizeof(double), payload.end());
  return tuned;
}

/// Products of a plan that share one choice.
struct Distinct {
  ProductSite site;
  std::vector<Product *> products;
};

} // namespace

ProductSite siteOf(const Plan &plan, const Product &product) {
  const Product &p = product;
  ProductSite site;
  BufferRef c = p.beta != 0 ? p.c.ref : BufferRef{};
  site.alignment = {alignmentOf(p.a.ref), alignmentOf(p.b.ref), alignmentOf(c), alignmentOf(p.bias),
                    alignmentOf(p.d.ref)};
  auto cold = [&](const BufferRef &ref) {
    const Buffer &buffer = plan.buffers[static_cast<size_t>(ref.buffer)];
    return buffer.role == BufferRole::Parameter || buffer.role == BufferRole::Constant;
  };
  site.coldA = cold(p.a.ref);
  site.coldB = cold(p.b.ref);
  site.inPlace = c.present() && c.buffer == p.d.ref.buffer && c.byteOffset == p.d.ref.byteOffset;
  site.workspaceBytes = plan.workspaceBytes;
  return site;
}

std::string describeProduct(const Product &p, const ProductSite &site) {
  static constexpr const char *kEpilogues[] = {"",       ", bias",      ", gelu",    ", bias+gelu",
                                               ", relu", ", bias+relu", ", silu mul"};
  static_assert(std::size(kEpilogues) == static_cast<size_t>(Epilogue::SiluMul) + 1);
  std::string text = p.batch == 1 ? "" : std::to_string(p.batch) + " of ";
  text += std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) + " " +
          std::string(nameOf(p.a.dtype)) + (p.math == MathMode::TF32 ? " (tf32) " : " ") +
          std::string(nameOf(p.b.dtype)) + " -> " + std::string(nameOf(p.d.dtype));
  text += p.a.transposed ? ", a transposed" : "";
  text += p.b.transposed ? ", b transposed" : "";
  text += p.beta != 0 ? site.inPlace ? ", added in place" : ", added" : "";
  return text + kEpilogues[static_cast<size_t>(p.epilogue)];
}

void tunePlan(Plan &plan, const TuningOptions &options, TuningStats &stats) {
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  };
  stats = TuningStats();
  // In the order of their first use.
  std::map<std::string, size_t> known;
  std::vector<std::pair<std::string, Distinct>> all;
  for (Step &step : plan.steps) {
    if (step.kind != StepKind::Product || !step.product.algorithm.empty())
      continue;
    ProductSite site = siteOf(plan, step.product);
    std::string text = keyText(step.product, site);
    auto [at, isNew] = known.try_emplace(text, all.size());
    if (isNew)
      all.push_back({text, {site, {}}});
    all[at->second].second.products.push_back(&step.product);
  }
  if (options.useCache)
    stats.folder = options.cacheFolder.empty() ? DiskCache::defaultFolder() : options.cacheFolder;
  DiskCache cache(stats.folder, kProductEntries);
  stats.products = static_cast<int32_t>(all.size());

  ProductTuner *tuner = nullptr;
  bool timing = static_cast<bool>(options.tuner);
  auto stop = [&](const std::string &reason) {
    timing = false;
    stats.note = "products that are not tuned keep the library's guess: " + reason;
  };
  int32_t done = 0;
  for (auto &[text, distinct] : all) {
    const Product &product = *distinct.products.front();
    std::string key = Hasher().add(kFormat).add(options.identity).add(text).finish().hex();
    std::optional<TunedProduct> tuned;
    if (std::optional<std::string> payload = cache.load(key)) {
      tuned = tunedOf(*payload);
      if (!tuned)
        cache.remarkDamage(key, "no algorithm");
    }
    stats.hits += tuned.has_value();
    if (!tuned && timing && elapsed() > options.budgetMs)
      stop("the time for tuning is over");
    if (!tuned && timing && !tuner) {
      if (StatusOr<ProductTuner *> made = options.tuner())
        tuner = *made;
      else
        stop(made.status().message());
    }
    if (!tuned && timing) {
      StatusOr<TunedProduct> now = tuner->tune(product, distinct.site);
      if (now) {
        tuned = *std::move(now);
        cache.store(key, payloadOf(*tuned), describeProduct(product, distinct.site));
        ++stats.timed;
      } else {
        stop(now.status().message());
      }
    }
    if (tuned) {
      auto calls = static_cast<double>(distinct.products.size());
      stats.guessMs += calls * tuned->guessMs;
      stats.tunedMs += calls * tuned->ms;
      for (Product *each : distinct.products)
        each->algorithm = tuned->algorithm;
    }
    if (options.progress)
      options.progress(++done, stats.products);
  }
  if (stats.timed > 0)
    cache.trim();
  if (std::string note = cache.note(); !note.empty())
    stats.note += (stats.note.empty() ? "" : "; ") + note;
  stats.ms = elapsed();
}

void untunePlan(Plan &plan) {
  for (Step &step : plan.steps)
    step.product.algorithm.clear();
}

} // namespace heddle::runtime
