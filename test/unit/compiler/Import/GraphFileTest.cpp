//===- GraphFileTest.cpp - Textual graphs, good and bad -------------------===//
#include "compiler/Import/Importer.h"
#include "compiler/Import/SourceScan.h"
#include "compiler/Plan/ReferenceProgram.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::import;

namespace {

/// A graph file that is gone when the test ends.
class GraphFile : public ::testing::Test {
protected:
  void SetUp() override {
    const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             (std::string("heddle-graph-file-") + info->name() + ".mlir"));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> read(const std::string &text) {
    std::ofstream(path_, std::ios::binary) << text;
    return importModel(&context_, {.model = path_.string()});
  }
  /// The message without the file's folder.
  std::string error(const std::string &text) {
    auto module = read(text);
    if (module.isOk())
      return "accepted";
    std::string message = module.status().message();
    EXPECT_EQ(message.rfind(path_.string(), 0), 0u) << message;
    return message.substr(path_.string().size());
  }
  /// The same for one line in @main of `%x: tensor<4x8xf32>`.
  std::string lineError(const std::string &line) {
    return error("func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n" + line +
                 "\n  return %x : tensor<4x8xf32>\n}\n");
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::filesystem::path path_;
};

TEST_F(GraphFile, DefaultNamesAndBound) {
  auto module = read(R"(
func.func @main(%ids: tensor<2x3xi32>, %x: tensor<5xf32> {graph.name = "x"}) -> (tensor<2x3x4xf32>, tensor<5xf32>) {
  %t = graph.parameter [#graph.part<"t", [7, 4], normal, 0.02>] : tensor<7x4xf32>
  %e = graph.embedding %t, %ids : tensor<7x4xf32>, tensor<2x3xi32> -> tensor<2x3x4xf32>
  return %e, %x : tensor<2x3x4xf32>, tensor<5xf32>
})");
  ASSERT_TRUE(module.isOk()) << module.status().message();
  auto main = mainFunction(**module);
  EXPECT_EQ(main.getArgAttrOfType<mlir::StringAttr>(0, kNameAttr).str(), "arg0");
  EXPECT_EQ(main.getArgAttrOfType<mlir::StringAttr>(1, kNameAttr).str(), "x");
  EXPECT_EQ(main.getResultAttrOfType<mlir::StringAttr>(1, kNameAttr).str(), "result1");
  EXPECT_EQ(main.getArgAttrOfType<mlir::IntegerAttr>(0, kBoundAttr).getInt(), 7);
}

TEST_F(GraphFile, ReferenceConstantsKeepTheirSign) {
  auto module = read(R"(
func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi1>, tensor<2xf32>) {
  %a = graph.constant dense<-3> : tensor<2xi32>
  %b = graph.constant dense<[true, false]> : tensor<2xi1>
  %c = graph.constant dense<[-0.5, 2.0]> : tensor<2xf32>
  return %a, %b, %c : tensor<2xi32>, tensor<2xi1>, tensor<2xf32>
})");
  ASSERT_TRUE(module.isOk()) << module.status().message();
  auto program = buildReferenceProgram(**module);
  ASSERT_TRUE(program.isOk());
  ASSERT_EQ(program->constants.size(), 3u);
  EXPECT_EQ(program->constants[0].first, std::vector<double>{-3});
  EXPECT_EQ(program->constants[1].first, (std::vector<double>{1, 0}));
  EXPECT_EQ(program->constants[2].first, (std::vector<double>{-0.5, 2}));
}

TEST_F(GraphFile, WhatIsPrintedReadsBack) {
  auto preset = importModel(&context_, {.model = "study:small", .batch = 2, .context = 8, .layers = 1});
  ASSERT_TRUE(preset.isOk());
  auto print = [](mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  };
  std::string text = print(**preset);
  auto again = read(text);
  ASSERT_TRUE(again.isOk()) << again.status().message();
  EXPECT_EQ(print(**again), text);
}

TEST_F(GraphFile, Empty) {
  EXPECT_EQ(error(""), ": no function @main");
  EXPECT_EQ(error("// nothing\n"), ": no function @main");
}

TEST_F(GraphFile, UnknownOp) {
  EXPECT_EQ(lineError("  %y = graph.frobnicate %x : tensor<4x8xf32>").substr(0, 6), ":2:8: ");
  EXPECT_NE(lineError("  %y = graph.frobnicate %x : tensor<4x8xf32>").find("graph.frobnicate"),
            std::string::npos);
  EXPECT_NE(
      lineError("  %y = \"graph.frobnicate\"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>").find("frobnicate"),
      std::string::npos);
}

TEST_F(GraphFile, UnsupportedElements) {
  EXPECT_EQ(error("func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {\n  return %x : tensor<4xf64>\n}"),
            ":1:1: argument 0 of @main has type 'tensor<4xf64>', wanted a tensor of static extents of at "
            "least 1, rank "
            "at most 6, at most 1e15 elements of f32, bf16, f16, i32, i64 or i1");
  std::string message = lineError("  %y = graph.iota 0 : tensor<4xi8>");
  EXPECT_EQ(message,
            ":2:8: 'graph.iota' op result #0 must be tensor of static extents of at least 1, rank at most 6, "
            "at most 1e15 elements of f32, bf16, f16, i32 or i64, but got 'tensor<4xi8>'");
}

TEST_F(GraphFile, DynamicAndUnrankedTypes) {
  EXPECT_NE(
      error("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}")
          .find(":1:1: argument 0 of @main has type 'tensor<?xf32>', wanted a tensor of static extents"),
      std::string::npos);
  EXPECT_NE(error("func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {\n  return %x : tensor<*xf32>\n}")
                .find("'tensor<*xf32>', wanted a tensor of static extents"),
            std::string::npos);
  EXPECT_NE(error("func.func @main(%x: tensor<0xf32>) -> tensor<0xf32> {\n  return %x : tensor<0xf32>\n}")
                .find("'tensor<0xf32>', wanted a tensor of static extents of at least 1"),
            std::string::npos);
}

TEST_F(GraphFile, RankSeven) {
  EXPECT_NE(
      lineError("  %y = graph.iota 0 : tensor<1x1x1x1x1x1x1xi32>").find(":2:8: 'graph.iota' op result #0"),
      std::string::npos);
}

TEST_F(GraphFile, WrongOperandCount) {
  EXPECT_EQ(lineError("  %y = \"graph.add\"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>"),
            ":2:8: 'graph.add' op expected 2 operands, but found 1");
  EXPECT_EQ(lineError("  %y = graph.add %x : tensor<4x8xf32>").substr(0, 8), ":2:20: e");
}

TEST_F(GraphFile, UseBeforeDefinition) {
  std::string message =
      lineError("  %y = graph.neg %z : tensor<4x8xf32>\n  %z = graph.neg %x : tensor<4x8xf32>");
  EXPECT_EQ(message.substr(0, 6), ":2:8: ");
  EXPECT_NE(message.find("does not dominate this use"), std::string::npos);
  EXPECT_NE(message.find(":3:8: operand defined here"), std::string::npos);
  EXPECT_NE(
      lineError("  %y = graph.neg %z : tensor<4x8xf32>").find(":2:18: use of undeclared SSA value name"),
      std::string::npos);
}

TEST_F(GraphFile, OtherDialectsAndControlFlow) {
  EXPECT_NE(lineError("  %c = arith.constant 1 : i32").find(":2:8: "), std::string::npos);
  EXPECT_NE(lineError("  %c = func.constant @main : (tensor<4x8xf32>) -> tensor<4x8xf32>")
                .find(":2:8: 'func.constant' is no op of the graph dialect"),
            std::string::npos);
  EXPECT_NE(lineError("  return %x : tensor<4x8xf32>\n^bb1:").find(":1:1: @main has several blocks"),
            std::string::npos);
  EXPECT_NE(lineError("  %y = graph.group rows \"g\" { graph.yield %x : tensor<4x8xf32> } : tensor<4x8xf32>")
                .find("'graph.group' is made by the fusion phase"),
            std::string::npos);
}

TEST_F(GraphFile, OnlyMain) {
  EXPECT_NE(error("func.func @other() { return }")
                .find(":1:1: wanted only func.func @main at module level, found "
                      "'func.func' @other"),
            std::string::npos);
  EXPECT_EQ(error("func.func private @main(tensor<4xf32>) -> tensor<4xf32>"), ":1:1: @main has no body");
  EXPECT_EQ(error("func.func @main() { return }"), ":1:1: @main returns nothing");
}

TEST_F(GraphFile, NamesAreDistinct) {
  EXPECT_EQ(
      error(R"(func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32> {graph.name = "arg0"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
})"),
      ":1:1: argument 1 of @main: the name \"arg0\" is taken by another argument");
}

TEST_F(GraphFile, PartsOfOneNameAgree) {
  EXPECT_NE(lineError("  %a = graph.parameter [#graph.part<\"w\", [4], normal, 0.02>] : tensor<4xf32>\n"
                      "  %b = graph.parameter [#graph.part<\"w\", [5], normal, 0.02>] : tensor<5xf32>")
                .find(":3:8: 'graph.parameter' op part \"w\" was described otherwise before"),
            std::string::npos);
}

TEST_F(GraphFile, BoundBeyondTheTable) {
  EXPECT_NE(
      error(R"(func.func @main(%ids: tensor<3xi32> {graph.bound = 8}) -> tensor<3x4xf32> {
  %t = graph.parameter [#graph.part<"t", [7, 4], normal, 0.02>] : tensor<7x4xf32>
  %e = graph.embedding %t, %ids : tensor<7x4xf32>, tensor<3xi32> -> tensor<3x4xf32>
  return %e : tensor<3x4xf32>
})")
          .find(":3:8: 'graph.embedding' op has a table of 7 rows, its indices may reach the graph.bound 8"),
      std::string::npos);
}

TEST_F(GraphFile, BoundBeyondTheGradientsRows) {
  EXPECT_NE(
      error(
          R"(func.func @main(%g: tensor<3x4xf32>, %ids: tensor<3xi32> {graph.bound = 8}) -> tensor<7x4xf32> {
  %e = graph.embedding_grad %g, %ids : tensor<3x4xf32>, tensor<3xi32> -> tensor<7x4xf32>
  return %e : tensor<7x4xf32>
})")
          .find(":2:8: 'graph.embedding_grad' op has a table of 7 rows, its indices may reach the "
                "graph.bound 8"),
      std::string::npos);
}

