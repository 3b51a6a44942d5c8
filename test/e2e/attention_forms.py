# RUN: %python %s %t
"""Attention written out in many ways: where the scale stands, how keys are hidden, how the softmax is spelt, and what
is transposed. Each gives float64's values, and the compiler says whether it found attention in it."""

import itertools
import json
import math

from support.driver import DEVICE, Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, heads
from support.tensors import fill, f32
from support.together import Together

BATCH, HEADS, LENGTH, SIZE = 2, 3, 37, 24
SCALE = 1 / math.sqrt(SIZE)
SHAPE, SQUARE = (BATCH, HEADS, LENGTH, SIZE), (LENGTH, LENGTH)
Q, K, V = (fill(seed, SHAPE) for seed in (1, 2, 3))
MINUS_INFINITY = "0xFF800000"


def scaled(graph, where):
    """scale * q kT."""
    q, k = "%q", "%k"
    times = lambda value, factor: graph.binary("mul", value, graph.like(repr(factor), value))
    if where == "on q":
        q = times(q, SCALE)
    elif where == "on k":
        k = times(k, SCALE)
    elif where == "on kT":
        return graph.matmul(q, times(graph.transpose(k, [0, 1, 3, 2]), SCALE))
    elif where == "root on both":
        q, k = times(q, math.sqrt(SCALE)), times(k, math.sqrt(SCALE))
    scores = graph.matmul(q, graph.transpose(k, [0, 1, 3, 2]))
    if where == "constant on the left":
        return graph.binary("mul", graph.like(repr(SCALE), scores), scores)
    if where == "on scores":
        return times(scores, SCALE)
    if where == "divided":
        return graph.binary("div", scores, graph.like(repr(1 / SCALE), scores))
    return scores


def causal(graph, scores, how):
    """Hides the keys after the query."""
    shape = graph.shape(scores)
    small = (1, 1, *SQUARE)
    row, column = graph.iota(2, "i32", small), graph.iota(3, "i32", small)
    seen = {"row >= column": lambda: graph.compare("ge", row, column),
            "column <= row": lambda: graph.compare("le", column, row),
            "row < column, hidden": lambda: graph.compare("lt", row, column),
            "not row < column": lambda: graph.unary("not", graph.compare("lt", row, column)),
            "row - column >= 0": lambda: graph.compare("ge", graph.binary("sub", row, column), graph.like("0", row)),
            "column < row + 1": lambda: graph.compare("lt", column, graph.binary("add", row, graph.like("1", row)))}
    if how == "added -inf":
        bias = graph.select(seen["row >= column"](), graph.splat("0.0", "f32", small),
                            graph.splat(MINUS_INFINITY, "f32", small))
        return graph.binary("add", scores, graph.broadcast(bias, shape))
    if how == "added -1e30, on the left":
        bias = graph.select(seen["row < column, hidden"](), graph.splat("-1.0e30", "f32", small),
                            graph.splat("0.0", "f32", small))
        return graph.binary("add", graph.broadcast(bias, shape), scores)
    mask, hidden = graph.broadcast(seen[how](), shape), graph.like(MINUS_INFINITY, scores)
    if how == "row < column, hidden":
        return graph.select(mask, hidden, scores)
    return graph.select(mask, scores, hidden)


def weighted(graph, scores, how):
    """softmax(scores) v."""
    if how == "softmax":
        return graph.matmul(graph.unary("softmax", scores), "%v")
    shifted = graph.binary("sub", scores, graph.reduce_like("max", scores, 3)) if "max" in how else scores
    powers = graph.unary("exp", shifted)
    total = graph.reduce("sum", powers, [3])
    if "last" in how:
        product = graph.matmul(powers, "%v")
        return graph.binary("div", product, graph.broadcast(total, SHAPE))
    if "reciprocal" in how:
        return graph.matmul(graph.binary("mul", graph.broadcast(graph.unary("reciprocal", total), graph.shape(powers)),
                                         powers), "%v")
    return graph.matmul(graph.binary("div", powers, graph.broadcast(total, graph.shape(powers))), "%v")


SCALES = ("on scores", "on q", "on k", "on kT", "root on both", "constant on the left", "divided")
MASKS = ("row >= column", "column <= row", "row < column, hidden", "not row < column", "row - column >= 0",
         "column < row + 1", "added -inf", "added -1e30, on the left")
SOFTMAXES = ("softmax", "exp - max, sum, div", "exp, sum, div", "exp - max, sum, reciprocal", "exp - max, product, div last",
             "exp, product, div last")
# Every form of one part with the first of the others, and some mixtures.
FORMS = [(scale, MASKS[0], SOFTMAXES[0]) for scale in SCALES]
FORMS += [(SCALES[0], mask, SOFTMAXES[0]) for mask in MASKS[1:]]
FORMS += [(SCALES[0], MASKS[0], softmax) for softmax in SOFTMAXES[1:]]
FORMS += list(zip(SCALES[1:], MASKS[1:], itertools.cycle(SOFTMAXES[1:])))

