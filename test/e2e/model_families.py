# RUN: %python %s %t
"""Two layers of each model family, written out: values against float64, and how many steps they take, in float32 and
bf16, where every weight is cast by a step."""

import json

from support.driver import DEVICE, Test
from support.families import FAMILIES

# At most this many steps, what runs once included. docs/rationale.md says why what is left is not one.
STEPS = {"gpt2": {"fp32": 19, "bf16": 30}, "llama": {"fp32": 25, "bf16": 34}, "qwen2": {"fp32": 25, "bf16": 36},
         "mistral": {"fp32": 26, "bf16": 35}, "bert": {"fp32": 19, "bf16": 29}}

test = Test()
for name, graph in FAMILIES.items():
    path = test.write(f"{name}.mlir", graph())
    for precision in ("fp32", "bf16"):
        test.verdict(f"{name}, {precision}", path, "--precision", precision)
        done = test.command("explain", path, "--device", DEVICE, "--precision", precision, "--format", "json")
        if test.check(done.returncode == 0, f"{name}, {precision}: explain: exit code {done.returncode}: {done.stderr[:1000]}"):
            steps = len(json.loads(done.stdout)["steps"])
            wanted = STEPS[name][precision]
            test.check(0 < steps <= wanted, f"{name}, {precision}: {steps} steps, wanted at most {wanted}")
test.finish()