TEST_F(GraphFile, TargetsBeyondTheLogits) {
  EXPECT_NE(
      error(R"(func.func @main(%x: tensor<3x7xf32>, %t: tensor<3xi32> {graph.bound = 8}) -> tensor<3xf32> {
  %l = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<3x7xf32>, tensor<3xi32> -> tensor<3xf32>
  return %l : tensor<3xf32>
})")
          .find(":2:8: 'graph.cross_entropy' op has logits of 7 columns, its targets may reach the "
                "graph.bound 8"),
      std::string::npos);
}

TEST_F(GraphFile, IndicesThatAreComputed) {
  auto embedding = [&](const std::string &bound, const std::string &indices) {
    return error("func.func @main(%ids: tensor<3xi32>" + bound + R"() -> tensor<3x4xf32> {
  %t = graph.parameter [#graph.part<"t", [7, 4], normal, 0.02>] : tensor<7x4xf32>
  %c = graph.constant dense<[0, 2, 3]> : tensor<3xi32>
  %n = graph.constant dense<[0, -2, 3]> : tensor<3xi32>
  %big = graph.constant dense<2147483647> : tensor<3xi32>
  %f = graph.constant dense<1.0> : tensor<3xf32>
  %i = graph.iota 0 : tensor<3xi32>
)" + indices + R"(
  %e = graph.embedding %t, %x : tensor<7x4xf32>, tensor<3xi32> -> tensor<3x4xf32>
  return %e : tensor<3x4xf32>
})");
  };
  auto found = [](const std::string &text, const char *wanted) {
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
  };
  const std::string bound = " {graph.bound = 4 : i64}";
  EXPECT_EQ(embedding("", "%x = graph.copy %c : tensor<3xi32>"), "accepted");
  EXPECT_EQ(embedding("", "%x = graph.add %i, %c : tensor<3xi32>"), "accepted");
  EXPECT_EQ(embedding("", "%x = graph.copy %ids : tensor<3xi32>"), "accepted");
  EXPECT_EQ(embedding(bound, "%x = graph.add %ids, %c : tensor<3xi32>"), "accepted");
  // Each value is looked at once, however many ways lead to it.
  std::string diamonds = "%d0 = graph.copy %c : tensor<3xi32>\n";
  for (int level = 1; level <= 30; ++level) {
    std::string above = "%d" + std::to_string(level - 1), name = "%d" + std::to_string(level);
    diamonds += name + "a = graph.maximum " + above + ", %i : tensor<3xi32>\n" + name + " = graph.minimum " +
                name + "a, " + above + " : tensor<3xi32>\n";
  }
  EXPECT_EQ(embedding("", diamonds + "%x = graph.copy %d30 : tensor<3xi32>"), "accepted");
  EXPECT_EQ(
      embedding(bound, "%m = graph.mul %ids, %c : tensor<3xi32>\n%x = graph.minimum %m, %c : tensor<3xi32>"),
      "accepted");
  found(embedding("", "%x = graph.copy %n : tensor<3xi32>"),
        "a table of 7 rows, its indices are from -2 to 3");
  found(embedding(bound, "%x = graph.mul %ids, %c : tensor<3xi32>"), "its indices are from 0 to 9");
  found(embedding(bound, "%x = graph.sub %c, %ids : tensor<3xi32>"), "its indices are from -3 to 3");
  const char *unknown =
      "its indices have no bound that is known, wanted inputs, constants, or integer arithmetic";
  found(embedding("", "%x = graph.add %ids, %c : tensor<3xi32>"), unknown);
  found(embedding("", "%x = graph.cast %f : tensor<3xf32> -> tensor<3xi32>"), unknown);
  found(embedding("", "%x = graph.add %big, %c : tensor<3xi32>"), unknown); // It wraps.
}

