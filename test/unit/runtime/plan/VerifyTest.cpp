//===- VerifyTest.cpp - Whether a plan means something --------------------===//
//
// Each test breaks one thing in a plan that verifies and expects the one message for it.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/Verify.h"

#include "SamplePlan.h"
#include "runtime/plan/CpuAlgorithm.h"

#include <gtest/gtest.h>

#include <functional>

using namespace heddle::runtime;

namespace {

/// The message after `change`; empty where the plan still verifies.
std::string broken(const std::function<void(Plan &)> &change, const std::string &device = "cuda") {
  Plan plan = samplePlan(device);
  change(plan);
  return verifyPlan(plan).message();
}

TEST(Verify, SamplesVerify) {
  EXPECT_TRUE(verifyPlan(samplePlan("cuda")).isOk());
  EXPECT_TRUE(verifyPlan(samplePlan("cpu")).isOk());
  EXPECT_EQ(verifyPlan(Plan{}).code(), StatusCode::InvalidInput);
}

TEST(Verify, Plan) {
  EXPECT_EQ(broken([](Plan &p) { p.device = "tpu"; }), "plan: device wanted cpu or cuda, found \"tpu\"");
  EXPECT_EQ(broken([](Plan &p) { p.workspaceBytes = -1; }),
            "plan: arena of 544 and workspace of -1 bytes: wanted none below zero");
  const std::string together =
      "plan: buffers, arena and workspace take more than 4611686018427387904 bytes together";
  EXPECT_EQ(broken([](Plan &p) { p.workspaceBytes = INT64_MAX; }), together);
  // Weights have no place in the arena that would bound them.
  EXPECT_EQ(broken([](Plan &p) {
              for (Buffer &buffer : p.buffers)
                if (buffer.role == BufferRole::Parameter)
                  buffer.bytes = INT64_MAX;
            }),
            together);
}

TEST(Verify, Buffers) {
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].role = static_cast<BufferRole>(9); }),
            "plan: buffer 0 (x): unknown role 9");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].dtype = static_cast<DType>(9); }),
            "plan: buffer 0 (x): unknown element type 9");
  EXPECT_EQ(broken([](Plan &p) {
              p.buffers[0].shape = {-2, 3};
            }),
            "plan: buffer 0 (x): shape [-2, 3] is negative or too large");
  EXPECT_EQ(broken([](Plan &p) {
              p.buffers[0].shape = {int64_t{1} << 40, int64_t{1} << 40};
            }),
            "plan: buffer 0 (x): shape [1099511627776, 1099511627776] is negative or too large");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].bytes = 23; }),
            "plan: buffer 0 (x): shape [2, 3] of f32 wants 24 bytes, found 23");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[3].offset = 128; }),
            "plan: buffer 3 (y): offset 128 is not a multiple of 256");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[4].offset = 768; }),
            "plan: buffer 4 (z): bytes 768 to 768+32 are outside the arena of 544");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[1].lastStep = 3; }),
            "plan: buffer 1 (h): life from step 0 to 3 is not within the plan's 3 steps");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[1].firstStep = -1; }),
            "plan: buffer 1 (h): life from step -1 to 1 is not within the plan's 3 steps");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[5].data.pop_back(); }),
            "plan: buffer 5 (bias): data wants 16 bytes, found 15");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].data.assign(24, 0); }),
            "plan: buffer 0 (x): only a constant has data");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].indexLimit = 5; }),
            "plan: buffer 0 (x): index limit 5: wanted 0, or above 0 for an input of i32 or i64");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[6].indexLimit = -1; }),
            "plan: buffer 6 (ids): index limit -1: wanted 0, or above 0 for an input of i32 or i64");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[6].indexLimit = 0; }),
            "plan: buffer 6 (ids): ignored index -100 without an index limit");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].parts.push_back({}); }),
            "plan: buffer 0 (x): only a parameter, a state or an output has parts");
}

TEST(Verify, Parts) {
  EXPECT_EQ(
      broken([](Plan &p) { p.buffers[2].parts[1].elementOffset = 7; }),
      "plan: buffer 2 (w): part w.second of shape [6] at element 7 is outside the buffer's 12 elements");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[2].parts[1].elementOffset = 5; }),
            "plan: buffer 2 (w): parts w.first and w.second overlap");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[2].parts[1].init = static_cast<InitKind>(2); }),
            "plan: buffer 2 (w): part w.second has unknown initialisation 2");
}

