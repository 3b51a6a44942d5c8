# RUN: %python %s %t
"""Dropout: every implementation draws the mask that Python draws from the formula, forward and backward alike, through views and
fusion; other layers, seeds and batches have others; presets and configurations train with it, to the same bits after a resume.
(pytorch/pytorch#190758, #190717; pytorch/torchtitan#1323; allenai/OLMo-core#828: masks that a recompute draws anew.)"""

import json
import math
import os
import random
import re

from support import configs
from support.driver import DEVICE, UNTUNED, Test
from support.graph import Graph
from support.tensors import Tensor, f32
from support.together import Together

test = Test()
KEYS = 2 ** 53
WORD = 0xFFFFFFFF


def mix(x):
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
        x = (x ^ x >> shift) * factor & WORD
    return x


def mask(key, layer, probability, count):
    first = mix((key & WORD) + layer * 0x9E3779B9 & WORD)
    second = mix(first ^ key >> 32)
    last = round(probability * 2 ** 31)
    return [mix(mix(i ^ first) + second & WORD) >> 1 >= last for i in range(count)]


class Dropping(Graph):
    def __init__(self, **inputs):
        super().__init__(dropout_key=("i64", (1,)), **inputs)

    def dropout(self, value, layer, probability):
        shape = self.shape(value)
        index = self.reshape(self.iota(0, "i32", (math.prod(shape),)), shape)
        key = self.broadcast(self.reshape("%dropout_key", (1,) * len(shape)), shape)
        return self.op(f"dropout {value}, {index}, {key} layer {layer} probability {probability:e} : {self.types[value]}",
                       *self.shapes[value])


def ones(probability):
    """Ones, dropped out in two layers; the loss is the sum of both, so that the gradient of each is its own mask."""
    graph = Dropping()
    first = graph.dropout(graph.parameter("a", (64, 64), "constant, 1.0"), 0, probability)
    second = graph.dropout(graph.parameter("b", (64, 64), "constant, 1.0"), 1, probability)
    return graph, {"loss": graph.binary("add", graph.total(first), graph.total(second)), "first": first, "second": second}


def key_tensor(key):
    return Tensor("i64", (1,), [key])


# Gradient and value are dropped alike, element by element, by the bits of the formula.
seen, together, drawn = [], Together(), {}
for key in (1, 2, 0x123456789ABCDE):
    for probability in (0.5, 0.1, 0.0, 1.0):
        case = f"key_{key}_{probability}".replace(".", "_")
        drawn[case] = probability, [mask(key, layer, probability, 4096) for layer in (0, 1)]
        together.add(case, *ones(probability), {"dropout_key": key_tensor(key)})
        if probability == 0.5:
            seen += drawn[case][1]
for case, label, found in together.run(test, "ones", ("--mode", "backward")):
    probability, wanted = drawn[case]
    kept = 1 / (1 - probability) if probability < 1 else 0.0
    for name, gradient, keeps in (("first", "a.grad", wanted[0]), ("second", "b.grad", wanted[1])):
        values = list(found[name].values)
        test.check(values == list(found[gradient].values), f"{label}: {name} and {gradient} differ")
        test.check([value != 0 for value in values] == (keeps if probability < 1 else [False] * 4096),
                   f"{label}: {name}: another mask than the formula's")
        test.check(all(value == 0 or math.isclose(value, kept, rel_tol=2 ** -23) for value in values), f"{label}: {name}: {values[:9]}")
        # Four standard deviations of the binomial distribution; none at the ends.
        dropped = values.count(0)
        test.check(abs(dropped - 4096 * probability) <= 4 * math.sqrt(4096 * probability * (1 - probability)),
                   f"{label}: {name}: {dropped} of 4096 dropped at {probability}")
test.check(len(set(map(tuple, seen))) == len(seen), "two layers or keys have one mask")

# Of probability 1 nothing is left, NaN and infinity included; of probability 0 everything.
for probability, wanted in ((1.0, [0.0] * 4), (0.0, [math.inf, -math.inf, 2.0, -0.0])):
    graph = Dropping(x=("f32", (4,)))
    text = graph.text(y=graph.dropout("%x", 0, probability))
    x = f32((4,), [math.nan if probability else math.inf, -math.inf, 2.0, -0.0])
    for label, found in test.run(f"ends-{probability}", text, {"x": x, "dropout_key": key_tensor(3)}):
        test.check(list(found["y"].values) == wanted, f"{label}: {list(found['y'].values)}")

