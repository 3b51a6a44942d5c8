// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standalone bench of the attention backward skeletons, without the compiler: checks every instance against
// float64, then times. Built by build_attention.sh. Parts, all of them unless some are named:
//   --list       CSV of the kernels: registers, local memory, shared memory, blocks an SM holds
//   --check      values: sizes, layouts, masks, scores, grouped heads, two runs; exits 1 where one is out of
//                its bound
//   --time-f32   float32, batch 8, one head (study S7)
//   --time-bf16  bf16, 16 heads, 16,384 tokens
//   --family F   only kernels of family F: mma, simt
//   --dim D      only head size D
//   --defaults   leaves the alternatives to the default tiles out
//   --seed N     operands of the checks (1)
// Backward counts as 2.5 times forward's operations, whatever a kernel computes again. delta is given: in a
// compiled plan a row kernel that is there anyway computes it. The zeros that float32 wants are timed.

#include "attention_backward_cases.h"
#include "attention_backward_instances.h"
#include "attention_device.h"

using namespace heddle;
using namespace heddle::bench;

namespace {

long long tilesOf(long long length, int tile) { return (length + tile - 1) / tile; }

/// Blocks of a kernel that the device holds at a time.
int resident(const BackwardKernel &kernel) {
  int blocks = 0;
  cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.kernel, kernel.tile.warps * 32,
                                                     kernel.sharedBytes),
       "occupancy");
  return blocks * multiprocessors();
}

struct Scores {
  const unsigned char *mask;
  const float *bias;
  long long row;
};

void launchKernel(const BackwardKernel &kernel, long long blocks, void **arguments) {
  cuda(cudaLaunchKernel(kernel.kernel, dim3((unsigned)blocks), dim3(kernel.tile.warps * 32), arguments,
                        kernel.sharedBytes, nullptr),
       "launch");
}

/// Numbers in `turns`, as a compiled plan has them: enough for every tile.
long long turnsOf(const RawBackwardParams &p) { return 2ll * p.batch * p.heads * p.qLen; }

/// Zeros in dq and in the turns, as a compiled plan has them before the float32 keys kernel.
__global__ void zeroQueries(RawBackwardParams p, int headDim, long long turns) {
  const long long rows = (long long)p.batch * p.heads * p.qLen;
  const long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long at = first; at < rows * headDim; at += step) {
    const long long row = at / headDim, pair = row / p.qLen;
    const long long place =
        pair / p.heads * p.dqBatch + pair % p.heads * p.dqHead + row % p.qLen * p.dqRow + at % headDim;
    static_cast<float *>(p.dq)[place] = 0.0f;
  }
  for (long long at = first; at < turns; at += step)
    p.turns[at] = 0;
}

enum Parts { Zeros = 1, Keys = 2, Queries = 4 };

void launch(const BackwardInstance &i, RawBackwardParams p, Scores scores, int parts) {
  void *arguments[] = {&p, &scores};
  if (parts & Zeros && i.element == Element::F32) {
    zeroQueries<<<1024, 256>>>(p, i.headDim, turnsOf(p));
    cuda(cudaGetLastError(), "launch");
  }
  if (parts & Keys)
    launchKernel(i.keys, p.batch * p.kvHeads * tilesOf(p.kvLen, i.keys.tile.tileN) * i.passes, arguments);
  if (parts & Queries && i.queries.kernel)
    launchKernel(i.queries, p.batch * p.heads * tilesOf(p.qLen, i.queries.tile.tileM), arguments);
}

void launchBias(const BackwardInstance &i, RawBackwardParams p, RawBiasGradient gradient, Scores scores) {
  void *arguments[] = {&p, &gradient, &scores};
  launchKernel(i.bias,
               gradient.batch * gradient.heads * tilesOf(p.qLen, i.bias.tile.tileM) *
                   tilesOf(p.kvLen, i.bias.tile.tileN),
               arguments);
}

struct Tally {
  int runs = 0, failures = 0;
};

void upload(const DeviceBuffer &buffer, const void *data, size_t bytes) {
  cuda(cudaMemcpy(buffer.data, data, bytes, cudaMemcpyHostToDevice), "copy");
}

void setStrides(RawBackwardParams &r, const Operands &o) {
  r.qBatch = r.dqBatch = o.q.batch, r.qHead = r.dqHead = o.q.head, r.qRow = r.dqRow = o.q.row;
  r.kBatch = r.dkBatch = o.k.batch, r.kHead = r.dkHead = o.k.head, r.kRow = r.dkRow = o.k.row;
  r.vBatch = r.dvBatch = o.v.batch, r.vHead = r.dvHead = o.v.head, r.vRow = r.dvRow = o.v.row;
  r.doutBatch = o.out.batch, r.doutHead = o.out.head, r.doutRow = o.out.row;
}