TEST(Verify, ParametersHaveFloatingTypes) {
  EXPECT_EQ(broken([](Plan &p) { p.buffers[2].dtype = DType::I32; }),
            "plan: buffer 2 (w): a parameter wants f32, bf16 or f16, found i32");
}

TEST(Verify, ScratchOfInitEndsThere) {
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].phase = Phase::Init; }),
            "plan: buffer 1 (h) lives from step 0 of phase Init to step 1, which every run repeats");
}

TEST(Verify, PitchesOfOutputs) {
  EXPECT_EQ(broken([](Plan &p) {
              p.buffers[4].pitch = 5;
              p.buffers[4].bytes = 40;
              p.arenaBytes += 8;
            }),
            "");
  const std::string wanted =
      ": wanted 0, or more than the last extent for an output without parts whose bytes hold all its rows";
  EXPECT_EQ(broken([](Plan &p) { p.buffers[4].pitch = 5; }), "plan: buffer 4 (z): pitch 5" + wanted);
  EXPECT_EQ(broken([](Plan &p) { p.buffers[4].pitch = 4; }), "plan: buffer 4 (z): pitch 4" + wanted);
  EXPECT_EQ(broken([](Plan &p) { p.buffers[4].pitch = -1; }), "plan: buffer 4 (z): pitch -1" + wanted);
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].pitch = 4; }), "plan: buffer 0 (x): pitch 4" + wanted);
  // Without a row there is nothing to lie apart.
  EXPECT_EQ(broken([](Plan &p) {
              p.buffers[4].shape = {0, 4};
              p.buffers[4].pitch = 5;
            }),
            "plan: buffer 4 (z): pitch 5" + wanted);
}

TEST(Verify, Memory) {
  EXPECT_EQ(broken([](Plan &p) { p.buffers[3].offset = 0; }),
            "plan: buffer 1 (h) and buffer 3 (y) live at once and share bytes of the arena");
  // z, an output in the arena, lives from the step that writes it: h is dead by then, y is not.
  EXPECT_EQ(broken([](Plan &p) { p.buffers[4].offset = 0; }), "");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[4].offset = 256; }),
            "plan: buffer 3 (y) and buffer 4 (z) live at once and share bytes of the arena");
  // It is read after the run: it must live to the last step.
  EXPECT_EQ(broken([](Plan &p) { p.buffers[4].firstStep = p.buffers[4].lastStep = 1; }),
            "plan: buffer 4 (z): an output in the arena wants to live until the last step 2, found 1");
  // Touching at a multiple of 256 is not sharing; disjoint lives may share.
  EXPECT_EQ(broken([](Plan &p) {
              Buffer late = p.buffers[1];
              late.name = "late";
              late.firstStep = late.lastStep = 2;
              p.buffers.push_back(late);
            }),
            "");
  EXPECT_EQ(broken([](Plan &p) { // Partial overlap from below.
              p.buffers[1].shape = {100};
              p.buffers[1].bytes = 400;
            }),
            "plan: buffer 1 (h) and buffer 3 (y) live at once and share bytes of the arena");
}

TEST(Verify, Names) {
  EXPECT_EQ(broken([](Plan &p) { p.buffers[2].parts[1].name = "w.first"; }),
            "plan: two buffers or parts are named w.first (element of the state dict)");
  EXPECT_EQ(broken([](Plan &p) { p.buffers[0].name.clear(); }), "plan: an input has no name");
  EXPECT_EQ(broken([](Plan &p) { p.kernels.push_back(p.kernels[0]); }), "plan: two kernels are named rows_0");
}

TEST(Verify, Outputs) {
  EXPECT_EQ(broken([](Plan &p) {
              p.steps.pop_back(), p.buffers[3].lastStep = 1,
                                  p.buffers[4].firstStep = p.buffers[4].lastStep = -1;
              p.buffers[4].offset = Buffer::kUnplaced;
            }),
            "plan: buffer 4 (z) is an output that no step writes");
}

