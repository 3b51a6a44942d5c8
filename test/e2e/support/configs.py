"""The published configurations of test/Inputs/configs, made narrow: fields that give widths are replaced, all others stay
as they are. Heads, groups and widths keep what is odd about them (25 heads, 7 queries a key, nothing a power of two).
"""

import json
import pathlib

PUBLISHED = pathlib.Path(__file__).resolve().parents[2] / "Inputs" / "configs"
# Two layers; a sequence that no tile divides, longer than the windows here.
LAYERS, VOCABULARY, BATCH, CONTEXT = 2, 300, 2, 35

NARROW = {
    "gpt2": {"n_embd": 96, "n_head": 6},
    "gpt2-xl": {"n_embd": 200, "n_head": 25},
    "distilgpt2": {"n_embd": 72, "n_head": 3, "n_inner": 100},
    "llama-2-7b": {"hidden_size": 64, "intermediate_size": 172, "num_attention_heads": 4, "num_key_value_heads": 4},
    "llama-3.2-1b": {"hidden_size": 128, "intermediate_size": 256, "num_attention_heads": 8, "num_key_value_heads": 2,
                     "head_dim": 64},
    "tinyllama-1.1b": {"hidden_size": 128, "intermediate_size": 352, "num_attention_heads": 8, "num_key_value_heads": 1},
    "smollm2-135m": {"hidden_size": 72, "intermediate_size": 192, "num_attention_heads": 9, "num_key_value_heads": 3},
    "qwen2.5-0.5b": {"hidden_size": 112, "intermediate_size": 152, "num_attention_heads": 14, "num_key_value_heads": 2},
    "mistral-7b": {"hidden_size": 64, "intermediate_size": 224, "num_attention_heads": 8, "num_key_value_heads": 2,
                   "sliding_window": 7},
    "bert-base": {"hidden_size": 96, "intermediate_size": 200, "num_attention_heads": 6},
    "all-minilm-l6-v2": {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2},
}
# What no published configuration here shows: biases everywhere, windows from a layer on, frequencies divided alike.
VARIANTS = {
    "llama-biased": ("tinyllama-1.1b", {"attention_bias": True, "mlp_bias": True, "hidden_act": "gelu_new"}),
    "qwen-window": ("qwen2.5-0.5b", {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1}),
    "llama-linear": ("llama-2-7b", {"rope_scaling": {"type": "linear", "factor": 4.0}}),
}
NAMES = [*NARROW, *VARIANTS]


def narrow(name):
    """The fields of a configuration's narrow form, all layers and the whole vocabulary included."""
    base, changed = VARIANTS.get(name, (name, {}))
    return json.loads((PUBLISHED / f"{base}.json").read_text()) | NARROW[base] | changed


def outputs(fields):
    return ["last_hidden_state", "pooler_output"] if fields["model_type"] == "bert" else ["logits"]
