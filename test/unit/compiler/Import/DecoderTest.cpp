//===- DecoderTest.cpp - Presets and the decoder builder ------------------===//
#include "compiler/Import/DecoderBuilder.h"
#include "compiler/Import/Importer.h"
#include "compiler/Import/Presets.h"
#include "compiler/Plan/ReferenceProgram.h"
#include "compiler/Support/Locations.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <map>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::import;

namespace {

std::map<std::string, int> countOps(mlir::ModuleOp module) {
  std::map<std::string, int> counts;
  mainFunction(module).walk([&](mlir::Operation *op) { ++counts[op->getName().stripDialect().str()]; });
  return counts;
}

/// A small decoder whose extents all differ, so that a mixed-up dimension does not verify.
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

void expectValid(const DecoderSpec &spec) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ASSERT_TRUE(validate(spec, {3, 7}).isOk());
  mlir::OwningOpRef<mlir::ModuleOp> module = buildDecoder(&context, spec, {3, 7});
  ASSERT_TRUE(succeeded(mlir::verify(*module)));
  ASSERT_TRUE(succeeded(verifyGraphModule(*module)));
}

TEST(Presets, StudyTable) {
  EXPECT_EQ(presetNames(), (std::vector<std::string>{"study:small", "study:medium", "study:large", "study:xl",
                                                     "study:10B"}));
  auto xl = findPreset("study:xl");
  ASSERT_TRUE(xl.isOk());
  EXPECT_EQ(xl->dModel, 2560);
  EXPECT_EQ(xl->dFf, 10240);
  EXPECT_EQ(xl->layers, 32);
  EXPECT_EQ(xl->heads, 32);
  EXPECT_EQ(xl->headDim, 80);
  EXPECT_EQ(xl->vocabulary, 10000);
}

TEST(Presets, UnknownListsAll) {
  auto spec = findPreset("study:tiny");
  ASSERT_FALSE(spec.isOk());
  EXPECT_EQ(spec.status().message(),
            "unknown preset 'study:tiny', the presets are study:small, study:medium, "
            "study:large, study:xl, study:10B");
}

TEST(Decoder, PresetOpCounts) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModel(&context, {.model = "study:small", .batch = 2, .context = 16, .layers = 3});
  ASSERT_TRUE(module.isOk()) << module.status().message();
  ASSERT_TRUE(succeeded(mlir::verify(**module)));
  std::map<std::string, int> counts = countOps(**module);
  // A block has seven linear layers and two attention products; the head is one more.
  EXPECT_EQ(counts["matmul"], 3 * 9 + 1);
  EXPECT_EQ(counts["softmax"], 3);
  EXPECT_EQ(counts["pow"], 2 * 3 + 1);
  EXPECT_EQ(counts["silu"], 3);
  // embed, norms, four attention and three MLP weights, final norm, head.
  EXPECT_EQ(counts["parameter"], 1 + 3 * 9 + 2);
  EXPECT_EQ(counts["rms_norm"], 0);
  EXPECT_EQ(counts["attention"], 0);
}

TEST(Decoder, StateDictNamesAndLocations) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModel(&context, {.model = "study:small", .batch = 1, .context = 8, .layers = 2});
  ASSERT_TRUE(module.isOk());
  std::vector<std::string> names;
  std::vector<std::string> softmax;
  mainFunction(**module).walk([&](mlir::Operation *op) {
    if (auto parameter = llvm::dyn_cast<ParameterOp>(op))
      for (PartAttr part : parameter.getParts().getAsRange<PartAttr>())
        names.push_back(part.getName().str());
    if (llvm::isa<SoftmaxOp>(op))
      softmax.push_back(locationText(op->getLoc()));
  });
  EXPECT_EQ(softmax, (std::vector<std::string>{"blocks.0.attention.softmax", "blocks.1.attention.softmax"}));
  std::vector<std::string> wanted = {"embed.weight"};
  for (std::string block : {"blocks.0.", "blocks.1."})
    for (std::string name : {"norm1", "q", "k", "v", "o", "norm2", "w1", "w3", "w2"})
      wanted.push_back(block + name + ".weight");
  wanted.push_back("norm.weight");
  wanted.push_back("head.weight");
  EXPECT_EQ(names, wanted);
}