TEST(Verify, Kernels) {
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].name.clear(); }), "plan: kernel 0 (): has no name");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].language = KernelLanguage::Cpu; }),
            "plan: kernel 0 (rows_0): language wanted for device cuda is 0, found 1");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].target.clear(); }), "plan: kernel 0 (rows_0): has no target");
  EXPECT_EQ(broken([](Plan &p) {
              p.kernels[0].binary.clear();
              p.kernels[0].source.clear();
            }),
            "plan: kernel 0 (rows_0): has neither source nor binary");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].binary.clear(); }, "cpu"),
            "plan: kernel 0 (rows_0): has no object code");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].threads = 2048; }),
            "plan: kernel 0 (rows_0): threads a block: wanted 1 to 1024, found 2048");
  EXPECT_EQ(broken([](Plan &p) { p.kernels[0].sharedBytes = -1; }),
            "plan: kernel 0 (rows_0): shared bytes: wanted none or more, found -1");
}

TEST(Verify, Launches) {
  const std::string at = "plan: step 0 (block rms_norm): ";
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.kernel = 1; }), at + "wanted a kernel below 1, found 1");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.buffers[1].buffer = 7; }),
            at + "operand 1: wanted a buffer below 7, found 7");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.buffers[1].buffer = -2; }),
            at + "operand 1: wanted a buffer below 7, found -2");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.buffers[1].byteOffset = 25; }),
            at + "operand 1: bytes 25 to 25+0 are outside buffer 1 (h) of 24");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.buffers[1].buffer = 3; }),
            at + "operand 1: buffer 3 (y) lives from step 1 to 2");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.grid[1] = 0; }),
            at + "grid[1]: wanted 1 to 65535, found 0");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.items = -1; }, "cpu"),
            at + "items: wanted 0 to 140737488355328, found -1");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.items = INT64_MAX; }, "cpu"),
            at + "items: wanted 0 to 140737488355328, found 9223372036854775807");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].kind = static_cast<StepKind>(4); }), at + "unknown kind 4");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].phase = static_cast<Phase>(4); }), at + "unknown phase 4");
  EXPECT_EQ(broken([](Plan &p) { p.steps[1].phase = Phase::Init; }),
            "plan: step 1 (block product): a step of phase Init comes after a step of another phase");
}

TEST(Verify, Instances) {
  const std::string at = "plan: step 0 (block rms_norm): ";
  auto batch = [](std::vector<int64_t> shares, const std::function<void(Launch &)> &change = nullptr) {
    return [=](Plan &p) {
      Launch &launch = p.steps[0].launch;
      launch.maps.clear();
      launch.buffers = {{0, 0}, {1, 0}, {0, 0}, {}};
      launch.grid = {5, 1, 1};
      launch.items = 5;
      launch.shares = shares;
      if (change)
        change(launch);
    };
  };
  for (const char *device : {"cuda", "cpu"}) {
    EXPECT_EQ(broken(batch({2, 3}), device), "");
    EXPECT_EQ(broken(batch({5, 0}), device), "");
    EXPECT_EQ(broken(batch({2, 2}), device), at + "shares: wanted 5 together, found 4");
    EXPECT_EQ(broken(batch({2, 4}), device), at + "shares[1]: wanted 0 to the 3 that are left, found 4");
    EXPECT_EQ(broken(batch({6, -1}), device), at + "shares[0]: wanted 0 to the 5 that are left, found 6");
    EXPECT_EQ(broken(batch({2, 2, 1}), device),
              at + "wanted as many operands for each of 3 instances, found 4 buffers and 2 counts");
  }
  EXPECT_EQ(broken(batch({2, 3},
                         [](Launch &launch) {
                           launch.grid = {5, 1, 2};
                         })),
            at + "shares[0]: wanted 0 to the 0 that are left, found 2");
  EXPECT_EQ(broken(batch({2, 3},
                         [](Launch &launch) {
                           launch.maps = {{0, DType::F32, {2, 2}, {16}, {4, 1}, Swizzle::Bytes32}};
                         })),
            at + "wanted no tensor maps for 2 instances, found 1");
}

