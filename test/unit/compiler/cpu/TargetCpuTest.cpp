// The pass target-cpu: programs in, programs and diagnostics out.
#include "CpuKernel.h"

#include <gtest/gtest.h>

using namespace heddle::test;

namespace {
std::string scaleKernel(const std::string &name, const std::string &factor) {
  return fill(R"(kernel.func @$NAME(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
    kernel.rows () in () {
      %f = arith.constant $F : f32
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %s = arith.mulf %v, %f : f32
        kernel.store %s, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
)",
              {{"NAME", name}, {"F", factor}});
}

const std::string kBuffers =
    "plan.buffer @a scratch tensor<9000xf32>\nplan.buffer @b scratch tensor<9000xf32>\n";

std::string launch(const std::string &kernel, const std::string &x, const std::string &y,
                   const std::string &counts) {
  return "plan.launch @" + kernel + " [#plan.ref<@" + x + ">, #plan.ref<@" + y + ">] counts [" + counts +
         "] phase forward\n";
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Keeps a row and overwrites what it was computed from.
std::string overwriting(int64_t width) {
  return fill(R"(kernel.func @kernel(%x: !kernel.buffer<f32>) {
    %w = arith.constant $W : index
    %rows = arith.constant 2 : index
    kernel.rows (%r) in (%rows) {
      %kept = kernel.columns %c in %w {
        %v = kernel.load %x [affine_map<(d0, d1) -> (d0 * $W + d1)>] (%r, %c) : !kernel.buffer<f32>
        kernel.yield %v : f32
      } : !kernel.row<f32>
      kernel.columns %c in %w {
        %v = kernel.get %kept : !kernel.row<f32>
        %s = arith.addf %v, %v : f32
        kernel.store %s, %x [affine_map<(d0, d1) -> (d0 * $W + d1)>] (%r, %c) : !kernel.buffer<f32>
      }
    }
  })",
              {{"W", std::to_string(width)}});
}

/// The diagnostics for a kernel with one launch of `counts`.
std::string refusal(const std::string &kernel, const std::vector<int64_t> &counts) {
  try {
    CpuKernel compiled(kernel, "x86-64-v3", {counts});
    return "compiled";
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}
} // namespace

TEST(TargetCpu, EqualKernelsAreCompiledOnce) {
  std::string body = kBuffers + scaleKernel("first", "2.0") + scaleKernel("other", "3.0") +
                     scaleKernel("again", "2.0") + launch("first", "a", "b", "9000") +
                     launch("other", "b", "a", "5") + launch("again", "b", "a", "0");
  std::string text = runTargetCpu(programText(body, "x86-64-v3"), "");
  EXPECT_EQ(countOf(text, "plan.kernel"), 2u) << text.substr(0, 300);
  EXPECT_EQ(countOf(text, "plan.launch @first"), 2u);
  EXPECT_EQ(countOf(text, "plan.launch @other"), 1u);
  EXPECT_EQ(countOf(text, "kernel.func"), 0u);
  EXPECT_EQ(countOf(text, "items = 3 : i64"), 1u);
  EXPECT_EQ(countOf(text, "items = 1 : i64"), 1u);
  EXPECT_EQ(countOf(text, "items = 0 : i64"), 1u);
}

TEST(TargetCpu, SameInputSameBytes) {
  std::string program = programText(kBuffers + scaleKernel("k", "2.0") + scaleKernel("l", "4.0") +
                                        launch("k", "a", "b", "9000"),
                                    "x86-64-v4");
  std::string first = runTargetCpu(program, "");
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(runTargetCpu(program, ""), first);
  EXPECT_NE(runTargetCpu(program, "x86-64-v3"), first);
}

