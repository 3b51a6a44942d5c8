# RUN: %python %s %t
"""`heddle check` on a narrow model of every family of config.json, float32 and bf16, two layers."""

import json
import os

from support import configs
from support.driver import DEVICE, Test

test = Test()
for name in configs.NAMES:
    fields = configs.narrow(name)
    os.makedirs(test.path(name))
    test.write(os.path.join(name, "config.json"), json.dumps(fields))
    for precision in ("fp32", "bf16"):
        done = test.command("check", test.path(name), "--layers", str(configs.LAYERS), "--vocab", str(configs.VOCABULARY),
                            "--batch", str(configs.BATCH), "--context", str(configs.CONTEXT), "--precision", precision,
                            "--device", DEVICE, "--format", "json")
        label = f"{name}, {precision}"
        if test.check(done.returncode == 0,
                      f"{label}: exit code {done.returncode}: {done.stderr[:1000]}{done.stdout[:2000]}"):
            found = {output["name"]: output["ok"] for output in json.loads(done.stdout)["outputs"]}
            test.check(found == dict.fromkeys(configs.outputs(fields), True), f"{label}: {found}")
test.finish()
