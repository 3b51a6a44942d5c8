# RUN: %python %s %t
"""Training: what goes on from a checkpoint ends with the bits of what was never interrupted, whether it ended by itself,
by Ctrl-C or by kill -9; the loss falls; weights that are saved run; nothing is recompiled or half-written on the way."""

import json
import math
import os
import pty
import re
import resource
import signal
import subprocess
import time
import xml.dom.minidom

from support.driver import DEVICE, UNTUNED, Test
from support.graph import Graph
from support.tensors import Tensor, read_safetensors, tensor_type, write_npy

test = Test()
BATCH, CONTEXT, VOCABULARY, WIDTH = 2, 16, 256, 24
SIZES = ["--device", DEVICE, *UNTUNED]


def parameter(graph, name, shape, scale):
    extents = ", ".join(map(str, shape))
    text = f'parameter [#graph.part<"{name}", [{extents}], normal, {scale}>] : {tensor_type("f32", shape)}'
    return graph.op(text, "f32", shape)


def model(name, width, loss="loss", ids_bound=VOCABULARY, batch=BATCH):
    """Logits of the next byte from the value of this one, and their mean cross-entropy."""
    graph = Graph(ids=("i32", (batch, CONTEXT)), targets=("i32", (batch, CONTEXT)))
    rows = batch * CONTEXT
    x = graph.broadcast(graph.reshape(graph.cast("%ids", "f32"), (rows, 1)), (rows, 8))
    scales = graph.reshape(parameter(graph, "scales", (8,), 0.05), (1, 8))
    x = graph.binary("mul", x, graph.broadcast(scales, (rows, 8)))
    hidden = graph.unary("tanh", graph.matmul(x, parameter(graph, "first.weight", (8, width), 0.5)))
    logits = graph.matmul(hidden, parameter(graph, "second.weight", (width, VOCABULARY), 0.1))
    logits = graph.reshape(logits, (batch, CONTEXT, VOCABULARY))
    each = graph.op(f"cross_entropy {logits}, %targets ignored -100 smoothing 0.0 : {graph.types[logits]}, "
                    f"{graph.types['%targets']} -> {tensor_type('f32', (batch, CONTEXT))}", "f32", (batch, CONTEXT))
    mean = graph.reshape(graph.reduce("mean", each, [0, 1]), ())
    text = graph.text(**{loss: mean})
    for argument, bound in (("ids", ids_bound), ("targets", VOCABULARY)):
        text = text.replace(f'{{graph.name = "{argument}"}}', f'{{graph.name = "{argument}", graph.bound = {bound} : i64}}')
    return test.write(name, text)


MODEL = model("model.mlir", WIDTH)
TEXT = "It was a bright cold day, and the loom stood still; the weft lay on the floor. " * 40
DATA = test.write("book.txt", TEXT)


def contents(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in ("model.safetensors", "optimizer.safetensors")}


def columns(path):
    """The rows of a CSV file without the time."""
    with open(path) as file:
        lines = file.read().splitlines()
    test.check(lines[0] == "step,loss,lr,grad_norm,tokens_per_s", f"{path}: {lines[0]}")
    return [tuple(map(float, line.split(",")[:4])) for line in lines[1:]]


def train(*arguments, graph=MODEL, data=DATA):
    return test.command("train", graph, "--data", data, *SIZES, *arguments)


def trained(label, *arguments, **options):
    done = train(*arguments, **options)
    test.check(done.returncode == 0, f"{label}: exit code {done.returncode}: {done.stderr[:1500]}")
    return done


