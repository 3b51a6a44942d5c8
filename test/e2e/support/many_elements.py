"""Tensors of more elements than 2^31, or the same graphs with fewer: what reads and writes them by 32-bit indices gets rows wrong, or
reads what is not there."""

import math

from support.graph import Graph
from support.reference import F32_TOLERANCE
from support.tensors import Tensor, f32, fill

LAST = 3


def rows_and_alone(test, rows, columns):
    """Logits F[j] + i mod 3 in bf16, target i mod columns: the losses of all rows, and the gradients of the last three's, which are
    a part of the whole tensor, against a graph of those rows alone, bit for bit, and against float64."""
    row = fill(1, (columns,)).values
    total = math.fsum(map(math.exp, row))
    last = range(rows - LAST, rows)

    def part(name, graph, first, count):
        """Of the logits, in float32."""
        shape = (count, columns)
        shift = graph.slice("%shift", [first, 0], [1, 1], (count, 1))
        return graph.binary("add", graph.broadcast("%row", shape), graph.broadcast(shift, shape))

    def run(name, numbers, head):
        inputs = {"row": f32((1, columns), row), "shift": f32((len(numbers), 1), [i % 3 for i in numbers]),
                  "targets": Tensor("i32", (len(numbers),), [i % columns for i in numbers])}
        graph = Graph(**inputs)
        # Zeros, so that the gradient has a name.
        logits = graph.binary("add", part("last", graph, head, LAST), graph.parameter("zero", (LAST, columns), "constant, 0.0"))
        if head:
            logits = graph.concat([part("first", graph, 0, head), logits], 0)
        losses = graph.cross_entropy(graph.cast(logits, "bf16"), "%targets")
        return list(test.run(name, graph.text(loss=graph.total(losses), losses=losses), inputs, ("--mode", "backward")))

    whole, alone = run("rows", range(rows), rows - LAST), run("alone", last, 0)
    for (label, found), (_, wanted) in zip(whole, alone):
        losses = found["losses"].values
        test.check(losses[-LAST:] == wanted["losses"].values, f"{label}: losses {losses[-LAST:]}, alone {wanted['losses'].values}")
        test.check(found["zero.grad"].values == wanted["zero.grad"].values, f"{label}: gradients are others than alone")
        test.close(f"{label}: losses", losses, [math.log(total) - row[i % columns] for i in range(rows)], F32_TOLERANCE)
        # To bf16, as the gradient of a cast to it is.
        gradient = [math.exp(x) / total - (j == i % columns) for i in last for j, x in enumerate(row)]
        worst = max(abs(a - b) / abs(b) for a, b in zip(found["zero.grad"].values, gradient))
        test.check(worst <= 2.0 ** -8 + F32_TOLERANCE, f"{label}: a gradient is off by {worst} of itself")


def copied_row(test, edge, wide, implementations=None):
    """A copy of row 2 of [3, edge^2], whose elements are their column plus 7 times their row, as i32 where `wide`, else as whether they
    are below a number near the largest: its first and last elements."""
    many, shape = edge * edge, (3, edge, edge)
    inputs = {"x": Tensor("i32", (3, edge, 1), [7 * r + edge * a for r in range(3) for a in range(edge)]),
              "y": Tensor("i32", (1, 1, edge), list(range(edge)))}
    graph = Graph(**inputs)
    value = graph.binary("add", graph.broadcast("%x", shape), graph.broadcast("%y", shape))
    limit = many + 9
    if not wide:
        value = graph.compare("lt", value, graph.like(str(limit), value))
    copy = graph.unary("copy", graph.slice(graph.reshape(value, (3, many)), [2, 0], [1, 1], (1, many)))
    ends = {"first": 0, "last": many - 8}
    text = graph.text(**{name: graph.slice(copy, [0, at], [1, 1], (1, 8)) for name, at in ends.items()})
    for label, outputs in test.run(f"copy-{edge}-{'i32' if wide else 'i1'}", text, inputs, implementations=implementations):
        for name, at in ends.items():
            wanted = [14 + at + i if wide else int(14 + at + i < limit) for i in range(8)]
            test.check(outputs[name].values.tolist() == wanted, f"{label}: {name} {outputs[name].values.tolist()}, wanted {wanted}")
