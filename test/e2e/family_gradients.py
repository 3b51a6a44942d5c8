# RUN: %python %s %t
"""`heddle check --mode backward` and `--mode step`: two layers of a preset and of families of config.json, narrow, ending in the mean
cross-entropy; every gradient, weight and moment of compiled and eager execution against float64."""

import json
import os

from support import configs
from support.driver import Test

SIZES = ["--layers", str(configs.LAYERS), "--vocab", str(configs.VOCABULARY), "--batch", str(configs.BATCH), "--context",
         str(configs.CONTEXT)]
FAMILIES = ("gpt2", "tinyllama-1.1b", "qwen2.5-0.5b", "mistral-7b", "bert-base", "all-minilm-l6-v2")

test = Test()
for precision in ("fp32", "bf16"):
    for mode in ("backward", "step"):
        test.verdict(f"study:small, {mode}, {precision}", "study:small", "--layers", "2", "--batch", "2", "--vocab", "300", "--context", "17",
                     "--precision", precision, "--mode", mode)
for name in FAMILIES:
    os.makedirs(test.path(name))
    test.write(os.path.join(name, "config.json"), json.dumps(configs.narrow(name)))
    for precision in ("fp32", "bf16"):
        for mode in ("backward", "step"):
            test.verdict(f"{name}, {mode}, {precision}", test.path(name), *SIZES, "--precision", precision, "--mode", mode)
test.finish()
