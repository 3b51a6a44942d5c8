# RUN: %python %s %t
"""Both forms of GELU, a norm whose weight is applied as 1 + w in float32 and rounded last, and an embedding's factor that is
rounded to the model's type, and the gradients of the first two: what models written for one of two look-alikes get wrong (huggingface/transformers#29402,
#29285)."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE
from support.tensors import f32, fill

# A rounding to eight bits of significand.
BF16_ROUNDING = 2.0 ** -8
POINTS = (-3.0, -1.0, 0.5, 3.0)
GELU = {"tanh": (-0.00363739, -0.15880801, 0.34571401, 2.99636261),
        "erf": (-0.00404969, -0.15865525, 0.34573123, 2.99595031)}
SQUARE_ROOTS = {2048: 45.25, 3072: 55.5, 1152: 34.0}


def slope(form, x):
    """Of GELU, from its formula."""
    if form == "erf":
        return (1 + math.erf(x / math.sqrt(2))) / 2 + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    t = math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))
    return (1 + t) / 2 + x / 2 * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)


def is_rounded(found, wanted):
    """Whether `found` is `wanted` rounded to bf16, or to its other neighbour where float32 may have tipped a tie."""
    step = 2.0 ** (math.frexp(wanted)[1] - 8)
    return abs(found - wanted) <= step / 2 + abs(wanted) * 2.0 ** -20


test = Test()

x = f32((2, 4), POINTS * 2)
for form, values in GELU.items():
    graph = Graph(x=x)
    low = graph.cast(graph.unary(f"gelu {form}", graph.cast(graph.cast("%x", "bf16"), "f32")), "bf16")
    for label, outputs in test.run(f"gelu-{form}", graph.text(single=graph.unary(f"gelu {form}", "%x"), low=low), {"x": x}):
        for index, wanted in enumerate(values * 2):
            # 1 + erf and 1 + tanh are off by steps of 1, which x/2 multiplies; the known values have eight decimals.
            point = POINTS[index % 4]
            bound = abs(point) * 2.0 ** -23 + 1e-8
            test.number(f"{label}: {point}", outputs["single"].values[index], wanted, bound)
            test.number(f"{label}, bf16: {point}", outputs["low"].values[index], wanted, BF16_ROUNDING * abs(wanted) + bound)

for form in GELU:
    graph = Graph(g=("f32", (2, 4)))
    points = graph.parameter("points", (2, 4))
    text = graph.text(loss=graph.total(graph.binary("mul", graph.unary(f"gelu {form}", points), "%g")))
    g = fill(2, (2, 4))
    for label, outputs in test.run(f"gelu-{form}-gradient", text, {"g": g}, ("--mode", "backward"), {"points": x}):
        wanted = [slope(form, point) * factor for point, factor in zip(x.values, g.values)]
        test.close(label, outputs["points.grad"].values, wanted, F32_TOLERANCE)

ROWS, WIDTH, EPSILON = 3, 96, 1e-6
x = fill(5, (ROWS, WIDTH))
for stored in (0.0, 0.01, -0.75):
    graph = Graph(x=x)
    shape = (ROWS, WIDTH)
    wide = graph.cast(graph.cast("%x", "bf16"), "f32")
    mean = graph.reduce_like("mean", graph.binary("mul", wide, wide), 1)
    scale = graph.unary("rsqrt", graph.binary("add", mean, graph.like(f"{EPSILON:.7f}", mean)))
    weight = graph.op(f'parameter [#graph.part<"w", [{WIDTH}], constant, {stored}>] : tensor<{WIDTH}xf32>', "f32", (WIDTH,))
    factor = graph.binary("add", weight, graph.like("1.0", weight))
    factor = graph.broadcast(graph.reshape(factor, (1, WIDTH)), shape)
    out = graph.cast(graph.binary("mul", graph.binary("mul", wide, scale), factor), "bf16")
    for label, outputs in test.run(f"norm-{stored}", graph.text(out=out), {"x": x}):
        for row in range(ROWS):
            values = x.values[row * WIDTH:(row + 1) * WIDTH]
            root = math.sqrt(math.fsum(value * value for value in values) / WIDTH + EPSILON)
            bad = [column for column, value in enumerate(values)
                   if not is_rounded(outputs["out"].values[row * WIDTH + column], value / root * (1 + stored))]
            test.check(not bad, f"{label}: row {row}: {len(bad)} values were not rounded last, first {bad[:3]}")

# Gradients where the stored weight is 0, so that the factor is 1: in float32 of everything, y = x / root and dL/dy = g.
graph = Graph(g=("f32", (ROWS, WIDTH)))
wide, weight = graph.parameter("x", (ROWS, WIDTH)), graph.parameter("w", (WIDTH,))
mean = graph.reduce_like("mean", graph.binary("mul", wide, wide), 1)
scale = graph.unary("rsqrt", graph.binary("add", mean, graph.like(f"{EPSILON:.7f}", mean)))
factor = graph.broadcast(graph.reshape(graph.binary("add", weight, graph.like("1.0", weight)), (1, WIDTH)), (ROWS, WIDTH))
text = graph.text(loss=graph.total(graph.binary("mul", graph.binary("mul", graph.binary("mul", wide, scale), factor), "%g")))
g, of_x, of_w = fill(6, (ROWS, WIDTH)), [], [0.0] * WIDTH
for row in range(ROWS):
    values, share = (tensor.values[row * WIDTH:(row + 1) * WIDTH] for tensor in (x, g))
    root = math.sqrt(math.fsum(value * value for value in values) / WIDTH + EPSILON)
    along = math.fsum(a * b for a, b in zip(values, share)) / (WIDTH * root ** 3)
    of_x += [b / root - a * along for a, b in zip(values, share)]
    of_w = [total + a * b / root for total, a, b in zip(of_w, values, share)]
for label, outputs in test.run("norm-gradient", text, {"g": g}, ("--mode", "backward"), {"x": x, "w": f32((WIDTH,), [0.0] * WIDTH)}):
    test.close(f"{label}: x", outputs["x.grad"].values, of_x, F32_TOLERANCE)
    test.close(f"{label}: w", outputs["w.grad"].values, of_w, F32_TOLERANCE)

graph = Graph(x=("f32", (1, 2)))
named = {}
for width in SQUARE_ROOTS:
    root = graph.cast(graph.unary("sqrt", graph.binary("mul", "%x", graph.like(f"{width}.0", "%x"))), "bf16")
    named[f"root{width}"] = root
for label, outputs in test.run("square-root", graph.text(**named), {"x": f32((1, 2), (1.0, 1.0))}):
    for width, wanted in SQUARE_ROOTS.items():
        test.check(list(outputs[f"root{width}"].values) == [wanted] * 2,
                   f"{label}: square root of {width}: {list(outputs[f'root{width}'].values)}, wanted {wanted}")
test.finish()
