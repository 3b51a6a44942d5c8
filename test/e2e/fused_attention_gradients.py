# RUN: %python %s %t
"""Gradients of attention, named and written out: masked rows, causal with a bias, odd head sizes, values of another
width, slices of one packed buffer. Sums are float64, from public reports of compilers that failed there."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, heads_gradients
from support.tensors import Tensor, f32, fill
from support.together import Together

test = Test()
# Those in float32, and those in bf16; what judges the outputs of each, by case.
single, low, judges = Together(), Together(), {}
BACKWARD = ("--mode", "backward")


def magnitude(values):
    return math.fsum(map(abs, values))


def named(graph, q, k, v, scale, mask=None, bias=None, causal=False):
    return graph.attention(q, k, v, scale, mask=mask, bias=bias, causal=causal)


def written_out(graph, q, k, v, scale, mask=None, bias=None, causal=False):
    scores = graph.matmul(q, graph.transpose(k, [0, 1, 3, 2]))
    scores = graph.binary("mul", scores, graph.like(repr(scale), scores))
    if bias:
        scores = graph.binary("add", scores, graph.broadcast(bias, graph.shape(scores)))
    if causal:
        scores = graph.select(graph.causal_mask(graph.shape(scores)), scores, graph.like("0xFF800000", scores))
    return graph.matmul(graph.unary("softmax", scores), v)


def case(name, q, k, v, g, scale, forms=(named, written_out), inputs=None, known=None, reference=None, also=None, **options):
    """All three are parameters. `known`: sum of the result, and sums of the gradients' magnitudes, where reported;
    `reference`: the three gradients. `also` is called with the label, the result and the gradients."""
    parameters = {"q": q, "k": k, "v": v}
    inputs = {"g": g, **(inputs or {})}
    for form in forms:
        graph = Graph(**inputs)
        values = [graph.parameter(key, tensor.shape) for key, tensor in parameters.items()]
        given = {key: value(graph) if callable(value) else value for key, value in options.items()}
        out = form(graph, *values, scale, **given)
        results = {"loss": graph.total(graph.binary("mul", out, "%g")), "out": out}

        def judge(label, outputs):
            found = [outputs[f"{key}.grad"].values for key in parameters]
            for key, values in zip(parameters, found):
                test.check(all(map(math.isfinite, values)), f"{label}: {key}.grad: wanted finite values")
            for key, values, wanted in zip(parameters, found, reference or ()):
                test.close(f"{label}: {key}.grad", values, wanted, F32_TOLERANCE)
            if also:
                also(label, outputs["out"].values, *found)
            for key, values, wanted in zip(("out", "dq", "dk", "dv"), (outputs["out"].values, *found), known or ()):
                sum_of = math.fsum(values) if key == "out" else magnitude(values)
                # Of each element, the tolerance of the largest.
                test.number(f"{label}: sum of {key}", sum_of, wanted,
                            F32_TOLERANCE * len(values) * max(map(abs, values)))
            # A softmax's gradient sums to nothing over the keys.
            width = k.shape[-1]
            if "softcap" not in options:
                for column in range(width):
                    sums = math.fsum(found[1][column::width])
                    test.number(f"{label}: sum of dk, column {column}", sums, 0,
                                F32_TOLERANCE * len(found[1]) * max(map(abs, found[1])) or 1e-30)

        add(single, f"{form.__name__}_{name}", graph, results, inputs, parameters, judge)
        if reference:
            add(low, f"{form.__name__}_{name}_bf16", graph, results, inputs, parameters,
                lambda label, outputs: judge_bf16(label, outputs, name, parameters, reference))


def add(graphs, name, graph, results, inputs, parameters, judge):
    graphs.add(name, graph, results, inputs, parameters)
    judges[name] = judge


def judge_bf16(label, outputs, name, parameters, reference):
    """The same in bf16, other kernels on a GPU. The operands are exact there; probabilities, their gradients and the result of a product
    are rounded to 2^-8, each an error of that share of the largest, and some of them add up: eight."""
    for key, wanted in zip(parameters, reference):
        values = outputs[f"{key}.grad"].values
        test.close(f"{label}: {key}.grad", values, wanted, 8 * 2.0 ** -8)
        # Queries that see no key, and what no query sees.
        wrong = [at for at, (have, want) in enumerate(zip(values, wanted)) if want == 0 and have != 0] if "masked" in name else []
        test.check(not wrong, f"{label}: {key}.grad: wanted 0 at {wrong[:5]}")


# A query that sees no key (pytorch/pytorch#103963, #41508; iree-org/iree#24175): nothing is NaN, its gradient is 0.
LENGTH = SIZE = 4
SHAPE = (1, 1, LENGTH, SIZE)
q, k, v, g = (fill(seed, SHAPE) for seed in (1, 2, 3, 4))
g = f32(SHAPE, [0.0 if index // SIZE == 2 else value for index, value in enumerate(g.values)])
ROWS = ("1000", "1100", "0000", "1111")
mask = Tensor("i1", (1, 1, LENGTH, LENGTH), [int(digit) for row in ROWS for digit in row])
wanted = heads_gradients(q, k, v, g, 0.5, allowed=lambda i, j: ROWS[i][j] == "1")
test.number("float64: sum of |dq|", magnitude(wanted[0]), 3.62990323, 5e-8)
test.number("float64: sum of |dk|", magnitude(wanted[1]), 2.43315355, 5e-8)
test.number("float64: sum of dv", math.fsum(wanted[2]), -6.578125, 5e-8)
case("masked", q, k, v, g, 0.5, (named,), {"mask": mask}, reference=wanted, mask="%mask", also=lambda label, out, dq, dk, dv: test.check(
    list(dq[8:12]) == [0.0] * 4 and list(out[8:12]) == [0.0] * 4, f"{label}: row 2: wanted zeros"))
# An additive mask of -inf; of -3.4e38, which is finite, so that row 2 is an average, whose gradient 0 still gives 0.
for literal in ("0xFF800000", "-3.4e38"):
    shape = mask.shape
    bias = lambda graph: graph.select("%mask", graph.splat("0.0", "f32", shape), graph.splat(literal, "f32", shape))
    label = "infinite" if literal.startswith("0x") else "finite"
    case(f"masked_{label}", q, k, v, g, 0.5, (named,), {"mask": mask}, reference=wanted, bias=bias, also=lambda label, out, dq, dk, dv: test.check(
        list(dq[8:12]) == [0.0] * 4, f"{label}: row 2: wanted zeros, found {list(dq[8:12])}"))

# Causal with the bias i - j, which grows where the mask hides (pytorch/pytorch#153799, #159247).
KNOWN = {129: (1608.39407, 2975.90843, 660.396789, 922.672631),
         1025: (12529.4719, 24629.5291, 3579.26316, 5939.37031)}
for length in (1, 2, 129, 257, 1025):
    q, k, v, g = (fill(seed, (1, 1, length, 64)) for seed in (1, 2, 3, 4))
    bias = f32((1, 1, length, length), (i - j for i in range(length) for j in range(length)))
    wanted = None
    if length <= 129:  # More takes Python too long.
        wanted = heads_gradients(q, k, v, g, 0.125, allowed=lambda i, j: j <= i, bias=lambda i, j: i - j)
    also = lambda label, out, dq, dk, dv, g=g: test.check(
        set(dq) | set(dk) <= {0.0} and list(dv) == g.values, f"{label}: wanted dq = dk = 0, dv = g")
    case(f"bias_{length}", q, k, v, g, 0.125, inputs={"bias": bias}, known=KNOWN.get(length), reference=wanted,
         also=also if length == 1 else None, bias="%bias", causal=True)

# Head sizes that are no multiple of 32 (Dao-AILab/flash-attention#2896, #498).
LAST = {72: (-0.03499249, 0.15735765, 0.69837344, -0.40459433), 104: (-0.63323188, -0.41668146, 0.19959415, 0.3839259)}
for size, known in {40: 1500.3514, 72: 2246.58819, 80: 2287.9177, 88: 2209.96165, 104: 3519.64058,
                    120: 2618.60811, 20: None}.items():
    q, k, v, g = (fill(seed, (1, 2, 40, size)) for seed in (1, 2, 3, 4))
    wanted = heads_gradients(q, k, v, g, 1 / math.sqrt(size))
    if known:
        test.number(f"float64, {size}: sum of |dq|", magnitude(wanted[0]), known, 1e-7 * known)
    also = lambda label, out, dq, dk, dv, size=size: test.close(
        f"{label}: dq[1, 39]", dq[-4:], LAST[size], F32_TOLERANCE * max(map(abs, dq)) / 0.38)
    case(f"size_{size}", q, k, v, g, 1 / math.sqrt(size), reference=wanted, also=also if size in LAST else None)

# Values of another width (pytorch/pytorch#110832; Dao-AILab/flash-attention#2552).
for length, size, width, known in ((4, 8, 16, (16.6388911, 12.2812985, 12.8109167, 39.2584606)),
                                   (20, 128, 96, (199.550188, 949.019686, 856.432901, 855.406943))):
    q, k = (fill(seed, (1, 1, length, size)) for seed in (1, 2))
    v, g = (fill(seed, (1, 1, length, width)) for seed in (3, 4))
    wanted = heads_gradients(q, k, v, g, 1 / math.sqrt(size), allowed=lambda i, j: j <= i)
    case(f"widths_{size}", q, k, v, g, 1 / math.sqrt(size), known=known, reference=wanted, causal=True)

# Slices of one packed buffer (NVIDIA/TransformerEngine#1195): four heads of queries, one of keys, one of values.
packed, g = fill(5, (5, 6, 4)), fill(4, (1, 4, 5, 4))
head = lambda index: [packed.values[(row * 6 + index) * 4 + d] for row in range(5) for d in range(4)]
q = f32((1, 4, 5, 4), [x for index in range(4) for x in head(index)])
k, v = (f32((1, 1, 5, 4), head(index)) for index in (4, 5))
wanted = heads_gradients(q, k, v, g, 0.5, allowed=lambda i, j: j <= i)
for key, values, known in zip(("dq", "dk", "dv"), wanted, (25.583615, 19.5355251, 31.2584877)):
    test.number(f"float64: sum of |{key}|", magnitude(values), known, 5e-7)
PACKED_WANTED = [(wanted[0][(index * 5 + row) * 4 + d] if index < 4 else wanted[index - 3][row * 4 + d])
                 for row in range(5) for index in range(6) for d in range(4)]
for form in (named, written_out):
    graph = Graph(g=g)
    whole = graph.parameter("packed", packed.shape)
    parts = []
    for first, count in ((0, 4), (4, 1), (5, 1)):
        part = graph.transpose(graph.slice(whole, [0, first, 0], [1, 1, 1], (5, count, 4)), [1, 0, 2])
        parts.append(graph.reshape(part, (1, count, 5, 4)))
    if form is written_out:
        parts[1:] = [graph.broadcast(part, (1, 4, 5, 4)) for part in parts[1:]]
    out = form(graph, *parts, 0.5, causal=True)

    def judge_packed(label, outputs):
        test.close(label, outputs["packed.grad"].values, PACKED_WANTED, F32_TOLERANCE)
        test.number(f"{label}: sum of out", math.fsum(outputs["out"].values), 8.4458992, F32_TOLERANCE * 80 * 2)

    add(single, f"{form.__name__}_packed", graph, {"loss": graph.total(graph.binary("mul", out, "%g")), "out": out}, {"g": g},
        {"packed": packed}, judge_packed)
for graphs, name, flags in ((single, "fp32", ()), (low, "bf16", ("--precision", "bf16"))):
    for case_name, label, outputs in graphs.run(test, name, (*BACKWARD, *flags)):
        judges[case_name](label, outputs)

# A trained bias, of one head and of all, and one row for all queries: what shares an element is summed. The longest product of each
# has 8 terms, and no gradient is 0, so that `check` has for each the bounds that it has alone; but a bias of one element has the
# gradient 0, which others beside it would have judged by their size.
q, k, v, g = (fill(seed, (2, 2, 5, 8)) for seed in (1, 2, 3, 4))
trained = Together()
for shape in ((2, 2, 5, 5), (1, 2, 5, 5), (1, 1, 5, 5), (1, 2, 1, 5), (1, 1, 1, 1)):
    for form in (named, written_out):
        graph = Graph(q=q, k=k, v=v, g=g)
        bias = graph.parameter("bias", shape)
        out = form(graph, "%q", "%k", "%v", 0.25, bias=bias, causal=True)
        results = {"loss": graph.total(graph.binary("mul", out, "%g")), "out": out}
        name = f"{form.__name__}_{'x'.join(map(str, shape))}"
        if shape == (1, 1, 1, 1):
            # 0 by algebra: a sum of 60 terms near 1, each of which a few roundings are left of.
            for label, outputs in test.run(f"trained_{name}", graph.text(**results), {"q": q, "k": k, "v": v, "g": g}, BACKWARD):
                test.number(f"{label}: bias.grad", outputs["bias.grad"].values[0], 0.0, 60 * 2 ** -22)
        else:
            trained.add(name, graph, results)
test.verdict("trained bias", test.write("trained.mlir", trained.text()), *BACKWARD,
             outputs=["loss", *trained.names(), *(f"{name}.bias.grad" for name in trained.cases)])

# One key: what is subtracted is what is subtracted from, and q and k have no gradient, exactly. In bf16 the gradient of the result is rounded
# for the kernel; a sum over it as it was before would leave a difference, here times a large scale.
one = (1, 1, 1, 1)
graph = Graph(g=("f32", one))
out = graph.attention(*(graph.parameter(name, one, "constant, 1.0") for name in "qkv"), 1000.0)
path = test.write("one_key.mlir", graph.text(loss=graph.total(graph.binary("mul", out, "%g"))))
for precision in ("bf16", "bf16-true"):
    test.verdict(f"one key, {precision}", path, *BACKWARD, "--precision", precision, outputs=["loss", "q.grad", "k.grad", "v.grad"])
test.finish()