TEST(Verify, TensorMaps) {
  const std::string at = "plan: step 0 (block rms_norm): tensor map 0: ";
  auto map = [&](const std::function<void(TensorMap &)> &change) {
    return broken([&](Plan &p) { change(p.steps[0].launch.maps[0]); });
  };
  EXPECT_EQ(map([](TensorMap &m) { m.operand = 3; }), at + "operand: wanted 0 to 2, found 3");
  EXPECT_EQ(map([](TensorMap &m) { m.operand = -1; }), at + "operand: wanted 0 to 2, found -1");
  EXPECT_EQ(map([](TensorMap &m) { m.operand = 2; }), at + "wanted a buffer below 7, found -1");
  EXPECT_EQ(map([](TensorMap &m) { m.dtype = DType::I32; }), at + "wanted f32, bf16 or f16, found i32");
  EXPECT_EQ(map([](TensorMap &m) { m.swizzle = static_cast<Swizzle>(4); }),
            at + "swizzle: wanted 0 to 3, found 4");
  EXPECT_EQ(map([](TensorMap &m) { m.extents.clear(); }), at + "extents: wanted 1 to 5, found 0");
  EXPECT_EQ(map([](TensorMap &m) { m.extents.assign(6, 1); }), at + "extents: wanted 1 to 5, found 6");
  EXPECT_EQ(map([](TensorMap &m) { m.strides.clear(); }),
            at + "wanted 1 strides and a box of 2, found 0 and 2");
  EXPECT_EQ(map([](TensorMap &m) { m.box.pop_back(); }),
            at + "wanted 1 strides and a box of 2, found 1 and 1");
  EXPECT_EQ(map([](TensorMap &m) { m.extents[1] = 0; }), at + "extents[1]: wanted 1 to 4294967296, found 0");
  EXPECT_EQ(map([](TensorMap &m) { m.box[1] = 257; }), at + "box[1]: wanted 1 to 256, found 257");
  EXPECT_EQ(map([](TensorMap &m) { m.strides[0] = 0; }),
            at + "strides[0]: wanted 16 to 1099511627760, found 0");
  EXPECT_EQ(map([](TensorMap &m) { m.strides[0] = 20; }),
            at + "strides[0]: wanted a multiple of 16, found 20");
  EXPECT_EQ(map([](TensorMap &m) { m.box[0] = 2; }),
            at + "box[0]: wanted a multiple of 16 bytes up to 32, found 8");
  EXPECT_EQ(map([](TensorMap &m) { m.box[0] = 12; }),
            at + "box[0]: wanted a multiple of 16 bytes up to 32, found 48");
  EXPECT_EQ(
      map([](TensorMap &m) { m.extents[0] = 3; }), // The last row ends where x does, and a column later.
      at + "bytes 0 to 0+28 are outside buffer 0 (x) of 24");
  EXPECT_EQ(map([](TensorMap &m) {
              m.extents.assign(5, int64_t{1} << 32);
              m.strides.assign(4, (int64_t{1} << 40) - 16);
              m.box.assign(5, 4);
            }),
            at + "bytes 0 to 0+9223372036854775807 are outside buffer 0 (x) of 24");
  EXPECT_EQ(broken([](Plan &p) {
              p.buffers[0].bytes = 64;
              p.steps[0].launch.buffers[0].byteOffset = 8;
            }),
            at + "wanted an operand at a multiple of 16 bytes, found byte 8");
  EXPECT_EQ(broken([](Plan &p) { p.steps[0].launch.maps.resize(2); }, "cpu"),
            "plan: step 0 (block rms_norm): wanted no tensor maps for device cpu, found 2");
}

