"""Calls `heddle` for the study's tables: one place that knows its command line, exit codes and JSON, and how a table is
written and drawn."""

import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "peers"))
from cells import Budget, device_name, header_lines  # noqa: E402
from sizes import MODE_FACTOR, SIZES  # noqa: E402

PRECISIONS = ["fp32", "tf32", "bf16", "bf16-true"]
# Of every implementation, in seconds and GiB, as the study has them.
TIMES = ["mean_s", "std_s", "median_s", "busy_s", "kernels", "peak_gib"]


def add_arguments(parser, warmup=5, steps=10):
    """What every table takes. A plot shows what the table says."""
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--impls", nargs="+", choices=["eager", "compiled"], default=["eager", "compiled"])
    if warmup is not None:
        parser.add_argument("--warmup", type=int, default=warmup)
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/release/bin/heddle")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE.svg", help="draw the table, too")
    Budget.add_argument(parser)


def add_model_arguments(parser, sizes=("small",), precisions=("fp32",), modes=("forward",)):
    """Which of the study's models, and how they run; without --precisions where the command has its own."""
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(sizes))
    if precisions:
        parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=list(precisions))
    parser.add_argument("--modes", nargs="+", choices=MODE_FACTOR, default=list(modes))
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--layers", type=int, help="keep only the first so many blocks, to try the command")
    parser.add_argument("--vocab", type=int, default=10000)


def model_flags(arguments, precision, mode):
    """What `heddle bench study:SIZE` is told of a cell."""
    layers = ["--layers", arguments.layers] if arguments.layers else []
    return ["--precision", precision, "--mode", mode, "--batch", arguments.batch, "--context", arguments.context,
            "--vocab", arguments.vocab, *layers]


def call(command, environment=None):
    """The finished process; ends the program on any fault but that memory ran out."""
    command = list(map(str, command))
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0 and not (done.returncode == 3 and "memory" in done.stderr):
        sys.exit(f"error: {' '.join(command)}: exit code {done.returncode}\n{done.stderr.strip()}")
    return done


def run(arguments, model, impls, flags, warmup, steps, environment=None):
    """Rows by implementation; None where memory ran out."""
    done = call([arguments.heddle, "bench", model, "--device", arguments.device, "--impl", ",".join(impls), "--warmup", warmup,
                 "--steps", steps, "--format", "json", *flags], environment)
    return None if done.returncode else {row["impl"]: row for row in json.loads(done.stdout)}


def bench(arguments, model, *flags):
    """The row of each implementation, or None where memory ran out for it.

    One process takes turns between the implementations; where memory ends, each is asked for alone.
    """
    rows = run(arguments, model, arguments.impls, flags, arguments.warmup, arguments.steps)
    if rows is None:
        rows = {}
        for impl in arguments.impls:
            rows |= run(arguments, model, [impl], flags, arguments.warmup, arguments.steps) or {impl: None}
    return rows


def cells(arguments, budget):
    """(size, precision, mode, rows as `bench` gives them) of each cell that the budget allows."""
    for precision in arguments.precisions:
        for size in arguments.sizes:
            for mode in arguments.modes:
                if budget.allows(f"{size} {precision} {mode}"):
                    yield size, precision, mode, bench(arguments, f"study:{size}", *model_flags(arguments, precision, mode))


def times_of(row):
    """TIMES as text; `oom` and blanks where memory ran out."""
    if row is None:
        return ["oom"] + [""] * (len(TIMES) - 1)
    return [*(f"{row[name] / 1e3:.6f}" for name in ("mean_ms", "std_ms", "median_ms", "busy_ms")), str(row["kernels"]),
            f"{row['peak_bytes'] / 2**30:.3f}"]


def ratio_of(over, under):
    """How many times faster the second row is: by its mean, and the least and the most that one deviation of both allows."""
    if not over or not under:
        return ["", "", ""]
    low = (over["mean_ms"] - over["std_ms"]) / (under["mean_ms"] + under["std_ms"])
    high = (over["mean_ms"] + over["std_ms"]) / max(under["mean_ms"] - under["std_ms"], 1e-9)
    return [f"{over['mean_ms'] / under['mean_ms']:.2f}", f"{low:.2f}", f"{high:.2f}"]


class Output:
    """The table on standard output, a line at a time, under the lines that say how it was made."""

    def __init__(self, arguments, columns):
        script = str(pathlib.Path(sys.argv[0]).resolve().relative_to(ROOT))
        for line in header_lines(script, device_name(arguments)):
            print(f"# {line}")
        print(",".join(columns), flush=True)
        self.width = len(columns)

    def row(self, *values):
        if len(values) != self.width:
            raise ValueError(f"{len(values)} values for {self.width} columns: {values}")
        print(",".join(map(str, values)), flush=True)