TEST(Decoder, SymbolicDimensions) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModel(&context, {.model = "study:small", .batch = 2, .context = 16, .layers = 1});
  ASSERT_TRUE(module.isOk());
  mainFunction(**module).walk([&](SoftmaxOp op) {
    SymbolicShape shape = symbolicShape(typeOf(op.getResult()));
    EXPECT_EQ(shape[0].str(), "batch");
    EXPECT_EQ(shape[1].str(), "12");
    EXPECT_EQ(shape[2].str(), "seq");
    EXPECT_EQ(shape[3].str(), "seq");
  });
  auto main = mainFunction(**module);
  EXPECT_EQ(main.getArgAttrOfType<mlir::IntegerAttr>(0, kBoundAttr).getInt(), 10000);
}

TEST(Decoder, EveryKindOfDecoderVerifies) {
  expectValid(tiny());
  for (NormKind norm : {NormKind::Rms, NormKind::Layer})
    for (NormPlace place : {NormPlace::Pre, NormPlace::Post})
      for (Positions positions : {Positions::RotaryHalfSplit, Positions::Learned, Positions::None}) {
        DecoderSpec spec = tiny();
        spec.norm = norm;
        spec.normPlace = place;
        spec.positions = positions;
        expectValid(spec);
      }
  for (Activation activation : {Activation::GeluErf, Activation::GeluTanh, Activation::Relu}) {
    DecoderSpec spec = tiny();
    spec.activation = activation;
    spec.gated = false;
    spec.qkvBias = spec.outBias = spec.mlpBias = spec.headBias = true;
    expectValid(spec);
  }
  DecoderSpec spec = tiny();
  spec.kvHeads = 2;
  spec.tied = spec.headBias = true;
  expectValid(spec);
}

TEST(Decoder, TiedHeadReadsTheTable) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DecoderSpec spec = tiny();
  spec.tied = true;
  mlir::OwningOpRef<mlir::ModuleOp> module = buildDecoder(&context, spec, {1, 4});
  int readers = 0;
  mainFunction(*module).walk([&](EmbeddingOp op) {
    readers = static_cast<int>(std::distance(op.getTable().use_begin(), op.getTable().use_end()));
  });
  EXPECT_EQ(readers, 2);
}

TEST(Decoder, DropsEmbeddingsAndWhatIsAddedToThem) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      buildDecoder(&context, tiny(), {3, 7}, {.loss = true, .dropout = 0.1});
  mlir::func::FuncOp main = mainFunction(*module);
  mlir::BlockArgument key = main.getArguments().back();
  EXPECT_EQ(main.getArgAttrOfType<mlir::StringAttr>(key.getArgNumber(), kNameAttr).getValue(), "dropout_key");
  EXPECT_TRUE(typeOf(key).getElementType().isInteger(64));
  std::vector<std::string> from;
  main.walk([&](DropoutOp op) {
    EXPECT_EQ(static_cast<size_t>(op.getLayer()), from.size()); // No two are alike.
    EXPECT_EQ(op.getProbability().convertToDouble(), 0.1);
    mlir::Value read = op.getKey();
    while (mlir::Operation *view = read.getDefiningOp())
      read = view->getOperand(0);
    EXPECT_EQ(read, key);
    from.push_back(op.getOperand().getDefiningOp()->getName().stripDialect().str());
  });
  EXPECT_EQ(from, (std::vector<std::string>{"embedding", "matmul", "matmul", "matmul", "matmul"}));
  mlir::OwningOpRef<mlir::ModuleOp> without =
      buildDecoder(&context, tiny(), {3, 7}, {.loss = true, .dropout = 0});
  EXPECT_EQ(mainFunction(*without).getNumArguments(), main.getNumArguments() - 1);
  mainFunction(*without).walk([](DropoutOp) { ADD_FAILURE() << "dropout of probability 0"; });
}

