# RUN: %python %s %t
"""Cross-entropy and its gradient with smoothing, ignored targets, none that is valid, one inside the range that is ignored, and
targets that are no class: values of public reports (pytorch/pytorch#73205, #69339, #116349, #75181; transformers#34191)."""

import math

from support.driver import DEVICE, Test
from support.graph import Graph
from support.reference import F32_TOLERANCE, softmax
from support.tensors import Tensor, f32, fill, read_safetensors, write_npy
from support.together import Together

BACKWARD = ("--mode", "backward")


def losses_of(targets, classes, smoothing=0.0, ignored=-100):
    """A graph and its results."""
    graph = Graph(targets=targets)
    logits = graph.parameter("logits", (*targets.shape, classes))
    losses = graph.cross_entropy(logits, "%targets", ignored, smoothing)
    return graph, {"loss": graph.mean_loss(losses, "%targets", ignored), "sum": graph.total(losses)}


def graph_of(*arguments, **options):
    graph, results = losses_of(*arguments, **options)
    return graph.text(**results)


def ids(values):
    return Tensor("i32", (len(values),), values)


def gradient(rows, targets, smoothing, ignored, valid):
    """(softmax - (1 - s) [target] - s / V) / valid of each row, 0 where it is ignored."""
    result = []
    for row, target in zip(rows, targets):
        probabilities = softmax(row)
        for index, p in enumerate(probabilities):
            wanted = p - (1 - smoothing) * (index == target) - smoothing / len(row)
            result.append(0.0 if target == ignored else wanted / valid)
    return result


test = Test()

# The uniform part of a smoothed loss does not count ignored rows either.
logits = fill(1, (3, 4))
targets = ids([1, -100, 3])
for label, outputs in test.run("smoothed", graph_of(targets, 4, 0.2), {"targets": targets}, BACKWARD, {"logits": logits}):
    test.number(f"{label}: sum", outputs["sum"].values[0], 5.0065241960, 5.1 * F32_TOLERANCE)
    test.number(f"{label}: mean", outputs["loss"].values[0], 2.5032620980, 2.6 * F32_TOLERANCE)
    test.close(f"{label}: gradient", outputs["logits.grad"].values,
               [-0.00495429, -0.38386886, 0.08003203, 0.30879112, 0, 0, 0, 0, 0.00446698, 0.32293663, 0.06719403, -0.39459764],
               # The eight digits that are given are good to 5e-9.
               F32_TOLERANCE + 5e-9 / 0.39)
    test.check(outputs["logits.grad"].values[4:8].tolist() == [0.0] * 4, f"{label}: the ignored row's gradient is not exactly 0")

# No valid target: the mean is 0/0, the gradient exactly 0 and never NaN.
targets = ids([-100, -100])
for label, outputs in test.run("none", graph_of(targets, 5), {"targets": targets}, BACKWARD, {"logits": fill(1, (2, 5))}):
    test.check(math.isnan(outputs["loss"].values[0]), f"{label}: the mean of nothing is {outputs['loss'].values[0]}, wanted NaN")
    test.check(outputs["sum"].values[0] == 0, f"{label}: sum {outputs['sum'].values[0]}")
    test.check(all(value == 0 for value in outputs["logits.grad"].values), f"{label}: gradient {list(outputs['logits.grad'].values)}")

# An ignored target inside the range.
logits, targets = fill(3, (2, 5)), ids([2, 0])
rows = [logits.values[:5], logits.values[5:]]
for label, outputs in test.run("inside", graph_of(targets, 5, ignored=2), {"targets": targets}, BACKWARD, {"logits": logits}):
    wanted = -math.log(softmax(rows[1])[0])
    test.number(f"{label}: loss", outputs["loss"].values[0], wanted, F32_TOLERANCE * wanted)
    test.close(f"{label}: gradient", outputs["logits.grad"].values, gradient(rows, [2, 0], 0, 2, 1), F32_TOLERANCE)