void checkOne(const BackwardInstance &instance, Problem p, Tally &tally) {
  p.element = instance.element;
  p.kind = instance.kind;
  p.headDim = instance.headDim;
  p.valueDim = instance.valueDim;
  const int size = bytes(p.element), outSize = bytes(instance.outElement);
  const BackwardOperands o = makeBackward(p, p.seed % 2 == 0);
  const Operands &f = o.forward;
  const auto input = encodeAll(p.element, f.inputs), douts = encodeAll(p.element, o.dout);
  const size_t gradientBytes = f.inputs.size() * outSize,
               biasBytes = instance.bias.kernel ? 4 * o.bias.value.size() : 0;
  DeviceBuffer in(input.size()), dout(douts.size()), statistics(4 * o.statistics.size()),
      delta(4 * o.delta.size()), gradients(gradientBytes), bias(biasBytes), mask(f.mask.size()),
      scoreBias(f.bias.size() * 4);
  upload(in, input.data(), input.size());
  upload(dout, douts.data(), douts.size());
  upload(statistics, o.statistics.data(), statistics.size);
  upload(delta, o.delta.data(), delta.size);
  upload(mask, f.mask.data(), f.mask.size());
  upload(scoreBias, f.bias.data(), f.bias.size() * 4);
  RawBackwardParams r{};
  r.batch = p.batch, r.heads = p.heads, r.kvHeads = p.kvHeads, r.qLen = p.qLen, r.kvLen = p.kvLen;
  r.scale = p.scale;
  setStrides(r, f);
  DeviceBuffer turns(4 * turnsOf(r));
  r.q = in.at(f.q.offset, size), r.k = in.at(f.k.offset, size), r.v = in.at(f.v.offset, size);
  r.dout = dout.at(f.out.offset, size);
  r.dq = gradients.at(f.q.offset, outSize), r.dk = gradients.at(f.k.offset, outSize);
  r.dv = gradients.at(f.v.offset, outSize);
  r.statistics = static_cast<float *>(statistics.data), r.delta = static_cast<float *>(delta.data);
  r.turns = static_cast<int *>(turns.data);
  const long long matrix = (long long)p.qLen * p.kvLen;
  const RawBiasGradient gradient{
      static_cast<float *>(bias.data), o.biasBatch, o.biasHeads, o.biasHeads * matrix, matrix, p.kvLen};
  const Scores scores{static_cast<unsigned char *>(mask.data), static_cast<float *>(scoreBias.data), p.kvLen};
  std::vector<unsigned char> result(gradientBytes), again(gradientBytes);
  std::vector<float> biasResult(instance.bias.kernel ? o.bias.value.size() : 0), biasAgain(biasResult.size());
  for (bool second : {false, true}) {
    cuda(cudaMemset(gradients.data, 0xff, gradients.size), "cudaMemset");
    cuda(cudaMemset(bias.data, 0xff, bias.size), "cudaMemset");
    launch(instance, r, scores, Zeros | Keys | Queries);
    if (instance.bias.kernel)
      launchBias(instance, r, gradient, scores);
    cuda(cudaDeviceSynchronize(), p.text().c_str());
    cuda(cudaMemcpy((second ? again : result).data(), gradients.data, gradientBytes, cudaMemcpyDeviceToHost),
         "copy");
    cuda(cudaMemcpy((second ? biasAgain : biasResult).data(), bias.data, biasBytes, cudaMemcpyDeviceToHost),
         "copy");
  }
  CheckResult check = checkBackward(o, decodeAll(instance.outElement, result), biasResult);
  if (check.ok && (result != again || std::memcmp(biasResult.data(), biasAgain.data(), biasBytes) != 0)) {
    check.ok = false;
    check.message = "two runs differ";
  }
  ++tally.runs;
  tally.failures += !check.ok;
  if (!check.ok) {
    std::printf("FAIL,%s,%s,keys %dx%d w%d,%.3f of the bound: %s\n", instance.family, p.text().c_str(),
                instance.keys.tile.tileM, instance.keys.tile.tileN, instance.keys.tile.warps, check.error,
                check.message.c_str());
    std::fflush(stdout);
  }
}

