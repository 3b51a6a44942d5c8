# RUN: %python %s %t
"""Sliding windows, soft caps and padding masks: named and written out, against float64, and found where written out."""

import math
from operator import sub

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, heads
from support.tensors import Tensor, f32, fill
from support.together import Together

test = Test()
together, right = Together(), {}
MINUS_INFINITY = "0xFF800000"


def inputs_of(queries, keys, size=24, value_size=None, batch=1, count=2):
    return {"q": fill(1, (batch, count, queries, size)), "k": fill(2, (batch, count, keys, size)),
            "v": fill(3, (batch, count, keys, value_size or size))}


def compare(name, graph, out, inputs, wanted):
    """A case of the one graph that all are; those written out are to be found there."""
    together.add(name, graph, {"out": out}, inputs)
    right[name] = wanted


def weighted(graph, scores):
    return graph.matmul(graph.unary("softmax", scores), "%v")


def products(graph, scale):
    scores = graph.matmul("%q", graph.transpose("%k", [0, 1, 3, 2]))
    return graph.binary("mul", scores, graph.like(repr(scale), scores))


# Windows: of one key, within a tile, over several, wider than the keys; as many queries as keys, fewer, and more, where
# the first queries see none.
for queries, keys, window in ((70, 70, 1), (130, 130, 7), (200, 200, 64), (200, 200, 65), (40, 40, 41), (33, 300, 50),
                              (150, 90, 33), (1, 200, 20)):
    inputs = inputs_of(queries, keys)
    own = keys - queries
    wanted = heads(inputs["q"], inputs["k"], inputs["v"], 0.125, allowed=lambda i, j: i + own - window < j <= i + own)
    graph = Graph(**inputs)
    name = f"window_{queries}_{keys}_{window}"
    compare(name, graph, graph.attention("%q", "%k", "%v", 0.125, causal=True, window=window), inputs, wanted)
    if queries > keys:
        continue  # Written out, rows without a key are NaN.
    graph = Graph(**inputs)
    scores = products(graph, 0.125)
    shape = (queries, keys)
    distance = graph.binary("sub", graph.binary("add", graph.iota(0, "i32", shape), graph.splat(str(own), "i32", shape)),
                            graph.iota(1, "i32", shape))
    seen = graph.binary("and", graph.compare("ge", distance, graph.like("0", distance)),
                        graph.compare("lt", distance, graph.like(str(window), distance)))
    seen = graph.broadcast(graph.reshape(seen, (1, 1, *shape)), graph.shape(scores))
    scores = graph.select(seen, scores, graph.like(MINUS_INFINITY, scores))
    compare(f"{name}_written_out", graph, weighted(graph, scores), inputs, wanted)

# Keys before every window are never read: NaN there changes nothing. The first window begins at key 801.
inputs = inputs_of(20, 870, 16, count=1)
clean = heads(inputs["q"], inputs["k"], inputs["v"], 0.25, allowed=lambda i, j: i + 850 - 50 < j <= i + 850)
for name in "kv":
    values = [math.nan if index < 600 * 16 else value for index, value in enumerate(inputs[name].values)]
    inputs[name] = f32(inputs[name].shape, values)
graph = Graph(**inputs)
compare("window_unread", graph, graph.attention("%q", "%k", "%v", 0.25, causal=True, window=50), inputs, clean)

# Soft caps, alone, small enough to bend every score, and with a bias, a window and causality behind.
for cap, causal, window in ((50.0, False, None), (1.5, False, None), (4.0, True, None), (4.0, True, 9)):
    inputs = {**inputs_of(45, 45), "bias": fill(4, (1, 2, 45, 45))}
    size = 45 * 45
    wanted = []
    for head in range(2):
        q, k, v = (f32(t.shape[2:], t.values[head * 45 * 24:(head + 1) * 45 * 24]) for t in map(inputs.get, "qkv"))
        wanted += heads(q, k, v, 0.125, cap=cap, allowed=lambda i, j: not causal or (j <= i and j > i - (window or 99)),
                        bias=lambda i, j: inputs["bias"].values[head * size + i * 45 + j])
    graph = Graph(**inputs)
    name = f"cap_{cap:g}_{causal}_{window}".replace(".", "_")
    out = graph.attention("%q", "%k", "%v", 0.125, bias="%bias", causal=causal, softcap=cap, window=window)
    compare(name, graph, out, inputs, wanted)
    if window:
        continue
    graph = Graph(**inputs)
    scores = products(graph, 0.125)
    scores = graph.unary("tanh", graph.binary("div", scores, graph.like(repr(cap), scores)))
    scores = graph.binary("mul", scores, graph.like(repr(cap), scores))
    scores = graph.binary("add", scores, "%bias")
    if causal:
        scores = graph.select(graph.causal_mask(graph.shape(scores)), scores, graph.like(MINUS_INFINITY, scores))
    compare(f"{name}_written_out", graph, weighted(graph, scores), inputs, wanted)

