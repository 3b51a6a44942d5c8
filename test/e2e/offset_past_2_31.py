# REQUIRES: device-cuda
# RUN: %python %s %t
"""The last of three rows of 2^30 elements: its constant offset alone is 2^31 (pytorch/pytorch#186057)."""

import array

from support.driver import Test
from support.graph import Graph
from support.tensors import Tensor

test = Test(needs=("cuda", "an input of 3 GB takes too long elsewhere"))
WIDTH, PERIOD = 1 << 30, 1 << 15

# Row r has ones where the column modulo 2^15 is below 100 (r + 1), its very last element apart.
rows = [array.array("b", [int(column < 100 * (row + 1)) for column in range(PERIOD)]) * (WIDTH // PERIOD) for row in range(3)]
for row in rows:
    row[-1] = 1
values = rows[0] + rows[1] + rows[2]

graph = Graph(x=("i1", (3, WIDTH)))
last = graph.slice("%x", [2, 0], [1, 1], (1, WIDTH))
counts = graph.reduce("sum", graph.cast(graph.reshape(last, (WIDTH // PERIOD, PERIOD)), "f32"), [1])
text = graph.text(copy=graph.unary("copy", last), counts=counts)
for label, outputs in test.run("copy", text, {"x": Tensor("i1", (3, WIDTH), values)}):
    test.check(outputs["copy"].values == rows[2], f"{label}: the copy differs")
    wanted = [300.0] * (WIDTH // PERIOD - 1) + [301.0]
    test.check(outputs["counts"].values.tolist() == wanted, f"{label}: counts {set(outputs['counts'].values)}")
    del outputs
test.finish()
