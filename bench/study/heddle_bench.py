"""Calls `heddle bench` for the study's tables: one place that knows its command line, exit codes and JSON."""

import datetime
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def add_arguments(parser):
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--impls", nargs="+", choices=["eager", "compiled"], default=["eager", "compiled"])
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/release/bin/heddle")


def run(arguments, model, impls, flags):
    """Rows by implementation; None where memory ran out. Ends the program on any other fault."""
    command = [str(arguments.heddle), "bench", str(model), "--device", arguments.device, "--impl", ",".join(impls), "--warmup",
               str(arguments.warmup), "--steps", str(arguments.steps), "--format", "json", *map(str, flags)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 3 and "memory" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(command)}: exit code {done.returncode}\n{done.stderr.strip()}")
    return {row["impl"]: row for row in json.loads(done.stdout)}


def bench(arguments, model, *flags):
    """The row of each implementation, or None where memory ran out for it.

    One process takes turns between the implementations; where memory ends, each is asked for alone.
    """
    rows = run(arguments, model, arguments.impls, flags)
    if rows is None:
        rows = {}
        for impl in arguments.impls:
            rows |= run(arguments, model, [impl], flags) or {impl: None}
    return rows


def print_header(arguments):
    """The lines that say how the table was made."""
    found = subprocess.run([str(arguments.heddle), "devices", "--format", "json"], capture_output=True, text=True, check=True)
    names = [d["name"] for d in json.loads(found.stdout)["devices"] if d["device"] == arguments.device and d["available"]]
    if not names:
        sys.exit(f"error: `{arguments.heddle} devices` finds no {arguments.device}")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT).stdout.strip()
    script = pathlib.Path(sys.argv[0]).resolve().relative_to(ROOT)
    print(f"# command: {' '.join([str(script), *sys.argv[1:]])}\n# device: {names[0]}\n"
          f"# date: {datetime.date.today().isoformat()}\n# commit: {commit or 'unknown'}", flush=True)
