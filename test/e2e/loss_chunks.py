# RUN: %python %s %t
"""A loss whose logits take more than a chunk: product, loss and gradients go chunk by chunk of rows, the last one shorter. Against float64,
and against the same graph whose logits are read by something else, which keeps them whole: losses and the rows' gradients have the
same bits on the CPU (a GPU's library sums other shapes in another order), and the weight's and the bias's, sums over chunks,
are near."""

import math
import os

from support.driver import DEVICE, Test
from support.graph import Graph
from support.tensors import read_safetensors

test = Test()
COLUMNS, WIDTH = 50001, 8


def graph_of(rows, whole, biased):
    graph = Graph(targets=("i32", (rows,)))
    logits = graph.matmul(graph.parameter("p", (rows, WIDTH), "normal, 1.0"), graph.parameter("head", (WIDTH, COLUMNS), "normal, 0.3"))
    if biased:
        bias = graph.reshape(graph.parameter("bias", (COLUMNS,), "normal, 0.3"), (1, COLUMNS))
        logits = graph.binary("add", logits, graph.broadcast(bias, (rows, COLUMNS)))
    results = {"loss": graph.mean_loss(graph.cross_entropy(logits, "%targets", 7, 0.1), "%targets", 7)}
    if whole:
        results["first"] = graph.slice(logits, [0, 0], [1, 1], (1, 1))
    text = graph.text(**results)
    return text.replace('graph.name = "targets"', f'graph.name = "targets", graph.bound = {COLUMNS} : i64')


# Logits of 128 MiB are one chunk. Float32: the loss and the rows' gradients, whose sums are in one order but for the library's, to some
# units of 2^-24; the weight's and the bias's, sums of a term a row, each in an order of its own, off by the root of so many
# roundings. Products are rounded to bf16, where a sum that is off may fall the other way; the weight's sum of chunks is not rounded.
for precision, rows, biased in (("fp32", 700, False), ("bf16", 1400, False), ("fp32", 700, True), ("bf16", 1400, True)):
    tolerance = 1e-6 if precision == "fp32" else 2.0 ** -8
    over_rows = max(tolerance, 2 * math.sqrt(rows) * 2.0 ** -24)
    label, sums = precision + (", biased" if biased else ""), ("head.grad", "bias.grad")
    outputs = []
    for name in ("whole", "chunks"):
        graph = test.write(f"{name}-{precision}{'-biased' if biased else ''}.mlir", graph_of(rows, name == "whole", biased))
        flags = ("--mode", "backward", "--precision", precision, "--device", DEVICE)
        done = test.command("explain", graph, *flags, "--dump-to", test.path("dump"))
        test.check(done.returncode == 0, f"explain {graph}: {done.stderr[:1000]}")
        with open(os.path.join(test.path("dump"), "5-Checkpoint.mlir")) as file:
            products = [line for line in file if "graph.matmul" in line and "graph.chunk" in line]
        test.check(len(products) == (0 if name == "whole" else 6), f"{graph}: {len(products)} products in chunks")
        output = test.path("outputs.safetensors")
        done = test.command("run", graph, *flags, "--input", "random:1", "--output", output, "--poison")
        test.check(done.returncode == 0, f"run {graph}: {done.stderr[:1000]}")
        outputs.append(read_safetensors(output))
    test.verdict(f"chunks, {label}", graph, *flags[:4])
    whole, chunks = outputs
    for name in ("loss", "p.grad", "head.grad", *(["bias.grad"] if biased else [])):
        most = max(map(abs, whole[name].values))
        error = max(abs(a - b) for a, b in zip(whole[name].values, chunks[name].values))
        allowed = over_rows if name in sums else 0 if DEVICE == "cpu" else tolerance
        test.check(error <= allowed * most, f"{label}: {name} is off by {error}, its largest is {most}")
test.finish()
