"""What the comparisons share: cells that run in processes of their own, and the CSV that they fill."""

import csv
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of every cell, behind the columns that name it.
MEASURED = ["median_ms", "busy_ms", "peak_gib", "model_tflops", "compile_s"]


class CellError(Exception):
    """A peer that did not run; the message says which and why."""


def words(command):
    return " ".join(map(str, command))


def failure(command, code, stderr):
    tail = "\n".join(stderr.strip().splitlines()[-5:])
    return CellError(f"{words(command)}: exit code {code}\n{tail}")


def run_json(command, environment):
    """The JSON that the command prints last; None where memory ran out and it says so by exit code 3."""
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode == 3 and "memory" in done.stderr:
        return None
    if done.returncode != 0:
        raise failure(command, done.returncode, done.stderr)
    text = done.stdout
    start = text.rfind("\n{") + 1 if not text.lstrip().startswith("[") else 0
    try:
        return json.loads(text[start:])
    except json.JSONDecodeError as error:
        raise CellError(f"{words(command)}: no JSON at the end of its output: {error}") from error


def cold_environment(folder):
    """Compilation caches of all peers in an empty folder, so that compile_s is that of a first use."""
    return os.environ | {
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TRITON_CACHE_DIR": f"{folder}/triton",
        "HEDDLE_CACHE_DIR": f"{folder}/heddle",
    }


def heddle_results(rows):
    """{peer: what was measured} of the rows that `heddle bench --format json` prints."""
    return {
        f"heddle-{row['impl']}": {
            "median_ms": row["median_ms"], "busy_ms": row["busy_ms"], "peak_gib": row["peak_bytes"] / 2**30,
            "compile_s": row["compile_ms"] / 1e3, "mean_ms": row["mean_ms"], "std_ms": row["std_ms"],
        } for row in rows
    }


def measured_columns(result, flops):
    """MEASURED as text; `oom` where memory ran out. flops: of the matrix products of one run."""
    if result is None or result.get("out_of_memory"):
        return {"median_ms": "oom"}

    def text(name, digits):
        return "" if result.get(name) is None else f"{result[name]:.{digits}f}"

    return {
        "median_ms": text("median_ms", 4), "busy_ms": text("busy_ms", 4), "peak_gib": text("peak_gib", 3),
        "model_tflops": f"{flops / result['median_ms'] / 1e9:.1f}", "compile_s": text("compile_s", 2),
    }


def output_of(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def device_name(arguments):
    """What `heddle devices` calls the device that is measured."""
    for device in json.loads(output_of([str(arguments.heddle), "devices", "--format", "json"]) or '{"devices":[]}')["devices"]:
        if device["device"] == arguments.device and device["available"]:
            return device["name"]
    sys.exit(f"error: `{arguments.heddle} devices` finds no {arguments.device}")


def header_lines(script, device):
    """How a table is made: command, device, clocks, date, commit."""
    clocks = output_of(["nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.mem,power.limit", "--format=csv,noheader"])
    changed = " with changes" if output_of(["git", "status", "--porcelain", "--untracked-files=no"]) else ""
    return [f"command: {' '.join([script, *sys.argv[1:]])}",
            f"device: {device}",
            f"driver, SM clock, memory clock, power limit: {clocks.splitlines()[0] if clocks else 'no nvidia-smi'}",
            f"date: {datetime.date.today().isoformat()}",
            f"commit: {output_of(['git', 'rev-parse', '--short', 'HEAD']) or 'unknown'}{changed}"]


class Budget:
    """Time for a command. What is not begun within it is named at the end and left to the same command's next call."""

    def __init__(self, seconds):
        self.seconds, self._begin, self.left = seconds, time.monotonic(), []

    @staticmethod
    def add_argument(parser):
        parser.add_argument("--budget-s", type=float, default=float("inf"), metavar="SECONDS",
                            help="begin no cell after so long, and say which were left out")

    def allows(self, cell):
        """Whether the cell of that name may begin; one that may not is remembered."""
        if time.monotonic() - self._begin < self.seconds:
            return True
        self.left.append(cell)
        return False

    def report(self):
        if self.left:
            print(f"left out after {self.seconds:g} s, {len(self.left)} cells: {'; '.join(self.left)}", file=sys.stderr)


def add_table_arguments(parser):
    """What both comparisons take beside their cells."""
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/release/bin/heddle")
    parser.add_argument("--python", default=sys.executable, help="a Python with the peers' packages")
    parser.add_argument("--output", type=pathlib.Path, required=True)


class Table:
    """The CSV. It goes on where it was stopped: `done` are the keys of the cells that it holds. A file of another device or
    with other columns is refused and left as it was."""

    def __init__(self, path, device, key, columns):
        self.path, self.device, self.key, self.columns = path, device, key, columns
        self.rows = self._read() if path.exists() and path.stat().st_size > 0 else []
        self.done = {self.key_of(row) for row in self.rows}
        self.failures, self._notes, self._file = 0, set(), None

    def key_of(self, row):
        return tuple(str(row[name]) for name in self.key)

    def _read(self):
        lines = self.path.read_text().splitlines()
        devices = {line.removeprefix("# device: ") for line in lines if line.startswith("# device: ")}
        if devices != {self.device}:
            sys.exit(f"error: {self.path} was measured on {', '.join(sorted(devices)) or 'an unnamed device'}, this is "
                     f"{self.device}; give another --output")
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        if rows and list(rows[0]) != self.columns:
            sys.exit(f"error: {self.path} has columns {','.join(rows[0])}; wanted {','.join(self.columns)}")
        return rows

    def open(self, script, *notes):
        """Begins the rows of one command with the lines that say how they are made."""
        self._file = open(self.path, "a", encoding="utf-8")
        fresh = self._file.tell() == 0
        for line in [*header_lines(script, self.device), *notes]:
            self._file.write(f"# {line}\n")
        self._writer = csv.DictWriter(self._file, self.columns, restval="", lineterminator="\n")
        if fresh:
            self._writer.writeheader()
        self._file.flush()

    def note(self, text):
        """A line among the rows that says what holds for those after it; once for each text."""
        if text and text not in self._notes:
            self._notes.add(text)
            self._file.write(f"# {text}\n")

    def record(self, row):
        self._writer.writerow(row)
        self._file.flush()
        self.rows.append({name: str(row.get(name, "")) for name in self.columns})
        print(",".join(self.rows[-1].values()), file=sys.stderr, flush=True)

    def fail(self, error):
        self.failures += 1
        print(f"error: {error}", file=sys.stderr, flush=True)

    def close(self):
        """Ends the command; its exit code is 1 where a cell did not run."""
        if self._file:
            self._file.close()
        if self.failures:
            sys.exit(f"error: {self.failures} cells did not run; the same command tries them again")
