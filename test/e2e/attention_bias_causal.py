# RUN: %python %s %t
"""Causal attention with the additive bias i - j, at lengths that are no multiple of a tile: the bias grows where the
mask hides, so that a tile's tail that is not cut off overflows."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, attention, rows_of
from support.tensors import fill, f32
from support.together import Together

# Float64 sums of all outputs, from public reports of compilers that failed here (pytorch/pytorch#153799, #159247).
KNOWN_SUMS = {129: 1608.39407, 1025: 12529.4719}
WIDTH, SCALE = 64, 0.125


def written_out(q, k, v, bias):
    graph = Graph(q=q, k=k, v=v, bias=bias)
    scores = graph.matmul("%q", graph.transpose("%k", [0, 1, 3, 2]))
    scores = graph.binary("mul", scores, graph.like("0.125", scores))
    scores = graph.binary("add", scores, "%bias")
    scores = graph.select(graph.causal_mask(bias.shape), scores, graph.like("0xFF800000", scores))
    return graph, {"out": graph.matmul(graph.unary("softmax", scores), "%v")}


def named(q, k, v, bias):
    graph = Graph(q=q, k=k, v=v, bias=bias)
    return graph, {"out": graph.attention("%q", "%k", "%v", SCALE, bias="%bias", causal=True)}


test = Test()
together, right = Together(), {}
for length in (1, 2, 129, 257, 1025):
    q, k, v = (fill(seed, (1, 1, length, WIDTH)) for seed in (1, 2, 3))
    bias = f32((1, 1, length, length), (i - j for i in range(length) for j in range(length)))
    # All rows where that takes Python a moment; else the first and last and those around the edges of tiles.
    rows = range(length) if length <= 257 else sorted({0, 1, 31, 32, 63, 64, 127, 128, 511, 512, 1000, 1023, 1024})
    wanted = attention(*(rows_of(t.values, WIDTH) for t in (q, k, v)), SCALE, lambda i, j: j <= i,
                       lambda i, j: i - j, rows)
    wanted = [value for row in wanted for value in row]
    if length in KNOWN_SUMS and len(rows) == length:
        test.number(f"float64, {length}: sum", math.fsum(wanted), KNOWN_SUMS[length], 1e-5)
    for form in (written_out, named):
        inputs = {"q": q, "k": k, "v": v, "bias": bias}
        together.add(f"{form.__name__}_{length}", *form(**inputs), inputs)
        right[f"{form.__name__}_{length}"] = length, rows, wanted
for case, label, outputs in together.run(test, "bias"):
    found, (length, rows, wanted) = outputs["out"].values, right[case]
    test.close(label, [x for row in rows for x in found[row * WIDTH:(row + 1) * WIDTH]], wanted, F32_TOLERANCE)
    if length in KNOWN_SUMS:
        # The bound on an element, for a sum of them.
        test.number(f"{label}: sum", math.fsum(found), KNOWN_SUMS[length], F32_TOLERANCE * math.fsum(map(abs, found)))
test.finish()
