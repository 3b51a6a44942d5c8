"""What the GPU tests compile, and the CUDA text that comes of it: shared by `run` and `unrun`."""

import hashlib
import json
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DEFAULT_BIN = ROOT / "build" / "release" / "bin"
CONFIGS = ROOT / "test" / "Inputs" / "configs"
LAST_RUN = HERE / "last-run.json"

# (context, batch): one token, one more than a warp, a full tile, the study's own; batches are odd.
SMALL_SIZES = ((1, 3), (33, 3), (128, 1), (512, 1))
# Few tokens where the float64 reference, which runs on the CPU, would take longest: what differs is the weights' size.
LARGE_SIZES = {"medium": (33, 3), "large": (33, 3), "xl": (33, 3), "10B": (9, 1)}


class ToolError(Exception):
    """heddle failed or its output is not what these scripts know."""


def cases(quick=False):
    """Name to arguments of every model that is compiled: presets and configs cut to two layers, and the graphs of
    corpus/."""
    found = {}

    def preset(model, precision, context, batch, mode="forward"):
        name = f"study:{model}-{precision}-{batch}x{context}" + ("" if mode == "forward" else f"-{mode}")
        found[name] = [f"study:{model}", "--layers", "2", "--vocab", "1003", "--precision", precision, "--context",
                       str(context), "--batch", str(batch), *([] if mode == "forward" else ["--mode", mode])]

    def training(precision, sizes):
        """Gradients and steps of the study's model, and of two families whose attention differs from its own."""
        for mode in ("backward", "step"):
            for context, batch in sizes:
                preset("small", precision, context, batch, mode)
            for config in ("gpt2", "smollm2-135m"):
                found[f"{config}-{precision}-{mode}"] = [
                    str(CONFIGS / f"{config}.json"), "--layers", "2", "--vocab", "1003", "--precision", precision,
                    "--context", "33", "--batch", "3", "--mode", mode]

    graphs = sorted((HERE / "corpus").glob("*.mlir"))
    if quick:
        for precision in ("fp32", "bf16"):
            preset("small", precision, 33, 3)
            training(precision, ((33, 3),))
        graphs = [graph for graph in graphs if graph.stem in ("attention_strided", "reduce_axes", "rms_norm")]
    else:
        for precision in ("fp32", "tf32", "bf16"):
            for context, batch in SMALL_SIZES:
                preset("small", precision, context, batch)
        for model, (context, batch) in LARGE_SIZES.items():
            for precision in ("fp32", "bf16"):
                preset(model, precision, context, batch)
        for precision in ("fp32", "bf16"):
            training(precision, ((1, 3), (33, 3), (512, 1)))
    for graph in graphs:
        for precision in ("fp32", "bf16"):
            found[f"{graph.stem}-{precision}"] = [str(graph), "--precision", precision]
    return found


def seconds_of_last_run():
    """{check: seconds} of what the last run's record has times of; an output's check has those of its case, `check NAME`."""
    if not LAST_RUN.exists():
        return {}
    return {check["name"].partition(": ")[0]: check["seconds"] for check in json.loads(LAST_RUN.read_text())["checks"]
            if "seconds" in check}


def without_counterpart():
    """Kernels of test/emission that no graph of corpus/ is named after."""
    emitted = {path.stem for path in (ROOT / "test" / "emission").glob("*.mlir")}
    return sorted(emitted - {path.stem for path in (HERE / "corpus").glob("*.mlir")})


def split_text(text):
    """(own text, {device file: its text}) of a kernel, which holds the device library's files in their include guards."""
    own, files, open_files = [], {}, []
    for line in text.splitlines():
        if begins := re.fullmatch(r"#ifndef HEDDLE_DEVICE_(\w+)_(CUH|H)", line):
            open_files.append(f"{begins[1]}.{begins[2]}".lower())
        (files.setdefault(open_files[-1], []) if open_files else own).append(line)
        if ends := re.fullmatch(r"#endif // HEDDLE_DEVICE_(\w+)_(CUH|H)", line):
            if not open_files or open_files.pop() != f"{ends[1]}.{ends[2]}".lower():
                raise ToolError(f"'{line}' stands where that guard did not begin")
    if open_files or not files:
        found = f"no end of {open_files[-1]}" if open_files else "none"
        raise ToolError(f"wanted the device library in its include guards, found {found}")
    return "\n".join(own).strip(), {name: "\n".join(lines) for name, lines in files.items()}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def kernels_of(heddle, arguments, device):
    """({kernel: hash of its own text}, {device file: hash}) of a model. A kernel's own name is left out of its hash: it
    counts the groups before it and does not change what runs. `device` is as for `heddle compile`: cuda, cuda:sm_90a."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([heddle, "compile", *arguments, "--device", device, "--dump-to", folder,
                               "--stop-after", "Target"], capture_output=True, text=True)
        if done.returncode != 0:
            raise ToolError(f"heddle compile {' '.join(arguments)}: {done.stderr.strip()[:1000]}")
        kernels, library = {}, {}
        for path in sorted(pathlib.Path(folder).glob("*.cu")):
            own, files = split_text(path.read_text())
            if path.stem not in own:
                raise ToolError(f"{path.name} of {' '.join(arguments)} does not name its kernel {path.stem}")
            kernels[path.stem] = sha256(re.sub(rf"\b{re.escape(path.stem)}\b", "KERNEL", own))
            library.update({name: sha256(file) for name, file in files.items()})
    return kernels, library


def distinct(kernels_by_case):
    """{case/kernel: hash}, one name for each text: the first in the order of cases."""
    names = {}
    for case, kernels in kernels_by_case.items():
        for kernel, text in kernels.items():
            names.setdefault(text, f"{case}/{kernel}")
    return {name: text for text, name in names.items()}
