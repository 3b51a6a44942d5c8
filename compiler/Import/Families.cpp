//===- Families.cpp - What config.json means, family by family ------------===//
//
// Names of fields, defaults and names of weights are those of the `transformers` library, whose config.json
// this is.
//
//===----------------------------------------------------------------------===//
#include "compiler/Import/Families.h"

using namespace heddle::import;

using Spec = DecoderSpec;

static Family gpt2() {
  return {
      .modelType = "gpt2",
      .common = {.norm = NormKind::Layer,
                 .activation = Activation::GeluTanh,
                 .gated = false,
                 .positions = Positions::Learned,
                 .qkvBias = true,
                 .outBias = true,
                 .mlpBias = true,
                 .tied = true,
                 .weightLayout = WeightLayout::InOut,
                 .packedQkv = true,
                 .names = {.embed = "transformer.wte",
                           .positions = "transformer.wpe",
                           .norm1 = "transformer.h.{}.ln_1",
                           .out = "transformer.h.{}.attn.c_proj",
                           .qkv = "transformer.h.{}.attn.c_attn",
                           .norm2 = "transformer.h.{}.ln_2",
                           .gate = "transformer.h.{}.mlp.c_fc",
                           .down = "transformer.h.{}.mlp.c_proj",
                           .finalNorm = "transformer.ln_f",
                           .head = "lm_head"}},
      .fields =
          {{"vocab_size", "vocabulary", &Spec::vocabulary, true},
           {"n_embd", "d_model", &Spec::dModel, true, {"hidden_size"}},
           {"n_layer", "layers", &Spec::layers, true, {"num_hidden_layers"}},
           {"n_head", "heads", &Spec::heads, true, {"num_attention_heads"}},
           {"n_positions", "max_positions", &Spec::maxPositions, true, {"max_position_embeddings", "n_ctx"}},
           {"n_inner", "d_ff", &Spec::dFf, false, {"intermediate_size"}},
           {"activation_function", "activation", &Spec::activation, false, {"hidden_act"}},
           {"layer_norm_epsilon", "epsilon", &Spec::epsilon, false, {"layer_norm_eps"}},
           {"tie_word_embeddings", "tied", &Spec::tied}},
      .fixed = {{"scale_attn_weights", "true", "attention without 1/sqrt(head_dim)"},
                {"scale_attn_by_inverse_layer_idx", "false", "scores divided by the layer's number"}},
      .ignored = {"attn_pdrop", "embd_pdrop", "resid_pdrop", "reorder_and_upcast_attn", "summary_activation",
                  "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj"}};
}

/// What llama, mistral and qwen2 share: their layers have the same names. Without num_key_value_heads llama
/// has one for each head, the others numbers of their own that nobody would guess: there the file must say
/// it.
static Family llamaLike(const char *modelType, bool kvHeadsRequired) {
  return {.modelType = modelType,
          .common = {.epsilon = 1e-6,
                     .positions = Positions::RotaryHalfSplit,
                     .names = {.embed = "model.embed_tokens",
                               .norm1 = "model.layers.{}.input_layernorm",
                               .q = "model.layers.{}.self_attn.q_proj",
                               .k = "model.layers.{}.self_attn.k_proj",
                               .v = "model.layers.{}.self_attn.v_proj",
                               .out = "model.layers.{}.self_attn.o_proj",
                               .norm2 = "model.layers.{}.post_attention_layernorm",
                               .gate = "model.layers.{}.mlp.gate_proj",
                               .up = "model.layers.{}.mlp.up_proj",
                               .down = "model.layers.{}.mlp.down_proj",
                               .finalNorm = "model.norm",
                               .head = "lm_head"}},
          .fields = {{"vocab_size", "vocabulary", &Spec::vocabulary, true},
                     {"hidden_size", "d_model", &Spec::dModel, true},
                     {"intermediate_size", "d_ff", &Spec::dFf, true},
                     {"num_hidden_layers", "layers", &Spec::layers, true},
                     {"num_attention_heads", "heads", &Spec::heads, true},
                     {"num_key_value_heads", "kv_heads", &Spec::kvHeads, kvHeadsRequired},
                     {"head_dim", "head_dim", &Spec::headDim},
                     {"max_position_embeddings", "max_positions", &Spec::maxPositions},
                     {"hidden_act", "activation", &Spec::activation},
                     {"rms_norm_eps", "epsilon", &Spec::epsilon},
                     {"rope_theta", "theta", &Spec::theta},
                     {"rope_scaling", "rotary_scaling", &Spec::rotaryScaling, false, {"rope_parameters"}},
                     {"layer_types", "window_layers", &Spec::windowLayers},
                     {"tie_word_embeddings", "tied", &Spec::tied}},
          .fixed = {},
          .ignored = {"attention_dropout"}};
}