# One token with a loss of 4 and three with 1: their mean is 7/4, whatever lies between them.
row = lambda loss: [0.0, math.log(math.expm1(loss))]  # log(1 + e^x) = loss
rows = [row(4), [5, 6], row(1), [7, 8], row(1), row(1)]
targets = ids([0, -100, 0, -100, 0, 0])
logits = f32((6, 2), [value for row in rows for value in row])
for label, outputs in test.run("batches", graph_of(targets, 2), {"targets": targets}, BACKWARD, {"logits": logits}):
    test.number(f"{label}: loss", outputs["loss"].values[0], 1.75, F32_TOLERANCE * 1.75)
    test.close(f"{label}: gradient", outputs["logits.grad"].values, gradient(rows, targets.values, 0, -100, 4), F32_TOLERANCE)

# Each row of the gradient sums to 0, at sizes around powers of two and of a vocabulary; the loss of logits that float32's
# exp alone would overflow.
together, right = Together(), {}
for classes in (1, 2, 31, 33, 257, 1025, 50257):
    rows = [[j / 64 % 8 for j in range(classes)], [1000 - j / 64 % 8 for j in range(classes)]]
    logits, targets = f32((2, classes), rows[0] + rows[1]), ids([classes - 1, 0])
    together.add(f"classes_{classes}", *losses_of(targets, classes, 0.1), {"targets": targets}, {"logits": logits})
    right[f"classes_{classes}"] = classes, gradient(rows, targets.values, 0.1, -100, 2)
for case, label, outputs in together.run(test, "classes", BACKWARD):
    found, (classes, wanted) = outputs["logits.grad"].values, right[case]
    if classes > 1:  # Of one class the gradient is 0, of which nothing is a part.
        test.close(f"{label}: gradient", found, wanted, F32_TOLERANCE)
    for index in range(2):
        test.number(f"{label}: sum of row {index}", math.fsum(found[index * classes:(index + 1) * classes]), 0, F32_TOLERANCE)

# A target that is no class, and a token id that is no row: an error that names it, the same in every implementation.
graph = test.write("targets.mlir", graph_of(ids([0, 0]), 5))
table = Graph(ids=("i32", (2,)))
rows = table.op(f"embedding {table.parameter('table', (5, 3))}, %ids : tensor<5x3xf32>, tensor<2xi32> -> tensor<2x3xf32>", "f32", (2, 3))
lookup = test.write("ids.mlir", table.text(loss=table.total(rows)))
for path, name, value, rest in ((graph, "targets", -4, " and not the ignored -100"), (graph, "targets", 5, " and not the ignored -100"),
                                (lookup, "ids", -1, ""), (lookup, "ids", 5, "")):
    given = test.path(f"{name}{value}.npy")
    write_npy(given, ids([0, value]))
    for implementation in ("eager", "compiled"):
        test.fails(1, ["run", path, "--device", DEVICE, "--impl", implementation, "--input", f"{name}={given}", "--output",
                       test.path("never.safetensors")], f"input '{name}': element 1 is {value}, outside [0, 5){rest}")

# A preset's targets are ignored as the graph files' are: what the model gives for -100 alone is the mean of nothing.
for name, values in (("ids", [1, 2, 3, 4]), ("some", [-100, 7, -100, 9]), ("none", [-100] * 4), ("other", [1, 2, -1, 3])):
    write_npy(test.path(f"preset.{name}.npy"), Tensor("i32", (1, 4), values))
preset = ["run", "study:small", "--layers", "1", "--batch", "1", "--context", "4", "--vocab", "10", "--mode", "backward",
          "--device", DEVICE, "--input", f"ids={test.path('preset.ids.npy')}"]
for implementation in ("eager", "compiled"):
    for name in ("some", "none"):
        output = test.path(f"preset.{name}.safetensors")
        done = test.command(*preset, "--impl", implementation, "--input", f"targets={test.path(f'preset.{name}.npy')}",
                            "--output", output)
        label = f"preset, {name} of the targets, {implementation}"
        if test.check(done.returncode == 0, f"{label}: exit code {done.returncode}: {done.stderr[:700]}"):
            loss = read_safetensors(output)["loss"].values[0]
            test.check(math.isnan(loss) if name == "none" else 0 < loss < 10, f"{label}: loss {loss}")
    test.fails(1, [*preset, "--impl", implementation, "--input", f"targets={test.path('preset.other.npy')}", "--output",
                   test.path("never.safetensors")], "input 'targets': element 2 is -1, outside [0, 10) and not the ignored -100")
test.finish()
