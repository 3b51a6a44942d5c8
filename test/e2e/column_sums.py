# RUN: %python %s %t
"""Gradients that are sums over rows (of a norm's weight and bias, of a product's bias), in more rows than a row kernel sums in
parts: gradients against float64, in numbers of rows that the parts do not divide, and the same bits however often it runs."""

from support.driver import DEVICE, Test
from support.graph import Graph
from support.tensors import fill

test = Test()


def block(width, batch, rows, norm):
    """A norm, a product with a bias, an activation, a product with a bias and what came in: the gradients of eight leaves."""
    shape, hidden = (batch, rows, width), (batch, rows, 2 * width)
    graph = Graph(x=("f32", shape))

    def biased(value, name, extents):
        bias = graph.parameter(name, (extents[-1],), "normal, 0.5")
        return graph.binary("add", value, graph.broadcast(graph.reshape(bias, (1, 1, extents[-1])), extents))

    def normed(value, name):
        weight = graph.parameter(f"{name}_weight", (width,), "normal, 1.0")
        vector = graph.types[weight]
        if norm == "rms_norm":
            return graph.op(f"rms_norm {value}, {weight} epsilon 1.0e-5 : {graph.types[value]}, {vector}", "f32", shape)
        bias = graph.parameter(f"{name}_bias", (width,), "normal, 0.5")
        return graph.op(f"layer_norm {value}, {weight}, {bias} epsilon 1.0e-5 : {graph.types[value]}, {vector}, {vector}", "f32", shape)

    first = biased("%x", "embedding", shape)
    up = biased(graph.matmul(normed(first, "norm"), graph.parameter("up", (width, 2 * width), "normal, 0.05")), "up_bias", hidden)
    down = graph.matmul(graph.unary("gelu tanh", up), graph.parameter("down", (2 * width, width), "normal, 0.05"))
    last = normed(graph.binary("add", first, biased(down, "down_bias", shape)), "last")
    return graph.text(loss=graph.total(graph.binary("mul", last, last)))


# 64 parts of rows of this width on the CPU, 512 on a GPU: 300 and 2050 rows.
batch, rows = (2, 150) if DEVICE == "cpu" else (2, 1025)
for norm, width, precision in (("rms_norm", 512, "fp32"), ("layer_norm", 520, "fp32"), ("layer_norm", 520, "bf16")):
    name = f"{norm}-{width}-{precision}"
    path = test.write(f"{name}.mlir", block(width, batch, rows, norm))
    flags = (path, "--mode", "backward", "--precision", precision)
    test.verdict(name, *flags)
    explained = test.command("explain", *flags, "--device", DEVICE).stdout
    split = sum(line.startswith("    ops: ") and "partial_sums" in line for line in explained.splitlines())
    test.check(split >= 3, f"{name}: wanted three kernels that sum their rows in parts, found {split}: {explained[:3000]}")
    x = fill(3, (batch, rows, width))
    runs = [outputs for _ in range(2) for label, outputs in test.run(name, block(width, batch, rows, norm), {"x": x}, flags[1:]) if "eager" not in label]
    for key, value in runs[0].items():
        test.check(all(other[key].values == value.values for other in runs), f"{name}: {key} has other bits in another run")
test.finish()
