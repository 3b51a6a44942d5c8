// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standalone bench of the forward attention skeletons, without the compiler: checks every instance against
// float64, then times. Built by build_attention.sh. Parts, all of them unless some are named:
//   --list       CSV of the kernels: registers, local memory, shared memory, blocks an SM holds
//   --check      values: sizes, layouts, masks, scores, grouped heads; exits 1 where one is out of its bound
//   --big        values where element offsets pass 2^31
//   --time-f32   float32, batch 8, one head (study S7)
//   --time-bf16  bf16, 16 heads, 16,384 tokens
//   --blocks     the products and swizzles that the wgmma skeleton is made of, against exact results
//   --family F   only kernels whose family begins so: mma, simt, wgmma
//   --grids      also times wgmma kernels with the grid that attention_tiles.h does not choose
//   --defaults   leaves the alternatives to the default tiles out of the timing
//   --seed N     operands of the checks (1)

#include <cuda.h>

#include "attention_device.h"
#include "attention_instances.h"
#include "attention_score.cuh"

namespace heddle {
// Same layout as in attention_common.cuh, for every element type; that header is for device units.
struct RawParams {
  const void *q, *k, *v;
  void *out;
  float *statistics;
  int batch, heads, kvHeads, qLen, kvLen;
  long long qBatch, qHead, qRow, kBatch, kHead, kRow, vBatch, vHead, vRow, outBatch, outHead, outRow;
  float scale;
};
} // namespace heddle

using namespace heddle;
using namespace heddle::bench;

namespace {

/// Maps of the operands, as the wgmma skeleton wants them.
struct Maps {
  CUtensorMap q, k, v;
};

CUtensorMap encodeMap(Element element, const void *data, int columns, int rows, int heads, int batch,
                      long long row, long long head, long long batchStride, int boxRows) {
  static const auto encode = [] {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                          &found),
         "cuTensorMapEncodeTiled");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  const cuuint64_t dims[4] = {cuuint64_t(columns), cuuint64_t(rows), cuuint64_t(heads), cuuint64_t(batch)};
  const cuuint64_t strides[3] = {cuuint64_t(row) * 2, cuuint64_t(head) * 2, cuuint64_t(batchStride) * 2};
  const cuuint32_t box[4] = {kAttentionWgmmaColumns, cuuint32_t(boxRows), 1, 1}, steps[4] = {1, 1, 1, 1};
  CUtensorMap map;
  const CUresult result = encode(
      &map, element == Element::BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4,
      const_cast<void *>(data), dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "error: cuTensorMapEncodeTiled: %d (%d x %d x %d x %d, strides %lld %lld %lld)\n",
                 int(result), columns, rows, heads, batch, row, head, batchStride);
    std::exit(2);
  }
  return map;
}

Maps makeMaps(const Instance &i, const RawParams &p) {
  Maps maps{};
  if (!i.maps)
    return maps;
  maps.q = encodeMap(i.element, p.q, i.headDim, p.qLen, p.heads, p.batch, p.qRow, p.qHead, p.qBatch,
                     kAttentionWgmmaRows);
  maps.k = encodeMap(i.element, p.k, i.headDim, p.kvLen, p.kvHeads, p.batch, p.kRow, p.kHead, p.kBatch,
                     i.tile.tileN);
  maps.v = encodeMap(i.element, p.v, i.valueDim, p.kvLen, p.kvHeads, p.batch, p.vRow, p.vHead, p.vBatch,
                     i.tile.tileN);
  return maps;
}

/// Which grid: the one that attention_tiles.h chooses, a block for each tile, or a block for each
/// multiprocessor.
enum class Grid { Chosen, Tiles, Persistent };

bool isPersistent(const Instance &instance, const RawParams &params, Grid grid) {
  if (!instance.maps || grid != Grid::Chosen)
    return instance.maps && grid == Grid::Persistent;
  const long long tiles = (long long)params.batch * params.heads *
                          ((params.qLen + instance.tile.tileM - 1) / instance.tile.tileM);
  return attentionWgmmaPersistent(tiles, params.kvLen, isCausal(instance.kind), false, multiprocessors());
}