TEST(Decoder, RefusalsNameTheField) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto message = [&](const ModelRequest &request) {
    auto module = importModel(&context, request);
    return module.isOk() ? std::string() : module.status().message();
  };
  EXPECT_EQ(message({.model = "study:small", .layers = 13}),
            "layers: wanted 1 to 12 for study:small, found 13");
  EXPECT_EQ(message({.model = "study:small", .batch = 0}),
            "study:small: batch: wanted 1 to 2147483647, found 0");
  EXPECT_EQ(message({.model = "study:small", .context = -1}),
            "study:small: context: wanted 1 to 2147483647, found -1");
  EXPECT_EQ(message({.model = "llama"}), "'llama' is neither a graph file (*.mlir), a configuration (a "
                                         "folder with config.json, or *.json) nor a preset (study:small, "
                                         "study:medium, study:large, study:xl, study:10B); there is no file "
                                         "or folder of that name");
  EXPECT_EQ(message({.model = "study:small", .dropout = 1.5}),
            "dropout: wanted a probability from 0 to 1, found 1.500000");
  EXPECT_NE(message({.model = "study:small", .batch = 1000000, .context = 1000000}), "");
  DecoderSpec odd = tiny();
  odd.headDim = 7;
  EXPECT_EQ(validate(odd, {1, 4}).message(), "head_dim: wanted an even number for rotary positions, found 7");
  DecoderSpec groups = tiny();
  groups.kvHeads = 4;
  EXPECT_EQ(validate(groups, {1, 4}).message(), "kv_heads: wanted a divisor of heads 6, found 4");
  DecoderSpec learned = tiny();
  learned.positions = Positions::Learned;
  EXPECT_EQ(validate(learned, {1, 17}).message(), "context: wanted at most max_positions 16, found 17");
}

TEST(ReferenceProgram, MirrorsTheGraph) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildDecoder(&context, tiny(), {3, 7});
  auto program = buildReferenceProgram(*module);
  ASSERT_TRUE(program.isOk()) << program.status().message();
  ASSERT_EQ(program->inputs.size(), 1u);
  EXPECT_EQ(program->inputs[0].first, "ids");
  EXPECT_EQ(program->outputs[0].first, "logits");
  EXPECT_EQ(program->values[program->outputs[0].second].shape, (std::vector<int64_t>{3, 7, 50}));
  EXPECT_EQ(program->parameters.size(), 1u + 2 * 9 + 2);
  EXPECT_EQ(program->parameters[0].first[0].name, "embed.weight");
  bool sawSlice = false, sawCompare = false, sawReduce = false;
  std::vector<bool> defined(program->values.size(), false);
  for (auto &[name, value] : program->inputs)
    defined[value] = true;
  for (auto &[parts, value] : program->parameters)
    defined[value] = true;
  for (auto &[elements, value] : program->constants)
    defined[value] = true;
  for (const runtime::reference::Operation &op : program->operations) {
    for (int32_t operand : op.operands)
      EXPECT_TRUE(defined[operand]) << op.name;
    for (int32_t result : op.results)
      defined[result] = true;
    if (op.name == "slice") {
      sawSlice = true;
      EXPECT_EQ(op.ints.at("strides").back(), 2);
    }
    if (op.name == "compare") {
      sawCompare = true;
      EXPECT_EQ(op.strings.at("predicate"), "ge");
    }
    if (op.name == "reduce") {
      sawReduce = true;
      EXPECT_EQ(op.strings.at("kind"), "mean");
      EXPECT_EQ(op.ints.at("axes"), std::vector<int64_t>{2});
    }
  }
  EXPECT_TRUE(sawSlice && sawCompare && sawReduce);
}

} // namespace