TEST_F(GraphFile, TargetsThatAreConstant) {
  auto loss = [&](const std::string &targets) {
    return error("func.func @main(%x: tensor<3x7xf32>) -> tensor<3xf32> {\n  %t = graph.constant dense<" +
                 targets +
                 R"(> : tensor<3xi32>
  %l = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<3x7xf32>, tensor<3xi32> -> tensor<3xf32>
  return %l : tensor<3xf32>
})");
  };
  EXPECT_EQ(loss("[0, -100, 6]"), "accepted");
  EXPECT_EQ(loss("-100"), "accepted");
  EXPECT_NE(loss("[0, -1, 6]").find("logits of 7 columns, its targets are from -1 to 6"), std::string::npos);
}

TEST_F(GraphFile, TargetsThatALossDoesNotIgnore) {
  EXPECT_NE(
      error(
          R"(func.func @main(%x: tensor<3x7xf32>, %t: tensor<3xi32> {graph.ignored = -1}) -> tensor<3xf32> {
  %l = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<3x7xf32>, tensor<3xi32> -> tensor<3xf32>
  return %l : tensor<3xf32>
})")
          .find(":2:8: 'graph.cross_entropy' op does not ignore the graph.ignored -1 of argument 1"),
      std::string::npos);
}

TEST_F(GraphFile, IndicesThatATableDoesNotIgnore) {
  EXPECT_NE(error(R"(func.func @main(%ids: tensor<3xi32> {graph.ignored = -1}) -> tensor<3x4xf32> {
  %t = graph.parameter [#graph.part<"t", [7, 4], normal, 0.02>] : tensor<7x4xf32>
  %e = graph.embedding %t, %ids : tensor<7x4xf32>, tensor<3xi32> -> tensor<3x4xf32>
  return %e : tensor<3x4xf32>
})")
                .find(":3:8: 'graph.embedding' op does not ignore the graph.ignored -1 of argument 0"),
            std::string::npos);
}

