# RUN: %python %s %t
"""Two layers of each model family, written out: values against float64, in float32 and bf16."""

import json

from support.driver import DEVICE, Test
from support.families import FAMILIES

test = Test()
for name, graph in FAMILIES.items():
    path = test.write(f"{name}.mlir", graph())
    for precision in ("fp32", "bf16"):
        arguments = (path, "--device", DEVICE, "--precision", precision, "--format", "json")
        done = test.command("check", *arguments)
        if test.check(done.returncode == 0, f"{name}, {precision}: exit code {done.returncode}: {done.stderr[:1000]}{done.stdout[:2000]}"):
            outputs = json.loads(done.stdout)["outputs"]
            test.check(outputs and all(output["ok"] for output in outputs), f"{name}, {precision}: {outputs}")
test.finish()
