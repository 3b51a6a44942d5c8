//===- GraphPhaseTest.cpp - Every kind of decoder is raised whole ---------===//
#include "compiler/Graph/Passes.h"
#include "compiler/Import/DecoderBuilder.h"
#include "compiler/Import/Presets.h"
#include "dialects/Graph/GraphModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <map>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::import;

namespace {

struct Raised {
  std::map<std::string, int> counts;
  MatchReports reports;
  std::string text;
};

Raised raise(const DecoderSpec &spec, DecoderExtents extents = {3, 7}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildDecoder(&context, spec, extents);
  Raised raised;
  mlir::PassManager manager(&context);
  addGraphPhase(manager, raised.reports);
  EXPECT_TRUE(succeeded(manager.run(*module)));
  mainFunction(*module).walk(
      [&](mlir::Operation *op) { ++raised.counts[op->getName().stripDialect().str()]; });
  llvm::raw_string_ostream os(raised.text);
  module->print(os);
  return raised;
}

DecoderSpec tiny() {
  DecoderSpec spec;
  spec.name = "tiny";
  spec.layers = 2;
  spec.dModel = 24;
  spec.dFf = 40;
  spec.heads = 6;
  spec.kvHeads = 6;
  spec.headDim = 8;
  spec.vocabulary = 50;
  spec.maxPositions = 16;
  return spec;
}

/// Two layers: two attentions, no product, softmax or mask of them left, no near miss.
void expectAttention(const Raised &raised) {
  std::map<std::string, int> counts = raised.counts;
  EXPECT_EQ(counts["attention"], 2);
  EXPECT_EQ(counts["softmax"], 0);
  EXPECT_EQ(counts["select"], 0);
  EXPECT_EQ(counts["compare"], 0);
  for (const MatchReport &report : raised.reports)
    EXPECT_TRUE(report.matched) << report.pattern << " at " << report.location << ": " << report.reason;
}

TEST(GraphPhase, Preset) {
  DecoderSpec spec = *findPreset("study:small");
  spec.layers = 2;
  Raised raised = raise(spec, {2, 16});
  expectAttention(raised);
  EXPECT_EQ(raised.counts["rms_norm"], 5);
  EXPECT_EQ(raised.counts["rsqrt"], 0);
  EXPECT_EQ(raised.counts["matmul"], 2 * 7 + 1);
  // The key is read as it was before it was transposed for the product.
  EXPECT_EQ(raised.text.find("[0, 1, 3, 2]"), std::string::npos);
  ASSERT_EQ(raised.reports.size(), 7u);
  EXPECT_EQ(raised.reports[0].pattern, "rms_norm");
  EXPECT_EQ(raised.reports[0].location, "blocks.0.norm1");
  EXPECT_EQ(raised.reports[5].pattern, "attention");
  EXPECT_EQ(raised.reports[5].location, "blocks.0.attention");
}

TEST(GraphPhase, TwiceTheSameText) { EXPECT_EQ(raise(tiny()).text, raise(tiny()).text); }

TEST(GraphPhase, NormKindsAndPlaces) {
  for (NormPlace place : {NormPlace::Pre, NormPlace::Post}) {
    DecoderSpec spec = tiny();
    spec.normPlace = place;
    Raised raised = raise(spec);
    expectAttention(raised);
    EXPECT_EQ(raised.counts["rms_norm"], place == NormPlace::Pre ? 5 : 4);
    spec.norm = NormKind::Layer;
    raised = raise(spec);
    expectAttention(raised);
    EXPECT_EQ(raised.counts["layer_norm"], place == NormPlace::Pre ? 5 : 4);
  }
}

TEST(GraphPhase, Positions) {
  for (Positions positions : {Positions::RotaryHalfSplit, Positions::Learned, Positions::None}) {
    DecoderSpec spec = tiny();
    spec.positions = positions;
    expectAttention(raise(spec));
  }
}

TEST(GraphPhase, GroupedHeadsAreReadUnrepeated) {
  for (int64_t groups : {1, 2}) {
    DecoderSpec spec = tiny();
    spec.kvHeads = groups;
    Raised raised = raise(spec);
    expectAttention(raised);
    std::string key = "tensor<3x" + std::to_string(groups) + "x7x8xf32";
    size_t attention = raised.text.find("graph.attention");
    EXPECT_NE(raised.text.find(key, attention), std::string::npos) << raised.text;
  }
}

TEST(GraphPhase, ConditionsMadeOfEachOther) {
  // Sixty pairs of conditions, each made of the two before it, are a conjunction of two: found without
  // walking every path.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string text =
      R"(func.func @main(%x: tensor<4x4xf32> {graph.name = "x"}, %b: tensor<4x4xi1> {graph.name = "b"},
      %d: tensor<4x4xi1> {graph.name = "d"}) -> (tensor<4x4xf32> {graph.name = "y"}) {
  %v0 = graph.and %b, %d : tensor<4x4xi1>
  %w0 = graph.or %b, %d : tensor<4x4xi1>
)";
  for (int i = 1; i < 60; ++i) {
    std::string now = std::to_string(i), last = std::to_string(i - 1);
    text += "  %v" + now + " = graph.and %v" + last + ", %w" + last + " : tensor<4x4xi1>\n";
    text += "  %w" + now + " = graph.and %w" + last + ", %v" + now + " : tensor<4x4xi1>\n";
  }
  text += R"(  %inf = graph.constant dense<0xFF800000> : tensor<4x4xf32>
  %s = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %m = graph.select %v59, %s, %inf : tensor<4x4xi1>, tensor<4x4xf32>
  %p = graph.softmax %m : tensor<4x4xf32>
  %y = graph.matmul %p, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
})";
  context.loadDialect<GraphDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  MatchReports reports;
  mlir::PassManager manager(&context);
  addGraphPhase(manager, reports);
  ASSERT_TRUE(succeeded(manager.run(*module)));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(reports[0].matched);
}

TEST(GraphPhase, OneToken) {
  DecoderSpec spec = tiny();
  expectAttention(raise(spec, {1, 1}));
}

TEST(GraphPhase, SequenceAsLongAsTheHeadIsWide) {
  // Every extent of the key equals one of its transpose's.
  DecoderSpec spec = tiny();
  Raised raised = raise(spec, {6, 8});
  expectAttention(raised);
  EXPECT_EQ(raised.text.find("[0, 1, 3, 2]"), std::string::npos);
}

} // namespace
