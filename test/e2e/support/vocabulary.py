"""A loss over a vocabulary of any size whose every number has a closed form.

Logits are p @ head. `head` [width, columns] has F = fill(1) in its first row, ones in its second, zeros in all others; `p` [rows, width]
has ones in its first column, i mod 3 in its second, fill(2) in all others. So logits[i, j] = F[j] + i mod 3, which bf16 holds
exactly, and the softmax s[j] of a row does not depend on i. With the loss the mean over `valid` targets,

    d logits[i, j] = (s[j] - (j == target[i])) / valid, or 0 where the target is ignored
    d p[i, h]      = sum_j of that times head[h, j]: (sum_j s[j] F[j] - F[target[i]]) / valid for h = 0, else 0
    d head[h, j]   = (s[j] sum_i p[i, h] - sum of p[i, h] whose target is j) / valid, over rows whose target is not ignored.
"""

import array
import json
import math

from support.driver import DEVICE
from support.graph import Graph
from support.reference import F32_TOLERANCE
from support.tensors import Tensor, f32, fill, write_safetensors

IGNORED = -100
# Half a unit in the last place, relative.
F32_ROUNDING, BF16_ROUNDING = 2.0 ** -24, 2.0 ** -8
# The most that a chunk of logits takes, and that products on a GPU ask for besides their matrices.
CHUNK_BYTES, WORKSPACE_BYTES = 128 << 20, 32 << 20


class VocabularyLoss:
    def __init__(self, rows, columns, width, targets):
        self.rows, self.columns, self.width, self.targets = rows, columns, width, targets
        self.row = array.array("f", fill(1, (columns,)).values)
        values = array.array("f", fill(2, (rows, width)).values)
        for i in range(rows):
            values[i * width], values[i * width + 1] = 1, i % 3
        head = self.row + array.array("f", [1]) * columns + array.array("f", [0]) * (columns * (width - 2))
        self.weights = {"p": Tensor("f32", (rows, width), values), "head": Tensor("f32", (width, columns), head)}
        self.inputs = {"targets": Tensor("i32", (rows,), targets)}
        # 257 numbers, each as often as it comes.
        self.total = math.fsum(map(math.exp, self.row))
        self.mean = math.fsum(math.exp(value) * value for value in self.row) / self.total
        self.valid = [i for i, target in enumerate(targets) if target != IGNORED]

    def text(self, whole):
        """`whole`: something else reads the logits, so that all of them stay in memory."""
        graph = Graph(**self.inputs)
        p, head = (graph.parameter(name, self.weights[name].shape) for name in ("p", "head"))
        logits = graph.matmul(p, head)
        losses = graph.cross_entropy(logits, "%targets", IGNORED)
        results = {"loss": graph.mean_loss(losses, "%targets", IGNORED), "losses": losses}
        if whole:
            last = graph.slice(logits, [self.rows - 1, 0], [1, 1], (1, self.columns))
            results["last"] = graph.cast(last, "f32") if graph.dtype(last) != "f32" else last
        text = graph.text(**results)
        return text.replace('graph.name = "targets"', f'graph.name = "targets", graph.bound = {self.columns} : i64')

    def check(self, test, label, outputs, precision, heads):
        """Every loss, every element of p's gradient, and the rows `heads` of the head's."""
        valid = len(self.valid)
        losses = [0.0] * self.rows
        for i in self.valid:
            losses[i] = math.log(self.total) - self.row[self.targets[i]]
        test.close(f"{label}: losses", outputs["losses"].values, losses, F32_TOLERANCE)
        mean = math.fsum(losses) / valid
        test.number(f"{label}: loss", outputs["loss"].values[0], mean, F32_TOLERANCE * mean)
        if "last" in outputs:
            wanted = [value + (self.rows - 1) % 3 for value in self.row]
            test.check(outputs["last"].values.tolist() == wanted, f"{label}: the last row of the logits")

        # A term is off by what a softmax in float32 is, in bf16 also by its rounding and the result's; a sum of n terms one after another
        # by n roundings of the sum of their magnitudes.
        term = F32_TOLERANCE + (2 * BF16_ROUNDING if precision == "bf16" else 0)
        found, width = outputs["p.grad"].values, self.width
        magnitude = math.fsum(math.exp(value) * abs(value) for value in self.row) / self.total
        bad, zeros = [], array.array("f", bytes(4 * width))
        for i, target in enumerate(self.targets):
            part = found[i * width:(i + 1) * width]
            if target == IGNORED and part == zeros:
                continue
            wanted, bounds = [0.0] * width, [0.0] * width
            if target != IGNORED:
                wanted[0] = (self.mean - self.row[target]) / valid
                off = term + self.columns * F32_ROUNDING
                bounds[:2] = [off * (magnitude + abs(self.row[target])) / valid, off * 2 / valid]
            bad += [(i, h, a, b) for h, (a, b, bound) in enumerate(zip(part, wanted, bounds)) if not abs(a - b) <= bound]
        test.check(len(found) == self.rows * width and not bad,
                   f"{label}: p.grad: {len(bad)} elements, first (row, column, found, wanted) {bad[:3]}")

        values, columns = outputs["head.grad"].values, self.columns
        bad = []
        for h in heads:
            shares = [self.weights["p"].values[i * width + h] for i in self.valid]
            total, magnitude = math.fsum(shares), math.fsum(map(abs, shares))
            named, named_magnitude = {}, {}
            for i, share in zip(self.valid, shares):
                target = self.targets[i]
                named[target] = named.get(target, 0.0) + share
                named_magnitude[target] = named_magnitude.get(target, 0.0) + abs(share)
            softmax = {value: math.exp(value) / self.total for value in set(self.row)}
            off = (term + valid * F32_ROUNDING) / valid
            for j, (a, value) in enumerate(zip(values[h * columns:(h + 1) * columns], self.row)):
                wanted = (softmax[value] * total - named.get(j, 0.0)) / valid
                bound = off * (softmax[value] * magnitude + named_magnitude.get(j, 0.0))
                if not abs(a - wanted) <= bound:
                    bad.append((h, j, a, wanted))
        test.check(len(values) == width * columns and not bad,
                   f"{label}: head.grad: {len(bad)} elements, first (row, column, found, wanted) {bad[:3]}")