std::vector<Problem> problems(const BackwardInstance &instance, uint64_t seed) {
  ProblemList problems = usualProblems(instance.aligned, instance.headDim, 10.0f, seed);
  if (instance.isDefault && instance.headDim == 64)
    problems.add(1, 2, 1, 600, 1003, Layout::Contiguous); // many turns
  return problems.list;
}

__global__ void fillConstant(float *target, long long count, float value) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count;
       i += (long long)gridDim.x * blockDim.x)
    target[i] = value;
}

void timeOne(const BackwardInstance &instance, int batch, int heads, int length, Layout layout) {
  const int D = instance.headDim, size = bytes(instance.element);
  const bool packed = layout == Layout::Packed;
  const long long tokens = (long long)batch * length, width = (long long)heads * D;
  RawBackwardParams p{};
  p.batch = batch, p.heads = p.kvHeads = heads, p.qLen = p.kvLen = length;
  p.scale = 1.0f / std::sqrt(float(D));
  const size_t rows = tokens * heads, turnBytes = 4 * turnsOf(p);
  DeviceBuffer in(3 * tokens * width * size), gradients(3 * tokens * width * size),
      dout(tokens * width * size), statistics(8 * rows), delta(4 * rows), turns(turnBytes);
  fillRandom<<<1024, 256>>>(in.data, 3 * tokens * width, size);
  fillRandom<<<1024, 256>>>(dout.data, tokens * width, size);
  // What forward would find for such operands, about: probabilities are in their usual range.
  float *const maximum = static_cast<float *>(statistics.data);
  fillConstant<<<1024, 256>>>(maximum, rows, 3.0f);
  fillConstant<<<1024, 256>>>(maximum + rows, rows, std::exp(2.5f) / float(length));
  fillConstant<<<1024, 256>>>(static_cast<float *>(delta.data), rows, 0.0f); // its mean
  const long long row = packed ? 3 * width : D, head = packed ? D : (long long)length * D;
  const long long perBatch = packed ? length * row : heads * head;
  const long long second = packed ? width : tokens * width;
  p.q = in.data, p.k = in.at(second, size), p.v = in.at(2 * second, size);
  p.dq = gradients.data, p.dk = gradients.at(second, size), p.dv = gradients.at(2 * second, size);
  p.dout = dout.data;
  p.statistics = maximum, p.delta = static_cast<float *>(delta.data);
  p.turns = static_cast<int *>(turns.data);
  p.qRow = p.kRow = p.vRow = p.dqRow = p.dkRow = p.dvRow = row;
  p.qHead = p.kHead = p.vHead = p.dqHead = p.dkHead = p.dvHead = head;
  p.qBatch = p.kBatch = p.vBatch = p.dqBatch = p.dkBatch = p.dvBatch = perBatch;
  p.doutRow = packed ? width : D, p.doutHead = head, p.doutBatch = packed ? length * width : perBatch;
  const auto time = [&](int parts) { return timeLaunches([&] { launch(instance, p, Scores{}, parts); }); };
  const double zeros_ms = instance.queries.kernel ? 0 : time(Zeros);
  // The float32 keys kernel counts on zeros: alone it would wait for ever.
  const double keys_ms = instance.queries.kernel ? time(Keys) : 0;
  const double queries_ms = instance.queries.kernel ? time(Queries) : 0;
  const double ms = time(Zeros | Keys | Queries);
  const double flops =
      10.0 * batch * heads * double(length) * length * D * (isCausal(instance.kind) ? 0.5 : 1.0);
  const AttentionTile &k = instance.keys.tile, &q = instance.queries.tile;
  std::printf("time,%s,%s,%s,%s,%d,%d,%d,%d,%dx%dx%dx%d,%dx%dx%dx%d,%s,%.4f,%.4f,%.4f,%.4f,%.1f,%.1f\n",
              instance.family, name(instance.element), name(instance.kind), name(layout), D, batch, heads,
              length, k.tileM, k.tileN, k.warps, k.minBlocks, q.tileM, q.tileN, q.warps, q.minBlocks,
              instance.isDefault ? "default" : "", zeros_ms, keys_ms, queries_ms, ms, flops / ms * 1e-9,
              double(statistics + (instance.queries.kernel ? 0 : turnBytes)) / (1 << 20));
  std::fflush(stdout);
}