TEST(Verify, Products) {
  const std::string at = "plan: step 1 (block product): ";
  auto product = [](const std::function<void(Product &)> &change) {
    return broken([&](Plan &p) { change(p.steps[1].product); });
  };
  EXPECT_EQ(product([](Product &p) { p.m = 0; }),
            at + "product of m 0, n 4, k 3, batch 1: wanted all above zero (k may be zero)");
  EXPECT_EQ(product([](Product &p) { p.a.ld = 2; }), at + "a: ld wanted at least 3, found 2");
  EXPECT_EQ(product([](Product &p) { p.a.ld = 4; }),
            at + "a: bytes 0 to 0+28 are outside buffer 1 (h) of 24");
  EXPECT_EQ(product([](Product &p) { p.b.batchStride = -1; }),
            at + "b: strides 4 and -1: wanted none below zero");
  EXPECT_EQ(product([](Product &p) { p.b.ref.byteOffset = 2; }),
            at + "b: byte offset 2 is not a multiple of 4");
  EXPECT_EQ(product([](Product &p) { p.batch = 2, p.d.batchStride = 8; }),
            at + "d: bytes 0 to 0+64 are outside buffer 3 (y) of 32");
  EXPECT_EQ(product([](Product &p) { p.batch = 2; }),
            at + "d: 2 matrices with batch stride 0 would be written over each other");
  EXPECT_EQ(
      product([](Product &p) { p.b.batchStride = INT64_MAX, p.d.batchStride = 1, p.batch = INT64_MAX; }),
      at + "b: bytes 0 to 0+9223372036854775807 are outside buffer 2 (w) of 48");
  EXPECT_EQ(product([](Product &p) { p.b.transposed = true; }),
            at + "b: bytes 0 to 0+60 are outside buffer 2 (w) of 48");
  EXPECT_EQ(product([](Product &p) { p.b.transposed = true, p.b.ld = 3; }), "");
  EXPECT_EQ(product([](Product &p) { p.d.transposed = true; }),
            at + "d: bytes 0 to 0+56 are outside buffer 3 (y) of 32");
  EXPECT_EQ(product([](Product &p) { p.d.transposed = true, p.d.ld = 2; }),
            at + "c and d must not be transposed");
  EXPECT_EQ(product([](Product &p) { p.beta = 1; }), at + "beta is 1.000000 and c is absent");
  EXPECT_EQ(product([](Product &p) { p.math = MathMode::Low; }),
            at + "a and b: wanted both bf16 or both f16, found f32 and f32");
  EXPECT_EQ(product([](Product &p) { p.a.dtype = DType::BF16; }),
            at + "a and b: wanted both f32, found bf16 and f32");
  EXPECT_EQ(product([](Product &p) { p.a.dtype = DType::I32; }),
            at + "a: wanted f32, bf16 or f16, found i32");
  EXPECT_EQ(product([](Product &p) { p.bias = {}; }), at + "the epilogue wants a bias, found none");
  EXPECT_EQ(product([](Product &p) { p.epilogue = Epilogue::Relu; }),
            at + "the epilogue takes no bias, found one");
  EXPECT_EQ(product([](Product &p) { p.bias.byteOffset = 4; }),
            at + "bias: bytes 4 to 4+16 are outside buffer 5 (bias) of 16");
  EXPECT_EQ(product([](Product &p) { p.biasType = DType::I64; }),
            at + "bias: wanted f32, bf16 or f16, found i64");
  EXPECT_EQ(product([](Product &p) { p.math = static_cast<MathMode>(3); }), at + "unknown math mode 3");
  EXPECT_EQ(product([](Product &p) { p.epilogue = static_cast<Epilogue>(7); }), at + "unknown epilogue 7");
  auto gate = [](const std::function<void(Product &)> &change, const char *device = "cpu") {
    return broken(
        [&](Plan &plan) {
          Product &p = plan.steps[1].product;
          p.epilogue = Epilogue::SiluMul;
          p.bias = {};
          p.algorithm.assign(kTiledProduct.begin(), kTiledProduct.end());
          change(p);
        },
        device);
  };
  EXPECT_EQ(gate([](Product &) {}), ""); // d is narrower than its buffer.
  EXPECT_EQ(gate([](Product &p) { p.n = 3; }),
            at + "an epilogue that multiplies two halves wants an even n and no c, found n 3");
  EXPECT_EQ(gate([](Product &p) { p.c = p.d; }),
            at + "an epilogue that multiplies two halves wants an even n and no c, found n 4 and c");
  const std::string alone = "an epilogue that multiplies two halves is for the CPU's algorithm 'tiled' alone";
  EXPECT_EQ(gate([](Product &p) { p.algorithm.clear(); }), at + alone);
  EXPECT_EQ(gate([](Product &) {}, "cuda"), at + alone);
}

