# RUN: %python %s %t
"""The graphs of logits_past_2_31.py and offset_past_2_31.py, and alike ones, with fewer elements; and one tensor of 3 * 2^30, of a byte each,
that any device has (jax-ml/jax#16973; triton-lang/triton#832; pytorch/pytorch#186057). More than the device has, than a grid of blocks, or than
64 bits count, is refused before anything runs."""

import os

from support.driver import DEVICE, IMPLEMENTATIONS, Test
from support.graph import Graph
from support.many_elements import copied_row, rows_and_alone
from support.vocabulary import VocabularyLoss

test = Test()
rows_and_alone(test, 67, 1009)
for edge in (8, 33):
    for wide in (True, False):
        copied_row(test, edge, wide)
# Eager's sums would take 12 GiB.
copied_row(test, 1 << 15, False, ["compiled"])

loss = VocabularyLoss(67, 1009, 8, [i % 1009 for i in range(67)])
for precision in ("fp32", "bf16"):
    for label, outputs in test.run(f"product-{precision}", loss.text(True), loss.inputs, ("--mode", "backward", "--precision", precision), loss.weights):
        loss.check(test, label, outputs, precision, range(8))

# A thousand times 42692 rows of logits take 8 TB, and weights with their gradient can take as much, which a grid of blocks still holds; bytes of
# 2^81 are no tensor's.
out = test.path("never.safetensors")


def refused(name, text, code, *wanted, mode="backward"):
    path = test.write(f"{name}.mlir", text)
    for implementation, flags in IMPLEMENTATIONS.items():
        test.fails(code, ["run", path, "--device", DEVICE, "--input", "random:1", "--output", out, "--mode", mode, *flags], *wanted,
                   name=f"{name}, {implementation}")


for name, shape in (("logits", (42692000, 50304)), ("weights", (1 << 20, 1 << 20))):
    graph = Graph(x=("f32", (1, 1)))
    if name == "logits":
        value = graph.broadcast(graph.parameter("row", (1, shape[1])), shape)
        value = graph.binary("add", value, graph.broadcast("%x", shape))
    else:
        value = graph.binary("mul", graph.parameter("w", shape), graph.broadcast("%x", shape))
    sums = graph.reduce("sum", graph.binary("mul", value, value), [1])
    most = graph.unary("softmax", value)
    refused(name, graph.text(loss=graph.total(graph.binary("mul", sums, graph.reduce("max", most, [1])))), 3, "the plan needs", "free on device")
# Blocks of 256 threads that take 4 elements each: one block more than a grid of a GPU has. The CPU has no such limit.
graph = Graph(x=("f32", (1, 1)))
text = graph.text(y=graph.unary("exp", graph.broadcast("%x", (1 << 21, 1 << 20))))
wanted = (1, "needs 2147483648 blocks; a grid has at most 2147483647") if DEVICE == "cuda" else (3, "the plan needs", "free on device")
refused("grid", text, *wanted, mode="forward")
graph = Graph(x=("f32", (1, 1)))
value = graph.broadcast("%x", (1 << 40, 1 << 39))
refused("uncounted", graph.text(loss=graph.total(value)), 1, "uncounted.mlir")
test.check(not os.path.exists(out), "wanted no output of a run that was refused")
test.finish()
