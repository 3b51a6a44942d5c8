# RUN: %python %s %t
"""Steps of AdamW around a projection that gives 65600, past float16's largest number, then a residual and a norm: finite in float32 and
bf16. Where it passes even their range, gradients are not finite: each step says so, and no weight and no moment changes
(huggingface/transformers#5651, #4586). float16 is no precision."""

import array
import csv
import math
import os
import re

from support.driver import DEVICE, Test
from support.graph import Graph
from support.tensors import f32, fill, read_safetensors, write_safetensors

test = Test()
BATCH, CONTEXT, WIDTH, VOCABULARY, STEPS = 2, 4, 64, 8, 3
ROWS = BATCH * CONTEXT


def graph_of(residual):
    """The loss of the norm of x W + residual, with x the token's row of a table, and a bias that the loss always sees."""
    ids = ("i32", (BATCH, CONTEXT))
    graph = Graph(ids=ids, targets=ids)
    table = graph.parameter("table", (VOCABULARY, WIDTH))
    x = graph.op(f"embedding {table}, %ids : {graph.types[table]}, {graph.types['%ids']} -> tensor<{BATCH}x{CONTEXT}x{WIDTH}xf32>", "f32",
                 (BATCH, CONTEXT, WIDTH))
    y = graph.matmul(graph.reshape(x, (ROWS, WIDTH)), graph.parameter("w", (WIDTH, VOCABULARY)))
    added = graph.binary("add", y, graph.like(residual, y))
    scale, shift = graph.parameter("scale", (VOCABULARY,)), graph.parameter("shift", (VOCABULARY,))
    types = ", ".join(graph.types[operand] for operand in (added, scale, shift))
    normed = graph.op(f"layer_norm {added}, {scale}, {shift} epsilon 1.0e-5 : {types}", graph.dtype(added), (ROWS, VOCABULARY))
    logits = graph.reshape(normed, (BATCH, CONTEXT, VOCABULARY))
    text = graph.text(loss=graph.mean_loss(graph.cross_entropy(logits, "%targets"), "%targets"))
    for name in ("ids", "targets"):
        text = text.replace(f'graph.name = "{name}"', f'graph.name = "{name}", graph.bound = {VOCABULARY} : i64')
    return text


tokens = bytes(i * i % VOCABULARY for i in range(40))
data = test.write("tokens.npy", b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + repr(
    {"descr": "|u1", "fortran_order": False, "shape": (len(tokens),)}).ljust(117).encode() + b"\n" + tokens)


def train(label, residual, factor, precision, implementation, code=0):
    """(stderr, rows of the CSV, weights before, weights and moments after)."""
    before = {"table": f32((VOCABULARY, WIDTH), [1.0] * (VOCABULARY * WIDTH)), "w": f32((WIDTH, VOCABULARY), [factor] * (WIDTH * VOCABULARY)),
              "scale": f32((VOCABULARY,), [1.0] * VOCABULARY), "shift": fill(3, (VOCABULARY,))}
    weights, saved, lines = (test.path(f"{label}.{name}") for name in ("safetensors", "saved", "csv"))
    write_safetensors(weights, before)
    done = test.command("train", test.write(f"{label}.mlir", graph_of(residual)), "--device", DEVICE, "--data", data, "--weights", weights,
                        "--precision", precision, "--steps", str(STEPS), "--csv", lines, "--save", saved, "--impl", implementation)
    if not test.check(done.returncode == code, f"{label}: exit code {done.returncode}: {done.stderr[:1000]}"):
        return None
    with open(lines, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    after = read_safetensors(os.path.join(saved, "model.safetensors"))
    return done.stderr, rows, before, after, read_safetensors(os.path.join(saved, "optimizer.safetensors"))


skipped = "".join(f"step {step}: gradients are not finite, skipped\n" for step in range(1, STEPS + 1)) + \
    f"error: step {STEPS}: the loss is nan: every step from step 1 on was skipped and changed nothing; "
for precision in ("fp32", "bf16"):
    for implementation in ("eager", "compiled"):
        for residual in ("1.0", "60000.0"):
            label = f"finite-{residual}-{precision}-{implementation}"
            found = train(label, residual, 1025.0, precision, implementation)
            if found:
                said, rows, before, after, _ = found
                test.check("not finite" not in said, f"{label}: {said!r}")
                test.check(len(rows) == STEPS and all(math.isfinite(float(row["loss"])) for row in rows), f"{label}: {rows}")
                test.check(all(map(math.isfinite, sum((list(tensor.values) for tensor in after.values()), []))), f"{label}: weights")
                test.check(list(after["shift"].values) != before["shift"].values, f"{label}: no step was made")
        # 64 times 3e37 is past float32's range, and bf16's.
        label = f"overflow-{precision}-{implementation}"
        found = train(label, "1.0", 3e37, precision, implementation, code=1)
        if found:
            said, rows, before, after, optimizer = found
            test.check(re.sub(r"step \d/.* left\n", "", said).startswith(skipped), f"{label}: {said!r}")
            for name, tensor in before.items():
                # As float32 holds them.
                test.check(after[name].values == array.array("f", tensor.values), f"{label}: {name} changed")
            moments = {name: tensor for name, tensor in optimizer.items() if name.startswith("exp_avg")}
            bad = [name for name, tensor in moments.items() if set(tensor.values) != {0.0}]
            test.check(len(moments) == 2 * len(before) and not bad, f"{label}: {len(moments)} moments, changed: {bad}")
done = test.command("train", test.path("finite-1.0-fp32-eager.mlir"), "--device", DEVICE, "--data", data, "--precision", "fp16")
test.check(done.returncode == 2 and "fp16" in done.stderr, f"fp16: exit code {done.returncode}: {done.stderr[:300]}")
test.finish()
