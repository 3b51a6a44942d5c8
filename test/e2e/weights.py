# RUN: %python %s %t
"""Parameters from safetensors files: what is read is what the model computes with, in every stored type, from one file,
an index or a folder; what does not fit is refused in one message; what a run saves, a run reads."""

import json
import os

from support.driver import DEVICE, IMPLEMENTATIONS, UNTUNED, Test
from support.graph import Graph
from support.tensors import fill, read_safetensors, tensor_type, write_npy, write_safetensors

test = Test()
SHAPES = {"block.0.w": (12, 20), "block.0.b": (20,), "block.1.w": (20, 12)}
VALUES = {name: fill(index, shape) for index, (name, shape) in enumerate(SHAPES.items())}
X = fill(9, (5, 12))


def parameter(graph, name):
    extents = ", ".join(map(str, SHAPES[name]))
    return graph.op(f'parameter [#graph.part<"{name}", [{extents}], normal, 0.5>] : {tensor_type("f32", SHAPES[name])}',
                    "f32", SHAPES[name])


def matmul(a, b, rows, inner, columns):
    return [sum(a[i * inner + k] * b[k * columns + j] for k in range(inner)) for i in range(rows) for j in range(columns)]


graph = Graph(x=("f32", (5, 12)))
hidden = graph.matmul("%x", parameter(graph, "block.0.w"))
hidden = graph.binary("add", hidden, graph.broadcast(graph.reshape(parameter(graph, "block.0.b"), (1, 20)), (5, 20)))
model = test.write("model.mlir", graph.text(y=graph.matmul(hidden, parameter(graph, "block.1.w"))))
write_npy(test.path("x.npy"), X)
hidden = matmul(X.values, VALUES["block.0.w"].values, 5, 12, 20)
hidden = [value + VALUES["block.0.b"].values[index % 20] for index, value in enumerate(hidden)]
WANTED = matmul(hidden, VALUES["block.1.w"].values, 5, 20, 12)


def run(label, weights):
    """Runs every implementation; the values are those of the stored parameters."""
    output = test.path("y.safetensors")
    for name, flags in IMPLEMENTATIONS.items():
        done = test.command("run", model, "--device", DEVICE, "--input", f"x={test.path('x.npy')}", "--output",
                            output, "--weights", weights, *flags)
        if test.check(done.returncode == 0, f"{label}, {name}: exit code {done.returncode}: {done.stderr[:1500]}"):
            # The inputs are exact in every stored type; float32 sums of 12 and 20 terms are off by a few roundings.
            test.close(f"{label}, {name}", read_safetensors(output)["y"].values, WANTED, 32 * 2**-24)


for stored in ("F32", "BF16", "F16"):
    path = test.path(f"{stored}.safetensors")
    write_safetensors(path, VALUES, stored)
    run(f"stored as {stored}", path)
    test.verdict(f"check, stored as {stored}", model, "--weights", path)

# A folder with an index over two files; and names with a prefix in the files.
folder = test.path("sharded")
os.makedirs(folder)
first, second = {"block.0.w": VALUES["block.0.w"]}, {name: VALUES[name] for name in ("block.0.b", "block.1.w")}
write_safetensors(f"{folder}/model-1.safetensors", first)
write_safetensors(f"{folder}/model-2.safetensors", second, "BF16")
places = {"weight_map": {**dict.fromkeys(first, "model-1.safetensors"), **dict.fromkeys(second, "model-2.safetensors")}}
index = test.write("sharded/model.safetensors.index.json", json.dumps(places))
run("an index", index)
run("a folder", folder)
prefixed = test.path("prefixed.safetensors")
write_safetensors(prefixed, {f"transformer.{name}": tensor for name, tensor in VALUES.items()})
run("a prefix", prefixed)