void list() {
  std::printf(
      "kernel,family,element,kind,d,dv,name,tile_m,tile_n,warps,min_blocks,aligned,default,registers,local,"
      "shared,blocks_per_sm\n");
  for (const BackwardInstance &i : backwardInstances()) {
    const std::pair<const char *, const BackwardKernel *> kernels[] = {
        {"keys", &i.keys}, {"queries", &i.queries}, {"bias", &i.bias}};
    for (const auto &[kernelName, kernel] : kernels) {
      if (!kernel->kernel)
        continue;
      cudaFuncAttributes attributes;
      cuda(cudaFuncGetAttributes(&attributes, kernel->kernel), "attributes");
      std::printf("kernel,%s,%s,%s,%d,%d,%s,%d,%d,%d,%d,%d,%d,%d,%zu,%d,%d\n", i.family, name(i.element),
                  name(i.kind), i.headDim, i.valueDim, kernelName, kernel->tile.tileM, kernel->tile.tileN,
                  kernel->tile.warps, kernel->tile.minBlocks, i.aligned, i.isDefault, attributes.numRegs,
                  attributes.localSizeBytes, kernel->sharedBytes, resident(*kernel) / multiprocessors());
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  bool listing = false, check = false, f32 = false, bf16 = false, defaults = false;
  std::string family;
  int dim = 0;
  uint64_t seed = 1;
  if (!parseFlags(argc, argv,
                  {{"--list", &listing},
                   {"--check", &check},
                   {"--time-f32", &f32},
                   {"--time-bf16", &bf16},
                   {"--defaults", &defaults},
                   {"--family", &family, "F"},
                   {"--dim", &dim, "D"},
                   {"--seed", &seed, "N"}}))
    return 2;
  if (!listing && !check && !f32 && !bf16)
    listing = check = f32 = bf16 = true;
  auto &all = backwardInstances();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const BackwardInstance &i) {
                             return (!family.empty() && family != i.family) || (dim && dim != i.headDim) ||
                                    (defaults && !i.isDefault);
                           }),
            all.end());
  if (all.empty()) {
    std::fprintf(stderr, "error: no such kernel here\n");
    return 2;
  }

  cudaDeviceProp device;
  cuda(cudaGetDeviceProperties(&device, 0), "no device");
  std::printf("# %s, %d SMs\n", device.name, device.multiProcessorCount);
  for (const BackwardInstance &i : all)
    for (const BackwardKernel *kernel : {&i.keys, &i.queries, &i.bias})
      if (kernel->kernel)
        cuda(cudaFuncSetAttribute(kernel->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  kernel->sharedBytes),
             "shared memory");
  if (listing)
    list();
  Tally tally;
  if (check) {
    for (const BackwardInstance &i : all)
      for (const Problem &p : problems(i, seed))
        checkOne(i, p, tally);
    std::printf("checks,%d run,%d failed\n", tally.runs, tally.failures);
    std::fflush(stdout);
  }
  if (f32 || bf16)
    std::printf(
        "time,family,element,kind,layout,d,batch,heads,n,keys_tile,queries_tile,default,zeros_ms,keys_ms,"
        "queries_ms,ms,tflops,scratch_mib\n");
  const auto timed = [&](const BackwardInstance &i, Element element, int d) {
    return i.element == element && i.outElement == element && i.aligned && i.headDim == d &&
           i.valueDim == d && (i.kind == ScoreKind::Full || i.kind == ScoreKind::Causal);
  };
  if (f32)
    for (int d : {16, 32, 64, 128})
      for (int length : {256, 1024, 4096, 8192, 16384})
        for (const BackwardInstance &i : all)
          if (timed(i, Element::F32, d) && (length != 8192 || i.isDefault) &&
              (i.kind == ScoreKind::Full || length == 4096 || length == 16384))
            timeOne(i, 8, 1, length, Layout::Contiguous);
  if (bf16)
    for (int d : {64, 80, 128})
      for (int length : {1024, 4096, 16384})
        for (const BackwardInstance &i : all)
          if (timed(i, Element::BF16, d)) {
            timeOne(i, 16384 / length, 16, length, Layout::Contiguous);
            if (i.isDefault)
              timeOne(i, 16384 / length, 16, length, Layout::Packed);
          }
  // The study's models: batch 4, context 512, packed.
  for (const Element element : {Element::F32, Element::BF16}) {
    if (!(element == Element::F32 ? f32 : bf16))
      continue;
    for (const auto &[heads, d] : {std::pair{12, 64}, {16, 64}, {20, 64}, {32, 80}, {36, 128}})
      for (const BackwardInstance &i : all)
        if (timed(i, element, d) && i.kind == ScoreKind::Causal)
          timeOne(i, 4, heads, 512, Layout::Packed);
  }
  return tally.failures != 0;
}