# Padding, from integers [B, Sk]: all keys, some, and none. Selected with minus infinity a sequence that is all padding
# gives zeros; with a finite number, as written, the average of the values.
BATCH, LENGTH, SIZE = 3, 70, 16
lengths = (70, 41, 0)
padding = Tensor("i32", (BATCH, LENGTH), [int(j < length) for length in lengths for j in range(LENGTH)])
inputs = {**inputs_of(LENGTH, LENGTH, SIZE, 40, BATCH), "padding": padding}
wanted = {"infinite": [], "finite": []}
for b, length in enumerate(lengths):
    part = [f32((2, LENGTH, t.shape[-1]), t.values[b * 2 * LENGTH * t.shape[-1]:][:2 * LENGTH * t.shape[-1]])
            for t in map(inputs.get, "qkv")]
    wanted["infinite"] += heads(*part, 0.25, allowed=lambda i, j: j < length)
    wanted["finite"] += heads(*part, 0.25 if length else 0.0, allowed=lambda i, j: j < (length or LENGTH))


def key_mask(graph, scores):
    seen = graph.compare("ne", "%padding", graph.like("0", "%padding"))
    return graph.broadcast(graph.reshape(seen, (BATCH, 1, 1, LENGTH)), graph.shape(scores))


def selected(graph, scores):
    return graph.select(key_mask(graph, scores), scores, graph.like(MINUS_INFINITY, scores))


def selected_finite(graph, scores):
    return graph.select(key_mask(graph, scores), scores, graph.like("-1.0e30", scores))


def added(graph, scores):  # As BERT has it.
    small = graph.reshape(graph.cast("%padding", "f32"), (BATCH, 1, 1, LENGTH))
    bias = graph.binary("mul", graph.binary("sub", graph.like("1.0", small), small), graph.like("-3.4e38", small))
    return graph.binary("add", scores, graph.broadcast(bias, graph.shape(scores)))


for form, kind in ((selected, "infinite"), (selected_finite, "finite"), (added, "finite")):
    graph = Graph(**inputs)
    compare(f"padding_{form.__name__}_written_out", graph, weighted(graph, form(graph, products(graph, 0.25))), inputs, wanted[kind])
for case, label, outputs in together.run(test, "bands"):
    values = outputs["out"].values
    if case == "padding_selected_written_out":
        last = 2 * LENGTH * 40 * 2  # The sequence that is all padding. Written out, eager execution divides 0 by 0 there.
        if ", eager: " in label:
            values = [*values[:last], *right[case][last:]]
        else:
            test.check(not any(values[last:]), f"{label}: wanted zeros where all keys are padding")
    test.close(label, values, right[case], F32_TOLERANCE)
for case, found in together.matches(test, "bands").items():
    if case.endswith("written_out"):
        test.check(found == [True], f"{case}: wanted attention found, got {found}")

# float16: inputs are exact, the result is rounded to 2^-11 of it, and on tensor cores the probabilities, too.
STEP = 2.0 ** -11
together, right = Together(), {}
for size, value_size, window in ((64, 64, None), (40, 96, None), (128, 128, 33), (256, 256, None)):
    inputs = inputs_of(50, 50, size, value_size)
    graph = Graph(**inputs)
    out = graph.attention(*(graph.cast("%" + name, "f16") for name in "qkv"), 1 / math.sqrt(size), causal=True, window=window)
    compare(f"f16_{size}_{value_size}", graph, out, inputs, heads(inputs["q"], inputs["k"], inputs["v"], 1 / math.sqrt(size),
                                                                  allowed=lambda i, j: j <= i and j > i - (window or 99)))
for case, label, outputs in together.run(test, "f16"):
    test.check(outputs["out"].dtype == "f16", f"{label}: wanted f16, found {outputs['out'].dtype}")
    error = max(map(abs, map(sub, outputs["out"].values, right[case])))
    test.number(f"{label}: largest error", error, 0, 2 * STEP * max(map(abs, right[case])))
test.finish()
