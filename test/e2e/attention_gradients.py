# RUN: %python %s %t
"""Gradients of scaled dot products at sizes and layouts that other compilers got wrong: causal with a bias at odd lengths, head sizes
that no tile divides, values of another width, operands that are slices of one packed tensor (pytorch/pytorch#153799, #110832;
Dao-AILab/flash-attention#2896, #498; NVIDIA/TransformerEngine#1195). The loss is the sum of the result times a given gradient."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE
from support.tensors import fill, f32
from support.together import Together

test = Test()
# The cases, which run as one graph in the end, and what judges the outputs of each.
together, judges = Together(), {}


def attend(graph, q, k, v, scale, bias=None, causal=False):
    scores = graph.matmul(q, graph.transpose(k, [0, 2, 1]))
    scores = graph.binary("mul", scores, graph.like(repr(scale), scores))
    if bias:
        scores = graph.binary("add", scores, bias)
    if causal:
        scores = graph.select(graph.causal_mask(graph.shape(scores)), scores, graph.like("0xFF800000", scores))
    return graph.matmul(graph.unary("softmax", scores), v)


def add(name, values, build, inputs, judge):
    """A case with q, k, v (or what `build` reads) as parameters; `judge` is called with a label and the outputs of mode backward."""
    graph = Graph(**inputs)
    parameters = {key: graph.parameter(key, tensor.shape) for key, tensor in values.items()}
    out = build(graph, parameters)
    together.add(name, graph, {"loss": graph.total(graph.binary("mul", out, "%g")), "out": out}, inputs, values)
    judges[name] = judge


def magnitude(values):
    return math.fsum(map(abs, values))


def sums(label, outputs, wanted):
    """`wanted` gives sums of magnitudes of each gradient; the sum of `out` where it is there."""
    for name, value in wanted.items():
        found = outputs[name].values
        total = math.fsum(found) if name == "out" else magnitude(found)
        # Each element may be off by the tolerance times the largest; the sums given have nine digits.
        bound = F32_TOLERANCE * len(found) * max(map(abs, found)) + 1e-8 * abs(value)
        test.number(f"{label}: sum of {name}", total, value, bound)


# Causal, plus a bias that grows where the mask hides.
KNOWN = {129: {"out": 1608.39407, "q.grad": 2975.90843, "k.grad": 660.396789, "v.grad": 922.672631}}
for length in (1, 2, 129, 257):
    q, k, v, g = (fill(seed, (1, length, 64)) for seed in (1, 2, 3, 4))
    inputs = {"g": g, "bias": f32((1, length, length), [i - j for i in range(length) for j in range(length)])}
    build = lambda graph, p: attend(graph, p["q"], p["k"], p["v"], 0.125, "%bias", causal=True)

    def judge(label, outputs, length=length, g=g):
        if length in KNOWN:
            sums(label, outputs, KNOWN[length])
        if length == 1:  # One key has all the weight: scores do not matter, and the value's gradient is what came in.
            test.number(f"{label}: q", magnitude(outputs["q.grad"].values), 0, 64 * F32_TOLERANCE)
            test.number(f"{label}: k", magnitude(outputs["k.grad"].values), 0, 64 * F32_TOLERANCE)
            test.close(f"{label}: v", outputs["v.grad"].values, g.values, F32_TOLERANCE)
        for d in range(64):  # Softmax does not see what all scores of a row share, nor does it change the sum of weights.
            test.number(f"{label}: keys, column {d}", math.fsum(outputs["k.grad"].values[d::64]), 0, F32_TOLERANCE * length)
            test.number(f"{label}: values, column {d}", math.fsum(outputs["v.grad"].values[d::64]), math.fsum(g.values[d::64]),
                        F32_TOLERANCE * length * 2)

    add(f"bias_{length}", {"q": q, "k": k, "v": v}, build, inputs, judge)

# Sums of |dq|, and the last four elements of dq[1, 39].
SIZES = {40: 1500.3514, 72: 2246.58819, 80: 2287.9177, 88: 2209.96165, 104: 3519.64058, 120: 2618.60811}
LAST = {72: [-0.03499249, 0.15735765, 0.69837344, -0.40459433], 104: [-0.63323188, -0.41668146, 0.19959415, 0.3839259]}
for size, wanted in SIZES.items():
    q, k, v, g = (fill(seed, (2, 40, size)) for seed in (1, 2, 3, 4))
    build = lambda graph, p: attend(graph, p["q"], p["k"], p["v"], 1 / math.sqrt(size))

    def judge(label, outputs, size=size, wanted=wanted):
        sums(label, outputs, {"q.grad": wanted})
        if size in LAST:
            test.close(f"{label}: last of q", outputs["q.grad"].values[-4:], LAST[size], F32_TOLERANCE + 5e-9)

    add(f"size_{size}", {"q": q, "k": k, "v": v}, build, {"g": g}, judge)

# Values of another width than queries and keys.
for length, narrow, wide, wanted in ((4, 8, 16, (16.6388911, 12.2812985, 12.8109167, 39.2584606)),
                                     (20, 128, 96, (199.550188, 949.019686, 856.432901, 855.406943))):
    q, k = (fill(seed, (1, length, narrow)) for seed in (1, 2))
    v, g = (fill(seed, (1, length, wide)) for seed in (3, 4))
    build = lambda graph, p: attend(graph, p["q"], p["k"], p["v"], 1 / math.sqrt(narrow), causal=True)
    add(f"width_{wide}", {"q": q, "k": k, "v": v}, build, {"g": g},
        lambda label, outputs, wanted=wanted: sums(label, outputs, dict(zip(("out", "q.grad", "k.grad", "v.grad"), wanted))))


# Four heads of queries, one of keys, one of values, side by side: the packed gradient is those of its parts.
def packed(graph, parameters):
    p = parameters["packed"]
    head = lambda index: graph.transpose(graph.slice(p, [0, index, 0], [1, 1, 1], (5, 1, 4)), [1, 0, 2])
    q = graph.transpose(graph.slice(p, [0, 0, 0], [1, 1, 1], (5, 4, 4)), [1, 0, 2])
    k, v = (graph.broadcast(head(index), (4, 5, 4)) for index in (4, 5))
    return attend(graph, q, k, v, 0.5, causal=True)


def judge_packed(label, outputs):
    sums(label, outputs, {"out": 8.4458992})
    rows = [outputs["packed.grad"].values[start:start + 4] for start in range(0, 120, 4)]
    parts = {"q": [x for i, row in enumerate(rows) if i % 6 < 4 for x in row], "k": [x for row in rows[4::6] for x in row],
             "v": [x for row in rows[5::6] for x in row]}
    for name, wanted in (("q", 25.583615), ("k", 19.5355251), ("v", 31.2584877)):
        test.number(f"{label}: {name}", magnitude(parts[name]), wanted, F32_TOLERANCE * len(parts[name]) * max(map(abs, parts[name])) + 1e-7)


add("packed", {"packed": fill(5, (5, 6, 4))}, packed, {"g": fill(4, (4, 5, 4))}, judge_packed)
for case, label, outputs in together.run(test, "gradients", ("--mode", "backward")):
    judges[case](label, outputs)
test.finish()
