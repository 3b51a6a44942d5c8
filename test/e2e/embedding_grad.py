# RUN: %python %s %t
"""Gradients of tables: many rows to one id lose nothing to rounding on the way, and every run gives the same bits."""

from array import array

from support.driver import Test
from support.graph import Graph
from support.tensors import Tensor, f32, fill
from support.together import Together

# Of one sum in one graph, and of that graph.
COPIES, RUNS = 5, 2


def graph_of(inputs, dtype, rows):
    """float32 inputs, rows of the gradient in `dtype`; the graph and its result."""
    graph = Graph(**inputs)
    shape = inputs["g"].shape
    gradient = graph.cast("%g", dtype) if dtype != "f32" else "%g"
    types = f"{graph.types[gradient]}, {graph.types['%ids']} -> "
    return graph, graph.op(f"embedding_grad {gradient}, %ids : {types}tensor<{rows}x{shape[-1]}x{dtype}>", dtype, (rows, shape[-1]))


def sums(inputs, rows):
    """float32 sums in the order of the ids: an array rounds each to its type."""
    width = inputs["g"].shape[-1]
    result = array("f", [0.0] * (rows * width))
    for position, row in enumerate(inputs["ids"].values):
        for column in range(width):
            result[row * width + column] += inputs["g"].values[position * width + column]
    return list(result)


def rounded(value):
    """To the nearest bf16, ties to even; of a value that float32 holds exactly."""
    (bits,) = array("I", array("f", [value]).tobytes())
    bits += 0x7FFF + (bits >> 16 & 1)
    return array("f", array("I", [bits & 0xFFFF0000]).tobytes())[0]


class Sums(Together):
    def __init__(self):
        super().__init__()
        self.wanted = {}

    def case(self, name, inputs, rows, dtypes=("f32", "bf16")):
        single = sums(inputs, rows)
        for dtype in dtypes:
            graph, result = graph_of(inputs, dtype, rows)
            self.add(f"{name}_{dtype}", graph, {"y": result}, inputs)
            self.wanted[f"{name}_{dtype}"] = [rounded(value) for value in single] if dtype == "bf16" else single

    def verify(self, test, name):
        for case, label, outputs in self.run(test, name):
            found, wanted = list(outputs["y"].values), self.wanted[case]
            test.check(found == wanted and case.endswith(outputs["y"].dtype), f"{label}: wanted {wanted[:8]}, found {found[:8]}")


def ids(values, dtype="i32"):
    return Tensor(dtype, (len(values),), list(values))


def main():
    test, cases, order = Test(), Sums(), Sums()
    # Row 2 is the sum of four, row 0 is one, the others are zero.
    small = {"g": f32((5, 3), [float(2 ** (i % 5)) for i in range(15)]), "ids": ids([2, 2, 2, 0, 2])}
    cases.case("small", small, 5)
    cases.case("wide_ids", {**small, "ids": ids([2, 2, 2, 0, 2], "i64")}, 5)
    # bf16 sums stop growing at 256 and at 6; float32 sums, rounded once, are exact.
    cases.case("ones", {"g": f32((4096, 4), [1.0] * 16384), "ids": ids([1] * 4096)}, 3)
    cases.case("fractions", {"g": f32((300, 4), [0.0234375] * 1200), "ids": ids([0] * 300)}, 2)
    # Sums that depend on their order: every run gives those in the order of the ids.
    tenths = f32((900, 3), array("f", [(i * i % 101 - 50) / 10 for i in range(2700)]))
    for copy in range(COPIES):
        order.case(f"order{copy}", {"g": tenths, "ids": ids([i * i % 5 % 3 for i in range(900)])}, 4, dtypes=("f32",))
    for _ in range(RUNS):
        order.verify(test, "order")
    # Columns beyond vectors, blocks and tiles; ids in two dimensions, some rows with many, most with none. Sums are multiples
    # of 1/64 below 2^9, so that float32 holds them whatever the order.
    for width in (1, 17, 1030, 4100):
        inputs = {"g": fill(width, (4, 33, width)), "ids": Tensor("i32", (4, 33), [i * i % 7 * 40 for i in range(132)])}
        cases.case(f"width_{width}", inputs, 300)
    cases.verify(test, "cases")
    test.finish()


main()
