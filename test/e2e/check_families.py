# RUN: %python %s %t
"""`heddle check` on a small model of every family of config.json, float32 and bf16, two layers.

The models are the published ones, made narrow: fields that give widths are replaced, all others stay as they are. Heads,
groups and widths keep what is odd about them (25 heads, 7 queries a key, nothing a power of two).
"""

import json
import os

from support.driver import DEVICE, Test

test = Test()
CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Inputs", "configs")

# The context is one that no tile divides, longer than mistral's window here.
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
# Models that no published config shows: biases everywhere, no window beside a declared one, windows from a layer on.
VARIANTS = {
    "llama-biased": ("tinyllama-1.1b", {"attention_bias": True, "mlp_bias": True, "hidden_act": "gelu_new"}),
    "qwen-window": ("qwen2.5-0.5b", {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1}),
    "llama-linear": ("llama-2-7b", {"rope_scaling": {"type": "linear", "factor": 4.0}}),
}


def check(name, fields, outputs):
    folder = test.path(name)
    os.makedirs(folder)
    test.write(os.path.join(name, "config.json"), json.dumps(fields))
    for precision in ("fp32", "bf16"):
        done = test.command("check", folder, "--layers", "2", "--context", "35", "--batch", "2", "--vocab", "300",
                            "--precision", precision, "--device", DEVICE, "--format", "json")
        label = f"{name}, {precision}"
        if not test.check(done.returncode == 0,
                          f"{label}: exit code {done.returncode}: {done.stderr[:1000]}{done.stdout[:2000]}"):
            continue
        found = {output["output"]: output["ok"] for output in json.loads(done.stdout)["outputs"]}
        test.check(found == dict.fromkeys(outputs, True), f"{label}: {found}")


def published(name):
    with open(os.path.join(CONFIGS, name + ".json")) as file:
        return json.load(file) | NARROW[name]


for name in NARROW:
    fields = published(name)
    bert = fields["model_type"] == "bert"
    check(name, fields, ["last_hidden_state", "pooler_output"] if bert else ["logits"])
for name, (base, changed) in VARIANTS.items():
    check(name, published(base) | changed, ["logits"])
test.finish()