TEST_F(GraphFile, IgnoredWithoutBound) {
  EXPECT_EQ(error(R"(func.func @main(%t: tensor<3xi32> {graph.ignored = -1}) -> tensor<3xi32> {
  return %t : tensor<3xi32>
})"),
            ":1:1: argument 0 has a graph.ignored and no graph.bound");
}

/// Targets of two losses, through a reshape, and token ids that are targets, too.
TEST_F(GraphFile, BoundsOfTargets) {
  auto attributes = [&](const std::string &second, const std::string &third) {
    auto module = read(
        R"(func.func @main(%x: tensor<2x3x7xf32>, %t: tensor<6xi32>) -> (tensor<2x3xf32>, tensor<6xf32>) {
  %r = graph.reshape %t : tensor<6xi32> -> tensor<2x3xi32>
  %l = graph.cross_entropy %x, %r ignored -100 smoothing 0.0 : tensor<2x3x7xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
  %y = graph.reshape %x : tensor<2x3x7xf32> -> tensor<6x7xf32>
)" + second +
        R"(
  %e = graph.cross_entropy %z, %t ignored )" +
        third + R"( smoothing 0.0 : tensor<6x5xf32>, tensor<6xi32> -> tensor<6xf32>
  return %l, %e : tensor<2x3xf32>, tensor<6xf32>
})");
    EXPECT_TRUE(module.isOk()) << module.status().message();
    mlir::func::FuncOp main = mainFunction(**module);
    auto ignored = main.getArgAttrOfType<mlir::IntegerAttr>(1, kIgnoredAttr);
    return std::pair(main.getArgAttrOfType<mlir::IntegerAttr>(1, kBoundAttr).getInt(),
                     ignored ? std::optional<int64_t>(ignored.getInt()) : std::nullopt);
  };
  std::string slice =
      "  %z = graph.slice %y offsets [0, 0] strides [1, 1] : tensor<6x7xf32> -> tensor<6x5xf32>";
  std::string embedding = R"(  %p = graph.parameter [#graph.part<"p", [4, 5], normal, 0.02>] : tensor<4x5xf32>
  %z = graph.embedding %p, %t : tensor<4x5xf32>, tensor<6xi32> -> tensor<6x5xf32>)";
  using Wanted = std::pair<int64_t, std::optional<int64_t>>;
  EXPECT_EQ(attributes(slice, "-100"), Wanted(5, -100));
  EXPECT_EQ(attributes(slice, "0"), Wanted(5, std::nullopt));        // Each ignores another value.
  EXPECT_EQ(attributes(embedding, "-100"), Wanted(4, std::nullopt)); // A table ignores none.
}

