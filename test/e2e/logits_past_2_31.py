# REQUIRES: device-cuda
# RUN: %python %s %t
"""Logits of more than 2^31 elements, whole in memory: an index of 32 bits reads and writes other rows there (jax-ml/jax#16973,
triton-lang/triton#832, pytorch/pytorch#186057). What is too large for a device is in driver_failures.py."""

from support.driver import Test
from support.graph import Graph
from support.tensors import Tensor, f32, fill
from support.vocabulary import VocabularyLoss

test = Test(needs=("cuda", "logits and gradient of 4 to 9 GB each take too long elsewhere"))
LAST = 3  # Rows that are also computed alone; the middle one is the first past 2^31.


def check_whole(name, rows, columns, precision):
    """All of it in closed form, and the last rows' losses, which must have the bits they have alone. Their products are exact."""
    targets = [i % columns for i in range(rows)]
    whole, alone = VocabularyLoss(rows, columns, 8, targets), VocabularyLoss(LAST, columns, 8, targets[-LAST:])
    alone.weights["p"] = f32((LAST, 8), whole.weights["p"].values[-LAST * 8:])
    flags = ("--mode", "backward", "--precision", precision)
    # The rows alone first, by implementation.
    wanted = {label.split(", ")[-1]: outputs["losses"].values for label, outputs in
              test.run(f"{name}-alone", alone.text(True), alone.inputs, flags, alone.weights)}
    for label, outputs in test.run(name, whole.text(True), whole.inputs, flags, whole.weights):
        whole.check(test, label, outputs, precision, (0, 1, 2, 7))
        found, alike = outputs["losses"].values[-LAST:], wanted.get(label.split(", ")[-1])
        test.check(found == alike, f"{label}: losses of the last rows {found}, alone {alike}")
    test.clear()


def tail_graph(rows, columns):
    """bf16 logits F[j] + i mod 3, of which the last rows are a parameter, so that their gradient is an output."""
    first = rows - LAST
    graph = Graph(targets=("i32", (rows,)), row=("f32", (1, columns)), shift=("f32", (first, 1)))
    others = graph.binary("add", graph.broadcast("%row", (first, columns)), graph.broadcast("%shift", (first, columns)))
    tail = graph.parameter("tail", (LAST, columns))
    logits = graph.concat([graph.cast(others, "bf16"), graph.cast(tail, "bf16")], 0)
    losses = graph.cross_entropy(logits, "%targets")
    text = graph.text(loss=graph.total(losses), losses=losses)
    return text.replace('graph.name = "targets"', f'graph.name = "targets", graph.bound = {columns} : i64')


def check_tail(rows, columns):
    """Losses and gradients of the last rows, bit for bit those of the same rows behind one other."""
    row = fill(1, (1, columns))
    weights = {"tail": f32((LAST, columns), [value + i % 3 for i in range(rows - LAST, rows) for value in row.values])}
    seen = {}
    for count in (LAST + 1, rows):
        own = range(rows - count, rows)  # Which rows of all.
        inputs = {"targets": Tensor("i32", (count,), [i % columns for i in own]), "row": row,
                  "shift": f32((count - LAST, 1), [i % 3 for i in own[:-LAST]])}
        for label, outputs in test.run(f"tail-{count}", tail_graph(count, columns), inputs, ("--mode", "backward"), weights):
            found = (outputs["losses"].values[-LAST:], outputs["tail.grad"].values)
            wanted = seen.setdefault(label.split(", ")[-1], found)
            for what, one, other in zip(("losses", "gradients"), found, wanted):
                test.check(one == other, f"{label}: {what} of the last rows have other bits than behind one row")
    test.check(seen, "no run of the rows alone")
    test.clear()


check_whole("wide", 42692, 50304, "bf16")
check_whole("bloom", 8560, 250880, "fp32")
check_tail(42692, 50304)
test.finish()