void launch(const Instance &instance, const RawParams &params, Maps &maps, const unsigned char *mask,
            const float *bias, Grid grid = Grid::Chosen) {
  struct {
    const unsigned char *mask;
    const float *bias;
    long long row;
  } score{mask, bias, params.kvLen};
  RawParams copy = params;
  void *arguments[] = {&copy, &score, &maps.q, &maps.k, &maps.v};
  long long blocks = (long long)params.batch * params.heads *
                     ((params.qLen + instance.tile.tileM - 1) / instance.tile.tileM);
  if (isPersistent(instance, params, grid))
    blocks = std::min<long long>(blocks, multiprocessors());
  cuda(cudaLaunchKernel(instance.kernel, dim3((unsigned)blocks), dim3(instance.tile.warps * 32), arguments,
                        instance.sharedBytes, nullptr),
       "launch");
}

RawParams strides(const Problem &p, const Operands &o, float *statistics) {
  return {nullptr,   nullptr,  nullptr,   nullptr,     statistics, p.batch,   p.heads,  p.kvHeads,
          p.qLen,    p.kvLen,  o.q.batch, o.q.head,    o.q.row,    o.k.batch, o.k.head, o.k.row,
          o.v.batch, o.v.head, o.v.row,   o.out.batch, o.out.head, o.out.row, p.scale};
}

struct Tally {
  int runs = 0, failures = 0;
  double worstRatio = 0;
};

void checkOne(const Instance &instance, Problem p, Tally &tally) {
  p.element = instance.element;
  p.kind = instance.kind;
  p.headDim = instance.headDim;
  p.valueDim = instance.valueDim;
  const int size = bytes(p.element);
  const Operands o = makeOperands(p);
  const std::vector<unsigned char> raw = encodeAll(p.element, o.inputs);
  DeviceBuffer in(raw.size()), out(o.outElements * size), statistics(8ull * p.batch * p.heads * p.qLen),
      mask(o.mask.size()), bias(o.bias.size() * 4);
  cuda(cudaMemcpy(in.data, raw.data(), raw.size(), cudaMemcpyHostToDevice), "copy");
  cuda(cudaMemcpy(mask.data, o.mask.data(), o.mask.size(), cudaMemcpyHostToDevice), "copy");
  cuda(cudaMemcpy(bias.data, o.bias.data(), o.bias.size() * 4, cudaMemcpyHostToDevice), "copy");
  RawParams params = strides(p, o, p.wantStatistics ? static_cast<float *>(statistics.data) : nullptr);
  params.q = in.at(o.q.offset, size);
  params.k = in.at(o.k.offset, size);
  params.v = in.at(o.v.offset, size);
  params.out = out.at(o.out.offset, size);
  Maps maps = makeMaps(instance, params);
  std::vector<unsigned char> result(o.outElements * size), again(o.outElements * size);
  std::vector<float> statisticsHost(2ull * p.batch * p.heads * p.qLen);
  for (auto *target : {&result, &again}) {
    cuda(cudaMemset(out.data, 0xff, out.size), "cudaMemset");
    launch(instance, params, maps, static_cast<unsigned char *>(mask.data), static_cast<float *>(bias.data));
    cuda(cudaDeviceSynchronize(), p.text().c_str());
    cuda(cudaMemcpy(target->data(), out.data, target->size(), cudaMemcpyDeviceToHost), "copy");
  }
  cuda(cudaMemcpy(statisticsHost.data(), statistics.data, statisticsHost.size() * 4, cudaMemcpyDeviceToHost),
       "copy");
  CheckResult check = bench::check(p, o, decodeAll(p.element, result), statisticsHost, p.qLen > 600 ? 97 : 1);
  if (check.ok && result != again) {
    check.ok = false;
    check.message = "two runs differ";
  }
  ++tally.runs;
  tally.failures += !check.ok;
  tally.worstRatio = std::max(tally.worstRatio, check.plainRatio);
  if (check.plainRatio > 1.5)
    std::printf("note,%s,%.2f times the error of plain float32\n", p.text().c_str(), check.plainRatio);
  if (!check.ok)
    std::printf("FAIL,%s,%s,%dx%d w%d,%.3f of the bound: %s\n", instance.family, p.text().c_str(),
                instance.tile.tileM, instance.tile.tileN, instance.tile.warps, check.error,
                check.message.c_str());
}

