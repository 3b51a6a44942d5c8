# RUN: %python %s %t
"""A bf16 division, its rounded maximum, and what is equal to it: a kernel that compares what it did not round finds no tie, counts 0
and divides by it in the gradient (pytorch/pytorch#195214, #168186)."""

from support.driver import Test
from support.graph import Graph
from support.tensors import f32, fill

test = Test()


def graph_of(shape):
    """y = bf16(x / 3): its row maxima, how often they are reached, and the sum of the maxima as the loss."""
    graph = Graph(unused=("f32", (1,)))
    x = graph.parameter("x", shape)
    y = graph.cast(graph.binary("div", x, graph.like("3.0", x)), "bf16")
    most = graph.reduce("max", y, [1])
    ties = graph.cast(graph.compare("eq", y, graph.broadcast(most, shape)), "f32")
    return graph.text(loss=graph.total(graph.cast(most, "f32")), count=graph.reduce("sum", ties, [1]), most=graph.cast(most, "f32"),
                      same=graph.unary("copy", "%unused"))


def check(name, x, counts, maxima, gradient):
    for label, outputs in test.run(name, graph_of(x.shape), {"unused": f32((1,), [0.0])}, ("--mode", "backward"), {"x": x}):
        test.check(outputs["count"].values.tolist() == counts, f"{label}: counts {list(outputs['count'].values)}, wanted {counts}")
        test.check(outputs["most"].values.tolist() == maxima, f"{label}: maxima {list(outputs['most'].values)}, wanted {maxima}")
        # The gradient passes through bf16: half a step for the share, half for the cast's own gradient.
        test.close(f"{label}: gradient", outputs["x.grad"].values, gradient, 2.0 ** -8)


# bf16(1/3) is 0.333984375; three ties share the gradient of 1/3.
check("ties", f32((1, 4), [1, 1, 0.5, 1]), [3.0], [0.333984375], [1 / 9, 1 / 9, 0, 1 / 9])
x = fill(1, (4, 8))
rows = [x.values[row * 8:(row + 1) * 8] for row in range(4)]
check("single", x, [1.0] * 4, [0.61328125, 0.416015625, 0.66796875, 0.59765625],
      [(value == max(row)) / 3 for row in rows for value in row])
test.finish()