static Family llama() {
  Family family = llamaLike("llama", /*kvHeadsRequired=*/false);
  family.fields.push_back({"attention_bias", "qkv_bias", &Spec::qkvBias});
  family.fields.push_back({"attention_bias", "out_bias", &Spec::outBias});
  family.fields.push_back({"mlp_bias", "mlp_bias", &Spec::mlpBias});
  family.fixed = {{"rope_interleaved", "false", "rotary positions of neighbouring pairs"}};
  family.ignored.push_back("pretraining_tp"); // How training split its products: the same sums.
  return family;
}

static Family mistral() {
  Family family = llamaLike("mistral", /*kvHeadsRequired=*/true);
  family.fields.push_back({"sliding_window", "window", &Spec::window});
  return family;
}

static Family qwen2() {
  Family family = llamaLike("qwen2", /*kvHeadsRequired=*/true);
  family.common.qkvBias = true;
  family.fields.push_back({"sliding_window", "window", &Spec::window, false, {}, "use_sliding_window"});
  family.fields.push_back(
      {"max_window_layers", "window_from", &Spec::windowFrom, false, {}, "use_sliding_window", 0});
  family.fixed = {{"use_mrope", "false", "rotary positions in several sections"}};
  return family;
}

static Family bert() {
  return {.modelType = "bert",
          .common = {.norm = NormKind::Layer,
                     .normPlace = NormPlace::Post,
                     .epsilon = 1e-12,
                     .embedNorm = true,
                     .activation = Activation::GeluErf,
                     .gated = false,
                     .positions = Positions::Learned,
                     .causal = false,
                     .paddingMask = true,
                     .qkvBias = true,
                     .outBias = true,
                     .mlpBias = true,
                     .headBias = true,
                     .tied = true,
                     .headTransform = true,
                     .outputs = Outputs::HiddenAndPooled,
                     .names = {.embed = "bert.embeddings.word_embeddings",
                               .positions = "bert.embeddings.position_embeddings",
                               .segments = "bert.embeddings.token_type_embeddings",
                               .embedNorm = "bert.embeddings.LayerNorm",
                               .norm1 = "bert.encoder.layer.{}.attention.output.LayerNorm",
                               .q = "bert.encoder.layer.{}.attention.self.query",
                               .k = "bert.encoder.layer.{}.attention.self.key",
                               .v = "bert.encoder.layer.{}.attention.self.value",
                               .out = "bert.encoder.layer.{}.attention.output.dense",
                               .norm2 = "bert.encoder.layer.{}.output.LayerNorm",
                               .gate = "bert.encoder.layer.{}.intermediate.dense",
                               .down = "bert.encoder.layer.{}.output.dense",
                               .headTransform = "cls.predictions.transform.dense",
                               .headNorm = "cls.predictions.transform.LayerNorm",
                               .head = "cls.predictions.decoder",
                               .headBias = "cls.predictions",
                               .pooler = "bert.pooler.dense"}},
          .fields = {{"vocab_size", "vocabulary", &Spec::vocabulary, true},
                     {"hidden_size", "d_model", &Spec::dModel, true},
                     {"intermediate_size", "d_ff", &Spec::dFf, true},
                     {"num_hidden_layers", "layers", &Spec::layers, true},
                     {"num_attention_heads", "heads", &Spec::heads, true},
                     {"max_position_embeddings", "max_positions", &Spec::maxPositions, true},
                     {"type_vocab_size", "segments", &Spec::segments, true},
                     {"hidden_act", "activation", &Spec::activation},
                     {"layer_norm_eps", "epsilon", &Spec::epsilon},
                     {"tie_word_embeddings", "tied", &Spec::tied}},
          .fixed = {{"position_embedding_type", "\"absolute\"", "positions relative to the query"},
                    {"is_decoder", "false", "a causal BERT"}},
          .ignored = {"attention_probs_dropout_prob", "hidden_dropout_prob", "classifier_dropout"}};
}

static const std::vector<Family> &families() {
  // Built once: the tables hold strings and vectors.
  static const std::vector<Family> table = [] {
    std::vector<Family> families = {bert(), gpt2(), llama(), mistral(), qwen2()};
    for (Family &family : families) {
      family.common.inputs = {"input_ids", "token_type_ids", "attention_mask"};
      family.common.linearStd = 0.02;
      // Trained biases are no zeros. Drawn as zeros they would hide one that is lost or misplaced.
      family.common.biasStd = 0.02;
      family.fields.push_back({"initializer_range", "linear_std", &Spec::linearStd});
      family.fields.push_back({"initializer_range", "embedding_std", &Spec::embeddingStd});
      family.fields.push_back({"initializer_range", "bias_std", &Spec::biasStd});
    }
    return families;
  }();
  return table;
}