std::vector<Problem> problems(const Instance &instance, uint64_t seed) {
  ProblemList problems = usualProblems(instance.aligned, instance.headDim, 40.0f, seed);
  if (instance.isDefault && (instance.headDim == 64 || instance.headDim == 128))
    problems.add(1, 1, 1, 2000, 2003, Layout::Contiguous);
  return problems.list;
}

/// Heads whose rows lie more than 2^31 elements apart, for the head size and dtype of `instance`.
void checkBig(const Instance &instance, Tally &tally) {
  Problem p;
  p.element = instance.element;
  p.kind = instance.kind;
  p.headDim = instance.headDim;
  p.valueDim = instance.valueDim;
  p.heads = p.kvHeads = 2;
  p.qLen = p.kvLen = 130;
  p.seed = 9;
  Operands o = makeOperands(p);
  const int size = bytes(p.element);
  const long long far = (1ll << 31) + 64;
  DeviceBuffer in((far + (long long)o.inputs.size()) * size), out((far + o.outElements) * size);
  const std::vector<unsigned char> raw = encodeAll(p.element, o.inputs);
  // Head 1 of every operand moves up by `far` elements.
  cuda(cudaMemcpy(in.data, raw.data(), raw.size(), cudaMemcpyHostToDevice), "copy");
  cuda(cudaMemcpy(in.at(far, size), raw.data(), raw.size(), cudaMemcpyHostToDevice), "copy");
  DeviceBuffer statistics(8ull * p.heads * p.qLen);
  RawParams params = strides(p, o, static_cast<float *>(statistics.data));
  params.q = in.at(o.q.offset, size);
  params.k = in.at(o.k.offset, size);
  params.v = in.at(o.v.offset, size);
  params.out = out.at(o.out.offset, size);
  params.qHead += far, params.kHead += far, params.vHead += far, params.outHead += far;
  Maps maps = makeMaps(instance, params);
  launch(instance, params, maps, nullptr, nullptr);
  cuda(cudaDeviceSynchronize(), "far offsets");
  std::vector<unsigned char> result(o.outElements * size);
  const size_t half = (size_t)o.out.head * size;
  cuda(cudaMemcpy(result.data(), out.data, half, cudaMemcpyDeviceToHost), "copy");
  cuda(cudaMemcpy(result.data() + half, out.at(far + o.out.head, size), half, cudaMemcpyDeviceToHost),
       "copy");
  std::vector<float> statisticsHost(2ull * p.heads * p.qLen);
  cuda(cudaMemcpy(statisticsHost.data(), statistics.data, statisticsHost.size() * 4, cudaMemcpyDeviceToHost),
       "copy");
  const CheckResult check = bench::check(p, o, decodeAll(p.element, result), statisticsHost, 1);
  ++tally.runs;
  tally.failures += !check.ok;
  if (!check.ok)
    std::printf("FAIL,far offsets,%s: %s\n", p.text().c_str(), check.message.c_str());
}

