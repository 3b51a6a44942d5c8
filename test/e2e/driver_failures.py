# RUN: %python %s %t
"""What goes wrong around a graph: a full disk, damaged plan files, inputs that do not fit, no GPU, too little memory.
One error each, with the right exit code, and nothing half-written."""

import os
import random
import resource
import signal
import subprocess
import time

from support.driver import DEVICE, Test
from support.tensors import Tensor, fill, read_safetensors, write_npy

test = Test()
GRAPH = test.write("graph.mlir", """func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x8xf32> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 0.5>] : tensor<8x8xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %y = graph.softmax %0 : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
""")
device = ["--device", DEVICE]
plan, out = test.path("plan.heddle"), test.path("out.safetensors")
done = test.command("compile", GRAPH, "-o", plan, *device)
test.check(done.returncode == 0, f"compile: {done.stderr}")

# Unknown flags.
for command in ("compile", "run", "bench", "explain", "check", "devices"):
    model = [] if command == "devices" else [GRAPH]
    model += ["--input", "random:1", "--output", out] if command == "run" else []
    test.fails(2, [command, *model, "--frobnicate"], "--frobnicate")
test.fails(2, ["run", GRAPH, "--input", "random:1", "--output", out, "--impl", "lazy"], "lazy")

# A full disk is the machine's fault; folders that are not there are the path's.
test.fails(1, ["compile", GRAPH, "-o", test.path("none/plan.heddle"), *device], "none/plan.heddle")
test.fails(1, ["run", plan, "--input", "random:1", "--output", test.path("none/out.safetensors")], "none/out.safetensors")
for link, arguments in (("full.heddle", ["compile", GRAPH, "-o"]),
                        ("full.safetensors", ["run", GRAPH, "--input", "random:1", "--output"])):
    os.symlink("/dev/full", test.path(link))
    test.fails(3, [*arguments, test.path(link), *device], link, name=f"{link}: on a full device")
test.fails(1, ["explain", GRAPH, "--dump-to", GRAPH, *device], "graph.mlir")


# A limit on the size of files stands for a disk that fills up while a file is written: nothing is left of it.
def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


for name, arguments in (("cut.heddle", ["compile", GRAPH, "-o"]),
                        ("cut.safetensors", ["run", GRAPH, "--input", "random:1", "--output"]),
                        ("cut-dump", ["explain", GRAPH, "--dump-to"])):
    test.fails(3, [*arguments, test.path(name), *device], name, name=f"{name}: files of 64 bytes at most",
               preexec_fn=small_files)
test.check([name for name in os.listdir(test.folder) if "cut" in name] == ["cut-dump"] and not os.listdir(test.path("cut-dump")),
           f"wanted nothing left of a file that did not fit, found {sorted(os.listdir(test.folder))}")

# A signal while a file is written: the process is stopped as soon as there is one that is half-written.
WIDE = test.write("wide.mlir", """func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x4194304xf32> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [8, 4194304], normal, 0.5>] : tensor<8x4194304xf32>
  %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x4194304xf32> -> tensor<4x4194304xf32>
  return %y : tensor<4x4194304xf32>
}
""")
for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    half = lambda: [name for name in os.listdir(test.folder) if "halved" in name]
    for attempt in range(20):
        process = subprocess.Popen(["heddle", "run", WIDE, "--input", "random:1", "--output", test.path("halved.safetensors"), *device,
                                    "--save-weights", test.path("halved-weights.safetensors")], stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(kind, signal.SIG_DFL))
        while process.poll() is None and not half():
            time.sleep(0.0005)
        process.send_signal(signal.SIGSTOP)
        met = [name for name in half() if ".part-" in name]
        process.send_signal(kind)
        process.send_signal(signal.SIGCONT)
        code = process.wait()
        if met and code == -kind:
            break
        for name in half():
            os.remove(test.path(name))
    test.check(met and code == -kind, f"{kind.name}: met no half-written file in 20 attempts: {met}, exit code {code}")
    test.check(not half(), f"{kind.name}: {half()} is left of {met}")

# What stood at the output before a failed run still stands.
kept = test.write("kept.safetensors", "kept")
test.fails(1, ["run", plan, "--input", "x=" + test.path("none.npy"), "--output", kept], "none.npy")
with open(kept) as file:
    test.check(file.read() == "kept", "wanted the earlier output untouched by a run that failed")

# A plan that is cut off, or has a byte altered: refused, or the same bits where the byte did not matter.
with open(plan, "rb") as file:
    whole = file.read()
