//===- CpuAlgorithm.h - How the CPU computes a product ----------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_PLAN_CPUALGORITHM_H
#define HEDDLE_RUNTIME_PLAN_CPUALGORITHM_H

#include <string_view>

namespace heddle::runtime {

/// The one value of Product::algorithm in a plan for the CPU: Heddle's own product
/// (runtime/product/TiledProduct.h), which compiled plans take. Without it the library computes the product,
/// as eager frameworks have it.
inline constexpr std::string_view kTiledProduct = "tiled";

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_CPUALGORITHM_H