test = Test()


def matches(name):
    """What `explain` says of attention in the graph that was run under this name."""
    done = test.command("explain", test.path(f"{name}.mlir"), "--device", DEVICE, "--format", "json")
    if not test.check(done.returncode == 0, f"{name}: explain: exit code {done.returncode}: {done.stderr[:500]}"):
        return []
    return [match for match in json.loads(done.stdout)["matches"] if match["pattern"] == "attention"]


wanted = heads(Q, K, V, SCALE, allowed=lambda i, j: j <= i)
INPUTS = {"q": Q, "k": K, "v": V}
together, described = Together(), {}
for index, (scale, mask, softmax) in enumerate(FORMS):
    graph = Graph(**INPUTS)
    together.add(f"form{index}", graph, {"result": weighted(graph, causal(graph, scaled(graph, scale), mask), softmax)}, INPUTS)
    described[f"form{index}"] = f"scale {scale}; mask {mask}; {softmax}"
for case, label, outputs in together.run(test, "forms"):
    test.close(f"{label} ({described[case]})", outputs["result"].values, wanted, F32_TOLERANCE)
for case, found in together.matches(test, "forms").items():
    test.check(found == [True], f"{case} ({described[case]}): wanted attention found, got {found}")

# Query and key change places: softmax over the keys of (k qT)T.
graph = Graph(**INPUTS)
scores = graph.transpose(graph.matmul("%k", graph.transpose("%q", [0, 1, 3, 2])), [0, 1, 3, 2])
scores = causal(graph, graph.binary("mul", scores, graph.like(repr(SCALE), scores)), MASKS[0])
for label, outputs in test.run("swapped", graph.text(result=weighted(graph, scores, "softmax")), INPUTS):
    test.close(label, outputs["result"].values, wanted, F32_TOLERANCE)

# Square in length and size: a key that is not transposed must not pass for one that is.
square = {name: fill(seed, (1, 1, 24, 24)) for name, seed in (("q", 1), ("k", 2), ("v", 3))}
turned = f32((1, 1, 24, 24), [square["k"].values[column * 24 + row] for row in range(24) for column in range(24)])
for form, keys in (("turned", turned), ("straight", square["k"])):
    graph = Graph(**square)
    k = "%k" if form == "turned" else graph.transpose("%k", [0, 1, 3, 2])
    scores = graph.matmul("%q", k)
    scores = graph.binary("mul", scores, graph.like("0.25", scores))
    text = graph.text(result=graph.matmul(graph.unary("softmax", scores), "%v"))
    for label, outputs in test.run(form, text, square):
        test.close(label, outputs["result"].values, heads(square["q"], keys, square["v"], 0.25), F32_TOLERANCE)

# Layouts of models: [B, S, H, D] inputs, and [B, S, H * D].
flat = {name: fill(seed, (BATCH, LENGTH, HEADS * SIZE)) for name, seed in (("q", 1), ("k", 2), ("v", 3))}
graph = Graph(**flat)
split = lambda name: graph.transpose(graph.reshape(name, (BATCH, LENGTH, HEADS, SIZE)), [0, 2, 1, 3])
scores = graph.matmul(split("%q"), graph.transpose(split("%k"), [0, 1, 3, 2]))
scores = causal(graph, graph.binary("mul", scores, graph.like(repr(SCALE), scores)), MASKS[0])
out = graph.matmul(graph.unary("softmax", scores), split("%v"))
text = graph.text(result=graph.reshape(graph.transpose(out, [0, 2, 1, 3]), (BATCH, LENGTH, HEADS * SIZE)))


def by_head(tensor):
    return f32(SHAPE, [tensor.values[((b * LENGTH + s) * HEADS + h) * SIZE + d] for b in range(BATCH)
                       for h in range(HEADS) for s in range(LENGTH) for d in range(SIZE)])


result = heads(*map(by_head, flat.values()), SCALE, allowed=lambda i, j: j <= i)
result = [result[((b * HEADS + h) * LENGTH + s) * SIZE + d] for b in range(BATCH) for s in range(LENGTH)
          for h in range(HEADS) for d in range(SIZE)]
for label, outputs in test.run("flat", text, flat):
    test.close(label, outputs["result"].values, result, F32_TOLERANCE)
test.check([match["matched"] for match in matches("flat")] == [True], f"flat: wanted attention found, got {matches('flat')}")

# What is no attention is not taken for it, and the report says why.
graph = Graph(**INPUTS)
probabilities = graph.unary("softmax", scaled(graph, "on scores"))
text = graph.text(result=graph.matmul(probabilities, "%v"), probabilities=probabilities)
for label, outputs in test.run("read-twice", text, INPUTS):
    test.close(label, outputs["result"].values, heads(Q, K, V, SCALE), F32_TOLERANCE)
found = matches("read-twice")
test.check([match["matched"] for match in found] == [False] and found[0]["reason"],
           f"read-twice: wanted a near miss with its reason, got {found}")
test.finish()
