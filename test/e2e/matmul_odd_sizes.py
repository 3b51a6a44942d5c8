# RUN: %python %s %t
"""Products of odd sizes, each operand also transposed, alone and with bias and activation: integers, so that every
element is exact whatever the order of the sums (triton-lang/triton#630, intel/torch-xpu-ops#4772)."""

import array
import math

from support.driver import Test
from support.graph import Graph
from support.reference import F32_TOLERANCE
from support.tensors import Tensor

# (M, N, K): the sum of magnitudes, which stays below 2^24 and so is exact, and the last element.
SIZES = {(1000, 999, 1001): (13588800, 20), (3, 7, 64): (156, 6), (1, 1, 1): (6, 6), (17, 50257, 33): (3446185, 6)}

EPILOGUES = {
    "plain": lambda x: x,
    "bias": lambda x: x,
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))),
    "gelu tanh": lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
}


def a_of(i, k):
    return (i + 2 * k) % 5 - 2


def b_of(k, j):
    return (3 * k + j) % 7 - 3


def bias_of(j):
    return j % 3 - 1


def table(shape, of):
    return Tensor("f32", shape, array.array("f", (of(i, j) for i in range(shape[0]) for j in range(shape[1]))))


def period_of(m, n, k, epilogue):
    """C[i, j] depends on i mod 5, j mod 7 and, with the bias, j mod 3: one row for each i mod 5."""
    rows = []
    for i in range(5):
        dots = [sum(a_of(i, l) * b_of(l, j) for l in range(k)) for j in range(7)]
        bias = bias_of if epilogue != "plain" else lambda j: 0
        period = [EPILOGUES[epilogue](float(dots[j % 7] + bias(j))) for j in range(21)]
        rows.append((period * (n // 21 + 1))[:n])
    return rows


def product(graph, a, b, layout, dtype, epilogue):
    a, b = (graph.cast(value, dtype) if dtype != "f32" else value for value in (a, b))
    a = graph.transpose(a, [1, 0]) if layout[0] == "T" else a
    b = graph.transpose(b, [1, 0]) if layout[1] == "T" else b
    out = graph.matmul(a, b, "f32")
    if epilogue != "plain":
        shape = graph.shape(out)
        out = graph.binary("add", out, graph.broadcast(graph.reshape("%bias", (1, shape[1])), shape))
    if epilogue not in ("plain", "bias"):
        name, _, form = epilogue.partition(" ")
        out = graph.unary(name if name == "relu" else f"gelu {form or 'erf'}", out)
    return out


test = Test()
for (m, n, k), (magnitudes, last) in SIZES.items():
    for layout in ("NN", "NT", "TN", "TT"):
        a = table((m, k), a_of) if layout[0] == "N" else table((k, m), lambda l, i: a_of(i, l))
        b = table((k, n), b_of) if layout[1] == "N" else table((n, k), lambda j, l: b_of(l, j))
        # The large ones cost seconds each: all epilogues in one layout, all layouts in two epilogues.
        chosen = [epilogue for epilogue in EPILOGUES if m * n <= 100000 or epilogue in ("plain", "relu") or layout == "NT"]
        products = {"out_" + epilogue.replace(" ", "_"): (epilogue, "f32") for epilogue in chosen} | {"out_bf16": ("plain", "bf16")}
        # One graph for all; every product has an a of its own, so that they are not one.
        inputs = {name.replace("out", "a", 1): a for name in products}
        inputs |= {"b": b, "bias": Tensor("f32", (n,), [bias_of(j) for j in range(n)])}
        graph = Graph(**inputs)
        text = graph.text(**{name: product(graph, "%" + name.replace("out", "a", 1), "%b", layout, dtype, epilogue)
                             for name, (epilogue, dtype) in products.items()})
        wanted = {}
        for epilogue in chosen:
            wanted[epilogue] = array.array("f")
            for row in [array.array("f", row) for row in period_of(m, n, k, epilogue)] * (m // 5 + 1):
                wanted[epilogue] += row[:max(0, min(n, m * n - len(wanted[epilogue])))]
        for label, outputs in test.run(f"{m}x{n}x{k}-{layout}", text, inputs):
            for name, (epilogue, _) in products.items():
                found = outputs[name].values
                if "gelu" in epilogue:
                    test.close(f"{label}, {name}", found, wanted[epilogue], F32_TOLERANCE)
                elif not test.check(found == wanted[epilogue], f"{label}, {name}: wanted the exact integers"):
                    test.close(f"{label}, {name}", found, wanted[epilogue], 0)  # Says where.
                if epilogue == "plain":
                    test.number(f"{label}, {name}: magnitudes", math.fsum(map(abs, found)), magnitudes, 0)
                    test.number(f"{label}, {name}: last", found[-1], last, 0)

# Leading dimensions: a batch of products, and one right-hand side for all of them.
for batched in (True, False):
    m, n, k = 5, 7, 33
    inputs = {"a": Tensor("f32", (3, m, k), [a_of(i + h, l) for h in range(3) for i in range(m) for l in range(k)]),
              "b": Tensor("f32", (3, k, n) if batched else (k, n),
                          [b_of(l, j + h) for h in range(3 if batched else 1) for l in range(k) for j in range(n)])}
    wanted = [sum(a_of(i + h, l) * b_of(l, j + h * batched) for l in range(k))
              for h in range(3) for i in range(m) for j in range(n)]
    graph = Graph(**inputs)
    for label, outputs in test.run(f"batch-{batched}", graph.text(out=graph.matmul("%a", "%b")), inputs):
        test.close(label, outputs["out"].values, wanted, 0)
test.finish()
