//===- PlanTuning.h - Algorithms of a plan's products -----------*- C++ -*-===//
//
// A pass over a plan that fills Product::algorithm: each distinct product is timed once a device and library
// version, and the result is kept on disk. The plan then carries its choice, and runs with it wherever it is
// loaded. What is timed, and how, is the tuner's affair (runtime/device/cuda/Tune.h); this file needs no GPU.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PRODUCT_PLANTUNING_H
#define HEDDLE_RUNTIME_PRODUCT_PLANTUNING_H

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Where a product of a plan finds its operands, as far as its speed depends on it.
struct ProductSite {
  /// Bytes, a power of two up to 256, that divide the addresses of a, b, c, bias and d. Buffers begin at
  /// multiples of 256, so a plan's offsets tell. 0: absent.
  std::array<uint32_t, 5> alignment{};
  /// Whether a, b come from memory and not from the cache: weights, which a run reads once.
  bool coldA = false, coldB = false;
  /// Whether d is written over c.
  bool inPlace = false;
  int64_t workspaceBytes = 0;
  bool operator==(const ProductSite &) const = default;
};

/// The site of one product of `plan`.
ProductSite siteOf(const Plan &plan, const Product &product);

/// "2048x3072x768 bf16 bf16 -> f32, b transposed": a product as people read it.
std::string describeProduct(const Product &product, const ProductSite &site);

/// What timing found.
struct TunedProduct {
  std::vector<uint8_t> algorithm; ///< For Product::algorithm.
  double ms = 0;                  ///< Its time.
  double guessMs = 0;             ///< That of the library's first guess, which an untuned plan runs with.
};

class ProductTuner {
public:
  virtual ~ProductTuner() = default;
  /// The fastest algorithm whose result is the same bits in every run. Operands are the tuner's own.
  virtual StatusOr<TunedProduct> tune(const Product &product, const ProductSite &site) = 0;
};

struct TuningOptions {
  /// Everything that a result holds for beside the product: device, multiprocessors, driver, library.
  std::string identity;
  /// Makes the tuner; called at the first product that the cache does not know. Null: only what the cache
  /// knows is taken.
  std::function<StatusOr<ProductTuner *>()> tuner;
  std::string cacheFolder; ///< Empty: DiskCache::defaultFolder().
  bool useCache = true;
  /// No further product is timed after so many milliseconds; those that are left keep the library's guess.
  double budgetMs = 2000;
  std::function<void(int32_t done, int32_t total)> progress;
};

struct TuningStats {
  int32_t products = 0; ///< Distinct ones.
  int32_t hits = 0;     ///< Taken from the cache.
  int32_t timed = 0;    ///< Timed now.
  double ms = 0;        ///< Wall time.
  /// Time of the tuned products' calls in one run, by the library's guesses and as tuned.
  double guessMs = 0, tunedMs = 0;
  std::string folder; ///< Of the cache; empty where there is none.
  std::string note;   ///< Why products were left to the library's guess; what the cache has to say.
  int32_t left() const { return products - hits - timed; }
};

/// Fills Product::algorithm of every product that has none. A product that cannot be timed (no memory for its
/// operands beside what runs on the device) is left as it is, and the note says so: tuning never makes a
/// compilation fail.
void tunePlan(Plan &plan, const TuningOptions &options, TuningStats &stats);

/// Takes every algorithm out again: the library's guess decides where the plan runs.
void untunePlan(Plan &plan);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_PLANTUNING_H
