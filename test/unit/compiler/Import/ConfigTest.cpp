//===- ConfigTest.cpp - config.json of every family -----------------------===//
#include "compiler/Import/ConfigFile.h"
#include "compiler/Import/Importer.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::import;

namespace {

std::string configPath(const std::string &name) { return HEDDLE_TEST_CONFIGS "/" + name + ".json"; }

std::string textOf(const std::string &name) {
  std::ifstream file(configPath(name));
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

using Parts = std::map<std::string, std::vector<int64_t>>;

Parts partsOf(mlir::ModuleOp module) {
  Parts parts;
  mainFunction(module).walk([&](ParameterOp op) {
    for (PartAttr part : op.getParts().getAsRange<PartAttr>())
      parts[part.getName().str()] = part.getShape().vec();
  });
  return parts;
}

int64_t countOf(const Parts &parts) {
  int64_t count = 0;
  for (const auto &[name, shape] : parts) {
    int64_t elements = 1;
    for (int64_t extent : shape)
      elements *= extent;
    count += elements;
  }
  return count;
}

/// A config.json in a folder of the test's own.
class Config : public ::testing::Test {
protected:
  void SetUp() override {
    const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("heddle-config-") + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "config.json").string(); }
  void write(const std::string &text) { std::ofstream(path(), std::ios::binary) << text; }
  /// The published text with one piece replaced.
  void writeEdited(const std::string &name, const std::string &from, const std::string &to) {
    std::string text = textOf(name);
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(text.replace(at, from.size(), to));
  }
  runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> import(const ModelRequest &request) {
    warnings_.clear();
    return importModel(&context_, request, &warnings_);
  }
  /// The message of a refusal, without the file's name that it must begin with.
  std::string error() { return error({.model = path()}); }
  std::string error(const ModelRequest &request) {
    auto module = import(request);
    if (module.isOk())
      return "accepted";
    std::string message = module.status().message();
    EXPECT_EQ(message.rfind(path(), 0), 0u) << message;
    return message.substr(std::min(message.size(), path().size()));
  }
  std::string errorOf(const std::string &text) {
    write(text);
    return error();
  }
  std::string errorOf(const std::string &name, const std::string &from, const std::string &to) {
    writeEdited(name, from, to);
    return error();
  }
  mlir::OwningOpRef<mlir::ModuleOp> good(const std::string &name, std::optional<int64_t> layers = 2) {
    auto module = import({.model = configPath(name), .batch = 2, .context = 16, .layers = layers});
    EXPECT_TRUE(module.isOk()) << module.status().message();
    return module.isOk() ? *std::move(module) : mlir::OwningOpRef<mlir::ModuleOp>();
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
};

TEST_F(Config, ParameterCountsAtFullDepth) {
  const std::pair<const char *, int64_t> wanted[] = {
      {"gpt2", 124'439'808},         {"gpt2-xl", 1'557'611'200},       {"distilgpt2", 81'912'576},
      {"llama-2-7b", 6'738'415'616}, {"llama-3.2-1b", 1'235'814'400},  {"tinyllama-1.1b", 1'100'048'384},
      {"qwen2.5-0.5b", 494'032'768}, {"mistral-7b", 7'241'732'096},    {"smollm2-135m", 134'515'008},
      {"bert-base", 109'482'240},    {"all-minilm-l6-v2", 22'713'216},
  };
  for (auto [name, count] : wanted) {
    auto module = good(name, std::nullopt);
    ASSERT_TRUE(module) << name;
    EXPECT_TRUE(succeeded(mlir::verify(*module)) && succeeded(verifyGraphModule(*module))) << name;
    EXPECT_EQ(countOf(partsOf(*module)), count) << name;
  }
}

TEST_F(Config, Gpt2WeightsAsTheFileHasThem) {
  auto module = good("gpt2", 1);
  EXPECT_EQ(partsOf(*module), (Parts{{"transformer.wte.weight", {50257, 768}},
                                     {"transformer.wpe.weight", {1024, 768}},
                                     {"transformer.h.0.ln_1.weight", {768}},
                                     {"transformer.h.0.ln_1.bias", {768}},
                                     {"transformer.h.0.attn.c_attn.weight", {768, 2304}},
                                     {"transformer.h.0.attn.c_attn.bias", {2304}},
                                     {"transformer.h.0.attn.c_proj.weight", {768, 768}},
                                     {"transformer.h.0.attn.c_proj.bias", {768}},
                                     {"transformer.h.0.ln_2.weight", {768}},
                                     {"transformer.h.0.ln_2.bias", {768}},
                                     {"transformer.h.0.mlp.c_fc.weight", {768, 3072}},
                                     {"transformer.h.0.mlp.c_fc.bias", {3072}},
                                     {"transformer.h.0.mlp.c_proj.weight", {3072, 768}},
                                     {"transformer.h.0.mlp.c_proj.bias", {768}},
                                     {"transformer.ln_f.weight", {768}},
                                     {"transformer.ln_f.bias", {768}}}));
}

TEST_F(Config, QwenWeightsAsTheFileHasThem) {
  auto module = good("qwen2.5-0.5b", 1);
  EXPECT_EQ(partsOf(*module), (Parts{{"model.embed_tokens.weight", {151936, 896}},
                                     {"model.layers.0.input_layernorm.weight", {896}},
                                     {"model.layers.0.self_attn.q_proj.weight", {896, 896}},
                                     {"model.layers.0.self_attn.q_proj.bias", {896}},
                                     {"model.layers.0.self_attn.k_proj.weight", {128, 896}},
                                     {"model.layers.0.self_attn.k_proj.bias", {128}},
                                     {"model.layers.0.self_attn.v_proj.weight", {128, 896}},
                                     {"model.layers.0.self_attn.v_proj.bias", {128}},
                                     {"model.layers.0.self_attn.o_proj.weight", {896, 896}},
                                     {"model.layers.0.post_attention_layernorm.weight", {896}},
                                     {"model.layers.0.mlp.gate_proj.weight", {4864, 896}},
                                     {"model.layers.0.mlp.up_proj.weight", {4864, 896}},
                                     {"model.layers.0.mlp.down_proj.weight", {896, 4864}},
                                     {"model.norm.weight", {896}}}));
}

TEST_F(Config, UntiedHead) {
  Parts parts = partsOf(*good("tinyllama-1.1b", 1));
  EXPECT_EQ(parts["lm_head.weight"], (std::vector<int64_t>{32000, 2048}));
  EXPECT_EQ(parts["model.layers.0.self_attn.k_proj.weight"], (std::vector<int64_t>{256, 2048}));
}

TEST_F(Config, BertInputsOutputsAndWeights) {
  auto module = good("all-minilm-l6-v2", 1);
  auto main = mainFunction(*module);
  std::map<std::string, int64_t> bounds;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    bounds[main.getArgAttrOfType<mlir::StringAttr>(i, kNameAttr).str()] =
        main.getArgAttrOfType<mlir::IntegerAttr>(i, kBoundAttr).getInt();
  EXPECT_EQ(bounds, (std::map<std::string, int64_t>{
                        {"input_ids", 30522}, {"attention_mask", 2}, {"token_type_ids", 2}}));
  ASSERT_EQ(main.getNumResults(), 2u);
  EXPECT_EQ(main.getResultAttrOfType<mlir::StringAttr>(0, kNameAttr).str(), "last_hidden_state");
  EXPECT_EQ(main.getResultAttrOfType<mlir::StringAttr>(1, kNameAttr).str(), "pooler_output");
  EXPECT_EQ(llvm::cast<mlir::RankedTensorType>(main.getResultTypes()[1]).getShape(),
            (llvm::ArrayRef<int64_t>{2, 384}));
  Parts parts = partsOf(*module);
  EXPECT_EQ(parts.size(), 5u + 16u + 2u);
  EXPECT_EQ(parts["bert.embeddings.token_type_embeddings.weight"], (std::vector<int64_t>{2, 384}));
  EXPECT_EQ(parts["bert.encoder.layer.0.attention.output.LayerNorm.bias"], (std::vector<int64_t>{384}));
  EXPECT_EQ(parts["bert.encoder.layer.0.intermediate.dense.weight"], (std::vector<int64_t>{1536, 384}));
  EXPECT_EQ(parts["bert.pooler.dense.weight"], (std::vector<int64_t>{384, 384}));
  mainFunction(*module).walk([](LayerNormOp op) { EXPECT_EQ(op.getEpsilon().convertToDouble(), 1e-12); });
}

TEST_F(Config, BertWithALossIsAMaskedLanguageModel) {
  ModelRequest request{.model = configPath("all-minilm-l6-v2"), .batch = 2, .context = 16, .layers = 1};
  request.loss = true;
  auto module = import(request);
  ASSERT_TRUE(module.isOk()) << module.status().message();
  EXPECT_TRUE(succeeded(mlir::verify(**module)) && succeeded(verifyGraphModule(**module)));
  auto main = mainFunction(**module);
  std::map<std::string, int64_t> bounds;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    bounds[main.getArgAttrOfType<mlir::StringAttr>(i, kNameAttr).str()] =
        main.getArgAttrOfType<mlir::IntegerAttr>(i, kBoundAttr).getInt();
  EXPECT_EQ(bounds,
            (std::map<std::string, int64_t>{
                {"input_ids", 30522}, {"attention_mask", 2}, {"token_type_ids", 2}, {"targets", 30522}}));
  EXPECT_EQ(main.getArgAttrOfType<mlir::IntegerAttr>(3, kIgnoredAttr).getInt(), -100);
  ASSERT_EQ(main.getNumResults(), 1u);
  EXPECT_EQ(main.getResultAttrOfType<mlir::StringAttr>(0, kNameAttr).str(), kLossName.str());

  // The bare encoder's weights without the pooler, and the head's.
  Parts parts = partsOf(**module), bare = partsOf(*good("all-minilm-l6-v2", 1));
  EXPECT_EQ(bare.erase("bert.pooler.dense.weight") + bare.erase("bert.pooler.dense.bias"), 2u);
  Parts head = {{"cls.predictions.transform.dense.weight", {384, 384}},
                {"cls.predictions.transform.dense.bias", {384}},
                {"cls.predictions.transform.LayerNorm.weight", {384}},
                {"cls.predictions.transform.LayerNorm.bias", {384}},
                {"cls.predictions.bias", {30522}}};
  bare.insert(head.begin(), head.end());
  EXPECT_EQ(parts, bare);

  // Dense, activation, norm, product with the transposed table, bias, cross-entropy.
  CrossEntropyOp loss;
  main.walk([&](CrossEntropyOp op) { loss = op; });
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss.getIgnored(), -100);
  auto biased = loss.getLogits().getDefiningOp<AddOp>();
  ASSERT_TRUE(biased);
  auto product = biased.getLhs().getDefiningOp<MatmulOp>();
  ASSERT_TRUE(product);
  auto table = product.getRhs().getDefiningOp<TransposeOp>();
  ASSERT_TRUE(table);
  EXPECT_TRUE(llvm::any_of(table.getOperand().getUsers(), llvm::IsaPred<EmbeddingOp>));
  auto norm = product.getLhs().getDefiningOp<LayerNormOp>();
  ASSERT_TRUE(norm);
  EXPECT_EQ(norm.getEpsilon().convertToDouble(), 1e-12);
  auto activation = norm->getOperand(0).getDefiningOp<GeluOp>();
  ASSERT_TRUE(activation);
  EXPECT_EQ(activation.getForm(), GeluForm::Erf);
}

TEST_F(Config, BertWithAHeadOfItsOwn) {
  writeEdited("all-minilm-l6-v2", "\"use_cache\"", "\"tie_word_embeddings\": false, \"use_cache\"");
  ModelRequest request{.model = path(), .batch = 2, .context = 16, .layers = 1};
  EXPECT_EQ(partsOf(**import(request)), partsOf(*good("all-minilm-l6-v2", 1)));
  request.loss = true;
  EXPECT_EQ(partsOf(**import(request))["cls.predictions.decoder.weight"], (std::vector<int64_t>{30522, 384}));
}

TEST_F(Config, DescriptionsOfTheFamilies) {
  std::vector<std::string> warnings;
  auto read = [&](const char *name) {
    auto spec = readConfig(configPath(name), warnings);
    EXPECT_TRUE(spec.isOk()) << spec.status().message();
    return *spec;
  };
  DecoderSpec xl = read("gpt2-xl");
  EXPECT_EQ(xl.dFf, 6400); // n_inner is null.
  EXPECT_EQ(xl.heads, 25);
  EXPECT_EQ(xl.headDim, 64);
  EXPECT_EQ(xl.activation, Activation::GeluTanh);
  EXPECT_TRUE(xl.tied);
  DecoderSpec llama2 = read("llama-2-7b");
  EXPECT_EQ(llama2.theta, 10000.0); // No rope_theta.
  EXPECT_EQ(llama2.rotaryScaling.kind, RotaryScaling::Kind::None);
  EXPECT_FALSE(llama2.tied);
  DecoderSpec llama3 = read("llama-3.2-1b");
  EXPECT_EQ(llama3.theta, 5e5);
  EXPECT_EQ(llama3.rotaryScaling.kind, RotaryScaling::Kind::ByWavelength);
  EXPECT_EQ(llama3.rotaryScaling.originalPositions, 8192);
  EXPECT_TRUE(llama3.tied);
  DecoderSpec qwen = read("qwen2.5-0.5b");
  EXPECT_FALSE(qwen.window.has_value());
  EXPECT_TRUE(qwen.qkvBias);
  EXPECT_FALSE(qwen.outBias);
  EXPECT_EQ(qwen.epsilon, 1e-6);
  EXPECT_EQ(qwen.kvHeads, 2);
  EXPECT_EQ(read("mistral-7b").window, 4096);
  DecoderSpec bert = read("bert-base");
  EXPECT_EQ(bert.activation, Activation::GeluErf);
  EXPECT_FALSE(bert.causal);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  EXPECT_EQ(read("smollm2-135m").theta, 1e5);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            configPath("smollm2-135m") + ": unknown fields is_llama_config, transformers.js_config");
}

TEST_F(Config, FolderAndFile) {
  write(textOf("gpt2"));
  EXPECT_TRUE(import({.model = folder_.string(), .layers = 1}).isOk());
  EXPECT_TRUE(import({.model = folder_.string() + "/", .layers = 1}).isOk());
  EXPECT_TRUE(import({.model = path(), .layers = 1}).isOk());
  std::filesystem::remove(path());
  auto empty = import({.model = folder_.string()});
  ASSERT_FALSE(empty.isOk());
  EXPECT_EQ(empty.status().message(),
            folder_.string() + ": wanted a folder with a config.json, found none in it");
  auto absent = import({.model = path()});
  ASSERT_FALSE(absent.isOk());
  EXPECT_EQ(absent.status().message(), "cannot read '" + path() + "': No such file or directory");
}

TEST_F(Config, OtherModelsNameWhatIsMissing) {
  const std::pair<const char *, const char *> wanted[] = {
      {"gemma-2b", "norm weight applied as 1 + w"},
      {"phi-2", "parallel attention and MLP"},
      {"odd/phi-2-old-field-names", "parallel attention and MLP"},
      {"pythia-70m", "parallel attention and MLP"},
      {"falcon-7b", "parallel attention and MLP"},
      {"opt-125m", "learned positions with an offset of 2"},
      {"t5-small", "an encoder with a decoder"},
      {"vit-base", "projection of image patches"},
  };
  for (auto [name, feature] : wanted) {
    write(textOf(name));
    std::string message = error();
    EXPECT_EQ(message.rfind(": model_type: wanted one of bert, gpt2, llama, mistral, qwen2, found \"", 0), 0u)
        << message;
    EXPECT_NE(message.find(std::string("\": ") + feature + " is not there"), std::string::npos) << message;
  }
  EXPECT_EQ(errorOf(R"({"model_type": "loom"})"),
            ": model_type: wanted one of bert, gpt2, llama, mistral, qwen2, found \"loom\"");
}

TEST_F(Config, OddFiles) {
  write(textOf("odd/roberta-no-model-type"));
  EXPECT_EQ(error(), ": model_type: wanted one of bert, gpt2, llama, mistral, qwen2, found nothing");
  write(textOf("odd/gpt2-nested-hyper-params"));
  EXPECT_EQ(error(), ": vocab_size: wanted a value, found nothing (the file has unknown fields architecture, "
                     "hyper_params, source)");
  EXPECT_EQ(errorOf(R"({"model_type": null})"),
            ": model_type: wanted one of bert, gpt2, llama, mistral, qwen2, found nothing");
  EXPECT_EQ(errorOf(R"({"model_type": 3})"),
            ": model_type: wanted one of bert, gpt2, llama, mistral, qwen2, found 3");
}

TEST_F(Config, AliasesMustAgree) {
  writeEdited("gpt2", "\"n_embd\"", "\"hidden_size\"");
  EXPECT_EQ(error({.model = path(), .layers = 1}), "accepted");
  EXPECT_EQ(errorOf("gpt2", "\"n_ctx\": 1024", "\"n_ctx\": 512"),
            ": n_positions is 1024 and n_ctx, another name of it, 512");
  EXPECT_EQ(
      errorOf("llama-3.2-1b", "\"rope_type\": \"llama3\"", "\"rope_type\": \"llama3\", \"type\": \"linear\""),
      ": rope_scaling.rope_type is \"llama3\" and type, another name of it, \"linear\"");
}

TEST_F(Config, ValuesOfTheWrongKind) {
  EXPECT_EQ(errorOf("gpt2", "\"n_layer\": 12", "\"n_layer\": \"12\""),
            ": n_layer: wanted an integer from 1 to 2147483647, found \"12\"");
  EXPECT_EQ(errorOf("gpt2", "\"n_layer\": 12", "\"n_layer\": 12.0"),
            ": n_layer: wanted an integer from 1 to 2147483647, found 12.0");
  EXPECT_EQ(errorOf("gpt2", "\"n_layer\": 12", "\"n_layer\": -12"),
            ": n_layer: wanted an integer from 1 to 2147483647, found -12");
  EXPECT_EQ(errorOf("gpt2", "\"n_layer\": 12", "\"n_layer\": 18446744073709551615"),
            ": n_layer: wanted an integer from 1 to 2147483647, found 18446744073709551615");
  EXPECT_EQ(errorOf("gpt2", "\"n_layer\": 12", "\"n_layer\": 100000"),
            ": n_layer: wanted 1 to 2000, found 100000");
  EXPECT_EQ(errorOf("gpt2", "\"n_layer\": 12", "\"n_layer\": null"),
            ": n_layer: wanted a value, found nothing");
  EXPECT_EQ(errorOf("gpt2", "1e-05", "\"1e-05\""), ": layer_norm_epsilon: wanted a number, found \"1e-05\"");
  EXPECT_EQ(errorOf("gpt2", "1e-05", "-1"),
            ": layer_norm_epsilon: wanted a finite number >= 0 of float32, found -1");
  EXPECT_EQ(errorOf("gpt2", "\"initializer_range\": 0.02", "\"initializer_range\": -0.02"),
            ": initializer_range: wanted a finite number >= 0 of float32, found -0.02");
  EXPECT_EQ(errorOf("gpt2", "\"gelu_new\"", "\"quick_gelu\""),
            ": activation_function: wanted one of silu, swish, gelu, gelu_new, relu, gelu_pytorch_tanh, "
            "gelu_fast, found \"quick_gelu\"");
  // In float32 its powers would not be finite.
  EXPECT_EQ(errorOf("llama-3.2-1b", "\"rope_theta\": 500000.0", "\"rope_theta\": 1e-320"),
            ": rope_theta: wanted a finite number > 0 of float32, found 9.99989e-321");
  EXPECT_EQ(errorOf("llama-2-7b", "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": 0"),
            ": tie_word_embeddings: wanted true or false, found 0");
  EXPECT_EQ(errorOf("gpt2", "\"n_head\": 12", "\"n_head\": 11"),
            ": n_head: wanted a divisor of n_embd 768, found 11");
  EXPECT_EQ(errorOf("qwen2.5-0.5b", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 5"),
            ": num_key_value_heads: wanted a divisor of num_attention_heads 14, found 5");
}

TEST_F(Config, KeyHeadsThatTheFileDoesNotSay) {
  std::vector<std::string> warnings;
  writeEdited("llama-2-7b", "\"num_key_value_heads\": 32", "\"num_key_value_heads\": null");
  EXPECT_EQ(readConfig(path(), warnings)->kvHeads, 32);
  EXPECT_EQ(errorOf("mistral-7b", "\"num_key_value_heads\": 8", "\"num_key_value_heads\": null"),
            ": num_key_value_heads: wanted a value, found nothing");
}

TEST_F(Config, FeaturesBehindFields) {
  EXPECT_EQ(
      errorOf("gpt2-xl", "\"scale_attn_weights\": true", "\"scale_attn_weights\": false"),
      ": scale_attn_weights: wanted true, found false: attention without 1/sqrt(head_dim) is not there");
  EXPECT_EQ(
      errorOf("bert-base", "\"absolute\"", "\"relative_key\""),
      ": position_embedding_type: wanted \"absolute\", found \"relative_key\": positions relative to the "
      "query is not there");
  EXPECT_EQ(errorOf("llama-2-7b", "\"rope_scaling\": null",
                    "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2}"),
            ": rope_scaling.type: wanted default, linear or llama3, found \"yarn\"");
  EXPECT_EQ(errorOf("llama-2-7b", "\"rope_scaling\": null",
                    "\"rope_scaling\": {\"type\": \"llama3\", \"factor\": 2}"),
            ": rope_scaling.low_freq_factor: wanted a number for llama3, found nothing");
  EXPECT_EQ(errorOf("llama-3.2-1b", "\"high_freq_factor\": 4.0", "\"high_freq_factor\": 1"),
            ": rope_scaling.high_freq_factor: wanted more than rope_scaling.low_freq_factor 1.000000, found "
            "1.000000");
  EXPECT_EQ(errorOf("llama-2-7b", "\"use_cache\"", "\"quantization_config\": {\"bits\": 4}, \"use_cache\""),
            ": quantization_config: wanted null, found {\"bits\":4}: quantised weights is not there");
}

TEST_F(Config, UnknownFieldsAreListedOnce) {
  writeEdited("llama-2-7b", "\"rope_scaling\": null",
              "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2, \"twist\": 1}, \"odd\\nname\": 1");
  ASSERT_TRUE(import({.model = path(), .layers = 1}).isOk());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_EQ(warnings_[0], path() + ": unknown fields \"odd\\nname\", rope_scaling.twist");
  // A field that another family's table reads is unknown to this one.
  writeEdited("llama-2-7b", "\"rope_scaling\"", "\"use_sliding_window\": true, \"rope_scaling\"");
  ASSERT_TRUE(import({.model = path(), .layers = 1}).isOk());
  EXPECT_EQ(warnings_, std::vector{path() + ": unknown field use_sliding_window"});
}

TEST_F(Config, LearnedPositionsBoundTheContext) {
  write(textOf("gpt2"));
  EXPECT_EQ(error({.model = path(), .context = 1025}),
            ": context: wanted at most n_positions 1024, found 1025");
  EXPECT_EQ(error({.model = path(), .context = 1024, .layers = 1}), "accepted");
  auto deeper = import({.model = path(), .layers = 13});
  ASSERT_FALSE(deeper.isOk());
  EXPECT_EQ(deeper.status().message(), "layers: wanted 1 to 12 for " + path() + ", found 13");
}

TEST_F(Config, TextThatIsNoConfig) {
  EXPECT_EQ(errorOf("").substr(0, 26), ":1:1: this is no JSON: syn");
  EXPECT_EQ(errorOf("{\n  \"a\": }").substr(0, 23), ":2:8: this is no JSON: ");
  EXPECT_EQ(errorOf("[1, 2]"), ":1:1: wanted a JSON object, found [1,2]");
  EXPECT_EQ(errorOf("{\"a\": 1, \"a\": 2}"), ":1:12: field 'a' is there twice");
  EXPECT_EQ(errorOf(std::string("{}\n\0garbage", 10)), ":2:1: this is no JSON: a byte of it is zero");
  EXPECT_EQ(errorOf("{\"a\": " + std::string(100000, '[')), ":1:38: nested deeper than 32 levels");
  EXPECT_EQ(errorOf(std::string((1 << 20) + 1, ' ')), ": wanted at most 1048576 bytes, found 1048577");
  EXPECT_EQ(errorOf("{\"a\": \"\xff\"}").substr(0, 22), ":1:8: this is no JSON:");
  EXPECT_EQ(errorOf("{\"a\": 1e999}"), ":1:11: a number is beyond the range of a double (1.8e308)");
}

TEST_F(Config, NoPrefixAndNoChangedByteCrashes) {
  std::string text = textOf("llama-3.2-1b");
  for (size_t length = 0; length < text.size(); length += 7)
    EXPECT_NE(errorOf(text.substr(0, length)), "accepted");
  for (size_t at = 0; at < text.size(); at += 7)
    for (char byte : {'\0', '"', '9', '\xff', '['}) {
      std::string changed = text;
      changed[at] = byte;
      write(changed);
      // Either is right; what counts is that it comes back.
      (void)import({.model = path(), .batch = 1, .context = 4, .layers = 1});
    }
}

/// The frequencies that the import put into the graph.
std::vector<float> frequenciesOf(mlir::ModuleOp module) {
  std::vector<float> values;
  mainFunction(module).walk([&](ConstantOp op) {
    auto attr = llvm::cast<mlir::DenseElementsAttr>(op.getValue());
    if (!attr.isSplat())
      values.assign(attr.getValues<float>().begin(), attr.getValues<float>().end());
  });
  return values;
}

// The published rule, by its three cases of wavelengths.
TEST_F(Config, Llama3Frequencies) {
  std::vector<float> found = frequenciesOf(*good("llama-3.2-1b", 1));
  ASSERT_EQ(found.size(), 32u);
  int kept = 0, divided = 0, between = 0;
  for (int i = 0; i < 32; ++i) {
    double frequency = std::pow(5e5, -2.0 * i / 64), wavelength = 2 * M_PI / frequency;
    double wanted;
    if (wavelength > 8192 / 1.0) {
      wanted = frequency / 32;
      ++divided;
    } else if (wavelength < 8192 / 4.0) {
      wanted = frequency;
      ++kept;
    } else {
      double smooth = (8192 / wavelength - 1) / (4 - 1);
      wanted = (1 - smooth) * frequency / 32 + smooth * frequency;
      ++between;
    }
    EXPECT_FLOAT_EQ(found[i], static_cast<float>(wanted)) << i;
  }
  EXPECT_TRUE(kept && divided && between);
}

TEST_F(Config, LinearScalingAndTheNewFormOfIt) {
  writeEdited("llama-2-7b", "\"rope_scaling\": null",
              "\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": 4.0, \"rope_theta\": 20000}");
  auto module = import({.model = path(), .layers = 1});
  ASSERT_TRUE(module.isOk()) << module.status().message();
  std::vector<float> found = frequenciesOf(**module);
  ASSERT_EQ(found.size(), 64u);
  for (int i = 0; i < 64; ++i)
    EXPECT_FLOAT_EQ(found[i], static_cast<float>(std::pow(20000.0, -2.0 * i / 128) / 4)) << i;
}

TEST_F(Config, WindowOnlyWhereItIsUsed) {
  auto windows = [](mlir::ModuleOp module) {
    int count = 0;
    mainFunction(module).walk([&](CompareOp op) { count += op.getPredicate() == Predicate::GT; });
    return count;
  };
  EXPECT_EQ(windows(*good("mistral-7b")), 1);
  EXPECT_EQ(windows(*good("qwen2.5-0.5b")), 0);
  writeEdited("qwen2.5-0.5b", "\"use_sliding_window\": false", "\"use_sliding_window\": true");
  auto module = import({.model = path(), .layers = 2});
  ASSERT_TRUE(module.isOk()) << module.status().message();
  EXPECT_EQ(windows(**module), 1);
}

TEST_F(Config, WindowsByLayer) {
  auto layers = [&](const std::string &types) {
    writeEdited("mistral-7b", "\"num_hidden_layers\": 32",
                "\"num_hidden_layers\": 2, \"layer_types\": " + types);
    std::vector<std::string> warnings;
    auto spec = readConfig(path(), warnings);
    EXPECT_TRUE(spec.isOk() && warnings.empty());
    return std::pair(spec->hasWindow(0), spec->hasWindow(1));
  };
  EXPECT_EQ(layers("null"), std::pair(true, true));
  EXPECT_EQ(layers(R"(["full_attention", "sliding_attention"])"), std::pair(false, true));
  EXPECT_EQ(layers(R"(["full_attention", "full_attention"])"), std::pair(false, false));
  EXPECT_EQ(errorOf("mistral-7b", "\"sliding_window\"",
                    "\"layer_types\": [\"sliding_attention\"], \"sliding_window\""),
            ": layer_types: wanted an entry for each of 32 layers, found 1");
  EXPECT_EQ(errorOf("mistral-7b", "\"sliding_window\"", "\"layer_types\": [\"ssm\"], \"sliding_window\""),
            ": layer_types: wanted a list of full_attention and sliding_attention, found \"ssm\"");
  std::string all = "\"sliding_attention\"";
  for (int i = 1; i < 32; ++i)
    all += ", \"sliding_attention\"";
  EXPECT_EQ(errorOf("mistral-7b", "\"sliding_window\": 4096", "\"layer_types\": [" + all + "]"),
            ": sliding_window: wanted a value for the layers that have one, found nothing");
}

} // namespace