TEST_F(GraphFile, TargetsOfTheGradient) {
  EXPECT_NE(
      error(
          R"(func.func @main(%x: tensor<3x7xf32>, %t: tensor<3xi32> {graph.bound = 8}, %g: tensor<3xf32>) -> tensor<3x7xf32> {
  %d = graph.cross_entropy_grad %x, %t, %g ignored -100 smoothing 0.0 : tensor<3x7xf32>, tensor<3xi32>, tensor<3xf32>
  return %d : tensor<3x7xf32>
})")
          .find(":2:8: 'graph.cross_entropy_grad' op has logits of 7 columns, its targets may reach the "
                "graph.bound 8"),
      std::string::npos);
}

TEST_F(GraphFile, ElementTypesOfOneNameAgree) {
  EXPECT_NE(lineError("  %a = graph.parameter [#graph.part<\"w\", [4], normal, 0.02>] : tensor<4xf32>\n"
                      "  %b = graph.parameter [#graph.part<\"w\", [4], normal, 0.02>] : tensor<4xbf16>\n")
                .find(":3:8: 'graph.parameter' op part \"w\" has elements of 'bf16', and of 'f32' before"),
            std::string::npos);
}

TEST_F(GraphFile, ResultNamedAsAnAssignedPart) {
  EXPECT_NE(error(R"(func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {graph.name = "m"}) {
  %m = graph.state [#graph.part<"m", [4], constant, 0.0>] : tensor<4xf32>
  graph.assign %m, %x : tensor<4xf32>
  return %m : tensor<4xf32>
})")
                .find(":3:3: 'graph.assign' op changes part \"m\", a result of @main has that name"),
            std::string::npos);
}