TEST(Verify, Panels) {
  auto panels = [](const std::function<void(Plan &)> &change) {
    Plan plan = samplePlanInPanels();
    change(plan);
    return verifyPlan(plan).message();
  };
  EXPECT_EQ(panels([](Plan &) {}), "");
  const std::string form = ": wanted them of a parameter that is a matrix of floats and nothing else";
  // Only what the target's products read: another number may ask for any memory.
  for (int64_t panel : {int64_t{-1}, int64_t{32}, int64_t{1} << 50})
    EXPECT_EQ(panels([&](Plan &p) { p.buffers[2].panel = panel; }),
              "plan: buffer 2 (w): panels of " + std::to_string(panel) +
                  " rows: wanted 16 for target x86-64-v3");
  EXPECT_EQ(panels([](Plan &p) { p.target = "x86-64"; }),
            "plan: buffer 2 (w): panels of 16 rows: wanted none for target x86-64");
  EXPECT_EQ(panels([](Plan &p) { p.buffers[2].shape = {12}; }),
            "plan: buffer 2 (w): panels of 16 rows" + form);
  EXPECT_EQ(panels([](Plan &p) { p.buffers[2].dtype = DType::I32; }),
            "plan: buffer 2 (w): panels of 16 rows" + form);
  EXPECT_EQ(panels([](Plan &p) { p.buffers[2].bytes += 4; }), "plan: buffer 2 (w): panels of 16 rows" + form);
  EXPECT_EQ(panels([](Plan &p) { p.buffers[1].panel = 16; }), "plan: buffer 1 (h): panels of 16 rows" + form);
  EXPECT_EQ(broken([](Plan &p) { p.buffers[2].panel = 16; }),
            "plan: buffer 2 (w): panels of 16 rows: wanted none for target sm_80");
  const std::string at = "plan: step 1 (block product): b: ";
  EXPECT_EQ(panels([](Plan &p) { p.buffers[2].panel = 0; }),
            at + "buffer 2 (w) wanted panels of 16 rows, found rows");
  EXPECT_EQ(panels([](Plan &p) { p.steps[1].product.algorithm.resize(5); }),
            at + "buffer 2 (w) wanted rows, found panels of 16 rows");
  const std::string whole =
      at + "wanted one product with all of buffer 2 (w), transposed, which is stored in panels of 16 rows";
  EXPECT_EQ(panels([](Plan &p) { p.steps[1].product.n = 3; }), whole);
  EXPECT_EQ(panels([](Plan &p) {
              p.steps[1].product.b.transposed = false;
              p.steps[1].product.b.ld = 4;
            }),
            whole);
  EXPECT_EQ(panels([](Plan &p) {
              p.steps[1].product.epilogue = Epilogue::SiluMul;
              p.steps[1].product.bias = {};
            }),
            at + "wanted halves of whole panels of 16 rows, found n 4");
  // Nobody else may read it.
  EXPECT_EQ(panels([](Plan &p) {
              p.steps[2].copy.source = {2, 0};
            }),
            "plan: step 2 (copy): source: buffer 2 (w) wanted rows, found panels of 16 rows");
  EXPECT_EQ(panels([](Plan &p) {
              p.steps[0].launch.buffers[0] = {2, 0};
            }),
            "plan: step 0 (block rms_norm): operand 0: buffer 2 (w) wanted rows, found panels of 16 rows");
}

TEST(Verify, Copies) {
  const std::string at = "plan: step 2 (copy): ";
  EXPECT_EQ(broken([](Plan &p) { p.steps[2].copy.destination.byteOffset = 4; }),
            at + "destination: bytes 4 to 4+32 are outside buffer 4 (z) of 32");
  EXPECT_EQ(broken([](Plan &p) { p.steps[2].copy.source = {}; }),
            at + "source: wanted a buffer below 7, found -1");
  EXPECT_EQ(broken([](Plan &p) { p.steps[2].copy.bytes = -1; }),
            at + "source: bytes 0 to 0+-1 are outside buffer 3 (y) of 32");
}

} // namespace