# An element is its number in the tensor that is dropped out, however that is read or made: turned, cut, stretched, put together.
ROWS, COLUMNS = 6, 10
draws = random.Random(1)
left, right, row = ([draws.randrange(64, 128) / 128 for _ in range(count)] for count in (ROWS * 4, ROWS * 6, COLUMNS))
graph = Dropping(left=("f32", (ROWS, 4)), right=("f32", (ROWS, 6)), row=("f32", (1, COLUMNS)))
turned = graph.transpose(graph.dropout(graph.concat(["%left", "%right"], 1), 0, 0.5), [1, 0])
stretched = graph.dropout(graph.broadcast("%row", (ROWS, COLUMNS)), 1, 0.5)
cut = graph.slice(graph.dropout(graph.transpose(graph.concat(["%left", "%right"], 1), [1, 0]), 2, 0.5), [1, 1], [2, 2], (4, 3))
flat = graph.reshape(graph.dropout(graph.unary("copy", graph.broadcast("%row", (ROWS, COLUMNS))), 3, 0.5), (4, 15))
both = graph.concat([graph.dropout(graph.unary("neg", "%left"), 4, 0.5), graph.dropout(graph.unary("neg", "%right"), 5, 0.5)], 1)
text = graph.text(turned=graph.unary("copy", turned), stretched=stretched, cut=graph.unary("copy", cut), flat=graph.unary("copy", flat), both=both,
                  sums=graph.reduce("sum", turned, [1]))
whole = [value for r in range(ROWS) for value in left[r * 4:r * 4 + 4] + right[r * 6:r * 6 + 6]]
key = 77777777777
keeps = [mask(key, layer, 0.5, ROWS * COLUMNS) for layer in range(6)]
drop = lambda values, layer: [2 * value if keep else 0.0 for value, keep in zip(values, keeps[layer])]
across = lambda values, rows, columns: [values[r * columns + c] for c in range(columns) for r in range(rows)]
first = drop(whole, 0)
third = drop(across(whole, ROWS, COLUMNS), 2)
parts = drop([-value for value in left], 4), drop([-value for value in right], 5)
wanted = {"turned": across(first, ROWS, COLUMNS), "stretched": drop(row * ROWS, 1),
          "cut": [third[r * ROWS + c] for r in (1, 3, 5, 7) for c in (1, 3, 5)], "flat": drop(row * ROWS, 3),
          "both": [value for r in range(ROWS) for value in parts[0][r * 4:r * 4 + 4] + parts[1][r * 6:r * 6 + 6]]}
inputs = {"left": f32((ROWS, 4), left), "right": f32((ROWS, 6), right), "row": f32((1, COLUMNS), row), "dropout_key": key_tensor(key)}
for label, found in test.run("views", text, inputs):
    for name, values in wanted.items():
        test.check(list(found[name].values) == values, f"{label}: {name}: {list(found[name].values)}, wanted {values}")
    sums = [sum(first[r * COLUMNS + c] for r in range(ROWS)) for c in range(COLUMNS)]
    test.close(f"{label}: sums", found["sums"].values, sums, 1e-6)  # Six float32 numbers added up.

# Whole models against float64, which draws the same: one mask that differs is an error of 1.
SMALL = ["--layers", "2", "--batch", "2", "--vocab", "300", "--context", "33"]
for mode in ("forward", "backward", "step", "accumulate"):
    for precision in ("fp32", "bf16"):
        test.verdict(f"study:small, {mode}, {precision}", "study:small", *SMALL, "--mode", mode, "--precision", precision, "--dropout", "0.1")
for name in ("gpt2", "bert-base"):
    path = test.write(f"{name}.json", json.dumps(configs.narrow(name)))
    mode = "forward" if name == "bert-base" else "backward"
    test.verdict(name, path, "--layers", "2", "--batch", "2", "--context", "35", "--vocab", "300", "--mode", mode, "--dropout", "0.3")
    # A configuration's own probabilities drop nothing.
    done = test.command("explain", path, "--layers", "1", "--batch", "1", "--context", "8", "--device", DEVICE)
    test.check(done.returncode == 0 and not re.search("ops: .*dropout", done.stdout), f"{name}: {done.stdout[:2000]}{done.stderr[:500]}")

