# RUN: %python %s %t
"""BERT's masked-language loss: its value and gradients against the formulas in float64; that padding, and rows of ignored targets, have no
part in either; and weights of files with another head, or none."""

import json
import math
import os

from support.driver import DEVICE, IMPLEMENTATIONS, Test
from support.reference import F32_TOLERANCE, attention, rows_of
from support.tensors import Tensor, f32, fill, read_safetensors, write_npy, write_safetensors

VOCABULARY, WIDTH, HEADS, INNER, LAYERS, BATCH, CONTEXT = 19, 8, 2, 12, 2, 3, 6
FIELDS = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
          "num_attention_heads": HEADS, "intermediate_size": INNER, "max_position_embeddings": 9, "type_vocab_size": 3, "layer_norm_eps": 1e-3}


def shapes():
    """The state dict of transformers' BertForMaskedLM, tied tensors once."""
    found = {f"bert.embeddings.{name}_embeddings.weight": (rows, WIDTH)
             for name, rows in (("word", VOCABULARY), ("position", 9), ("token_type", 3))}
    linear = {"cls.predictions.transform.dense": (WIDTH, WIDTH)}
    norms = ["bert.embeddings.LayerNorm", "cls.predictions.transform.LayerNorm"]
    for layer in range(LAYERS):
        path = f"bert.encoder.layer.{layer}."
        linear |= {f"{path}attention.{name}": (WIDTH, WIDTH) for name in ("self.query", "self.key", "self.value", "output.dense")}
        linear |= {f"{path}intermediate.dense": (INNER, WIDTH), f"{path}output.dense": (WIDTH, INNER)}
        norms += [f"{path}attention.output.LayerNorm", f"{path}output.LayerNorm"]
    for name, shape in linear.items():
        found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    for name in norms:
        found |= {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}
    return found | {"cls.predictions.bias": (VOCABULARY,)}


# Exact in float32: multiples of 2^-8. Those of norms are near 1.
WEIGHTS = {name: f32(shape, [("LayerNorm.weight" in name) + value / 4 for value in fill(index, shape).values])
           for index, (name, shape) in enumerate(shapes().items())}
# Padding at the second sequence's end, no target in the third.
INPUTS = {"input_ids": [3, 0, 7, 7, 18, 1] + [5, 11, 2, 9, 4, 4] + [6, 10, 12, 3, 3, 16],
          "token_type_ids": [0, 0, 1, 1, 2, 2] + [0, 1, 1, 0, 0, 2] + [1, 1, 1, 0, 0, 0],
          "attention_mask": [1] * 6 + [1] * 4 + [0] * 2 + [1] * 6,
          "targets": [-100, 5, -100, 2, 18, -100] + [3, -100, -100, 0, -100, -100] + [-100] * 6}