# What a run saves under another seed is what it then reads: same values as the run that drew them.
saved, drawn = test.path("saved.safetensors"), test.path("drawn.safetensors")
given = ["run", model, "--device", DEVICE, *UNTUNED, "--input", f"x={test.path('x.npy')}", "--output"]
done = test.command(*given, drawn, "--seed", "5", "--save-weights", saved)
test.check(done.returncode == 0, f"saving: {done.stderr[:700]}")
test.check({name: tensor.shape for name, tensor in read_safetensors(saved).items()} == SHAPES, "names and shapes saved")
done = test.command(*given, test.path("again.safetensors"), "--weights", saved)
test.check(done.returncode == 0, f"reading what was saved: {done.stderr[:700]}")
test.check(read_safetensors(drawn) == read_safetensors(test.path("again.safetensors")), "saved weights give other values")
bench = test.command("bench", model, "--device", DEVICE, "--weights", saved, "--warmup", "0", "--steps", "1")
test.check(bench.returncode == 0, f"bench: {bench.stderr[:700]}")

# A cut model takes the weights of the whole one: those of later layers are left out, also where a plan file was made of it.
fields = {"model_type": "gpt2", "vocab_size": 50, "n_embd": 8, "n_layer": 3, "n_head": 2, "n_positions": 16}
os.makedirs(test.path("gpt2"))
gpt2 = os.path.dirname(test.write("gpt2/config.json", json.dumps(fields)))
cut, plan, whole = ["--layers", "2", "--context", "4"], test.path("cut.heddle"), test.path("whole.safetensors")
outputs = {name: test.path(f"{name}.safetensors") for name in ("all layers", "cut", "cut plan")}
device = ["--device", DEVICE, *UNTUNED]  # A plan file keeps that of its own.
for arguments in (["run", gpt2, "--context", "4", *device, "--save-weights", whole, "--output", outputs["all layers"]],
                  ["run", gpt2, *cut, *device, "--weights", whole, "--output", outputs["cut"]],
                  ["compile", gpt2, *cut, *device, "-o", plan],
                  ["run", plan, "--weights", whole, "--output", outputs["cut plan"]]):
    done = test.command(*arguments, *(["--input", "random:0"] if arguments[0] == "run" else []))
    test.check(done.returncode == 0, f"{' '.join(arguments)}: {done.stderr[:700]}")
if all(map(os.path.exists, outputs.values())):
    everything, model_cut, plan_cut = map(read_safetensors, outputs.values())
    test.check(plan_cut == model_cut != everything, "the plan of a cut model computes something else than the model")

# What does not fit.
output = test.path("none.safetensors")


def refused(weights, *wanted, code=1, extra=()):
    test.fails(code, [*given, output, "--weights", weights, *extra], *wanted)
    test.check(not os.path.exists(output), f"{weights}: an output was written")


bad = {"block.0.w": fill(0, (20, 12)), "block.0.b": VALUES["block.0.b"], "stray": fill(1, (3,))}
write_safetensors(test.path("bad.safetensors"), bad)
refused(test.path("bad.safetensors"), "bad.safetensors does not fit the model: 1 missing, 1 of another shape, 1 not wanted",
        "missing: 'block.1.w' f32[20, 12]", "of another shape: 'block.0.w': wanted f32[12, 20], found f32[20, 12]",
        "not wanted: 'stray' f32[3]")
for subcommand in ("check", "bench"):
    test.fails(1, [subcommand, model, "--device", DEVICE, "--weights", test.path("bad.safetensors")], "1 missing")
with open(saved, "rb") as file:
    whole = file.read()
refused(test.write("cut.safetensors", whole[:-1]), "cut.safetensors: tensor 'block.1.w': data_offsets",
        f"to end within {len(whole) - 1 - 8 - int.from_bytes(whole[:8], 'little')} bytes of data")
os.remove(f"{folder}/model-2.safetensors")
refused(folder, "file 'model-2.safetensors' of the index, with 2 tensors such as 'block.0.b': cannot open")
refused(test.path("nowhere.safetensors"), "cannot open")
os.makedirs(test.path("empty"))
refused(test.path("empty"), "no *.safetensors and no *.safetensors.index.json in this folder")
refused(saved, "--seed: has no meaning with weights from a file", code=2, extra=["--seed", "1"])
test.fails(1, [*given, output, "--save-weights", test.path("w.bin")], "wanted a name that ends in .safetensors")
test.finish()