LINE = r"step %d/%d  loss \d+\.\d{4}  \d+ tokens/s(?:  \d+ %% of FLOP/s)?  [\d.]+ (?:s|min|h) left\n"
FLAGS = ["--lr", "0.01", "--warmup-steps", "2", "--clip", "1", "--seed", "3"]
# Under bf16 what products read are copies that live from run to run, which no checkpoint has.
KINDS = {"bf16": ["--precision", "bf16"], "compiled": [], "eager": ["--impl", "eager"]}
for name, flags in KINDS.items():
    whole, half = test.path(f"{name}-whole"), test.path(f"{name}-half")
    csv, csv_half, picture = test.path(f"{name}-whole.csv"), test.path(f"{name}-half.csv"), test.path("loss.svg")
    done = trained(f"{name}: 6 steps", *flags, *FLAGS, "--steps", "6", "--save", whole, "--csv", csv, "--plot", picture)
    # Where stderr is no terminal, lines that stay: the first step, the last one, and what lies between after some time.
    test.check(re.fullmatch(LINE % (1, 6) + LINE % (6, 6), done.stderr), f"{name}: {done.stderr!r}")
    test.check(done.stdout.startswith("step 6 of 6, loss "), f"{name}: {done.stdout!r}")
    trained(f"{name}: 3 steps", *flags, *FLAGS, "--steps", "3", "--save", half, "--csv", csv_half)
    # Everything but --steps comes from the checkpoint.
    done = trained(f"{name}: 3 more", *flags, "--steps", "6", "--resume", half, "--save", half, "--csv", csv_half)
    test.check("note: --steps 6 instead of 3" in done.stderr and f"\ngoing on from step 3 of {half}\n" in done.stderr, f"{name}: {done.stderr!r}")
    test.check(contents(whole) == contents(half), f"{name}: a training that was resumed ended with other bits")
    test.check(columns(csv) == columns(csv_half), f"{name}: {columns(csv)} {columns(csv_half)}")
    test.check([row[2] for row in columns(csv)] == [0.005] + [0.01] * 5, f"{name}: rates {columns(csv)}")
    drawn = xml.dom.minidom.parse(picture).getElementsByTagName("path")
    test.check(len(drawn) == 1 and drawn[0].getAttribute("d").count("L") == 5, f"{name}: {picture}")
    test.check(sorted(os.listdir(whole)) == ["model.safetensors", "optimizer.safetensors", "training.json"], whole)
    with open(os.path.join(whole, "training.json")) as file:
        saved = json.load(file)
    test.check((saved["step"], saved["windows"], saved["tokens"]) == (6, 12, len(TEXT)), f"{name}: {saved}")
    # The weights were trained from what the seed draws, and are read by what runs models.
    done = test.command("bench", MODEL, *SIZES, "--weights", whole, "--warmup", "0", "--steps", "1")
    test.check(done.returncode == 0, f"{name}: bench: {done.stderr[:700]}")
    ids = [ord(letter) for letter in TEXT[:BATCH * CONTEXT + 1]]
    for key, values in (("ids", ids[:-1]), ("targets", ids[1:])):
        write_npy(test.path(f"{key}.npy"), Tensor("i32", (BATCH, CONTEXT), values))
    output = test.path("loss.safetensors")
    done = test.command("run", MODEL, *SIZES, "--weights", whole, "--output", output,
                        "--input", f"ids={test.path('ids.npy')}", "--input", f"targets={test.path('targets.npy')}")
    if test.check(done.returncode == 0, f"{name}: run: {done.stderr[:700]}"):
        # Untrained weights give ln 256 = 5.545 and something.
        test.check(read_safetensors(output)["loss"].values[0] < 5.5, f"{name}: {read_safetensors(output)['loss'].values}")

# Another seed, other batches; the same tokens as ids, the same batches.
loss = lambda csv: [row[1] for row in columns(csv)]
other, ids = test.path("other.csv"), test.path("ids.csv")
write_npy(test.path("tokens.npy"), Tensor("i64", (len(TEXT),), [ord(letter) for letter in TEXT]))
trained("another seed", *FLAGS[:-1], "4", "--steps", "3", "--csv", other)
trained("ids", "--impl", "eager", *FLAGS, "--steps", "6", "--csv", ids, data=test.path("tokens.npy"))
test.check(loss(other)[0] != loss(csv)[0], "another seed gave the same batches")
test.check(loss(ids) == loss(csv), "ids gave other batches than their text")

