//===- SamplePlan.h - A small plan that verifies ----------------*- C++ -*-===//
#ifndef HEDDLE_TEST_UNIT_RUNTIME_PLAN_SAMPLEPLAN_H
#define HEDDLE_TEST_UNIT_RUNTIME_PLAN_SAMPLEPLAN_H

#include "runtime/plan/Plan.h"

namespace heddle::runtime {

/// x [2, 3] → launch → h [2, 3] → product with w [3, 4] (two parts) and a bias → y [2, 4] → copy → z [2, 4].
/// Every field that the artifact stores has a value of its own.
inline Plan samplePlan(const std::string &device = "cuda") {
  Plan plan;
  plan.model = "study:sample";
  plan.device = device;
  plan.target = device == "cuda" ? "sm_80" : "x86-64-v3";
  plan.pipeline = "compiled";
  plan.mode = "forward";
  plan.precision = "fp32";
  plan.symbols = {{"batch", 2}, {"sequence", 128}};
  auto buffer = [&](std::string name, BufferRole role, std::vector<int64_t> shape, int64_t offset,
                    int32_t first, int32_t last) {
    Buffer b;
    b.name = name;
    b.role = role;
    b.shape = shape;
    b.bytes = 4;
    for (int64_t size : shape)
      b.bytes *= size;
    b.offset = offset;
    b.firstStep = first;
    b.lastStep = last;
    b.location = name + ".cpp:1";
    plan.buffers.push_back(b);
  };
  buffer("x", BufferRole::Input, {2, 3}, Buffer::kUnplaced, 0, 0);
  buffer("h", BufferRole::Scratch, {2, 3}, 0, 0, 1);
  buffer("w", BufferRole::Parameter, {3, 4}, Buffer::kUnplaced, 1, 1);
  buffer("y", BufferRole::Scratch, {2, 4}, 256, 1, 2);
  buffer("z", BufferRole::Output, {2, 4}, 512, 2, 2);
  buffer("bias", BufferRole::Constant, {4}, Buffer::kUnplaced, 1, 1);
  plan.buffers[2].parts = {{"w.first", {3, 2}, 0, InitKind::Normal, 0.5},
                           {"w.second", {6}, 6, InitKind::Constant, 1.5}};
  plan.buffers[5].data.assign(16, 7);
  buffer("ids", BufferRole::Input, {2}, Buffer::kUnplaced, -1, -1);
  plan.buffers[6].dtype = DType::I32;
  plan.buffers[6].indexLimit = 100;
  plan.buffers[6].ignoredIndex = -100;
  plan.arenaBytes = 512 + 32;
  plan.workspaceBytes = 4096;
  plan.matrixFlops = 48;

  Kernel kernel;
  kernel.name = "rows_0";
  kernel.language = device == "cuda" ? KernelLanguage::Cuda : KernelLanguage::Cpu;
  kernel.source = "extern \"C\" __global__ void rows_0() {}";
  kernel.binary = {1, 2, 3};
  kernel.target = plan.target;
  kernel.threads = 128;
  kernel.sharedBytes = 1024;
  plan.kernels.push_back(kernel);

  Step launch;
  launch.kind = StepKind::Launch;
  launch.launch.kernel = 0;
  launch.launch.buffers = {{0, 0}, {1, 0}, {}};
  launch.launch.counts = {2, -1};
  launch.launch.grid = {2, 1, 3};
  launch.launch.items = 2;
  if (device == "cuda") // Two columns of x's two rows, were they 16 bytes apart.
    launch.launch.maps = {{0, DType::F32, {2, 2}, {16}, {4, 1}, Swizzle::Bytes32}};
  launch.label = "block rms_norm";
  launch.location = "model.py:7";
  Step product;
  product.kind = StepKind::Product;
  Product &p = product.product;
  p.m = 2, p.n = 4, p.k = 3;
  p.a = {{1, 0}, DType::F32, 3, 0, false};
  p.b = {{2, 0}, DType::F32, 4, 0, false};
  p.d = {{3, 0}, DType::F32, 4, 0, false};
  p.alpha = 2;
  p.math = MathMode::F32;
  p.epilogue = Epilogue::Bias;
  p.bias = {5, 0};
  p.algorithm = {9, 8, 7};
  product.label = "block product";
  Step copy;
  copy.kind = StepKind::Copy;
  copy.copy = {{3, 0}, {4, 0}, 32};
  copy.label = "copy";
  plan.steps = {launch, product, copy};
  return plan;
}

/// The CPU's, with w as [4, 3] in panels of 16 rows.
inline Plan samplePlanInPanels() {
  Plan plan = samplePlan("cpu");
  plan.buffers[2].shape = {4, 3};
  plan.buffers[2].panel = 16;
  Product &p = plan.steps[1].product;
  p.b.ld = 3;
  p.b.transposed = true;
  p.algorithm = {'t', 'i', 'l', 'e', 'd', ':', '1', '6'};
  return plan;
}

} // namespace heddle::runtime

#endif // HEDDLE_TEST_UNIT_RUNTIME_PLAN_SAMPLEPLAN_H
