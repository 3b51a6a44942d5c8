//===- CpuAlgorithm.h - How the CPU computes a product ----------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_PLAN_CPUALGORITHM_H
#define HEDDLE_RUNTIME_PLAN_CPUALGORITHM_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// The values of Product::algorithm in a plan for the CPU: Heddle's own product
/// (runtime/product/TiledProduct.h), which compiled plans take, "tiled", and with b, a whole parameter, in
/// panels of 32 rows (Buffer::panel) "tiled:32". Without an algorithm the library computes the product, as
/// eager frameworks have it.
inline constexpr std::string_view kTiledProduct = "tiled";

/// Rows of a panel of a parameter: as many as the inner loop of the target's level multiplies at a time.
inline constexpr int64_t kPanelV3 = 16, kPanelV4 = 32;

/// That of a plan's target; 0 where its level has none.
inline int64_t panelOf(std::string_view target) {
  return target == "x86-64-v4" ? kPanelV4 : target == "x86-64-v3" ? kPanelV3 : 0;
}

/// "tiled:32" for 32, "tiled" for 0.
inline std::string tiledAlgorithm(int64_t panel) {
  return std::string(kTiledProduct) + (panel == 0 ? "" : ":" + std::to_string(panel));
}

/// The panel of a tiled product, 0 where b is not stored in panels; none where `algorithm` is another one.
inline std::optional<int64_t> tiledPanel(std::string_view algorithm) {
  for (int64_t panel : {int64_t{0}, kPanelV3, kPanelV4})
    if (algorithm == tiledAlgorithm(panel))
      return panel;
  return std::nullopt;
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_CPUALGORITHM_H
