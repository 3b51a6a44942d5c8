# RUN: %python %s %t
"""`heddle check` on a narrow model of every family of config.json, float32 and bf16, two layers; and that their plans copy nothing."""

import json
import os

from support import configs
from support.driver import Test

SIZES = ["--layers", str(configs.LAYERS), "--vocab", str(configs.VOCABULARY), "--batch", str(configs.BATCH), "--context",
         str(configs.CONTEXT)]

test = Test()
for name in configs.NAMES:
    fields = configs.narrow(name)
    os.makedirs(test.path(name))
    test.write(os.path.join(name, "config.json"), json.dumps(fields))
    for precision in ("fp32", "bf16"):
        label = f"{name}, {precision}"
        test.verdict(label, test.path(name), *SIZES, "--precision", precision, outputs=configs.outputs(fields))
        # Transposed weights, slices of a packed Q, K, V and the tied table are read in place.
        done = test.command("explain", test.path(name), *SIZES, "--precision", precision, "--format", "json")
        if test.check(done.returncode == 0, f"{label}: explain: exit code {done.returncode}: {done.stderr[:1000]}"):
            plan = json.loads(done.stdout)
            copies = [step["label"] for step in plan["steps"] if step["kind"] == "copy" or "copy" in step["label"]]
            test.check(plan["steps"] and not copies, f"{label}: {len(copies)} copies in {len(plan['steps'])} steps: {copies}")
test.finish()