done = test.command("run", plan, "--input", "random:1", "--output", out)
test.check(done.returncode == 0, f"run: {done.stderr}")
right = read_safetensors(out)
damaged = test.path("damaged.heddle")
size = len(whole)
for length in sorted({0, 1, 3, 4, 7, 8, 15, 16, 31, 64, 100, 256, size // 4, size // 2, size - 4096, size - 64, size - 1}):
    if 0 <= length < size:
        test.write("damaged.heddle", whole[:length])
        test.fails(1, ["run", damaged, "--input", "random:1", "--output", test.path("cut.safetensors")],
                   "damaged.heddle", name=f"cut to {length} of {size} bytes")
draw = random.Random(1)
for offset in sorted({0, 4, 8, 12, 16, size - 1, *range(20, size, max(1, size // 40)),
                      *(draw.randrange(size) for _ in range(40))}):
    altered = bytearray(whole)
    altered[offset] ^= 0x41
    test.write("damaged.heddle", bytes(altered))
    test.fails(1, ["run", damaged, "--input", "random:1", "--output", test.path("cut.safetensors")],
               "damaged.heddle", name=f"byte {offset} of {size} altered")
test.write("damaged.heddle", whole + b"\0")
test.fails(1, ["run", damaged, "--input", "random:1", "--output", test.path("cut.safetensors")], "damaged.heddle",
           name="a byte too many")

# Inputs that do not fit.
write_npy(test.path("x.npy"), fill(1, (4, 8)))
write_npy(test.path("short.npy"), fill(1, (4, 7)))
write_npy(test.path("ints.npy"), Tensor("i32", (4, 8), [1] * 32))
with open(test.path("x.npy"), "rb") as file:
    array = file.read()
for name, data in (("cut.npy", array[:-1]), ("header.npy", array[:20]), ("empty.npy", b""), ("long.npy", array + b"\0"),
                   ("word.npy", b"\x93NUMPY\x01\x00\xff\xff" + array[10:]),
                   ("fortran.npy", array.replace(b"False", b"True ")), ("type.npy", array.replace(b"<f4", b"<f9")),
                   ("huge.npy", array.replace(b"(4, 8)}" + b" " * 18, b"(4611686018427387904, 8)}"))):
    test.write(name, data)
    test.fails(1, ["run", plan, "--input", "x=" + test.path(name), "--output", test.path("cut.safetensors")], name)
for name, wanted in (("short.npy", "f32[4, 8]"), ("ints.npy", "f32[4, 8]")):
    test.fails(1, ["run", plan, "--input", "x=" + test.path(name), "--output", test.path("cut.safetensors")],
               "'x'", wanted, name=name)
test.check(not os.path.exists(test.path("cut.safetensors")), "wanted no output of a run that failed")

# No GPU here.
if not any("cuda" in line.split()[:1] for line in test.command("devices").stdout.splitlines()):
    for arguments in (["run", GRAPH, "--input", "random:1", "--output", out], ["check", GRAPH], ["bench", GRAPH]):
        test.fails(3, [*arguments, "--device", "cuda"], "CUDA", name=f"{arguments[0]} --device cuda")

# More memory than any machine has: exit code 3, with the plan's peak beside what is free.
vast = "tensor<65536x1048576xf32>"  # 256 GiB
VAST = test.write("vast.mlir", f"""func.func @main(%x: tensor<65536x1xf32> {{graph.name = "x"}}) -> (tensor<65536x1xf32> {{graph.name = "y"}}) {{
  %b = graph.broadcast %x : tensor<65536x1xf32> -> {vast}
  %e = graph.exp %b : {vast}
  %t = graph.transpose %e [1, 0] : {vast} -> tensor<1048576x65536xf32>
  %r = graph.reshape %t : tensor<1048576x65536xf32> -> {vast}
  %p = graph.matmul %r, %w : {vast}, tensor<1048576x1xf32> -> tensor<65536x1xf32>
  return %p : tensor<65536x1xf32>
}}
""".replace("  %p =", '  %w = graph.parameter [#graph.part<"w", [1048576, 1], normal, 0.5>] : tensor<1048576x1xf32>\n  %p ='))
for arguments in (["run", VAST, "--input", "random:1", "--output", test.path("cut.safetensors")], ["bench", VAST]):
    test.fails(3, [*arguments, *device], "the plan needs", "free on device", name=f"{arguments[0]} of 256 GiB")
if DEVICE == "cpu":
    # The machine has it, but the process may not.
    large = test.write("large.mlir", open(VAST).read().replace("65536", "4096").replace("1048576", "131072"))
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    test.fails(3, ["run", large, "--input", "random:1", "--output", test.path("cut.safetensors")], "the plan needs",
               "bytes of memory; the system refused them", name="run of 2 GiB in an address space of 2 GiB", preexec_fn=limit)
    # Less than libraries below want for themselves, which would wait for it or end the process: step by step from what
    # hardly loads the program to what runs, the outcome is a run or one message.
    refused = set()
    for mebibytes in range(320, 720, 40):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))
        for command in (["run", GRAPH, "--input", "random:1", "--output", test.path("cut.safetensors")],
                        ["compile", GRAPH, "-o", test.path("cut.heddle")]):
            done = test.command(*command, preexec_fn=limit)
            unloaded = done.returncode == 127 and "shared object" in done.stderr  # The loader speaks, not the program.
            test.check(unloaded or done.returncode in (0, 3), f"{command[0]} in {mebibytes} MiB: exit code {done.returncode}: {done.stderr}")
            errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
            if done.returncode == 3:
                test.check(len(errors) == 1, f"{command[0]} in {mebibytes} MiB: wanted one error, found {done.stderr}")
                refused.add("OpenBLAS" if "OpenBLAS wants" in done.stderr else "other")
            for left in os.listdir(test.folder):
                if "cut.safetensors" in left or "cut.heddle" in left:
                    test.check(done.returncode == 0, f"{command[0]} in {mebibytes} MiB left {left}")
                    os.remove(test.path(left))
    test.check("OpenBLAS" in refused, f"wanted a limit under which OpenBLAS gets no buffer, found {refused}")
test.check(not os.path.exists(test.path("cut.safetensors")), "wanted no output of a run that failed")
test.finish()