def loss_of(weights, inputs):
    """In float64, and the gradient of the logits' bias."""
    w = {name: tensor.values for name, tensor in weights.items()}
    take = lambda name, rows: rows_of(w[f"bert.embeddings.{name}_embeddings.weight"], WIDTH)[rows]
    add = lambda a, b: [[x + y for x, y in zip(one, other)] for one, other in zip(a, b)]
    gelu = lambda rows: [[x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in row] for row in rows]

    def linear(rows, name):
        matrix = rows_of(w[f"{name}.weight"], len(rows[0]))
        return [[sum(x * y for x, y in zip(row, column)) + b for column, b in zip(matrix, w[f"{name}.bias"])] for row in rows]

    def norm(rows, name):
        result = []
        for row in rows:
            mean = math.fsum(row) / WIDTH
            scale = 1 / math.sqrt(math.fsum((x - mean) ** 2 for x in row) / WIDTH + FIELDS["layer_norm_eps"])
            result.append([(x - mean) * scale * a + b for x, a, b in zip(row, w[f"{name}.weight"], w[f"{name}.bias"])])
        return result

    losses, bias = [], [0.0] * VOCABULARY
    valid = sum(target != -100 for target in inputs["targets"])
    for ids, segments, mask, targets in zip(*(rows_of(inputs[name], CONTEXT) for name in INPUTS)):
        x = [[a + b + c for a, b, c in zip(take("word", token), take("token_type", segment), take("position", place))]
             for place, (token, segment) in enumerate(zip(ids, segments))]
        x = norm(x, "bert.embeddings.LayerNorm")
        for layer in range(LAYERS):
            path, size = f"bert.encoder.layer.{layer}.", WIDTH // HEADS
            q, k, v = (linear(x, f"{path}attention.self.{name}") for name in ("query", "key", "value"))
            parts = []
            for head in range(HEADS):
                columns = slice(head * size, (head + 1) * size)
                parts.append(attention(*([row[columns] for row in rows] for rows in (q, k, v)), 1 / math.sqrt(size),
                                       allowed=lambda i, j: mask[j] == 1))
            context = [sum(rows, []) for rows in zip(*parts)]
            x = norm(add(x, linear(context, f"{path}attention.output.dense")), f"{path}attention.output.LayerNorm")
            inner = gelu(linear(x, f"{path}intermediate.dense"))
            x = norm(add(x, linear(inner, f"{path}output.dense")), f"{path}output.LayerNorm")
        x = norm(gelu(linear(x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm")
        for row, target in zip(x, targets):
            if target == -100:
                continue
            logits = [math.fsum(map(lambda a, b: a * b, row, take("word", token))) + w["cls.predictions.bias"][token]
                      for token in range(VOCABULARY)]
            total = math.fsum(map(math.exp, logits))
            losses.append(math.log(total) - logits[target])
            for token, logit in enumerate(logits):
                bias[token] += (math.exp(logit) / total - (token == target)) / valid
    return math.fsum(losses) / valid, bias


def slope(name, index):
    """A central difference in float64: its own error is some 1e-9."""
    ends = []
    for step in (1e-5, -1e-5):
        values = list(WEIGHTS[name].values)
        values[index] += step
        ends.append(loss_of(WEIGHTS | {name: f32(WEIGHTS[name].shape, values)}, INPUTS)[0])
    return (ends[0] - ends[1]) / 2e-5


test = Test()
os.makedirs(test.path("model"))
model = os.path.dirname(test.write("model/config.json", json.dumps(FIELDS)))
stored = test.path("masked.safetensors")
write_safetensors(stored, WEIGHTS)


def command(weights, implementation, output, inputs=INPUTS, flags=("--mode", "backward")):
    batch = len(inputs["input_ids"]) // CONTEXT
    given = []
    for name, values in inputs.items():
        write_npy(test.path(f"{name}.npy"), Tensor("i32", (batch, CONTEXT), values))
        given += ["--input", f"{name}={test.path(f'{name}.npy')}"]
    return ["run", model, "--device", DEVICE, "--batch", str(batch), "--context", str(CONTEXT), "--weights", weights, *given,
            "--output", output, *IMPLEMENTATIONS[implementation], *flags]


def run(label, weights, implementation, **options):
    output = test.path("outputs.safetensors")
    done = test.command(*command(weights, implementation, output, **options))
    if test.check(done.returncode == 0, f"{label}, {implementation}: exit code {done.returncode}: {done.stderr[:1500]}"):
        return done.stderr, read_safetensors(output)
    return "", {}


def changed(places, **values):
    """The inputs with one value at those places of each of some inputs."""
    return INPUTS | {name: [value if at in places else old for at, old in enumerate(INPUTS[name])] for name, value in values.items()}


padding, unasked = range(10, 12), range(12, 18)
wanted, wanted_bias = loss_of(WEIGHTS, INPUTS)
# Of the table's rows one that is read as id 7 twice, and by every product.
slopes = {name: {index: slope(name, index) for index in indices} for name, indices in (
    ("cls.predictions.transform.dense.bias", range(WIDTH)), ("bert.embeddings.word_embeddings.weight", range(7 * WIDTH, 8 * WIDTH)),
    ("bert.encoder.layer.0.attention.self.query.weight", range(WIDTH)))}
for implementation in IMPLEMENTATIONS:
    _, found = run("loss", stored, implementation)
    if not found:
        continue
    names = {f"{name}.grad": tensor.shape for name, tensor in WEIGHTS.items()}
    test.check({name: tensor.shape for name, tensor in found.items()} == names | {"loss": ()}, f"{implementation}: outputs {sorted(found)}")
    test.number(f"{implementation}: loss", found["loss"].values[0], wanted, F32_TOLERANCE * wanted)
    test.close(f"{implementation}: gradient of the bias", found["cls.predictions.bias.grad"].values, wanted_bias, F32_TOLERANCE)
    for name, values in slopes.items():
        test.close(f"{implementation}: gradient of {name}", [found[f"{name}.grad"].values[at] for at in values], values.values(), F32_TOLERANCE)
    # What padding and tokens without a target hold goes nowhere: the same bits, and exact zeros in the rows of what they name.
    for label, inputs in (("padding", changed(padding, input_ids=17, token_type_ids=1)),
                          ("no targets", changed(unasked, input_ids=17, token_type_ids=1)),
                          ("no targets, padded", changed(range(14, 18), attention_mask=0))):
        _, other = run(label, stored, implementation, inputs=inputs)
        test.check(other == found, f"{implementation}, {label}: has a part in the loss or in gradients of "
                   f"{[name for name in found if other.get(name) != found[name]]}")
    # All of that counts where it is asked for.
    for label, inputs in (("mask", changed(padding, attention_mask=1)), ("targets", changed([12], targets=17))):
        _, other = run(label, stored, implementation, inputs=inputs)
        test.check(other and other["loss"].values[0] != found["loss"].values[0], f"{implementation}, {label}: no part in the loss")
    # Without the row that has no target, all is the same but for the order of sums. The keys' bias adds the same to all scores of a
    # query, which a softmax does not see: its gradient is 0 but for the rounding of terms as large as those of the queries' bias.
    _, other = run("two rows", stored, implementation, inputs={name: values[:12] for name, values in INPUTS.items()})
    for name in other:
        label, size = f"{implementation}, two rows: {name}", found[name.replace("self.key.bias", "self.query.bias")].values
        if name.endswith("self.key.bias.grad"):
            for values in (found[name].values, other[name].values):
                test.number(label, max(map(abs, values)), 0, F32_TOLERANCE * max(map(abs, size)))
        else:
            test.close(label, other[name].values, size, F32_TOLERANCE)

# Files of other models of the family. `bare` is what BertModel.save_pretrained writes.
head = {name for name in WEIGHTS if name.startswith("cls.")}
pooler = {"pooler.dense.weight": fill(50, (WIDTH, WIDTH)), "pooler.dense.bias": fill(51, (WIDTH,))}
bare = {name.removeprefix("bert."): tensor for name, tensor in WEIGHTS.items() if name not in head} | pooler
table, bias = WEIGHTS["bert.embeddings.word_embeddings.weight"], WEIGHTS["cls.predictions.bias"]
twice = {"cls.predictions.decoder.weight": table, "cls.predictions.decoder.bias": bias}
old = lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
pretraining = {old(name): tensor for name, tensor in WEIGHTS.items()} | {f"bert.{name}": tensor for name, tensor in pooler.items()} | {
    "cls.seq_relationship.weight": fill(52, (2, WIDTH)), "cls.seq_relationship.bias": fill(53, (2,)), **twice}
files = {"bare": bare, "pretraining": pretraining, "other": WEIGHTS | twice | {"cls.predictions.decoder.bias": fill(54, (VOCABULARY,))}}
for name, tensors in files.items():
    write_safetensors(test.path(f"{name}.safetensors"), tensors)
forward = {"inputs": {name: values for name, values in INPUTS.items() if name != "targets"}, "flags": ()}
noted, found = run("pre-training, loss", test.path("pretraining.safetensors"), "compiled")
test.check(found == run("masked, loss", stored, "compiled")[1], "pre-training: another loss, or other gradients")
unread = ["bert.pooler.dense.bias", "bert.pooler.dense.weight", "cls.seq_relationship.bias", "cls.seq_relationship.weight"]
test.check(noted == f"note: of heads that this model does not compute, and not read: {' '.join(unread)}\n", f"pre-training: {noted!r}")
noted, found = run("pre-training, forward", test.path("pretraining.safetensors"), "compiled", **forward)
test.check(sorted(found) == ["last_hidden_state", "pooler_output"] and "cls.predictions.bias" in noted, f"pre-training, forward: {noted!r}")
test.check(found == run("bare, forward", test.path("bare.safetensors"), "compiled", **forward)[1], "bare and pre-training differ forward")
never = test.path("never.safetensors")
test.fails(1, command(test.path("bare.safetensors"), "compiled", never), "bare.safetensors does not fit the model: 5 missing",
           *(f"missing: '{name}' f32{list(WEIGHTS[name].shape)}" for name in sorted(head)))
test.fails(1, command(stored, "compiled", never, **forward), "masked.safetensors does not fit the model: 2 missing",
           "missing: 'bert.pooler.dense.weight' f32[8, 8]")
test.fails(1, command(test.path("other.safetensors"), "compiled", never), "1 not wanted", "'cls.predictions.decoder.bias' f32[19]; a tied "
           "head must equal a wanted tensor, this one differs from all")
test.finish()
