# RUN: %python %s %t
"""The files that a command line names: what one flag writes is not what another reads or writes, under whatever spelling; no
name is empty; a pipe that nobody serves is not waited for. All is refused before anything is done."""

import os
import shutil
import subprocess

from support.driver import DEVICE, Test
from support.tensors import Tensor, fill, write_npy, write_safetensors

test = Test()
os.chdir(test.folder)
device = ["--device", DEVICE]
GRAPH = """func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x8xf32> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 0.5>] : tensor<8x8xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""
TENSORS = {"x": fill(1, (4, 8)), "w": fill(2, (8, 8))}


def begin():
    """The folder as each case finds it; the contents of all files."""
    for name in os.listdir("."):
        shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.remove(name)
    with open("g.mlir", "w") as file:
        file.write(GRAPH)
    write_npy("x.npy", TENSORS["x"])
    write_safetensors("in.safetensors", {"x": TENSORS["x"]})
    for folder in (".", "weights", "dump"):
        os.makedirs(folder, exist_ok=True)
        write_safetensors(f"{folder}/model.safetensors", {"w": TENSORS["w"]})
    with open("weights/model.safetensors.index.json", "w") as file:
        file.write('{"weight_map": {"w": "model.safetensors"}}')
    shutil.copy("g.mlir", "dump/0-Import.mlir")
    for name in ("book.txt", "curve.svg"):
        with open(name, "w") as file:
            file.write("It was a bright cold day. " * 40)
    os.symlink("book.txt", "link.txt")
    os.link("book.txt", "second.txt")
    os.symlink(".", "here")
    return contents()


def contents():
    found = {}
    for folder, _, names in os.walk("."):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                found[os.path.join(folder, name)] = file.read()
    return found


def refused(code, arguments, *wanted):
    before = begin()
    test.fails(code, arguments, *wanted)
    test.check(contents() == before, f"{arguments}: wanted all files as they were, found {sorted(contents())}")


train = ["train", "g.mlir", *device, "--steps", "1"]
run = ["run", "g.mlir", *device, "--input"]
random = [*run, "random:1"]
here = os.path.abspath("book.txt")
for flags, first, second, shown in (
        (["--data", "book.txt", "--csv", "book.txt"], "--data", "--csv", "book.txt"),
        (["--data", "book.txt", "--csv", "./book.txt"], "--data", "--csv", "book.txt (also ./book.txt)"),
        (["--data", "book.txt", "--csv", here], "--data", "--csv", f"book.txt (also {here})"),
        (["--data", "link.txt", "--csv", "book.txt"], "--data", "--csv", "link.txt (also book.txt)"),
        (["--data", "book.txt", "--csv", "link.txt"], "--data", "--csv", "book.txt (also link.txt)"),
        (["--data", "second.txt", "--csv", "book.txt"], "--data", "--csv", "second.txt (also book.txt)"),
        (["--data", "curve.svg", "--plot", "curve.svg"], "--data", "--plot", "curve.svg"),
        (["--data", "book.txt", "--csv", "new.svg", "--plot", "here/new.svg"], "--csv", "--plot", "new.svg (also here/new.svg)"),
        (["--data", "book.txt", "--save", "new", "--csv", "./new"], "--csv", "--save", "./new (also new)"),
        (["--data", "book.txt", "--csv", "g.mlir"], "MODEL", "--csv", "g.mlir"),
        (["--data", "book.txt", "--weights", "weights", "--csv", "weights/model.safetensors"],
         "--weights", "--csv", "weights/model.safetensors")):
    refused(1, [*train, *flags], f"{first} and {second} are the same file, {shown}: what one of them holds would be lost")
for flags, file, folder in ((["--data", "book.txt", "--save", "new", "--csv", "new/log.csv"], "--csv new/log.csv", "new"),
                            (["--data", "book.txt", "--save", "./weights/", "--weights", "weights"],
                             "--weights weights/model.safetensors", "./weights/")):
    refused(1, [*train, *flags], f"{file} is in {folder}, which --save replaces as a whole: it would be lost")
for end in (".lock", ".unfinished", ".previous"):
    refused(1, [*train, "--data", "book.txt", "--save", "new", "--csv", f"new{end}"],
            f"--csv new{end} has the name of what --save makes beside new and removes: it would be lost")
refused(1, ["compile", "g.mlir", *device, "-o", "g.mlir"], "MODEL and --output are the same file, g.mlir")
refused(1, ["compile", "g.mlir", *device, "-o", "p.heddle", "--reproducer", "./p.heddle"],
        "--output and --reproducer are the same file, p.heddle (also ./p.heddle)")
for command in (["compile", "-o", "p.heddle"], ["explain"]):
    refused(1, [*command, "dump/0-Import.mlir", *device, "--dump-to", "./dump"],
            "MODEL dump/0-Import.mlir has the name of a phase's IR, which --dump-to writes there")
refused(1, ["explain", "g.mlir", *device, "--reproducer", "g.mlir"], "MODEL and --reproducer are the same file, g.mlir")
for flags, first in ((["--weights", "model.safetensors", "--output", "model.safetensors"], "--output and --weights"),
                     (["--weights", "model.safetensors", "--output", "o.safetensors", "--save-weights", "model.safetensors"],
                      "--weights and --save-weights"),
                     (["--weights", "weights/model.safetensors.index.json", "--output", "weights/model.safetensors"],
                      "--output and --weights"),
                     (["--output", "o.safetensors", "--save-weights", "./o.safetensors"], "--output and --save-weights")):
    refused(1, [*random, *flags], f"{first} are the same file, ")
for source in ("in.safetensors", "x=in.safetensors"):
    refused(1, [*run, source, "--output", "in.safetensors"], "--input and --output are the same file, in.safetensors")

# What is no conflict: devices, an input beside the output, an output of a dump's folder, a checkpoint that is gone on from.
begin()
for arguments in ([*run, "x=x.npy", "--weights", "weights", "--output", "weights/y.safetensors"],
                  [*run, "x.npy", "--output", "y.safetensors", "--save-weights", "w.safetensors"],
                  ["compile", "g.mlir", *device, "--dump-to", "dump", "-o", "dump/p.heddle"]):
    done = test.command(*arguments)
    test.check(done.returncode == 0, f"{arguments}: {done.returncode}: {done.stderr[:700]}")

# A pipe that nobody serves is not waited for; one that is read takes what is written.
begin()
for name in ("p", "p.mlir", "p.safetensors", "p.heddle", "p.npy"):
    os.mkfifo(name)
soon = {"timeout": 60}
for arguments in (["compile", "p.mlir", "-o", "new.heddle"], ["bench", "p"], ["check", "p.mlir"], ["explain", "p.heddle"]):
    test.fails(1, arguments, f"MODEL {arguments[1]}: wanted a file or a folder, found a pipe or a device", **soon)
for flags in (["--input", "p.npy"], ["--input", "x=p.npy"], ["--input", "random:1", "--weights", "p.safetensors"]):
    test.fails(1, ["run", "g.mlir", *device, *flags, "--output", "o.safetensors"], "wanted a file or a folder, found a pipe", **soon)
test.fails(1, [*train, "--data", "p"], "--data p: wanted a file or a folder, found a pipe or a device", **soon)
nobody = "is a pipe that nothing reads"
test.fails(1, ["compile", "g.mlir", *device, "-o", "p"], "cannot write p: it " + nobody, **soon)
test.fails(1, [*random, "--output", "p.safetensors"], nobody, **soon)
test.fails(1, [*random, "--output", "o.safetensors", "--save-weights", "p.safetensors"], nobody, **soon)
with open("plan", "wb") as plan:
    reader = subprocess.Popen(["cat", "p"], stdout=plan)
    descriptor = os.open("p", os.O_WRONLY)  # Waits for the reader, and keeps it.
    done = test.command("compile", "g.mlir", *device, "-o", "p", **soon)
    os.close(descriptor)
    reader.wait(60)
test.check(done.returncode == 0, f"compile into a pipe: {done.returncode}: {done.stderr[:700]}")
done = test.command("run", "plan", "--input", "random:1", "--output", "o.safetensors")
test.check(done.returncode == 0, f"a plan that came through a pipe: {done.returncode}: {done.stderr[:700]}")
done = test.command("compile", "g.mlir", *device, "-o", "/dev/null", "--reproducer", "/dev/null")
test.check(done.returncode == 0, f"compile to /dev/null: {done.returncode}: {done.stderr[:700]}")

# No name is empty.
for flag in ("--data", "--csv", "--plot", "--save", "--resume", "--weights"):
    data = [] if flag == "--data" else ["--data", "book.txt"]
    refused(2, [*train, *data, flag, ""], f"{flag}: wanted the name of a file or a folder, found an empty one")
for flag in ("--input", "--output", "--weights", "--save-weights"):
    given = {"--input": "random:1", "--output": "o.safetensors", flag: ""}
    refused(2, ["run", "g.mlir", *device, *(word for item in given.items() for word in item)], f"{flag}: wanted the name of a file")
for flag in ("--output", "--dump-to", "--reproducer"):
    output = [] if flag == "--output" else ["-o", "p.heddle"]
    refused(2, ["compile", "g.mlir", *device, *output, flag, ""], f"{flag}: wanted the name of a file")
for flag in ("--dump-to", "--reproducer"):
    refused(2, ["explain", "g.mlir", *device, flag, ""], f"{flag}: wanted the name of a file")
for command in ("bench", "check"):
    refused(2, [command, "g.mlir", *device, "--weights", ""], "--weights: wanted the name of a file")
for arguments in (["compile", "", "-o", "p.heddle"], ["check", ""], ["bench", ""], ["explain", ""]):
    refused(2, arguments, "MODEL: wanted the name of a file")
for command in ("list", "clear"):
    refused(2, ["cache", command, "--folder", ""], "--folder: wanted the name of a file")
test.finish()