/// Tied weights: one op is what both readers read.
TEST_F(GraphFile, ParametersOfOneNameAreOne) {
  auto module = read(R"(func.func @main() -> (tensor<4xf32>, tensor<4xf32>) {
  %a = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  %b = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
})");
  ASSERT_TRUE(module.isOk()) << module.status().message();
  mlir::Block &body = mainFunction(**module).getBody().front();
  EXPECT_EQ(std::distance(body.getOps<ParameterOp>().begin(), body.getOps<ParameterOp>().end()), 1);
  EXPECT_EQ(body.getTerminator()->getOperand(0), body.getTerminator()->getOperand(1));
}

TEST_F(GraphFile, TenMegabytesOfOneLine) {
  EXPECT_EQ(error(std::string(10 << 20, 'a')), ":1:262145: the line is longer than 262144 characters");
  std::string ops = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {";
  while (ops.size() < (10 << 20))
    ops += "%y" + std::to_string(ops.size()) + " = graph.neg %x : tensor<4xf32> ";
  EXPECT_EQ(error(ops + "return %x : tensor<4xf32> }"),
            ":1:262145: the line is longer than 262144 characters");
}

TEST_F(GraphFile, NestedOps) {
  std::string text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (int i = 0; i < 100000; ++i)
    text += "graph.group rows \"g\" {\n";
  EXPECT_EQ(error(text), ":65:22: nested deeper than 64 levels");
  std::string modules;
  for (int i = 0; i < 100000; ++i)
    modules += "module {\n";
  EXPECT_EQ(error(modules), ":65:8: nested deeper than 64 levels");
  EXPECT_EQ(error("#m = affine_map<(d0) -> (" + std::string(100000, '-') + "d0)>"),
            ":1:90: more than 64 signs in a row");
}

TEST_F(GraphFile, NoText) {
  EXPECT_EQ(error(std::string("func.func\0", 10)), ":1:10: a zero byte: this is no text");
  EXPECT_EQ(error("ML\xefR garbage"), ": wanted MLIR text, found MLIR bytecode");
}

TEST_F(GraphFile, LongNamesAreCut) {
  std::string message = lineError("  %y = graph." + std::string(100000, 'a') + " %x : tensor<4x8xf32>");
  EXPECT_LT(message.size(), 600u);
}

TEST_F(GraphFile, ExtentsCannotBeSet) {
  std::ofstream(path_) << "";
  auto module = importModel(&context_, {.model = path_.string(), .batch = 4});
  ASSERT_FALSE(module.isOk());
  EXPECT_EQ(module.status().message(),
            path_.string() + ": a graph file states its own extents, batch cannot be set for it");
}

TEST_F(GraphFile, DropoutCannotBeSet) {
  std::ofstream(path_) << "";
  auto module = importModel(&context_, {.model = path_.string(), .dropout = 0.1});
  ASSERT_FALSE(module.isOk());
  EXPECT_EQ(module.status().message(),
            path_.string() + ": a graph file states its own dropout (graph.dropout), none can be set for it");
}

TEST(GraphFileMissing, SaysSo) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModel(&context, {.model = "no/such/file.mlir"});
  ASSERT_FALSE(module.isOk());
  EXPECT_EQ(module.status().message(), "cannot read 'no/such/file.mlir': No such file or directory");
}

} // namespace