# Four batches a step are one of four times the size: the same windows, and sums in another order. Gone on with from a
# checkpoint to the same bits, which has no sums of gradients in it.
for name, flags in KINDS.items():
    together, summed, half = test.path(f"{name}-together"), test.path(f"{name}-summed"), test.path(f"{name}-summed-half")
    csv, csv_summed = test.path(f"{name}-together.csv"), test.path(f"{name}-summed.csv")
    trained(f"{name}: batch 8", *flags, *FLAGS, "--steps", "4", "--save", together, "--csv", csv,
            graph=model("eight.mlir", WIDTH, batch=8))
    trained(f"{name}: 4 times batch 2", *flags, *FLAGS, "--steps", "4", "--accumulate", "4", "--save", summed, "--csv", csv_summed)
    trained(f"{name}: 4 times batch 2, 2 steps", *flags, *FLAGS, "--steps", "2", "--accumulate", "4", "--save", half)
    trained(f"{name}: 2 more", *flags, "--steps", "4", "--resume", half, "--save", half)
    test.check(contents(summed) == contents(half), f"{name}: accumulating, a training that was resumed ended with other bits")
    # Float32 sums of at most 128 terms in another order; the norm's relative error is that of its terms. Under bf16 the parts of
    # a gradient are rounded to it (2^-9), and not their sum.
    for one, other in zip(columns(csv), columns(csv_summed)):
        near = all(math.isclose(a, b, rel_tol=2**-9 if name == "bf16" else 1e-5) for a, b in zip(one, other))
        test.check(near, f"{name}: a step of one batch of 8 {one}, of 4 batches of 2 {other}")
    first, second = (read_safetensors(os.path.join(folder, "optimizer.safetensors")) for folder in (together, summed))
    test.check(sorted(first) == sorted(second), f"{name}: states {sorted(first)}, {sorted(second)}")

# It learns: bytes of this text alone have an entropy of about 2.9.
csv = test.path("learns.csv")
trained("learning", "--lr", "0.03", "--steps", "200", "--schedule", "cosine", "--csv", csv)
test.check(loss(csv)[0] > 5.4 and sum(loss(csv)[-20:]) / 20 < 3.6, f"the loss went from {loss(csv)[0]} to {loss(csv)[-20:]}")
test.check(columns(csv)[-1][2] < 1e-4, f"a cosine that does not end near 0: {columns(csv)[-1]}")


# Interruptions, at any time. The training is long enough to be met on its way, and it saves after each step.
LONG = ["--steps", "400", "--schedule", "cosine", "--lr", "0.01", "--save-every", "1"]
reference = test.path("uninterrupted")
trained("uninterrupted", *LONG, "--save", reference)


def interrupted(folder, kind, resume):
    """Starts or resumes; sends the signal once a checkpoint is there. The exit code and what was printed."""
    arguments = ["heddle", "train", MODEL, "--data", DATA, *SIZES, "--save", folder]
    arguments += ["--resume", folder, "--save-every", "1"] if resume else LONG
    before = step_of(folder) if resume else 0
    # A signal that the test's caller ignores would be ignored here, too.
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: kind != signal.SIGKILL and signal.signal(kind, signal.SIG_DFL))
    while process.poll() is None and step_of(folder) < before + 5:
        time.sleep(0.002)
    process.send_signal(kind)
    return (process.wait(), *process.communicate())


def step_of(folder):
    try:
        with open(os.path.join(folder, "training.json")) as file:
            return json.load(file)["step"]
    except FileNotFoundError:
        return 0


