//===- RaisedValuesTest.cpp - Raising changes no value --------------------===//
//
// Every form of test/compiler/Graph/raise-*.mlir, and decoders of every kind: the float64 reference of the
// graph as it was written against those of the graph after each of the phases Graph, Precision and Layout.
//
//===----------------------------------------------------------------------===//
#include "compiler/Graph/Passes.h"
#include "compiler/Import/DecoderBuilder.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Plan/ReferenceProgram.h"
#include "compiler/Precision/Passes.h"
#include "dialects/Graph/GraphModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::import;
namespace reference = heddle::runtime::reference;

namespace {

/// Numbers in [-1, 1) that depend on the seed and the index alone.
double draw(uint64_t seed, uint64_t index) {
  uint64_t state = seed * 0x9E3779B97F4A7C15ull + (index + 1) * 0xBF58476D1CE4E5B9ull;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBull;
  state ^= state >> 31;
  return static_cast<double>(state >> 11) / 4503599627370496.0 - 1.0;
}

int64_t countOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::map<std::string, reference::Tensor> drawInputs(const reference::Program &program) {
  std::map<std::string, reference::Tensor> inputs;
  uint64_t seed = 1;
  for (const auto &[name, index] : program.inputs) {
    const reference::Value &value = program.values[index];
    reference::Tensor tensor(countOf(value.shape));
    int64_t last = value.shape.empty() ? 1 : value.shape.back();
    for (size_t i = 0; i < tensor.size(); ++i) {
      double number = draw(seed, i);
      // Key 0 is always seen: a query that sees none has no value in the written-out form.
      if (value.dtype == runtime::DType::Bool)
        number = i % last == 0 || number > 0;
      else if (value.dtype == runtime::DType::I32)
        number = std::floor((number + 1) * 4);
      tensor[i] = number;
    }
    inputs[name] = std::move(tensor);
    ++seed;
  }
  return inputs;
}

runtime::StatusOr<reference::Tensor> drawPart(const runtime::ParameterPart &part) {
  reference::Tensor tensor(countOf(part.shape));
  uint64_t seed = std::hash<std::string>()(part.name);
  for (size_t i = 0; i < tensor.size(); ++i)
    tensor[i] = draw(seed, i);
  return tensor;
}

std::map<std::string, reference::Tensor> valuesOf(mlir::ModuleOp module) {
  auto program = buildReferenceProgram(module);
  EXPECT_TRUE(program.isOk()) << program.status().message();
  auto outputs = reference::execute(*program, drawInputs(*program), drawPart, /*threads=*/1);
  EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
  return outputs.isOk() ? *outputs : std::map<std::string, reference::Tensor>();
}

using Values = std::map<std::string, reference::Tensor>;

/// Both are float64 of the same mathematics: what differs is the order of some thousand additions, and a
/// scale of 1/sqrt(d) that the written-out form rounded to float32.
constexpr double kSums = 1e-9;
/// GELU's constants, which the written-out form rounded to float32 and the op knows in full: half a unit of
/// float32, each, of a factor inside of a tanh or erf, whose slope times x/2 is below 1.
constexpr double kActivations = 0x1p-24;

void expectEqual(const Values &before, const Values &after, double bound);

/// After the graph phase, and after those that follow it: in float64 the casts of a precision policy change
/// nothing, and a merged parameter holds what its parts held.
void expectSameValues(mlir::ModuleOp module, bool mustRaise, double bound = kSums) {
  Values before = valuesOf(module);
  MatchReports reports;
  {
    mlir::OwningOpRef<mlir::ModuleOp> eager = module.clone();
    mlir::PassManager manager(module.getContext());
    addPrecisionPhase(manager, "bf16", /*compiled=*/false);
    ASSERT_TRUE(succeeded(manager.run(*eager)));
    expectEqual(before, valuesOf(*eager), kSums);
  }
  mlir::PassManager manager(module.getContext());
  addGraphPhase(manager, reports);
  ASSERT_TRUE(succeeded(manager.run(module)));
  bool raised = llvm::any_of(reports, [](const MatchReport &report) { return report.matched; });
  EXPECT_EQ(raised, mustRaise);
  expectEqual(before, valuesOf(module), bound);
  mlir::PassManager later(module.getContext());
  addPrecisionPhase(later, "bf16", /*compiled=*/true);
  addLayoutPhase(later, /*castBytes=*/0, reports);
  ASSERT_TRUE(succeeded(later.run(module)));
  expectEqual(before, valuesOf(module), bound);
}

void expectEqual(const Values &before, const Values &after, double bound) {
  ASSERT_EQ(before.size(), after.size());
  for (auto &[name, wanted] : before) {
    ASSERT_TRUE(after.count(name)) << name;
    const reference::Tensor &found = after.at(name);
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (std::isnan(wanted[i]) && std::isnan(found[i]))
        continue;
      ASSERT_NEAR(found[i], wanted[i], bound * std::max(1.0, std::fabs(wanted[i])))
          << name << "[" << i << "]";
    }
  }
}

