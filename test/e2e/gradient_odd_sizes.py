# RUN: %python %s %t
"""Gradients of products and of softmax at odd sizes: integers, which are exact in bf16 with float32 sums, and rows just below, at and
above powers of two (triton-lang/triton#630; intel/torch-xpu-ops#4772)."""

import array
import math
from operator import mul

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, softmax
from support.tensors import Tensor, f32
from support.together import Together

BACKWARD = ("--mode", "backward")
test = Test()


def matrix(rows, turned=False):
    """Of lists, or of their columns where it is stored turned around."""
    rows = list(zip(*rows)) if turned else rows
    return Tensor("f32", (len(rows), len(rows[0])), array.array("f", (x for row in rows for x in row)))


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
            values[each] = matrix(values[each], turned)
        side = graph.parameter(name, values[name].shape)
        sides.append(graph.transpose(side, [1, 0]) if turned else side)
    c = graph.matmul(*sides)
    weights = graph.binary("mul", graph.broadcast("%u", (m, n)), graph.broadcast("%v", (m, n)))
    loss = graph.total(graph.binary("mul", c, weights))
    inputs = {"u": f32((m, 1), u), "v": f32((1, n), v)}
    return graph, loss, inputs, values


SIZES = ((1, 1, 1), (3, 7, 64), (1000, 999, 1001), (17, 50257, 33))
products, gradients = Together(), {}
for m, n, k in SIZES:
    for form in ("NN", "NT", "TN"):
        name = f"{m}x{n}x{k}_{form}"
        graph, loss, inputs, values = product(m, n, k, form)
        products.add(name, graph, {"loss": loss}, inputs, {key: values.pop(key) for key in ("a", "b")})
        gradients[name] = values
for precision in ("fp32", "bf16"):
    for case, label, outputs in products.run(test, f"products-{precision}", (*BACKWARD, "--precision", precision)):
        for name, tensor in gradients[case].items():
            wanted, found = tensor.values, outputs[name].values
            # In bf16 a gradient above 256 is rounded where a cast keeps it in the weight's compute type.
            bound = 0 if precision == "fp32" else 2.0 ** -8 * max(map(abs, wanted))
            worst = max(abs(x - y) for x, y in zip(found, wanted))
            test.check(len(found) == len(wanted) and worst <= bound, f"{label}: {name} is off by up to {worst}")


def gelu_tanh(x):
    """Its value and its slope."""
    root = math.sqrt(2 / math.pi)
    inner = math.tanh(root * (x + 0.044715 * x ** 3))
    return x / 2 * (1 + inner), (1 + inner) / 2 + x / 2 * (1 - inner * inner) * root * (1 + 3 * 0.044715 * x * x)


def gelu(x):
    cumulative = (1 + math.erf(x / math.sqrt(2))) / 2
    return x * cumulative, cumulative + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


ACTIVATIONS = {"": lambda x: (x, 1), "relu": lambda x: (max(x, 0), int(x > 0)), "gelu tanh": gelu_tanh, "gelu erf": gelu}


def activated(m, n, k, activation):
    """C = activation(A B + bias), bias[j] = j mod 3 - 1, A and B as in `product` (here scaled for GELU, so that its bend is met), and their
    gradients for the loss that `product` has. C[i, j] depends on i mod 5, j mod 7 and j mod 3."""
    scale = 1 / 32 if activation.startswith("gelu") else 1
    a = [[((i + 2 * l) % 5 - 2) * scale for l in range(k)] for i in range(m)]
    b = [[(3 * l + j) % 7 - 3 for j in range(n)] for l in range(k)]
    bias = [j % 3 - 1 for j in range(n)]
    u, v = [i % 3 - 1 for i in range(m)], [j % 4 - 1 for j in range(n)]
    columns = list(zip(*b))
    dots = [[sum(map(mul, a[i], columns[j])) for j in range(min(n, 7))] for i in range(min(m, 5))]
    changes = [[u[i] * v[j] * ACTIVATIONS[activation](dots[i % 5][j % 7] + bias[j])[1] for j in range(n)] for i in range(m)]
    # A's rows repeat after 5, B's columns after 7: what goes into one of them is added up first.
    by_column = [[math.fsum(row[j::7]) for j in range(min(n, 7))] for row in changes]
    by_row = [[math.fsum(column[i::5]) for i in range(min(m, 5))] for column in zip(*changes)]
    da = [[math.fsum(map(mul, row, b[l])) for l in range(k)] for row in by_column]
    db = [[math.fsum(x * a[i][l] for i, x in enumerate(column)) for column in by_row] for l in range(k)]
    return a, b, bias, u, v, {"a.grad": da, "b.grad": db, "bias.grad": [[math.fsum(column) for column in zip(*changes)]]}


# Bias and activation are fused into the product forwards, and into their gradients' neighbours backwards.
products, gradients = Together(), {}
for m, n, k in ((1, 1, 1), (3, 7, 64), (100, 99, 1001), (17, 1025, 33)):
    for activation in ACTIVATIONS:
        a, b, bias, u, v, wanted = activated(m, n, k, activation)
        for form in ("NN", "NT", "TN"):
            turned = {"a": form[0] == "T", "b": form[1] == "T"}
            weights = {"a": matrix(a, turned["a"]), "b": matrix(b, turned["b"]), "bias": f32((n,), bias)}
            graph = Graph(u=("f32", (m, 1)), v=("f32", (1, n)))
            left, right = (graph.transpose(side, [1, 0]) if turned[name] else side
                           for name in ("a", "b") for side in [graph.parameter(name, weights[name].shape)])
            c = graph.matmul(left, right)
            row = graph.reshape(graph.parameter("bias", (n,)), (1, n))
            c = graph.binary("add", c, graph.broadcast(row, (m, n)))
            c = graph.unary(activation, c) if activation else c
            given = graph.binary("mul", graph.broadcast("%u", (m, n)), graph.broadcast("%v", (m, n)))
            name = f"{activation.replace(' ', '_') or 'bias'}_{m}x{n}x{k}_{form}"
            products.add(name, graph, {"loss": graph.total(graph.binary("mul", c, given))},
                         {"u": f32((m, 1), u), "v": f32((1, n), v)}, weights)
            gradients[name] = {key: matrix(rows, turned.get(key.removesuffix(".grad"))).values for key, rows in wanted.items()}
for case, label, outputs in products.run(test, "activated", BACKWARD):
    for key, values in gradients[case].items():
        found = outputs[key].values
        if not case.startswith("gelu"):
            test.check(found == values, f"{label}: {key}: wanted integers, exact; off by up to {max(abs(x - y) for x, y in zip(found, values))}")
        else:
            test.close(f"{label}: {key}", found, values, F32_TOLERANCE)

tables, given = Together(), {}
for size in (1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1400, 30522, 50257):
    row = [j / 64 % 8 for j in range(size)]
    rows = [row, [0.0] * size, [x + 1000 for x in reversed(row)]]
    weights = [[(j * 37 + 11 * index) % 17 / 8 - 1 for j in range(size)] for index in range(3)]
    graph = Graph(weights=("f32", (3, size)))
    value = graph.unary("softmax", graph.parameter("x", (3, size)))
    tables.add(f"softmax_{size}", graph, {"loss": graph.total(graph.binary("mul", value, "%weights"))}, {"weights": matrix(weights)},
               {"x": matrix(rows)})
    given[f"softmax_{size}"] = size, rows, weights
for case, label, outputs in tables.run(test, "softmax", BACKWARD):
    size, rows, weights = given[case]
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