for kind in (signal.SIGKILL, signal.SIGINT, signal.SIGHUP):
    folder = test.path(f"by-{kind.name}")
    for attempt in range(1 if kind == signal.SIGHUP else 3):
        code, out, error = interrupted(folder, kind, resume=attempt > 0)
        label = f"{kind.name}, attempt {attempt}"
        if not test.check(code == -kind, f"{label}: wanted to meet it on its way, exit code {code}: {out} {error[:700]}"):
            break
        if kind != signal.SIGKILL:
            test.check(out.startswith(f"interrupted by {kind.name}: step ") and f"saved {folder}" in out, f"{label}: {out!r}")
            test.check(not os.path.exists(folder + ".unfinished"), f"{label}: something half-written is left")
    trained(f"{kind.name}: to the end", "--resume", folder, "--save", folder)
    test.check(contents(folder) == contents(reference), f"{kind.name}: other bits than without an interruption")
    test.check(not os.path.exists(folder + ".unfinished"), f"{kind.name}: something half-written is left")

# One training alone saves to a folder; a lock that a killed one leaves is in nobody's way.
folder = test.path("shared")
endless = ["train", MODEL, "--data", DATA, *SIZES, "--save", folder, "--save-every", "1", "--steps", "1000000"]
process = subprocess.Popen(["heddle", *endless], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while process.poll() is None and step_of(folder) < 2:
    time.sleep(0.002)
for flags in ([], ["--resume", folder]):
    test.fails(3, [*endless, *flags], f"{folder}: another training saves to this folder (it holds {folder}.lock)")
test.check(process.poll() is None, f"the first of two trainings ended with {process.poll()}")
process.kill()
process.wait()
test.check(os.path.exists(folder + ".lock"), "wanted the lock of a process that was killed")
trained("behind a kill", "--resume", folder, "--save", folder, "--steps", str(step_of(folder) + 1))
test.check(not os.path.exists(folder + ".lock"), "wanted the lock gone with its training")

# A line on a terminal, written over and gone at the end. Results stay on stdout.
leader, follower = pty.openpty()
process = subprocess.Popen(["heddle", "train", MODEL, "--data", DATA, *SIZES, "--steps", "50"], stdout=subprocess.PIPE,
                           stderr=follower, text=True, env={**os.environ, "TERM": "xterm"})
os.close(follower)
shown = b""
try:
    while piece := os.read(leader, 4096):
        shown += piece
except OSError:  # How a terminal without writers ends.
    pass
out = process.communicate()[0]
lines = re.findall(r"step \d+/50  loss \d+\.\d{4}  \d+ tokens/s  \d+ % of FLOP/s  [\d.]+ (?:s|min|h) left", shown.decode())
test.check(process.returncode == 0 and lines and shown.endswith(b"\r\x1b[K"), f"on a terminal: {shown[-500:]!r}")
test.check(out.startswith("step 50 of 50, loss ") and out.endswith("\nnot saved: there is no --save; the weights are gone\n"), f"on a terminal: {out!r}")

# The same model under another name.
done = trained("another name", "--resume", reference, "--steps", "401", graph=model("renamed.mlir", WIDTH))
test.check(f'note: model "renamed.mlir" instead of "model.mlir", as {reference} was saved with' in done.stderr, repr(done.stderr))
test.check(done.stdout.startswith("step 401 of 401, loss "), repr(done.stdout))

# There is nothing left to do.
done = trained("at its end", "--resume", reference, "--plot", test.path("none.svg"))
test.check(done.stdout == f"nothing to do: {reference} is at step 400, and training ends at step 400; a larger --steps goes on\n" and
           "going on" not in done.stderr, repr(done))

# Gradients that are not finite change nothing and are named. A rate this large makes weights with which no loss is finite: a fault at
# the end, which replaces no checkpoint, but is saved where there is none, as the weights are numbers.
for name, flags in {"none": [], "resumed": ["--resume"]}.items():
    csv, folder = test.path(f"diverged-{name}.csv"), test.path(f"diverged-{name}")
    if flags:
        trained(f"diverging, {name}", "--steps", "2", "--save", folder)
        flags, before = [*flags, folder], contents(folder)
    done = train(*flags, "--lr", "3e37", "--steps", "6", "--csv", csv, "--save", folder)
    bad = [int(row[0]) for row in columns(csv) if not math.isfinite(row[3])]
    for step in bad:
        test.check(f"step {step}: gradients are not finite, skipped\n" in done.stderr, f"step {step}: {done.stderr!r}")
    wanted = f"error: step 6: the loss is nan: every step from step {bad[0]} on was skipped and changed nothing; a smaller --lr"
    test.check(done.returncode == 1 and bad[-1] == 6 and wanted in done.stderr, f"{name}: {done.returncode} {done.stderr!r}")
    test.check(done.stdout.startswith("step 6 of 6, loss nan, gradient norm nan,"), f"{name}: {done.stdout!r}")
    with open(csv) as file:
        test.check("-nan" not in file.read(), f"{name}: a NaN with a sign in {csv}")
    if flags:
        test.check(f"not saved: the loss is nan, and {folder} holds a checkpoint from before\n" in done.stderr and
                   f"not saved: {folder} stays as it was saved before\n" in done.stdout, f"{name}: {done}")
        test.check(contents(folder) == before, f"{name}: a checkpoint was replaced by what cannot go on")
    else:
        test.check(f"saved {folder}\n" in done.stdout and step_of(folder) == 6, f"{name}: {done.stdout!r}")

# Weights that are not finite end it at once, and are saved nowhere: 1e39 is infinite as float32.
folder = test.path("diverged-resumed")
for flags, steps, loss_is in ((["--save-every", "1"], 3, r"\d+\.?\d*"), ([], 4, "nan")):
    done = train("--resume", folder, "--lr", "1e39", "--steps", "9", "--save", folder, *flags)
    wanted = rf"error: step {steps}: the loss is {loss_is} and weights are not finite, first (first\.weight|second\.weight|scales): no later step can"
    test.check(done.returncode == 1 and re.search(wanted, done.stderr), f"weights that are not finite: {done.returncode} {done.stderr!r}")
    test.check(contents(folder) == before, "a checkpoint was replaced by weights that are not finite")
done = train("--lr", "1e39", "--steps", "1", "--save", test.path("infinite"))
test.check(done.returncode == 1 and f"not saved: {test.path('infinite')} has nothing in it\n" in done.stdout and
           not os.path.exists(test.path("infinite")), f"weights that are not finite: {done}")


# What is wrong: one error, the right exit code, nothing written.
def refused(code, *arguments, wanted, graph=MODEL, data=DATA, **options):
    entries = sorted(os.listdir(test.folder))
    test.fails(code, ["train", graph, "--data", data, *SIZES, *arguments], *wanted, **options)
    found = sorted(set(os.listdir(test.folder)) - set(entries))
    test.check(not found, f"{arguments}: wanted nothing new, found {found}")


save = ["--steps", "1", "--save", test.path("new"), "--csv", test.path("new.csv"), "--plot", test.path("new.svg")]
empty, short = test.write("empty.txt", ""), test.write("short.txt", "x" * CONTEXT)
refused(1, *save, wanted=["empty.txt: 0 tokens; a context of 16 wants at least 17"], data=empty)
refused(1, *save, wanted=["short.txt: 16 tokens"], data=short)
refused(1, *save, wanted=["cannot open"], data=test.path("none.txt"))
write_npy(test.path("large.npy"), Tensor("i32", (40,), [7] * 30 + [256] + [7] * 9))
refused(1, *save, wanted=["large.npy: token 30 is 256; the model's vocabulary ends at 255"], data=test.path("large.npy"))
refused(1, *save, wanted=["book.txt: token 1 is 116; the model's vocabulary ends at 101"], graph=model("narrow.mlir", WIDTH, ids_bound=102))
write_npy(test.path("flat.npy"), Tensor("i32", (5, 8), [7] * 40))
refused(1, *save, wanted=["flat.npy: wanted an array of one dimension, found 2"], data=test.path("flat.npy"))
refused(1, *save, wanted=["no result of @main is called \"loss\""], graph=model("logits.mlir", WIDTH, loss="cost"))
fields = {"model_type": "bert", "vocab_size": 300, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
          "intermediate_size": 32, "max_position_embeddings": 64, "type_vocab_size": 2}
bert = test.write("bert.json", json.dumps(fields))
refused(1, *save, "--context", "16", graph=bert, wanted=[
    "training feeds token ids and targets, which are the next ids, each i32 [batch, context] with a bound, and dropout_key where it drops "
    "out, but no padding mask, segments or masked tokens; the model's inputs: input_ids i32[4, 16], attention_mask i32[4, 16], token_type_ids i32[4, 16], targets i32[4, 16]"])
wide = model("wide.mlir", WIDTH + 1)
refused(1, "--resume", reference, wanted=["uninterrupted/model.safetensors does not fit the model: 2 of another shape",
                                          "'first.weight': wanted f32[8, 25], found f32[8, 24]"], graph=wide)
plan = test.path("step.heddle")
done = test.command("compile", MODEL, *SIZES, "--mode", "step", "--output", plan)
test.check(done.returncode == 0, f"compile: {done.stderr[:700]}")
test.fails(1, ["train", plan, "--data", DATA, "--accumulate", "2"], "a step on 2 batches wants a plan of mode accumulate, found one of mode step")
refused(1, "--resume", test.path("none"), wanted=["none: there is no such folder"])
refused(1, *save[:2], "--save", reference, wanted=["uninterrupted: holds a checkpoint; go on from it with --resume"])
os.makedirs(test.path("kept"))
test.write("kept/notes.txt", "notes")
refused(1, *save[:2], "--save", test.path("kept"), wanted=["which is no part of a checkpoint"])
refused(1, *save[:2], "--save", test.path("none/new"), wanted=["none/new: there is no folder"])
refused(1, *save[:2], "--csv", test.path("none/new.csv"), wanted=["none/new.csv"])
refused(1, *save[:2], "--plot", test.path("none/new.svg"), wanted=["none/new.svg"])
refused(1, *save[:2], "--csv", test.path("none/new.csv"), wanted=["none/new.csv"], graph=test.path("none.mlir"))
refused(1, *save[:2], "--csv", csv, wanted=[f"{csv}: there is such a file, and this training begins; name another one"])
refused(3, "--csv", "/dev/full", wanted=["cannot write /dev/full"])
refused(2, "--frobnicate", wanted=["--frobnicate"])
refused(2, "--save-every", "5", wanted=["--save-every: wants --save"])
refused(2, "--resume", reference, "--weights", reference, wanted=["--weights: has no meaning with --resume"])


# A log that does not fit the checkpoint, or whose training cannot go on, stays as it was.
begun = "step,loss,lr,grad_norm,tokens_per_s\n399,1.0,0.01,0.5,10.0\n"
for text, graph, wanted in (("notes", MODEL, "log.csv:1: wanted step,loss,lr,grad_norm,tokens_per_s, found 'notes'"),
                            (begun, MODEL, "log.csv: wanted rows up to step 400, which training goes on from; they end at step 399"),
                            (begun + "400,1.0,0.01,0.5,10.0\n401,1.0,0.01,0.5,10.0\n", wide, "does not fit the model")):
    log = test.write("log.csv", text)
    refused(1, "--resume", reference, "--steps", "402", "--csv", log, wanted=[wanted], graph=graph)
    with open(log) as file:
        test.check(file.read() == text, f"{wanted}: the log was changed")


def small_files():
    """A limit on the size of files stands for a disk that fills up: the weights do not fit."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


before = contents(reference)
refused(3, *save[:4], wanted=["new.unfinished/model.safetensors"], preexec_fn=small_files)
done = test.command("train", MODEL, "--data", DATA, *SIZES, "--resume", reference, "--save", reference, "--steps", "402",
                    preexec_fn=small_files)
test.check(done.returncode == 3 and contents(reference) == before, f"on a full disk: {done.returncode} {done.stderr!r}")
test.check(not os.path.exists(reference + ".unfinished"), "on a full disk: something half-written is left")
test.finish()
