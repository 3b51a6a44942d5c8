//===- ArtifactTest.cpp - Plans as bytes and files ------------------------===//
#include "runtime/plan/Artifact.h"

#include "SamplePlan.h"
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

using namespace heddle::runtime;

namespace {

void putHash(std::vector<uint8_t> &bytes) {
  Hash128 hash = hash128(std::span(bytes).subspan(40));
  std::memcpy(bytes.data() + 24, &hash.low, 8);
  std::memcpy(bytes.data() + 32, &hash.high, 8);
}

void expectSame(const BufferRef &a, const BufferRef &b) {
  EXPECT_EQ(a.buffer, b.buffer);
  EXPECT_EQ(a.byteOffset, b.byteOffset);
}

void expectSame(const MatrixRef &a, const MatrixRef &b) {
  expectSame(a.ref, b.ref);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.ld, b.ld);
  EXPECT_EQ(a.batchStride, b.batchStride);
  EXPECT_EQ(a.transposed, b.transposed);
}

TEST(Artifact, RoundTripKeepsEveryField) {
  Plan plan = samplePlan();
  auto bytes = writePlan(plan);
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  auto read = readPlan(*bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->model, plan.model);
  EXPECT_EQ(read->device, plan.device);
  EXPECT_EQ(read->target, plan.target);
  EXPECT_EQ(read->pipeline, plan.pipeline);
  EXPECT_EQ(read->mode, plan.mode);
  EXPECT_EQ(read->precision, plan.precision);
  EXPECT_EQ(read->symbols[1].name, "sequence");
  EXPECT_EQ(read->symbols[1].value, 128);
  EXPECT_EQ(read->arenaBytes, plan.arenaBytes);
  EXPECT_EQ(read->workspaceBytes, plan.workspaceBytes);
  EXPECT_EQ(read->matrixFlops, plan.matrixFlops);
  ASSERT_EQ(read->buffers.size(), plan.buffers.size());
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer &a = read->buffers[i], &b = plan.buffers[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.role, b.role);
    EXPECT_EQ(a.dtype, b.dtype);
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_EQ(a.firstStep, b.firstStep);
    EXPECT_EQ(a.lastStep, b.lastStep);
    EXPECT_EQ(a.indexLimit, b.indexLimit);
    EXPECT_EQ(a.panel, b.panel);
    EXPECT_EQ(a.ignoredIndex, b.ignoredIndex);
    EXPECT_EQ(a.data, b.data);
    EXPECT_EQ(a.location, b.location);
    ASSERT_EQ(a.parts.size(), b.parts.size());
    for (size_t j = 0; j < a.parts.size(); ++j) {
      EXPECT_EQ(a.parts[j].name, b.parts[j].name);
      EXPECT_EQ(a.parts[j].shape, b.parts[j].shape);
      EXPECT_EQ(a.parts[j].elementOffset, b.parts[j].elementOffset);
      EXPECT_EQ(a.parts[j].init, b.parts[j].init);
      EXPECT_EQ(a.parts[j].scale, b.parts[j].scale);
    }
  }
  const Kernel &a = read->kernels[0], &b = plan.kernels[0];
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.language, b.language);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.binary, b.binary);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.threads, b.threads);
  EXPECT_EQ(a.sharedBytes, b.sharedBytes);
  ASSERT_EQ(read->steps.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read->steps[i].kind, plan.steps[i].kind);
    EXPECT_EQ(read->steps[i].phase, plan.steps[i].phase);
    EXPECT_EQ(read->steps[i].label, plan.steps[i].label);
    EXPECT_EQ(read->steps[i].location, plan.steps[i].location);
  }
  const Launch &l = read->steps[0].launch, &m = plan.steps[0].launch;
  EXPECT_EQ(l.kernel, m.kernel);
  EXPECT_EQ(l.counts, m.counts);
  EXPECT_EQ(l.grid, m.grid);
  EXPECT_EQ(l.items, m.items);
  ASSERT_EQ(l.buffers.size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    expectSame(l.buffers[i], m.buffers[i]);
  ASSERT_EQ(l.maps.size(), 1u);
  EXPECT_EQ(l.maps[0].operand, m.maps[0].operand);
  EXPECT_EQ(l.maps[0].dtype, m.maps[0].dtype);
  EXPECT_EQ(l.maps[0].extents, m.maps[0].extents);
  EXPECT_EQ(l.maps[0].strides, m.maps[0].strides);
  EXPECT_EQ(l.maps[0].box, m.maps[0].box);
  EXPECT_EQ(l.maps[0].swizzle, m.maps[0].swizzle);
  const Product &p = read->steps[1].product, &q = plan.steps[1].product;
  EXPECT_EQ(p.m, q.m);
  EXPECT_EQ(p.n, q.n);
  EXPECT_EQ(p.k, q.k);
  EXPECT_EQ(p.batch, q.batch);
  expectSame(p.a, q.a);
  expectSame(p.b, q.b);
  expectSame(p.c, q.c);
  expectSame(p.d, q.d);
  EXPECT_EQ(p.alpha, q.alpha);
  EXPECT_EQ(p.beta, q.beta);
  EXPECT_EQ(p.math, q.math);
  EXPECT_EQ(p.epilogue, q.epilogue);
  expectSame(p.bias, q.bias);
  EXPECT_EQ(p.biasType, q.biasType);
  EXPECT_EQ(p.algorithm, q.algorithm);
  expectSame(read->steps[2].copy.source, plan.steps[2].copy.source);
  expectSame(read->steps[2].copy.destination, plan.steps[2].copy.destination);
  EXPECT_EQ(read->steps[2].copy.bytes, plan.steps[2].copy.bytes);
  EXPECT_EQ(*writePlan(*read), *bytes); // Same plan, same bytes.
}