namespace {
struct Missing {
  const char *modelType, *feature;
};
} // namespace

static constexpr Missing kMissing[] = {
    {"albert", "weights that layers share"},
    {"bart", "an encoder with a decoder"},
    {"bloom", "ALiBi position biases"},
    {"camembert", "positions that begin behind the padding index"},
    {"deberta-v2", "positions relative to the query"},
    {"deepseek_v3", "latent attention"},
    {"distilbert", "an encoder without segments and pooler"},
    {"electra", "an embedding narrower than the model"},
    {"falcon", "parallel attention and MLP"},
    {"gemma", "norm weight applied as 1 + w"},
    {"gemma2", "norm weight applied as 1 + w"},
    {"gemma3", "norm weight applied as 1 + w"},
    {"gemma3_text", "norm weight applied as 1 + w"},
    {"gpt_bigcode", "packed Q, K, V with one key head"},
    {"gpt_neo", "layers with local attention in turn"},
    {"gpt_neox", "parallel attention and MLP"},
    {"gptj", "parallel attention and MLP"},
    {"mamba", "state-space layers"},
    {"mixtral", "a mixture of experts"},
    {"mpt", "ALiBi position biases"},
    {"mt5", "an encoder with a decoder"},
    {"opt", "learned positions with an offset of 2"},
    {"phi", "parallel attention and MLP"},
    {"phi-msft", "parallel attention and MLP"},
    {"phi3", "gate and up packed in one weight"},
    {"qwen2_moe", "a mixture of experts"},
    {"qwen3", "norms of query and key"},
    {"roberta", "positions that begin behind the padding index"},
    {"t5", "an encoder with a decoder"},
    {"vit", "projection of image patches"},
    {"whisper", "an encoder with a decoder"},
    {"xlm-roberta", "positions that begin behind the padding index"},
};

const Family *heddle::import::findFamily(std::string_view modelType) {
  for (const Family &family : families())
    if (modelType == family.modelType)
      return &family;
  return nullptr;
}

std::string heddle::import::familyNames() {
  std::string names;
  for (const Family &family : families())
    names += (names.empty() ? "" : ", ") + std::string(family.modelType);
  return names;
}

const char *heddle::import::missingFeature(std::string_view modelType) {
  for (const Missing &missing : kMissing)
    if (modelType == missing.modelType)
      return missing.feature;
  return nullptr;
}

const std::vector<FixedField> &heddle::import::fixedFields() {
  static const std::vector<FixedField> fields = {
      {"is_encoder_decoder", "false", "an encoder with a decoder"},
      {"add_cross_attention", "false", "attention to an encoder"},
      {"quantization_config", "null", "quantised weights"},
      {"pruned_heads", "{}", "layers of different heads"},
  };
  return fields;
}

const std::vector<const char *> &heddle::import::ignoredFields() {
  static const std::vector<const char *> fields = {
      // Where the file comes from.
      "_name_or_path",
      "name_or_path",
      "architectures",
      "auto_map",
      "transformers_version",
      "license",
      "language",
      // The type of the stored weights: their file says it.
      "torch_dtype",
      "dtype",
      // How the other library runs the model.
      "_attn_implementation",
      "_attn_implementation_autoset",
      "_flash_attn_2_enabled",
      "use_cache",
      "gradient_checkpointing",
      "chunk_size_feed_forward",
      "keys_to_ignore_at_inference",
      "output_attentions",
      "output_hidden_states",
      "output_past",
      "return_dict",
      "use_return_dict",
      "torchscript",
      "use_bfloat16",
      "is_decoder",
      "tie_encoder_decoder",
      "cross_attention_hidden_size",
      // Tokens with a meaning, and generation.
      "bos_token_id",
      "eos_token_id",
      "pad_token_id",
      "sep_token_id",
      "cls_token_id",
      "mask_token_id",
      "unk_token_id",
      "decoder_start_token_id",
      "forced_bos_token_id",
      "forced_eos_token_id",
      "prefix",
      "tokenizer_class",
      "max_length",
      "min_length",
      "do_sample",
      "early_stopping",
      "num_beams",
      "num_beam_groups",
      "num_return_sequences",
      "temperature",
      "top_k",
      "top_p",
      "typical_p",
      "repetition_penalty",
      "length_penalty",
      "diversity_penalty",
      "no_repeat_ngram_size",
      "encoder_no_repeat_ngram_size",
      "bad_words_ids",
      "suppress_tokens",
      "begin_suppress_tokens",
      "remove_invalid_values",
      "exponential_decay_length_penalty",
      "output_scores",
      "return_dict_in_generate",
      "task_specific_params",
      // Heads of other tasks.
      "id2label",
      "label2id",
      "num_labels",
      "_num_labels",
      "finetuning_task",
      "problem_type",
  };
  return fields;
}
