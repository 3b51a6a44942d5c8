# RUN: %python %s %t
"""Long float32 sums, along rows, of whole tensors and down columns: as exact as short ones, compiled as eager
(numpy's and PyTorch's sums are pairwise for the same reason)."""

from support.driver import DEVICE, Test
from support.graph import Graph
from support.tensors import f32

# A CPU's lane adds 16 terms in float32, and such sums in float64. On top of these 15 roundings: one of the lane's
# sum, three blocks of one register and one that is not whole, a tree over 64 lanes, a mean's division, the result.
# A GPU's thread adds 16 vectors of 4 so, or 256 terms where it has no more; 1024 threads are a tree of 10 levels.
ROUNDINGS = 15 + 1 + 4 + 6 + 1 + 1 if DEVICE == "cpu" else 255 + 1 + 10 + 1 + 1
BOUND = ROUNDINGS * 2.0 ** -24

test = Test()
# What float32 makes of 0.1.
TENTH = 13421773 / 2 ** 27


def totals(count):
    """Sum and mean of `count` copies of x, and the sum of a column of them; of their squares, too."""
    graph = Graph(x=("f32", (1, 1)))
    row, column = graph.broadcast("%x", (1, count)), graph.broadcast("%x", (count, 1))
    return graph.text(sum=graph.reduce("sum", row, [1]), mean=graph.reduce("mean", row, [1]), column=graph.reduce("sum", column, [0]),
                      square=graph.reduce("sum", graph.binary("mul", row, row), [0, 1]))


# Eager holds what it sums: 2^20 there, and a number of terms that no block divides.
for count, implementations in ((1 << 24, ["compiled"]), (1 << 20, None), (1000003, None)):
    for label, outputs in test.run(f"totals-{count}", totals(count), {"x": f32((1, 1), [TENTH])}, (), implementations=implementations):
        for name, wanted in (("sum", count * TENTH), ("mean", TENTH), ("column", count * TENTH), ("square", count * TENTH ** 2)):
            # A square is rounded by itself.
            test.number(f"{label}: {name}", outputs[name].values[0], wanted, wanted * (BOUND + 2.0 ** -24))

# The gradient of a bias: 2^16 rows, and each adds 0.1.
ROWS, WIDTH = 1 << 16, 64
graph = Graph(x=("f32", (ROWS, 1)))
bias = graph.parameter("bias", (WIDTH,), "constant, 1.0")
value = graph.binary("mul", graph.broadcast("%x", (ROWS, WIDTH)), graph.broadcast(graph.reshape(bias, (1, WIDTH)), (ROWS, WIDTH)))
text = graph.text(loss=graph.total(value))
for label, outputs in test.run("bias", text, {"x": f32((ROWS, 1), [TENTH] * ROWS)}, ("--mode", "backward")):
    test.number(f"{label}: loss", outputs["loss"].values[0], ROWS * WIDTH * TENTH, ROWS * WIDTH * TENTH * BOUND)
    for found in outputs["bias.grad"].values:
        test.number(f"{label}: gradient", found, ROWS * TENTH, ROWS * TENTH * BOUND)

# Compiled sums what eager holds, in other shapes: terms of one size, whose roundings all go the same way.
COUNT = 5709
graph = Graph(x=("f32", (1, 1)))
leaf = graph.parameter("p", (COUNT, 1), "constant, 0.7")
graph.parameter("w", (1, 8), "constant, 0.7")
squares, powers = graph.unary("tanh", leaf), graph.unary("exp", leaf)
wide = graph.broadcast(powers, (COUNT, 8))
text = graph.text(fused=graph.reduce("sum", graph.binary("mul", squares, squares), [0, 1]), cols=graph.reduce("sum", powers, [0]),
                  rows=graph.reduce("mean", graph.binary("mul", wide, wide), [0, 1]))
test.verdict("alike", test.write("alike.mlir", text))

# A loss over 16770 terms near 0.09, each made in the kernel that sums them.
graph = Graph(x=("f32", (13, 1)))
inner = graph.parameter("inner", (1, 2, 65, 24), "constant, 0.1")
left, right = (graph.matmul(inner, graph.parameter(name, (24, 129), "constant, 0.1")) for name in ("left", "right"))
value = graph.binary("mul", graph.unary("sigmoid", left), right)
value = graph.binary("sub", value, graph.like("0.3", value))
text = graph.text(loss=graph.total(graph.binary("mul", value, value)))
test.verdict("loss", test.write("loss.mlir", text), "--mode", "accumulate")
test.finish()
