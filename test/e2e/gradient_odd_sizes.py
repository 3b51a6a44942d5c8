# RUN: %python %s %t
"""Gradients of products and of softmax at odd sizes: integers, which are exact in bf16 with float32 sums, and rows just below, at and
above powers of two (triton-lang/triton#630; intel/torch-xpu-ops#4772)."""

import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, softmax
from support.tensors import f32

BACKWARD = ("--mode", "backward")
test = Test()


def product(m, n, k, form):
    """A[i,k] = (i + 2k) mod 5 - 2, B[k,j] = (3k + j) mod 7 - 3, stored turned around where the form says T. The loss is the sum of
    C[i,j] u[i] v[j]: then dA[i,k] = u[i] sum_j B[k,j] v[j], and dB[k,j] = v[j] sum_i A[i,k] u[i]."""
    a = [[(i + 2 * l) % 5 - 2 for l in range(k)] for i in range(m)]
    b = [[(3 * l + j) % 7 - 3 for j in range(n)] for l in range(k)]
    u, v = [i % 3 - 1 for i in range(m)], [j % 4 - 1 for j in range(n)]
    bv = [sum(x * y for x, y in zip(row, v)) for row in b]
    au = [sum(x * y for x, y in zip(column, u)) for column in zip(*a)]
    values = {"a": a, "b": b, "a.grad": [[x * y for y in bv] for x in u], "b.grad": [[x * y for y in v] for x in au]}
    graph = Graph(u=("f32", (m, 1)), v=("f32", (1, n)))
    sides = []
    for name, turned in (("a", form[0] == "T"), ("b", form[1] == "T")):
        for each in (name, f"{name}.grad"):
            rows = [list(column) for column in zip(*values[each])] if turned else values[each]
            values[each] = f32((len(rows), len(rows[0])), [x for row in rows for x in row])
        side = graph.parameter(name, values[name].shape)
        sides.append(graph.transpose(side, [1, 0]) if turned else side)
    c = graph.matmul(*sides)
    weights = graph.binary("mul", graph.broadcast("%u", (m, n)), graph.broadcast("%v", (m, n)))
    text = graph.text(loss=graph.total(graph.binary("mul", c, weights)))
    inputs = {"u": f32((m, 1), u), "v": f32((1, n), v)}
    return text, inputs, values


for m, n, k in ((1, 1, 1), (3, 7, 64), (100, 99, 1001), (17, 5027, 33)):
    for form in ("NN", "NT", "TN"):
        text, inputs, values = product(m, n, k, form)
        weights = {name: values[name] for name in ("a", "b")}
        for precision in ("fp32", "bf16"):
            for label, outputs in test.run(f"{m}x{n}x{k}-{form}-{precision}", text, inputs, (*BACKWARD, "--precision", precision), weights):
                for name in ("a.grad", "b.grad"):
                    wanted = [float(value) for value in values[name].values]
                    found = outputs[name].values.tolist()
                    # In bf16 a gradient above 256 is rounded where a cast keeps it in the weight's compute type.
                    bound = 0 if precision == "fp32" else 2.0 ** -8 * max(map(abs, wanted))
                    worst = max(abs(x - y) for x, y in zip(found, wanted))
                    test.check(len(found) == len(wanted) and worst <= bound, f"{label}: {name} is off by up to {worst}")

for size in (1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1400, 30522, 50257):
    row = [j / 64 % 8 for j in range(size)]
    rows = [row, [0.0] * size, [x + 1000 for x in reversed(row)]]
    weights = [[(j * 37 + 11 * index) % 17 / 8 - 1 for j in range(size)] for index in range(3)]
    graph = Graph(weights=("f32", (3, size)))
    value = graph.unary("softmax", graph.parameter("x", (3, size)))
    text = graph.text(loss=graph.total(graph.binary("mul", value, "%weights")))
    flat = lambda values: f32((3, size), [x for row in values for x in row])
    for label, outputs in test.run(f"softmax-{size}", text, {"weights": flat(weights)}, BACKWARD, {"x": flat(rows)}):
        for index in range(3):
            found = outputs["x.grad"].values[index * size:(index + 1) * size]
            y = softmax(rows[index])
            inner = math.fsum(a * b for a, b in zip(y, weights[index]))
            wanted = [a * (b - inner) for a, b in zip(y, weights[index])]
            # Each is a difference of numbers as large as the weights, 1, times its probability.
            bound = F32_TOLERANCE * max(y)
            worst = max(abs(a - b) for a, b in zip(found, wanted))
            test.check(worst <= bound, f"{label}: row {index} is off by up to {worst}, wanted {bound}")
            test.number(f"{label}: sum of row {index}", math.fsum(found), 0, F32_TOLERANCE)
test.finish()
