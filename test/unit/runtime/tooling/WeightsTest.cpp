//===- WeightsTest.cpp - A model's weight files ---------------------------===//
#include "runtime/tooling/Weights.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace heddle::runtime;
namespace fs = std::filesystem;

namespace {

using Tensors = std::map<std::string, HostTensor>;

HostTensor tensor(DType dtype, std::vector<int64_t> shape, uint8_t value = 1) {
  int64_t bytes = *byteCount(dtype, shape);
  return {dtype, std::move(shape), std::vector<uint8_t>(static_cast<size_t>(bytes), value)};
}

class Weights : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "heddle-weights-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string &name) const { return folder + "/" + name; }
  void write(const std::string &name, const Tensors &tensors) {
    Status status = writeSafetensors(path(name), tensors);
    ASSERT_TRUE(status) << status.message();
  }
  void writeText(const std::string &name, const std::string &text) {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// The message of opening `name`, or of the folder itself.
  std::string openError(const std::string &name = "") {
    StatusOr<WeightFiles> files = WeightFiles::open(name.empty() ? folder : path(name));
    EXPECT_FALSE(files);
    EXPECT_EQ(files.status().code(), StatusCode::InvalidInput);
    return files ? "" : files.status().message();
  }
  /// Matches `wanted` to one file with `tensors`.
  StatusOr<WeightMatch> match(const Tensors &tensors, const std::vector<WantedWeight> &wanted,
                              const MatchOptions &options = {}) {
    write("model.safetensors", tensors);
    StatusOr<WeightFiles> opened = WeightFiles::open(folder);
    EXPECT_TRUE(opened) << opened.status().message();
    files = std::make_unique<WeightFiles>(*std::move(opened));
    return matchWeights(*files, wanted, options);
  }
  std::string matchError(const Tensors &tensors, const std::vector<WantedWeight> &wanted) {
    StatusOr<WeightMatch> matched = match(tensors, wanted);
    EXPECT_FALSE(matched);
    return matched ? "" : matched.status().message();
  }

  std::string folder;
  std::unique_ptr<WeightFiles> files; ///< Of the last match.
};

void expectPart(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "wanted '" << part << "' in: " << text;
}

const std::string kIndex = "model.safetensors.index.json";

} // namespace

