# RUN: %python %s %t
"""A query with every key masked gives zeros and no NaN (pytorch/pytorch#103963, #41508; iree-org/iree#24175)."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, heads
from support.tensors import Tensor, f32, fill
from support.together import Together

LENGTH = SIZE = 4
ROWS = ("1000", "1100", "0000", "1111")
SHAPE = (1, 1, LENGTH, SIZE)
q, k, v = (fill(seed, SHAPE) for seed in (1, 2, 3))
mask = Tensor("i1", (1, 1, LENGTH, LENGTH), [int(digit) for row in ROWS for digit in row])
# Float64, from those reports.
KNOWN_SUM, KNOWN_LAST = 3.99735964, [-1.35480966, 1.69753499, 1.15154078, 1.1391259]

test = Test()
together, judges = Together(), {}


def add(name, graph, out, inputs, judge):
    """A case of the one graph that all are; `judge` is called with a label and the values of `out`."""
    together.add(name, graph, {"out": out}, inputs)
    judges[name] = judge


wanted = heads(q, k, v, 0.5, allowed=lambda i, j: ROWS[i][j] == "1")
test.number("float64: sum", math.fsum(wanted), KNOWN_SUM, 5e-8)
test.close("float64: row 3", wanted[12:], KNOWN_LAST, 5e-8)


def verify(label, found):
    test.close(label, found, wanted, F32_TOLERANCE)
    test.check(list(found[8:12]) == [0.0] * 4, f"{label}: row 2: wanted zeros, found {list(found[8:12])}")
    test.number(f"{label}: sum", math.fsum(found), KNOWN_SUM, F32_TOLERANCE * 16 * max(map(abs, wanted)))


# The mask as an input, and the same under `causal`, which hides nothing more than these rows do in rows 0 and 1.
inputs = {"q": q, "k": k, "v": v, "mask": mask}
graph = Graph(**inputs)
add("mask", graph, graph.attention("%q", "%k", "%v", 0.5, mask="%mask"), inputs, verify)
graph = Graph(**inputs)
add("mask_causal", graph, graph.attention("%q", "%k", "%v", 0.5, mask="%mask", causal=True), inputs, verify)



def verify_average(label, found, v=v):
    mean = [math.fsum(v.values[column::SIZE]) / LENGTH for column in range(SIZE)]
    test.close(f"{label}: row 2", found[8:12], mean, F32_TOLERANCE)
    test.close(f"{label}: other rows", found[:8] + found[12:], wanted[:8] + wanted[12:], F32_TOLERANCE)


# An additive mask of -inf; of -3.4e38, which is finite: what is added swallows the scores, and row 2 is the average.
for name, literal, judge in (("bias", "0xFF800000", verify), ("bias_finite", "-3.4e38", verify_average)):
    graph = Graph(**inputs)
    shape = (1, 1, LENGTH, LENGTH)
    bias = graph.select("%mask", graph.splat("0.0", "f32", shape), graph.splat(literal, "f32", shape))
    add(name, graph, graph.attention("%q", "%k", "%v", 0.5, bias=bias), inputs, judge)

# More queries than keys, causal: anchored at the last key, the first queries see none.
queries, keys = 40, 33
q, k, v = fill(1, (1, 2, queries, 8)), fill(2, (1, 2, keys, 8)), fill(3, (1, 2, keys, 8))
inputs = {"q": q, "k": k, "v": v}
wanted_tall = heads(q, k, v, 0.5, allowed=lambda i, j: j <= i + keys - queries)
hidden = queries - keys


def verify_tall(label, found, hidden=hidden):
    test.close(label, found, wanted_tall, F32_TOLERANCE)
    first = found[:hidden * 8]
    test.check(first == [0.0] * len(first), f"{label}: wanted zeros in the first {hidden} rows, found {first}")


graph = Graph(**inputs)
add("tall", graph, graph.attention("%q", "%k", "%v", 0.5, causal=True), inputs, verify_tall)

# More keys than queries: the first query already sees keys - queries + 1 of them, and a mask hides every third row.
queries, keys = 33, 150
q, k, v = fill(1, (2, 2, queries, 8)), fill(2, (2, 2, keys, 8)), fill(3, (2, 2, keys, 8))
hidden = Tensor("i1", (1, 1, queries, 1), [int(i % 3 != 1) for i in range(queries)])
inputs = {"q": q, "k": k, "v": v, "mask": hidden}
wanted_wide = heads(q, k, v, 0.5, allowed=lambda i, j: i % 3 != 1 and j <= i + keys - queries)


def verify_wide(label, found):
    test.close(label, found, wanted_wide, F32_TOLERANCE)
    rows = [found[(head * queries + i) * 8:][:8] for head in range(4) for i in range(1, queries, 3)]
    test.check(all(row == [0.0] * 8 for row in rows), f"{label}: wanted zeros in the hidden rows")


graph = Graph(**inputs)
add("wide", graph, graph.attention("%q", "%k", "%v", 0.5, mask="%mask", causal=True), inputs, verify_wide)

# A bias whose heads do not lie evenly in memory: two dimensions that changed places and became one.
bias = fill(4, (3, 2, queries, queries))
q, k, v = (fill(seed, (1, 6, queries, 8)) for seed in (1, 2, 3))
inputs = {"q": q, "k": k, "v": v, "bias": bias}
graph = Graph(**inputs)
turned = graph.reshape(graph.transpose("%bias", [1, 0, 2, 3]), (1, 6, queries, queries))
out = graph.attention("%q", "%k", "%v", 0.5, bias=turned)
wanted_turned = []
for head in range(6):
    part = [f32((queries, 8), t.values[head * queries * 8:][:queries * 8]) for t in (q, k, v)]
    start = (head % 3 * 2 + head // 3) * queries * queries
    wanted_turned += heads(*part, 0.5, bias=lambda i, j: bias.values[start + i * queries + j])
add("uneven_bias", graph, out, inputs, lambda label, found: test.close(label, found, wanted_turned, F32_TOLERANCE))
for case, label, outputs in together.run(test, "cases"):
    judges[case](label, list(outputs["out"].values))
test.finish()
