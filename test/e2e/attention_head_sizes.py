# RUN: %python %s %t
"""Attention at head sizes that are no multiple of a tile, alone, two in one program after another size, with keys of
another width than values, and with groups of query heads."""

import math
from operator import sub

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, heads
from support.tensors import fill, f32
from support.together import Together

test = Test()


def inputs_of(size, length=40, count=2, value_size=None):
    shape = (1, count, length, size)
    return {"q": fill(1, shape), "k": fill(2, shape), "v": fill(3, (*shape[:-1], value_size or size))}


def named(graph, q="%q", k="%k", v="%v"):
    return graph.attention(q, k, v, 1 / math.sqrt(graph.shape(q)[-1]))


def written_out(graph, q="%q", k="%k", v="%v"):
    scores = graph.matmul(q, graph.transpose(k, [0, 1, 3, 2]))
    scale = graph.like(repr(1 / math.sqrt(graph.shape(q)[-1])), scores)
    return graph.matmul(graph.unary("softmax", graph.binary("mul", scores, scale)), v)


def wanted_of(inputs):
    return heads(inputs["q"], inputs["k"], inputs["v"], 1 / math.sqrt(inputs["q"].shape[-1]))


# 4 and 20 are no multiple of a vector; 40 to 120 are where padding to 32 or 64 differs from the size
# (Dao-AILab/flash-attention#2896, #498); 16 to 128 are the sizes of common models.
together, wanted = Together(), {}
for size in (4, 16, 20, 32, 40, 48, 64, 72, 80, 88, 96, 104, 112, 120, 128):
    inputs = inputs_of(size)
    right = wanted_of(inputs)
    for form in (named, written_out):
        graph = Graph(**inputs)
        together.add(f"{form.__name__}_{size}", graph, {"out": form(graph)}, inputs)
        wanted[f"{form.__name__}_{size}"] = right
for case, label, outputs in together.run(test, "sizes"):
    test.close(label, outputs["out"].values, wanted[case], F32_TOLERANCE)

# bf16, whose inputs are exact: half a step of the result is 2^-9 of it, and the rounded probabilities add as much
# again. The compiled form keeps scores wide, so that it is off at most twice as far as eager execution is.
HALF_STEP = 2.0 ** -9
together, wanted, errors = Together(), {}, {}
for size in (20, 40, 72, 104, 128):
    inputs = inputs_of(size)
    right = wanted_of(inputs)
    for form in (named, written_out):
        graph = Graph(**inputs)
        out = form(graph, *(graph.cast("%" + name, "bf16") for name in "qkv"))
        together.add(f"{form.__name__}_{size}", graph, {"out": out}, inputs)
        wanted[f"{form.__name__}_{size}"] = right
for case, label, outputs in together.run(test, "bf16"):
    found = outputs["out"]
    test.check(found.dtype == "bf16", f"{label}: wanted bf16, found {found.dtype}")
    errors.setdefault(case, {})[label] = max(map(abs, map(sub, found.values, wanted[case])))
    test.check(math.isfinite(math.fsum(found.values)), f"{label}: wanted finite values")
for case, found in errors.items():
    largest = max(map(abs, wanted[case]))
    eager = next((error for label, error in found.items() if ", eager: " in label), math.inf)
    for label, error in found.items():
        if ", eager: " not in label:
            test.number(f"{label}: largest error", error, 0, max(2 * eager, HALF_STEP * largest))
        elif case.startswith("named"):  # Written out, eager execution also rounds the scores.
            test.number(f"{label}: largest error", error, 0, 3 * HALF_STEP * largest)

# Two sizes in one program: the second finds the scratch memory that the first left.
for first, second in ((128, 72), (120, 104), (64, 40)):
    parts = {"a_": inputs_of(first), "b_": inputs_of(second)}
    inputs = {prefix + name: tensor for prefix, part in parts.items() for name, tensor in part.items()}
    graph = Graph(**inputs)
    text = graph.text(**{prefix + "out": named(graph, *(f"%{prefix}{name}" for name in "qkv")) for prefix in parts})
    for label, outputs in test.run(f"both-{first}-{second}", text, inputs):
        for prefix, part in parts.items():
            test.close(f"{label}: {prefix}out", outputs[prefix + "out"].values, wanted_of(part), F32_TOLERANCE)

# Values of another width than queries and keys; the float64 sums of two of them are from public reports
# (pytorch/pytorch#110832, Dao-AILab/flash-attention#2552), which are about causal attention.
for length, size, value_size, known in ((4, 8, 16, 16.6388911), (20, 128, 96, 199.550188)):
    inputs = inputs_of(size, length, 1, value_size)
    wanted = heads(inputs["q"], inputs["k"], inputs["v"], 1 / math.sqrt(size), allowed=lambda i, j: j <= i)
    test.number(f"float64, {size} and {value_size}: sum", math.fsum(wanted), known, 5e-7 * known)
    graph = Graph(**inputs)
    text = graph.text(out=graph.attention("%q", "%k", "%v", 1 / math.sqrt(size), causal=True))
    for label, outputs in test.run(f"widths-{size}-{value_size}", text, inputs):
        test.close(label, outputs["out"].values, wanted, F32_TOLERANCE)

# Six query heads read two heads of keys and values.
length, size = 33, 24
q, k, v = fill(1, (1, 6, length, size)), fill(2, (1, 2, length, size)), fill(3, (1, 2, length, size))
step = length * size
repeat = lambda t: f32((1, 6, length, size), [x for head in range(6) for x in t.values[head // 3 * step:][:step]])
wanted = heads(q, repeat(k), repeat(v), 0.25, allowed=lambda i, j: j <= i)
inputs = {"q": q, "k": k, "v": v}
graph = Graph(**inputs)
text = graph.text(out=graph.attention("%q", "%k", "%v", 0.25, causal=True))
for label, outputs in test.run("groups", text, inputs):
    test.close(label, outputs["out"].values, wanted, F32_TOLERANCE)
test.finish()
