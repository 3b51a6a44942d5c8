# RUN: %python %s %t
"""Softmax over rows just below, at and above powers of two, of values that climb from 0 to 8 and start again, so that a
band that is left out or read twice shows (triton-lang/triton#630)."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, softmax
from support.tensors import f32
from support.together import Together

# Float64 values of the last element, good to seven digits.
LAST = {33: 0.0384825325, 257: 0.0157882517, 1025: 2.64226325e-06, 1400: 8.74062176e-04, 50257: 1.88211203e-07}
SIZES = (1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1400, 30522, 50257)


def named(graph):
    return graph.unary("softmax", "%x")


def written_out(graph):
    axis = len(graph.shape("%x")) - 1
    powers = graph.unary("exp", graph.binary("sub", "%x", graph.reduce_like("max", "%x", axis)))
    return graph.binary("div", powers, graph.reduce_like("sum", powers, axis))


test = Test()
together, wanted = Together(), {}
for size in SIZES:
    row = [j / 64 % 8 for j in range(size)]
    # The third row runs backwards, with an offset that float32's exp alone would overflow.
    rows = [row, [0.0] * size, [x + 1000 for x in reversed(row)]]
    x = f32((3, size), [value for values in rows for value in values])
    right = [softmax(values) for values in rows]
    if size in LAST:
        test.number(f"float64, {size}: last", right[0][-1], LAST[size], 2e-8 * LAST[size])
    for form in (named, written_out):
        graph = Graph(x=x)
        together.add(f"{form.__name__}_{size}", graph, {"out": form(graph)}, {"x": x})
        wanted[f"{form.__name__}_{size}"] = size, right
for case, label, outputs in together.run(test, "softmax"):
    found, (size, right) = outputs["out"].values, wanted[case]
    for index, values in enumerate(right):
        part = found[index * size:(index + 1) * size]
        test.close(f"{label}: row {index}", part, values, F32_TOLERANCE)
        test.number(f"{label}: sum of row {index}", math.fsum(part), 1, F32_TOLERANCE)
    if size in LAST:
        # Relative to itself: it is far below the largest of its row.
        test.number(f"{label}: last", found[size - 1], LAST[size], F32_TOLERANCE * LAST[size])
test.finish()