TEST(Artifact, KeepsInstances) {
  Plan plan = samplePlan("cpu");
  plan.steps[0].launch.buffers = {{0, 0}, {1, 0}};
  plan.steps[0].launch.shares = {2, 0};
  auto bytes = writePlan(plan);
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  auto read = readPlan(*bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->steps[0].launch.shares, plan.steps[0].launch.shares);
  EXPECT_EQ(instancesOf(read->steps[0].launch), 2);
}

TEST(Artifact, KeepsPanels) {
  auto bytes = writePlan(samplePlanInPanels());
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  auto read = readPlan(*bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->buffers[2].panel, 16);
}

TEST(Artifact, EveryTruncationIsRefused) {
  auto bytes = *writePlan(samplePlan());
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto plan = readPlan(std::span(bytes).first(size));
    ASSERT_FALSE(plan.isOk()) << size;
    ASSERT_EQ(plan.status().code(), StatusCode::InvalidInput);
  }
  EXPECT_EQ(readPlan({}).status().message(), "not a plan: the file is empty");
  EXPECT_EQ(readPlan(std::span(bytes).first(20)).status().message(),
            "the plan is truncated: its header has 40 bytes, found 20");
  EXPECT_EQ(readPlan(std::span(bytes).first(bytes.size() - 1)).status().message(),
            "the plan is truncated: its content has " + std::to_string(bytes.size() - 40) + " bytes, found " +
                std::to_string(bytes.size() - 41));
  // A header alone that promises no content, with the checksum of nothing.
  bytes.resize(40);
  std::memset(bytes.data() + 16, 0, 8);
  putHash(bytes);
  EXPECT_EQ(readPlan(bytes).status().message(), "the plan is malformed: its content is empty");
}

TEST(Artifact, EveryAlteredByteIsRefused) {
  auto bytes = *writePlan(samplePlan());
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 0x10;
    ASSERT_FALSE(readPlan(bytes).isOk()) << i;
    bytes[i] ^= 0x10;
  }
  bytes.back() ^= 1;
  EXPECT_EQ(readPlan(bytes).status().message().substr(0, 30), "the plan is damaged: checksum ");
  bytes.back() ^= 1;
  bytes.push_back(0);
  EXPECT_EQ(readPlan(bytes).status().message().substr(0, 34), "the plan is damaged: its content h");
}

// Whoever alters the content and its checksum meets the verifiers; nothing may crash.
TEST(Artifact, ForgedContentDoesNotCrash) {
  const auto original = *writePlan(samplePlan());
  for (size_t i = 40; i < original.size(); ++i)
    for (uint8_t bit : {0x01, 0x80, 0xff}) {
      auto bytes = original;
      bytes[i] ^= bit;
      putHash(bytes);
      auto plan = readPlan(bytes);
      if (!plan.isOk()) {
        ASSERT_EQ(plan.status().code(), StatusCode::InvalidInput);
      }
    }
  auto bytes = original;
  std::fill(bytes.begin() + 40, bytes.end(), 0xee);
  putHash(bytes);
  EXPECT_EQ(readPlan(bytes).status().message(), "the plan is malformed: its tables do not verify");
}

TEST(Artifact, OtherFilesAndVersions) {
  std::string text = "module { func.func @main() }";
  EXPECT_EQ(
      readPlan(std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size())).status().message(),
      "not a plan: a plan begins with HEDDLEPL");
  auto bytes = *writePlan(samplePlan());
  bytes[8] = 77;
  EXPECT_EQ(readPlan(bytes).status().message(),
            "the plan has format version 77, this program reads version 4; compile the model again");
}

TEST(Artifact, FilesNameThePath) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "heddle-artifact.plan").string();
  ASSERT_TRUE(writePlanFile(samplePlan(), path).isOk());
  ASSERT_TRUE(readPlanFile(path).isOk());
  ASSERT_TRUE(writeFile(path, "").isOk());
  EXPECT_EQ(readPlanFile(path).status().message(), path + ": not a plan: the file is empty");
  std::filesystem::remove(path);
}

TEST(Artifact, AWrongPlanIsNotWritten) {
  Plan plan = samplePlan();
  plan.steps[2].copy.bytes = 33;
  auto bytes = writePlan(plan);
  EXPECT_EQ(bytes.status().code(), StatusCode::Internal);
  EXPECT_EQ(bytes.status().message(),
            "the plan to be written is wrong: plan: step 2 (copy): source: bytes 0 to 0+33 "
            "are outside buffer 3 (y) of 32");
}

} // namespace
