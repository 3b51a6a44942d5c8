# RUN: %python %s %t
"""Attention whose operands are slices of one packed buffer: strides, not copies (NVIDIA/TransformerEngine#1195)."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, heads
from support.tensors import fill, f32

LENGTH, HEADS, SIZE = 5, 4, 4
# Four heads of queries, then one of keys and one of values: [S, H + 2, D].
packed = fill(5, (LENGTH, HEADS + 2, SIZE))


def head(index):
    return [packed.values[(row * (HEADS + 2) + index) * SIZE + d] for row in range(LENGTH) for d in range(SIZE)]


shape = (1, HEADS, LENGTH, SIZE)
q = f32(shape, [x for index in range(HEADS) for x in head(index)])
k, v = (f32(shape, head(index) * HEADS) for index in (HEADS, HEADS + 1))
wanted = heads(q, k, v, 0.5, allowed=lambda i, j: j <= i)


def parts(graph):
    """q, k, v as views of rank 4: [1, H, S, D], and one head each for k and v."""
    values = []
    for first, count in ((0, HEADS), (HEADS, 1), (HEADS + 1, 1)):
        part = graph.slice("%packed", [0, first, 0], [1, 1, 1], (LENGTH, count, SIZE))
        part = graph.transpose(part, [1, 0, 2])
        values.append(graph.reshape(part, (1, count, LENGTH, SIZE)))
    return values


def named(graph):
    return graph.attention(*parts(graph), 0.5, causal=True)


def written_out(graph):
    q, k, v = parts(graph)
    k, v = (graph.broadcast(value, shape) for value in (k, v))
    scores = graph.matmul(q, graph.transpose(k, [0, 1, 3, 2]))
    scores = graph.binary("mul", scores, graph.like("0.5", scores))
    scores = graph.select(graph.causal_mask(graph.shape(scores)), scores, graph.like("0xFF800000", scores))
    return graph.matmul(graph.unary("softmax", scores), v)


test = Test()
test.number("float64: sum", math.fsum(wanted), 8.4458992, 5e-8)
test.number("float64: sum of magnitudes", math.fsum(map(abs, wanted)), 48.3435004, 5e-8)
for form in (named, written_out):
    graph = Graph(packed=packed)
    for label, outputs in test.run(form.__name__, graph.text(out=form(graph)), {"packed": packed}):
        test.close(label, outputs["out"].values, wanted, F32_TOLERANCE)
        # Each element may be off by the tolerance times the largest.
        test.number(f"{label}: sum", math.fsum(outputs["out"].values), 8.4458992,
                    F32_TOLERANCE * len(wanted) * max(map(abs, wanted)))

# What lies between the slices is never read: NaN there changes nothing.
odd = [x if row % 2 == 0 else math.nan for row in range(LENGTH * (HEADS + 2))
       for x in fill(1, (LENGTH * (HEADS + 2), 3)).values[row * 3:row * 3 + 3]]
strided = f32((LENGTH * (HEADS + 2), 3), odd)
graph = Graph(x=strided)
part = graph.slice("%x", [0, 1], [2, 1], (15, 2))
text = graph.text(out=graph.unary("softmax", part), sum=graph.reduce("sum", part, [1]))
rows = [(odd[row * 3 + 1], odd[row * 3 + 2]) for row in range(0, 30, 2)]
for label, outputs in test.run("stride", text, {"x": strided}):
    test.close(f"{label}: sum", outputs["sum"].values, [a + b for a, b in rows], 0)  # Exact: multiples of 1/64.
    test.close(f"{label}: out", outputs["out"].values,
               [y for a, b in rows for y in (1 / (1 + math.exp(b - a)), 1 / (1 + math.exp(a - b)))], F32_TOLERANCE)
test.finish()
