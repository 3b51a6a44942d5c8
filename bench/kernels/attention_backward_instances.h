// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that the attention backward bench was built with. attention_backward_instances.cu is compiled
// several times, each time for a part.

#ifndef HEDDLE_BENCH_KERNELS_ATTENTION_BACKWARD_INSTANCES_H
#define HEDDLE_BENCH_KERNELS_ATTENTION_BACKWARD_INSTANCES_H

#include "attention_cases.h"
#include "compiler/Target/CUDA/device/attention_tiles.h"

namespace heddle::bench {

/// Same layout as AttentionBackwardParams, for every element type; that header is for device units.
struct RawBackwardParams {
  const void *q, *k, *v, *dout;
  void *dq, *dk, *dv;
  const float *statistics, *delta;
  int *turns;
  int batch, heads, kvHeads, qLen, kvLen;
  long long qBatch, qHead, qRow, kBatch, kHead, kRow, vBatch, vHead, vRow, doutBatch, doutHead, doutRow,
      dqBatch, dqHead, dqRow, dkBatch, dkHead, dkRow, dvBatch, dvHead, dvRow;
  float scale;
};

/// Same layout as AttentionBiasGradient.
struct RawBiasGradient {
  float *data;
  int batch, heads;
  long long batchStride, headStride, rowStride;
};

/// One kernel, its tile and what a launch of it takes.
struct BackwardKernel {
  const void *kernel = nullptr; // null: there is none
  AttentionTile tile{};
  int sharedBytes = 0;
};

struct BackwardInstance {
  const char *family; // simt, mma
  Element element, outElement;
  ScoreKind kind;
  int headDim, valueDim;
  bool aligned;
  bool isDefault; // the tiles that attention_tiles.h names
  BackwardKernel keys, queries, bias;
  int passes; // of keys
};

inline std::vector<BackwardInstance> &backwardInstances() {
  static std::vector<BackwardInstance> all;
  return all;
}

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_ATTENTION_BACKWARD_INSTANCES_H