def most_ignored(rows, columns):
    """One row in ten has a target, spread over the vocabulary; its last column is one of them."""
    return [(columns - 1 - i * 7919 % columns) if i % 10 == 0 else IGNORED for i in range(rows)]


def peak_beyond_gradients(test, path, loss, *flags):
    """Bytes that a compiled run plans for besides parameters and their gradients."""
    done = test.command("explain", path, "--device", DEVICE, "--mode", "backward", "--format", "json", *flags)
    if not test.check(done.returncode == 0, f"explain {path}: exit code {done.returncode}: {done.stderr[:1000]}"):
        return math.inf
    found = json.loads(done.stdout)
    return found["arena_bytes"] + found["workspace_bytes"] - 4 * (loss.rows + loss.columns) * loss.width


def check_chunks(test, name, loss, precision, implementations=None):
    """The loss in chunks, and with its logits in memory as a whole: both right, near each other, and the first without them."""
    weights = test.path(f"{name}.weights.safetensors")
    write_safetensors(weights, loss.weights)
    seen = {}
    for form in ("chunks", "whole"):
        # Eager never cuts: once is enough.
        label, wanted = f"{name}-{precision}-{form}", ["compiled"] if form == "whole" else implementations
        flags = ("--mode", "backward", "--precision", precision, "--weights", weights)
        for run, outputs in test.run(label, loss.text(form == "whole"), loss.inputs, flags, implementations=wanted):
            loss.check(test, run, outputs, precision, sorted({0, 1, 2, 3, loss.width // 2, loss.width - 1}))
            if run.endswith(" compiled"):
                seen[form] = outputs["loss"].values[0]
    if len(seen) == 2:
        test.number(f"{name}, {precision}: chunks against whole: loss", seen["chunks"], seen["whole"], 1e-6 * abs(seen["whole"]))
    # A chunk of logits, up to 128 rows more than its bytes say, and its gradient, bf16's copies of both parameters, a product's
    # workspace, and for each row some float32 numbers of p's width.
    sizes, logits = {"fp32": 4, "bf16": 2}, 4 * loss.rows * loss.columns
    head, rows = loss.columns * loss.width, loss.rows * loss.width
    chunk = CHUNK_BYTES + 128 * sizes[precision] * loss.columns
    most = 2 * chunk + (2 * head if precision == "bf16" else 0) + 4 * sizes[precision] * rows + WORKSPACE_BYTES
    peak = peak_beyond_gradients(test, test.path(f"{name}-{precision}-chunks.mlir"), loss, "--precision", precision)
    test.check(peak <= min(most, logits), f"{name}, {precision}: {peak} bytes besides parameters and gradients, wanted at most {most}, and "
               f"{logits}, one float32 copy of all logits")
    test.clear()