TEST(TargetCpu, OneBufferToReadAndToWrite) {
  // The second load reads what the first store wrote, if both arguments are one buffer; otherwise it may be
  // left out.
  const std::string kernel = R"(kernel.func @k(%x: !kernel.buffer<i32>, %y: !kernel.buffer<i32>, %n: index) {
    kernel.rows (%r) in (%n) {
      %one = arith.constant 1 : i32
      %a = kernel.load %x [affine_map<(d0) -> (d0)>] (%r) : !kernel.buffer<i32>
      %b = arith.addi %a, %one : i32
      kernel.store %b, %y [affine_map<(d0) -> (d0)>] (%r) : !kernel.buffer<i32>
      %c = kernel.load %x [affine_map<(d0) -> (d0)>] (%r) : !kernel.buffer<i32>
      %d = arith.addi %c, %one : i32
      kernel.store %d, %y [affine_map<(d0) -> (d0)>] (%r) : !kernel.buffer<i32>
    }
  })";
  Buffer<int32_t> x(std::vector<int32_t>{10, 20}), y(2);
  CpuKernel apart(kernel, "x86-64-v3", {{2}});
  apart.run(0, {x.data(), y.data()});
  EXPECT_EQ(y.values(), (std::vector<int32_t>{11, 21}));
  CpuKernel inPlace(kernel, "x86-64-v3", {{2}}, /*oneBuffer=*/true);
  inPlace.run(0, {x.data(), x.data()});
  EXPECT_EQ(x.values(), (std::vector<int32_t>{12, 22}));
  EXPECT_NE(apart.object, inPlace.object) << "noalias was of no use";
}

TEST(TargetCpu, UnknownTargetIsRefused) {
  EXPECT_EQ(runTargetCpu(programText("", "sm_90a"), ""),
            "error: 'plan.program' op is for target 'sm_90a', wanted x86-64-v3 or x86-64-v4\n");
}

TEST(TargetCpu, KeptRowsThatNeitherFitNorCanBeComputedAgain) {
  EXPECT_EQ(refusal(overwriting(1000), {}), "compiled");
  EXPECT_NE(refusal(overwriting(100000), {}).find("keeps rows of 400000 bytes, more than the 262144"),
            std::string::npos)
      << refusal(overwriting(100000), {});
}

TEST(TargetCpu, NegativeExtentsAreRefused) {
  EXPECT_NE(refusal(scaleKernel("k", "2.0"), {-5}).find("has a columns extent of -5"), std::string::npos);
}

TEST(TargetCpu, ExtentsBeyondTheCountsAreRefused) {
  const std::string kernel = R"(kernel.func @k(%x: !kernel.buffer<i32>, %n: index) {
    %l = kernel.load %x [affine_map<(d0) -> (d0)>] (%n) : !kernel.buffer<i32>
    %e = arith.index_cast %l : i32 to index
    kernel.rows (%r) in (%e) {
      kernel.store %l, %x [affine_map<(d0) -> (d0)>] (%r) : !kernel.buffer<i32>
    }
  })";
  EXPECT_NE(refusal(kernel, {1}).find("has a row extent that its counts do not determine"),
            std::string::npos);
}

TEST(TargetCpu, ArithmeticOnBF16IsRefused) {
  const std::string kernel = R"(kernel.func @k(%x: !kernel.buffer<bf16>, %n: index) {
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<bf16>
        %s = arith.addf %v, %v : bf16
        kernel.store %s, %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<bf16>
      }
    }
  })";
  EXPECT_NE(refusal(kernel, {1}).find("computes on bf16; wanted arith.extf and arith.truncf around it"),
            std::string::npos);
}

TEST(TargetCpu, KeptRowsOfAnExtentFromTheNestAreRefused) {
  const std::string kernel = R"(kernel.func @k(%x: !kernel.buffer<f32>, %n: index) {
    kernel.rows (%r) in (%n) {
      %kept = kernel.columns %c in %r {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        kernel.yield %v : f32
      } : !kernel.row<f32>
    }
  })";
  EXPECT_NE(refusal(kernel, {3}).find("keeps rows of an extent that is computed in the nest"),
            std::string::npos)
      << refusal(kernel, {3});
}

TEST(TargetCpu, OpsThatStagesDoNotHaveAreRefused) {
  const std::string kernel = R"(kernel.func @k(%x: !kernel.buffer<f32>, %n: index) {
    kernel.rows (%r) in (%n) {
      %sum, %carry = arith.mului_extended %r, %n : index
    }
  })";
  EXPECT_NE(refusal(kernel, {3}).find("is not an op that the CPU target can run in a stage"),
            std::string::npos)
      << refusal(kernel, {3});
}
