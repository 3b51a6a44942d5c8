// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that the attention bench was built with. attention_instances.cu is compiled several times, each
// time for a part.

#ifndef HEDDLE_BENCH_KERNELS_ATTENTION_INSTANCES_H
#define HEDDLE_BENCH_KERNELS_ATTENTION_INSTANCES_H

#include "attention_cases.h"
#include "compiler/Target/CUDA/device/attention_tiles.h"

namespace heddle::bench {

struct Instance {
  const char *family; // the skeleton
  Element element;
  ScoreKind kind;
  int headDim, valueDim;
  AttentionTile tile;
  bool aligned;
  bool isDefault; // the tile that attention_tiles.h names
  const void *kernel;
  int sharedBytes;
  bool maps = false; // takes tensor maps of q, k and v after the score
};

inline std::vector<Instance> &instances() {
  static std::vector<Instance> all;
  return all;
}

/// Checks that were made, and those of them that failed.
struct BlockTally {
  int runs = 0, failures = 0;
};

/// Checks the products that the wgmma skeleton is made of, from a seed, and prints each that is wrong. Null
/// in a program without wgmma_blocks.cu, which is for sm_90a.
inline BlockTally (*&blockChecks())(uint64_t) {
  static BlockTally (*checks)(uint64_t) = nullptr;
  return checks;
}

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_ATTENTION_INSTANCES_H
