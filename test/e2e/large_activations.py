# RUN: %python %s %t
"""A projection that gives 65600, past float16's largest number, then a residual and a norm: finite in float32 and bf16, gradients
too; float16 is no precision (huggingface/transformers#5651, #4586)."""

import math

from support.driver import DEVICE, Test
from support.graph import Graph
from support.tensors import f32, write_npy


def graph_of(value):
    """y = x W with all elements of W 1025, y + value, its norm, and the sum of that weighted by position."""
    graph = Graph(x=("f32", (2, 64)), g=("f32", (2, 8)))
    weight, bias = graph.parameter("norm", (8,), "constant, 1.0"), graph.parameter("shift", (8,), "constant, 0.0")
    y = graph.matmul("%x", graph.parameter("w", (64, 8), "constant, 1025.0"))
    added = graph.binary("add", y, graph.like(value, y))
    types = ", ".join(graph.types[operand] for operand in (added, weight, bias))
    normed = graph.op(f"layer_norm {added}, {weight}, {bias} epsilon 1.0e-5 : {types}", "f32", (2, 8))
    return graph.text(loss=graph.total(graph.binary("mul", normed, "%g")), y=y)


test = Test()
inputs = {"x": f32((2, 64), [1.0] * 128), "g": f32((2, 8), [i / 4 - 1 for i in range(16)])}
for residual in ("1.0", "60000.0"):
    text = graph_of(residual)
    # bf16 rounds 1025 to 1024; a sum of 64 of either is exact in both.
    for precision, wanted in (("fp32", 65600.0), ("bf16", 65536.0)):
        for label, outputs in test.run(f"residual-{residual}-{precision}", text, inputs, ("--mode", "backward", "--precision", precision)):
            test.check(set(outputs["y"].values) == {wanted}, f"{label}: y is {set(outputs['y'].values)}, wanted {wanted}")
            for name, tensor in outputs.items():
                test.check(all(map(math.isfinite, tensor.values)), f"{label}: {name} is not finite")
            # All elements of a row are equal: its norm is 0, and so is what it gives its weight.
            test.number(f"{label}: loss", outputs["loss"].values[0], 0, 1e-6)
            test.check(set(outputs["norm.grad"].values) == {0.0}, f"{label}: norm.grad")
write_npy(test.path("x.npy"), inputs["x"])
write_npy(test.path("g.npy"), inputs["g"])
graph = test.write("graph.mlir", graph_of("1.0"))
done = test.command("run", graph, "--device", DEVICE, "--precision", "fp16", "--input", f"x={test.path('x.npy')}", "--input",
                    f"g={test.path('g.npy')}", "--output", test.path("never.safetensors"))
test.check(done.returncode == 2 and "fp16" in done.stderr, f"fp16: exit code {done.returncode}: {done.stderr[:300]}")

# A sum of 4096 times 1/16 is 256; a bf16 accumulator would stop at 16.
graph = Graph(x=("f32", (2, 4096)))
low = graph.cast("%x", "bf16")
text = graph.text(sum=graph.cast(graph.reduce("sum", low, [1]), "f32"), mean=graph.cast(graph.reduce("mean", low, [1]), "f32"))
for label, outputs in test.run("sum", text, {"x": f32((2, 4096), [1 / 16] * 8192)}):
    test.check(list(outputs["sum"].values) == [256.0, 256.0], f"{label}: sum {list(outputs['sum'].values)}, wanted 256")
    test.check(list(outputs["mean"].values) == [1 / 16] * 2, f"{label}: mean {list(outputs['mean'].values)}, wanted 1/16")
test.finish()