TEST_F(Weights, AFolderHasOneFileOrAnIndex) {
  EXPECT_FALSE(WeightFiles::inFolder(folder));
  expectPart(openError(), ": no *.safetensors and no *.safetensors.index.json in this folder");
  writeText("pytorch_model.bin", "x");
  expectPart(openError(), "in this folder, found pytorch_model.bin");
  write("one.safetensors", {{"a", tensor(DType::F32, {2})}});
  EXPECT_TRUE(WeightFiles::inFolder(folder));
  EXPECT_TRUE(WeightFiles::open(folder)->tensors().contains("a"));
  write("two.safetensors", {{"b", tensor(DType::F32, {2})}});
  expectPart(openError(), "wanted one file of weights or one index, found one.safetensors, two.safetensors");
  writeText(kIndex,
            R"({"metadata":{"total_size":16},"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  EXPECT_EQ(WeightFiles::open(folder)->tensors().size(), 2u);
  EXPECT_EQ(WeightFiles::open(path(kIndex))->tensors().size(), 2u);
  write("model.safetensors", {{"c", tensor(DType::F32, {2})}});
  EXPECT_TRUE(WeightFiles::open(folder)->tensors().contains("c"));
  expectPart(openError("absent.safetensors"), "cannot open");
}

TEST_F(Weights, IndicesAreChecked) {
  auto error = [&](const std::string &text) {
    writeText(kIndex, text);
    return openError(kIndex);
  };
  write("one.safetensors", {{"a", tensor(DType::F32, {2})}});
  expectPart(error("[]"), kIndex + ":1:1: wanted a JSON object, found []");
  expectPart(error("{}"), "wanted an index, an object with the object weight_map");
  expectPart(error(R"({"weight_map":["a"]})"), "wanted an index");
  expectPart(error(R"({"weight_map":{"a":7}})"),
             "tensor 'a': wanted the name of a .safetensors file beside the");
  expectPart(error(R"({"weight_map":{"a":"../one.safetensors"}})"), "found \"../one.safetensors\"");
  expectPart(error(R"({"weight_map":{"a":"/etc/passwd"}})"), "found \"/etc/passwd\"");
  expectPart(error(R"({"weight_map":{"a":"one.safetensors","a":"two.safetensors"}})"),
             kIndex + ":1:40: field 'a' is there twice");
  std::string missing = error(R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  expectPart(missing, "file 'two.safetensors' of the index, with 1 tensors such as 'b': cannot open");
  expectPart(error(R"({"weight_map":{"a":"one.safetensors","b":"one.safetensors"}})"),
             "tensor 'b': wanted in 'one.safetensors', which does not hold it");
  write("one.safetensors", {{"a", tensor(DType::F32, {2})}, {"stray", tensor(DType::F32, {2})}});
  expectPart(error(R"({"weight_map":{"a":"one.safetensors"}})"),
             "file 'one.safetensors' holds tensor 'stray', which the index does not place there");
}

TEST_F(Weights, AFileThatShrinksIsAnErrorAndNoCrash) {
  write("model.safetensors", {{"a", tensor(DType::F32, {4096})}});
  StatusOr<WeightFiles> opened = WeightFiles::open(folder);
  ASSERT_TRUE(opened);
  WeightTensor a = opened->tensors().at("a");
  ASSERT_EQ(truncate(path("model.safetensors").c_str(), 100), 0);
  std::vector<uint8_t> data(4096 * 4);
  Status status = a.file->read(*a.stored, 0, data);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  expectPart(status.message(), "became shorter while it was read");
  EXPECT_EQ(a.file->read(*a.stored, 1, data).code(), StatusCode::Internal);
}

TEST_F(Weights, EverythingThatDoesNotFitIsListedAtOnce) {
  std::string text = matchError({{"shape", tensor(DType::F32, {3, 2})},
                                 {"type", tensor(DType::I64, {2})},
                                 {"extra", tensor(DType::F16, {2})},
                                 {"fine", tensor(DType::F16, {2})}},
                                {{"shape", DType::F32, {2, 3}},
                                 {"type", DType::F32, {2}},
                                 {"gone", DType::BF16, {7}},
                                 {"fine", DType::F32, {2}}});
  EXPECT_EQ(text, folder +
                      " does not fit the model: 1 missing, 1 of another shape, 1 of a type that does not "
                      "convert, 1 not wanted"
                      "\n  missing: 'gone' bf16[7]"
                      "\n  of another shape: 'shape': wanted f32[2, 3], found f32[3, 2]"
                      "\n  of a type that does not convert: 'type': wanted f32[2], found i64[2]"
                      "\n  not wanted: 'extra' f16[2]");
  std::vector<WantedWeight> many;
  for (int i = 0; i < 13; ++i)
    many.push_back({"layer." + std::to_string(i), DType::F32, {1}});
  std::string bounded = matchError({}, many);
  expectPart(bounded, "13 missing\n");
  expectPart(bounded, "\n  missing: 'layer.9' f32[1]\n  missing: and 3 more");
  EXPECT_EQ(bounded.find("layer.10"), std::string::npos);
}

TEST_F(Weights, TypesThatHeddleLacksAreRefusedByNameWhereTheyAreWanted) {
  std::string header = R"({"a":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}})";
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  writeText("model.safetensors", length + header + "1234");
  StatusOr<WeightFiles> opened = WeightFiles::open(folder);
  ASSERT_TRUE(opened) << opened.status().message();
  expectPart(
      matchWeights(*opened, {{"a", DType::F32, {4}}}).status().message(),
      "1 of a type that does not convert\n  of a type that does not convert: 'a': wanted f32[4], found "
      "F8_E4M3[4]");
}

TEST_F(Weights, APrefixOfTheBaseModelCountsForNothing) {
  for (std::string prefix : {"bert.", "model.", "transformer."}) {
    auto bare = match({{"h.0.w", tensor(DType::F32, {2})}}, {{prefix + "h.0.w", DType::F32, {2}}});
    ASSERT_TRUE(bare) << bare.status().message();
    EXPECT_EQ(bare->byName.at(prefix + "h.0.w").stored, files->tensors().at("h.0.w").stored);
    auto full = match({{prefix + "h.0.w", tensor(DType::F32, {2})}}, {{"h.0.w", DType::F32, {2}}});
    ASSERT_TRUE(full) << full.status().message();
    EXPECT_EQ(full->byName.at("h.0.w").stored, files->tensors().at(prefix + "h.0.w").stored);
  }
  // The exact name goes first, and the other one is then not wanted.
  expectPart(matchError({{"w", tensor(DType::F32, {2})}, {"model.w", tensor(DType::F32, {3})}},
                        {{"w", DType::F32, {2}}}),
             "1 not wanted\n  not wanted: 'model.w' f32[3]");
  expectPart(matchError({{"bert.w", tensor(DType::F32, {2})}, {"model.w", tensor(DType::F32, {2})}},
                        {{"w", DType::F32, {2}}}),
             "1 ambiguous\n  ambiguous: 'w': 'bert.w' or 'model.w'");
  // Other prefixes do count.
  expectPart(matchError({{"gpt.w", tensor(DType::F32, {2})}}, {{"w", DType::F32, {2}}}),
             "1 missing, 1 not wanted");
}

TEST_F(Weights, TablesThatAreNoParametersAreLeftOut) {
  auto matched = match({{"h.0.attn.bias", tensor(DType::U8, {1, 1, 4, 4})},
                        {"h.0.attn.masked_bias", tensor(DType::F32, {})},
                        {"model.layers.0.self_attn.rotary_emb.inv_freq", tensor(DType::F32, {8})},
                        {"embeddings.position_ids", tensor(DType::I64, {1, 4})},
                        {"w", tensor(DType::F32, {2})}},
                       {{"w", DType::F32, {2}}});
  ASSERT_TRUE(matched) << matched.status().message();
  EXPECT_EQ(matched->byName.size(), 1u);
  EXPECT_TRUE(matched->unusedHeads.empty());
  expectPart(matchError({{"h.0.attn.c_attn.bias", tensor(DType::F32, {2})}}, {}), "1 not wanted");
}

TEST_F(Weights, ATiedHeadIsLeftOutWhereItEqualsTheEmbedding) {
  std::vector<WantedWeight> wanted = {{"transformer.wte.weight", DType::F32, {5, 2}}};
  Tensors tensors = {{"transformer.wte.weight", tensor(DType::F32, {5, 2})},
                     {"lm_head.weight", tensor(DType::F32, {5, 2})}};
  auto tied = match(tensors, wanted);
  ASSERT_TRUE(tied) << tied.status().message();
  EXPECT_EQ(tied->byName.size(), 1u);
  EXPECT_TRUE(tied->unusedHeads.empty());
  tensors["lm_head.weight"].data.back() = 2;
  expectPart(matchError(tensors, wanted), "not wanted: 'lm_head.weight' f32[5, 2]; a tied head must equal a "
                                          "wanted tensor, this one differs from all");
  // An untied head is a parameter like any other.
  wanted.push_back({"lm_head.weight", DType::F32, {5, 2}});
  EXPECT_EQ(match(tensors, wanted)->byName.size(), 2u);
}

TEST_F(Weights, HeadsThatTheModelDoesNotComputeAreNamed) {
  auto matched = match({{"bert.pooler.dense.weight", tensor(DType::F32, {2, 2})},
                        {"cls.predictions.bias", tensor(DType::F32, {2})},
                        {"bert.w", tensor(DType::F32, {2})}},
                       {{"w", DType::F32, {2}}});
  ASSERT_TRUE(matched) << matched.status().message();
  EXPECT_EQ(matched->unusedHeads,
            (std::vector<std::string>{"bert.pooler.dense.weight", "cls.predictions.bias"}));
}

TEST_F(Weights, AHeadThatTheModelComputesIsAllRead) {
  std::vector<WantedWeight> wanted = {{"bert.embeddings.word_embeddings.weight", DType::F32, {5, 2}},
                                      {"cls.predictions.bias", DType::F32, {5}}};
  Tensors tensors = {{"bert.embeddings.word_embeddings.weight", tensor(DType::F32, {5, 2})},
                     {"bert.pooler.dense.weight", tensor(DType::F32, {2, 2})},
                     {"cls.predictions.bias", tensor(DType::F32, {5})},
                     {"cls.predictions.decoder.weight", tensor(DType::F32, {5, 2})},
                     {"cls.predictions.decoder.bias", tensor(DType::F32, {5})},
                     {"cls.seq_relationship.bias", tensor(DType::F32, {2})}};
  auto matched = match(tensors, wanted);
  ASSERT_TRUE(matched) << matched.status().message();
  EXPECT_EQ(matched->unusedHeads,
            (std::vector<std::string>{"bert.pooler.dense.weight", "cls.seq_relationship.bias"}));
  // Without the head all of it is another model's.
  auto bare = match(tensors, {wanted.front()});
  ASSERT_TRUE(bare) << bare.status().message();
  EXPECT_EQ(bare->unusedHeads,
            (std::vector<std::string>{"bert.pooler.dense.weight", "cls.predictions.bias",
                                      "cls.predictions.decoder.bias", "cls.seq_relationship.bias"}));
  // A decoder of other values would be left out of the computation.
  tensors["cls.predictions.decoder.bias"].data.back() = 2;
  tensors["cls.predictions.extra"] = tensor(DType::F32, {1});
  expectPart(matchError(tensors, wanted),
             "2 not wanted\n  not wanted: 'cls.predictions.decoder.bias' f32[5]; a tied head must equal a "
             "wanted tensor, this one differs from all\n  not wanted: 'cls.predictions.extra' f32[1]");
  EXPECT_TRUE(match(tensors, {wanted.front()}));
}

TEST_F(Weights, OldNamesOfNorms) {
  std::vector<WantedWeight> wanted = {{"bert.x.LayerNorm.weight", DType::F32, {2}},
                                      {"bert.x.LayerNorm.bias", DType::F32, {2}}};
  Tensors tensors = {{"bert.x.LayerNorm.gamma", tensor(DType::F32, {2})},
                     {"x.LayerNorm.beta", tensor(DType::F32, {2})}};
  auto matched = match(tensors, wanted);
  ASSERT_TRUE(matched) << matched.status().message();
  EXPECT_EQ(matched->byName.at("bert.x.LayerNorm.weight").stored->shape, (std::vector<int64_t>{2}));
  tensors["x.LayerNorm.bias"] = tensor(DType::F32, {2});
  expectPart(matchError(tensors, wanted), "1 ambiguous");
}

TEST_F(Weights, LaterLayersOfAModelThatWasCut) {
  Tensors tensors = {{"h.0.w", tensor(DType::F32, {2})},
                     {"h.1.w", tensor(DType::F32, {2})},
                     {"h.12.w", tensor(DType::F32, {2})}};
  std::vector<WantedWeight> wanted = {{"h.0.w", DType::F32, {2}}};
  EXPECT_TRUE(match(tensors, wanted, {1}));
  expectPart(match(tensors, wanted, {2}).status().message(), "1 not wanted\n  not wanted: 'h.1.w'");
  expectPart(matchError(tensors, wanted), "2 not wanted");
}

TEST_F(Weights, AWriterHoldsItsHeadersPromise) {
  auto writer = SafetensorsWriter::create(path("w.safetensors"),
                                          {{"b", DType::U8, {2}}, {"a", DType::U8, {1}}}, {{"format", "pt"}});
  ASSERT_TRUE(writer) << writer.status().message();
  std::vector<uint8_t> bytes = {1, 2};
  ASSERT_TRUE(writer->append(bytes));
  EXPECT_EQ(writer->commit().code(), StatusCode::Internal);
  EXPECT_FALSE(fs::exists(path("w.safetensors")));
  bytes = {3};
  ASSERT_TRUE(writer->append(bytes));
  ASSERT_TRUE(writer->commit());
  auto back = readSafetensors(path("w.safetensors"));
  ASSERT_TRUE(back) << back.status().message();
  EXPECT_EQ(back->at("b").data, (std::vector<uint8_t>{1, 2}));
  EXPECT_EQ(back->at("a").data, (std::vector<uint8_t>{3}));
  EXPECT_EQ(
      SafetensorsWriter::create(path("x"), {{"a", DType::U8, {1}}, {"a", DType::U8, {1}}}).status().code(),
      StatusCode::Internal);
}
