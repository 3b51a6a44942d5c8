// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile an attention skeleton is instantiated with, and what it needs: host-side C++ for the compiler
// and the benches. The choices were measured with bench/kernels/attention.cu and attention_backward.cu; the
// sizes are those of AttentionMmaShape, AttentionWgmmaShape, AttentionSimtShape, AttentionBackwardMmaShape
// and AttentionBackwardSimtShape, which the benches and the generated kernels hold against these by
// static_assert.

#ifndef HEDDLE_DEVICE_ATTENTION_TILES_H
#define HEDDLE_DEVICE_ATTENTION_TILES_H

namespace heddle {

/// Template arguments of a skeleton and launch bounds of its kernel.
struct AttentionTile {
  int tileM;      // queries of a block
  int tileN;      // keys of a step
  int warps;      // 32 * warps threads
  int minBlocks;  // second argument of __launch_bounds__: caps registers at 65536 / (32 * warps * minBlocks)
  int stages = 0; // buffers of what streams past a block, where the skeleton has a template argument for it
};

/// bf16 and f16 (attention_forward_mma.cuh). `generated`: a score or mask function is called for every score,
/// which one of keys alone is not. What that reads and computes needs registers, which smaller steps leave.
constexpr AttentionTile attentionMmaTile(int headDim, int valueDim, bool generated) {
  const int dim = headDim > valueDim ? headDim : valueDim;
  if (dim > 128)
    return AttentionTile{64, 32, 4, 2};
  // 120 is padded to 128, whose S and O fill the registers, and copies narrower rows besides: for sm_80 it
  // spills.
  const bool small = (dim > 32 && generated) || dim == 120;
  return small ? AttentionTile{128, 32, 4, 2} : AttentionTile{128, 64, 4, 2};
}

/// Dynamic shared memory in bytes of one block.
constexpr int attentionMmaSharedBytes(int headDim, int valueDim, const AttentionTile &tile) {
  const int strideK = (headDim + 15) / 16 * 16 + 8;
  const int strideV = (valueDim + 15) / 16 * 16 + 8;
  const int strideQ = strideK > strideV ? strideK : strideV;
  return 2 * (tile.tileM * strideQ + 2 * tile.tileN * (strideK + strideV)) + 32;
}

/// bf16 and f16 on sm_90a (attention_forward_wgmma.cuh), for operands aligned to 16 bytes and dimensions up
/// to kAttentionWgmmaDim. `warps` counts the four that bring keys and values.
constexpr int kAttentionWgmmaDim = 128;
/// Queries of one consumer: the rows of a tensor map's box of queries. tileM is a multiple of it.
constexpr int kAttentionWgmmaRows = 64;
/// Columns of any box: 128 bytes, which is what a swizzled row takes.
constexpr int kAttentionWgmmaColumns = 64;

constexpr AttentionTile attentionWgmmaTile(int headDim, int valueDim, bool causal, bool generated) {
  const int dim = headDim > valueDim ? headDim : valueDim;
  // What generated functions read is under way for all of a step's keys; wider steps spill.
  if (generated)
    return AttentionTile{128, 64, 12, 1, 2};
  // Three consumers of 64 queries share the registers that two have otherwise: enough where no score is asked
  // for (causal, 192x128 spills; 128x128 is faster at 1,024 keys and slower at 4,096).
  if (dim <= 64 && !causal)
    return AttentionTile{192, 128, 16, 1, 3};
  if (dim <= 96 && !causal)
    return AttentionTile{192, 96, 16, 1, 2};
  return AttentionTile{128, 128, 12, 1, 2};
}

constexpr int attentionWgmmaSharedBytes(int headDim, int valueDim, const AttentionTile &tile) {
  const int blocksK = (headDim + kAttentionWgmmaColumns - 1) / kAttentionWgmmaColumns;
  const int blocksV = (valueDim + kAttentionWgmmaColumns - 1) / kAttentionWgmmaColumns;
  return 2 * kAttentionWgmmaColumns *
             (tile.tileM * blocksK + tile.stages * tile.tileN * (blocksK + blocksV)) +
         16 * (tile.warps / 4 - 1) + 32 * tile.stages;
}

/// Whether a launch of `tiles` tiles of queries has a block for each of the `processors` multiprocessors,
/// which goes through several, and not one for each tile. Then a tile's beginning and end are hidden, but
/// blocks get their tiles before it is known who is done first: measured on an H200, a gain of 8 to 22 % at
/// 1,024 keys and up to 5 % without a mask at 4,096; causal, from 8 % lost to 11 % gained at 4,096 and 10 to
/// 40 % lost at 16,384, where tiles differ most. `keys` are those that a query sees at most.
constexpr bool attentionWgmmaPersistent(long long tiles, long long keys, bool causal, bool window,
                                        int processors) {
  return 2 * tiles > 3ll * processors && keys <= (causal && !window ? 2048 : 8192);
}

constexpr int attentionSimtSharedBytes(int headDim, int valueDim, const AttentionTile &tile) {
  const int lanes = valueDim <= 16 ? 2 : valueDim <= 32 ? 4 : 8;
  const int columns = ((valueDim + lanes - 1) / lanes + 1) / 2 * 2;
  const int dimV = lanes * columns;
  const int strideV = lanes < 8 && dimV % 8 == 0 ? dimV + 4 : dimV;
  return 4 * (headDim * (tile.tileM + 4 + tile.tileN + 4) + tile.tileN * strideV +
              tile.tileN * (tile.tileM + 4 * tile.warps));
}

/// float32 (attention_forward_simt.cuh). `sharedLimit`: bytes of shared memory that the target gives one
/// block. A warp takes 32 queries up to 64 columns; above, its outputs and the sums that become part of them
/// fill the registers, so that 16 queries to each of twice the warps are as fast from 97 columns on, and up
/// to 30 % faster where the diagonal makes warps wait for one another.
constexpr AttentionTile attentionSimtTile(int headDim, int valueDim, bool generated, bool causal,
                                          int sharedLimit) {
  const int dim = headDim > valueDim ? headDim : valueDim;
  if (dim <= 64)
    return generated ? AttentionTile{128, 32, 4, 2} : AttentionTile{128, 64, 4, 2};
  if (dim <= 96 && !causal)
    return AttentionTile{128, 32, 4, 1};
  const AttentionTile large{128, 64, 8, 1};
  if (dim <= 128 && attentionSimtSharedBytes(headDim, valueDim, large) <= sharedLimit)
    return large;
  return AttentionTile{64, 32, 4, 1};
}

/// Backward in float32 (attention_backward_simt.cuh): a block of eight warps fills a multiprocessor. Sums of
/// dk and dv take 64 registers of a lane, so that wider heads have fewer keys.
constexpr int attentionBackwardSimtSharedBytes(int headDim, int valueDim, const AttentionTile &tile) {
  const int strideK = (headDim + 15) / 16 * 16 + 4;
  const int strideV = (valueDim + 15) / 16 * 16 + 4;
  return 4 * ((tile.tileM + tile.tileN) * (strideK + strideV) + 2 * tile.tileM * (tile.tileN + 8) +
              3 * tile.tileM);
}

/// `generated`, `sharedLimit`: as for forward. A mask beside 128 keys would spill with 64 queries.
constexpr AttentionTile attentionBackwardSimtTile(int headDim, int valueDim, bool generated,
                                                  int sharedLimit) {
  const int dim = headDim > valueDim ? headDim : valueDim;
  const int keys = dim <= 64 ? 128 : dim <= 128 ? 64 : 32;
  const AttentionTile large{64, keys, 8, 1};
  if (dim <= 128 && !(generated && dim <= 64) &&
      attentionBackwardSimtSharedBytes(headDim, valueDim, large) <= sharedLimit)
    return large;
  return AttentionTile{32, keys, 8, 1};
}

/// Backward in bf16 and f16 (attention_backward_mma.cuh), of a block that owns `owned` rows while others
/// stream through `stages` buffers of `stream` rows.
constexpr int attentionBackwardMmaSharedBytes(int headDim, int valueDim, int owned, int stream, int stages) {
  const int strides = (headDim + 15) / 16 * 16 + 8 + (valueDim + 15) / 16 * 16 + 8;
  return 2 * (owned + stages * stream) * strides + 12 * stages * stream + 32;
}

/// dv and dk: tileN keys are owned, tileM queries stream. `sharedLimit`: bytes that the target gives a block,
/// which is all that a multiprocessor has but for 1 KiB. `spillsWideKeys`: see TargetInfo.
constexpr AttentionTile attentionBackwardMmaKeysTile(int headDim, int valueDim, int sharedLimit,
                                                     bool spillsWideKeys) {
  const int dim = headDim > valueDim ? headDim : valueDim;
  if (dim > 48 && dim <= 64 && spillsWideKeys)
    return AttentionTile{32, 128, 4, 2, 2};
  const AttentionTile tile = dim <= 64 ? AttentionTile{64, 128, 4, 2, 2} : AttentionTile{64, 64, 4, 2, 2};
  if (2 * (attentionBackwardMmaSharedBytes(headDim, valueDim, tile.tileN, tile.tileM, tile.stages) + 1024) <=
      sharedLimit)
    return tile;
  return AttentionTile{32, tile.tileN, 4, dim <= 128 ? 2 : 1, 2};
}

/// Blocks for one tile of keys: dv and dk apart where a thread cannot hold the sums of both.
constexpr int attentionBackwardMmaKeysPasses(int headDim, int valueDim) {
  return headDim > 128 || valueDim > 128 ? 2 : 1;
}

/// dq: tileM queries are owned, tileN keys stream.
constexpr AttentionTile attentionBackwardMmaQueriesTile(int headDim, int valueDim, int sharedLimit) {
  const int dim = headDim > valueDim ? headDim : valueDim;
  if (dim > 128)
    return AttentionTile{64, 32, 4, 1, 2};
  const AttentionTile tile{128, 64, 4, 2, 2};
  if (2 * (attentionBackwardMmaSharedBytes(headDim, valueDim, tile.tileM, tile.tileN, tile.stages) + 1024) <=
      sharedLimit)
    return tile;
  return AttentionTile{dim <= 96 ? 128 : 64, 32, 4, 2, 2};
}

/// The gradient of a bias: a tile of its own, and one buffer for each operand.
constexpr AttentionTile attentionBackwardMmaBiasTile(int headDim, int valueDim) {
  return AttentionTile{64, 64, 4, headDim > 128 || valueDim > 128 ? 1 : 2, 1};
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_TILES_H