/// The functions of a lit test, one module each.
std::vector<std::string> piecesOf(const std::string &file) {
  std::ifstream in(std::string(HEDDLE_TEST_SOURCE) + "/compiler/Graph/" + file);
  std::stringstream text;
  text << in.rdbuf();
  std::vector<std::string> pieces;
  llvm::SmallVector<llvm::StringRef> split;
  std::string all = text.str();
  llvm::StringRef(all).split(split, "// -----");
  for (llvm::StringRef piece : split)
    pieces.push_back(piece.str());
  return pieces;
}

void expectSameValuesIn(const std::string &file, bool mustRaise, double bound = kSums) {
  std::vector<std::string> pieces = piecesOf(file);
  ASSERT_GT(pieces.size(), 3u) << "no forms in " << file;
  for (const std::string &piece : pieces) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    context.loadDialect<GraphDialect, mlir::func::FuncDialect>();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(piece, &context);
    ASSERT_TRUE(module) << piece;
    mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
    SCOPED_TRACE(function.getSymName().str());
    function.setSymName("main");
    mlir::Builder builder(&context);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttr(i, kNameAttr, builder.getStringAttr("arg" + std::to_string(i)));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.setResultAttr(i, kNameAttr, builder.getStringAttr("result" + std::to_string(i)));
    expectSameValues(*module, mustRaise, bound);
  }
}

TEST(RaisedValues, FormsOfAttention) { expectSameValuesIn("raise-attention.mlir", true); }
TEST(RaisedValues, FormsOfNorms) { expectSameValuesIn("raise-norms.mlir", true); }
TEST(RaisedValues, MissedAttention) { expectSameValuesIn("raise-attention-missed.mlir", false); }
TEST(RaisedValues, BandsOfAttention) { expectSameValuesIn("raise-attention-bands.mlir", true); }
TEST(RaisedValues, FormsOfActivations) { expectSameValuesIn("raise-activations.mlir", true, kActivations); }
TEST(RaisedValues, MissedActivations) { expectSameValuesIn("raise-activations-missed.mlir", false); }
TEST(RaisedValues, MissedNorms) { expectSameValuesIn("raise-norms-missed.mlir", false); }

TEST(RaisedValues, Decoders) {
  DecoderSpec tiny;
  tiny.name = "tiny";
  tiny.layers = 2;
  tiny.dModel = 12;
  tiny.dFf = 20;
  tiny.heads = 4;
  tiny.kvHeads = 4;
  tiny.headDim = 6;
  tiny.vocabulary = 8;
  tiny.maxPositions = 16;
  std::vector<DecoderSpec> specs;
  for (Positions positions :
       {Positions::RotaryInterleaved, Positions::RotaryHalfSplit, Positions::Learned, Positions::None})
    for (NormKind norm : {NormKind::Rms, NormKind::Layer})
      for (int64_t groups : {1, 2, 4}) {
        DecoderSpec spec = tiny;
        spec.positions = positions;
        spec.norm = norm;
        spec.normPlace = groups == 2 ? NormPlace::Post : NormPlace::Pre;
        spec.kvHeads = groups;
        spec.gated = groups != 4;
        spec.qkvBias = spec.mlpBias = groups == 1;
        specs.push_back(spec);
      }
  for (const DecoderSpec &spec : specs) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    // Head width and sequence are equal: a key taken for its transpose would still fit.
    mlir::OwningOpRef<mlir::ModuleOp> module = buildDecoder(&context, spec, {2, 6});
    expectSameValues(*module, true);
  }
}

} // namespace