void timeOne(const Instance &instance, int batch, int heads, int length, Layout layout,
             Grid grid = Grid::Chosen) {
  const int D = instance.headDim, size = bytes(instance.element);
  const bool packed = layout == Layout::Packed;
  const long long tokens = (long long)batch * length, width = (long long)heads * D;
  DeviceBuffer in(3 * tokens * width * size), out(tokens * width * size), statistics(8ull * tokens * heads);
  fillRandom<<<1024, 256>>>(in.data, 3 * tokens * width, size);
  RawParams p{};
  p.statistics = static_cast<float *>(statistics.data);
  p.batch = batch, p.heads = p.kvHeads = heads, p.qLen = p.kvLen = length;
  p.scale = 1.0f / std::sqrt(float(D));
  const long long row = packed ? 3 * width : D, head = packed ? D : (long long)length * D;
  const long long perBatch = packed ? length * row : heads * head;
  p.q = in.data;
  p.k = in.at(packed ? width : tokens * width, size);
  p.v = in.at(2 * (packed ? width : tokens * width), size);
  p.out = out.data;
  p.qRow = p.kRow = p.vRow = row, p.qHead = p.kHead = p.vHead = head,
  p.qBatch = p.kBatch = p.vBatch = perBatch;
  p.outRow = packed ? width : D, p.outHead = head, p.outBatch = packed ? length * width : perBatch;
  Maps maps = makeMaps(instance, p);
  DeviceBuffer mask(length); // Of keys alone, where there is one: all of them are seen.
  cuda(cudaMemset(mask.data, 1, length), "mask");
  const auto *seen = static_cast<const unsigned char *>(mask.data);
  const double ms = timeLaunches([&] { launch(instance, p, maps, seen, nullptr, grid); });
  const double flops =
      4.0 * batch * heads * double(length) * length * D * (isCausal(instance.kind) ? 0.5 : 1.0);
  std::printf("time,%s,%s,%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%s,%s,%.4f,%.1f\n", instance.family,
              name(instance.element), name(instance.kind), name(layout), D, batch, heads, length,
              instance.tile.tileM, instance.tile.tileN, instance.tile.warps, instance.tile.minBlocks,
              instance.tile.stages, instance.isDefault ? "default" : "",
              isPersistent(instance, p, grid) ? "persistent" : "tiles", ms, flops / ms * 1e-9);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  bool list = false, check = false, big = false, f32 = false, bf16 = false, defaults = false, blocks = false,
       grids = false;
  std::string family;
  uint64_t seed = 1;
  if (!parseFlags(argc, argv,
                  {{"--list", &list},
                   {"--check", &check},
                   {"--big", &big},
                   {"--time-f32", &f32},
                   {"--time-bf16", &bf16},
                   {"--defaults", &defaults},
                   {"--grids", &grids},
                   {"--blocks", &blocks},
                   {"--family", &family, "F"},
                   {"--seed", &seed, "N"}}))
    return 2;
  if (!list && !check && !big && !f32 && !bf16 && !blocks)
    list = check = big = f32 = bf16 = blocks = true;
  if (!family.empty()) {
    auto &all = instances();
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Instance &instance) {
                               return std::string(instance.family).rfind(family, 0) != 0;
                             }),
              all.end());
    if (all.empty()) {
      std::fprintf(stderr, "error: no kernel of family '%s' here\n", family.c_str());
      return 2;
    }
  }

  cudaDeviceProp device;
  cuda(cudaGetDeviceProperties(&device, 0), "no device");
  std::printf("# %s, %d SMs\n", device.name, device.multiProcessorCount);
  for (const Instance &instance : instances())
    cuda(cudaFuncSetAttribute(instance.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              instance.sharedBytes),
         "shared memory");
  if (list) {
    std::printf(
        "kernel,family,element,kind,d,dv,tile_m,tile_n,warps,min_blocks,stages,aligned,default,registers,"
        "local,shared,blocks_per_sm\n");
    for (const Instance &instance : instances()) {
      cudaFuncAttributes attributes;
      int blocks = 0;
      cuda(cudaFuncGetAttributes(&attributes, instance.kernel), "attributes");
      cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, instance.kernel, instance.tile.warps * 32,
                                                         instance.sharedBytes),
           "occupancy");
      std::printf("kernel,%s,%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%zu,%d,%d\n", instance.family,
                  name(instance.element), name(instance.kind), instance.headDim, instance.valueDim,
                  instance.tile.tileM, instance.tile.tileN, instance.tile.warps, instance.tile.minBlocks,
                  instance.tile.stages, instance.aligned, instance.isDefault, attributes.numRegs,
                  attributes.localSizeBytes, instance.sharedBytes, blocks);
    }
  }
  Tally tally;
  if (blocks && blockChecks()) {
    const BlockTally found = blockChecks()(seed);
    tally.runs += found.runs;
    tally.failures += found.failures;
    std::printf("blocks,%d run,%d failed\n", found.runs, found.failures);
    std::fflush(stdout);
  }
  if (check) {
    for (const Instance &instance : instances())
      for (const Problem &p : problems(instance, seed))
        checkOne(instance, p, tally);
  }
  if (big) {
    for (const Instance &instance : instances())
      if (instance.isDefault && instance.aligned && instance.headDim == 64 && instance.valueDim == 64 &&
          (instance.kind == ScoreKind::Full || instance.kind == ScoreKind::Causal ||
           hasKeyMask(instance.kind)))
        checkBig(instance, tally);
  }
  if (check || big || blocks)
    std::printf("checks,%d run,%d failed,worst float32 error over plain float32 attention's %.2f\n",
                tally.runs, tally.failures, tally.worstRatio);

  if (f32 || bf16)
    std::printf(
        "time,family,element,kind,layout,d,batch,heads,n,tile_m,tile_n,warps,min_blocks,stages,default,"
        "grid,ms,tflops\n");
  const auto timed = [&](const Instance &instance, Element element) {
    return instance.element == element && instance.aligned && instance.headDim == instance.valueDim &&
           (instance.kind == ScoreKind::Full || instance.kind == ScoreKind::Causal ||
            hasKeyMask(instance.kind)) &&
           (instance.isDefault || !defaults);
  };
  const auto timeGrids = [&](const Instance &instance, int batch, int heads, int length, Layout layout) {
    if (!grids || !instance.maps)
      return timeOne(instance, batch, heads, length, layout);
    timeOne(instance, batch, heads, length, layout, Grid::Tiles);
    timeOne(instance, batch, heads, length, layout, Grid::Persistent);
  };
  if (f32) {
    for (int d : {16, 32, 64, 128})
      for (int length : {256, 1024, 4096, 8192, 16384})
        for (const Instance &instance : instances()) {
          if (!timed(instance, Element::F32) || instance.headDim != d ||
              (length == 8192 && !instance.isDefault))
            continue;
          if (instance.kind == ScoreKind::Full || length == 4096 || length == 16384)
            timeOne(instance, 8, 1, length, Layout::Contiguous);
        }
  }
  if (bf16) {
    for (int d : {64, 80, 128})
      for (int length : {1024, 4096, 16384})
        for (const Instance &instance : instances()) {
          if (!timed(instance, Element::BF16) || instance.headDim != d)
            continue;
          timeGrids(instance, 16384 / length, 16, length, Layout::Contiguous);
          if (instance.isDefault)
            timeGrids(instance, 16384 / length, 16, length, Layout::Packed);
        }
  }
  // The study's models: batch 4, context 512, packed.
  for (const Element element : {Element::F32, Element::BF16}) {
    if (!(element == Element::F32 ? f32 : bf16))
      continue;
    for (const auto &[heads, d] : {std::pair{12, 64}, {16, 64}, {20, 64}, {32, 80}, {36, 128}})
      for (const Instance &instance : instances())
        if (timed(instance, element) && instance.headDim == d && instance.kind == ScoreKind::Causal)
          timeGrids(instance, 4, heads, 512, Layout::Packed);
  }
  return tally.failures != 0;
}