# Training.
DATA = test.write("book.txt", "It was a bright cold day, and the loom stood still; the weft lay on the floor. " * 40)
MODEL = ["study:small", "--vocab", "256", "--layers", "1", "--batch", "2", "--context", "8", "--data", DATA, "--device", DEVICE,
         *UNTUNED]


def trained(label, *arguments, model=MODEL):
    done = test.command("train", *model, *arguments)
    test.check(done.returncode == 0, f"{label}: exit code {done.returncode}: {done.stderr[:1500]}")
    return done


def losses(name):
    with open(test.path(name)) as file:
        return [line.split(",")[1] for line in file.read().splitlines()[1:]]


def contents(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in ("model.safetensors", "optimizer.safetensors")}


for name, flags in {"compiled": [], "eager": ["--impl", "eager"], "accumulating": ["--accumulate", "2"]}.items():
    whole, half = test.path(f"{name}-whole"), test.path(f"{name}-half")
    trained(f"{name}: 4 steps", *flags, "--dropout", "0.25", "--seed", "3", "--steps", "4", "--save", whole, "--csv", test.path(f"{name}.csv"))
    trained(f"{name}: 2 steps", *flags, "--dropout", "0.25", "--seed", "3", "--steps", "2", "--save", half)
    done = trained(f"{name}: 2 more", *(flags if name == "eager" else []), "--resume", half, "--save", half, "--steps", "4")
    test.check(contents(whole) == contents(half), f"{name}: a training that was resumed ended with other bits")
    with open(os.path.join(half, "training.json")) as file:
        test.check(json.load(file)["settings"]["dropout"] == 0.25, f"{name}: settings without dropout")
trained("without", "--seed", "3", "--steps", "4", "--csv", test.path("without.csv"))
test.check(losses("without.csv")[0] != losses("compiled.csv")[0], "--dropout dropped nothing")

# A loss that depends on masks alone: the same weights, whatever the batch, a rate of 0. Each step and each batch has its own.
graph = Dropping(ids=("i32", (2, 8)), targets=("i32", (2, 8)))
dropped = graph.dropout(graph.parameter("p", (16, 16), "normal, 0.5"), 0, 0.5)
noise = graph.reshape(graph.reduce("sum", graph.cast(graph.binary("add", "%ids", "%targets"), "f32"), [0, 1]), ())
zero = graph.binary("mul", noise, graph.like("0.0", noise))
text = graph.text(loss=graph.binary("add", graph.total(graph.binary("mul", dropped, dropped)), zero))
for name, bound in (("ids", 256), ("targets", 256), ("dropout_key", KEYS)):
    text = text.replace(f'{{graph.name = "{name}"}}', f'{{graph.name = "{name}", graph.bound = {bound} : i64}}')
masks = [test.write("masks.mlir", text), "--data", DATA, "--device", DEVICE, *UNTUNED]
for name, flags in {"three": ["--seed", "3"], "again": ["--seed", "3"], "four": ["--seed", "4"], "summed": ["--seed", "3", "--accumulate", "2"]}.items():
    trained(name, "--lr", "0", "--steps", "6", *flags, "--csv", test.path(f"{name}.csv"), model=masks)
test.check(losses("three.csv") == losses("again.csv"), "one seed has two masks")
test.check(len(set(losses("three.csv"))) == 6, f"steps share a mask: {losses('three.csv')}")
test.check(not set(losses("three.csv")) & set(losses("four.csv")), "two seeds share a mask")
pairs = [(float(a) + float(b)) / 2 for a, b in zip(losses("three.csv")[0::2], losses("three.csv")[1::2])]
for found, wanted in zip(losses("summed.csv"), pairs):
    test.check(math.isclose(float(found), wanted, rel_tol=1e-5), f"two batches of a step share a mask: {found}, wanted {wanted}")

# What cannot be.
test.fails(2, ["train", *MODEL, "--dropout", "1.5"], "--dropout", "wanted a probability from 0 to 1")
test.fails(2, ["check", "study:small", "--dropout", "nan"], "--dropout", "wanted a probability from 0 to 1")
test.fails(2, ["train", *masks, "--dropout", "0.1"], "--dropout: has no meaning for a graph file, which states its own")
test.finish()
