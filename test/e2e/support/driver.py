"""Runs the driver, and collects what a test found wrong."""

import json
import os
import shutil
import subprocess
import sys

from support.tensors import read_safetensors, write_npy, write_safetensors

DEVICE = os.environ.get("HEDDLE_DEVICE", "cpu")

# For commands whose bits are compared: what another process timed in between would have products on a GPU take other algorithms of the
# library, which sum in other orders.
UNTUNED = ["--tune", "off"]

# How a graph is run. Scratch memory is poisoned with NaN, so that a read of what nobody wrote shows.
IMPLEMENTATIONS = {"eager": ["--impl", "eager", "--poison"], "compiled": ["--impl", "compiled", "--poison", *UNTUNED]}
if DEVICE == "cuda":  # There a graph of launches is the default, and sequential execution the other one.
    IMPLEMENTATIONS["sequential"] = [*IMPLEMENTATIONS["compiled"], "--executor", "sequential"]


# Exit code of a test that another device is for.
SKIPPED = 77


class Test:
    """The folder of one test and the list of its faults; `finish` makes them the exit code. `needs`: the device without which
    there is nothing to test, and why."""

    def __init__(self, needs=None):
        if needs and needs[0] != DEVICE:
            print(f"skipped on {DEVICE}: {needs[1]}")
            sys.exit(SKIPPED)
        self.folder = sys.argv[1]
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.faults = []
        self.checks = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb" if isinstance(text, bytes) else "w") as file:
            file.write(text)
        return self.path(name)

    def fault(self, text):
        self.faults.append(text)
        print(f"FAULT: {text}", flush=True)

    def check(self, good, text):
        self.checks += 1
        if not good:
            self.fault(text)
        return good

    def finish(self):
        print(f"{self.checks} checks on {DEVICE}, {len(self.faults)} faults")
        if not self.checks:
            sys.exit("no check was made")
        sys.exit(1 if self.faults else 0)

    def command(self, *arguments, **options):
        """The finished process; stdout and stderr as text."""
        return subprocess.run(["heddle", *arguments], capture_output=True, text=True,
                              encoding="utf-8", errors="backslashreplace", **options)

    def fails(self, code, arguments, *wanted, name=None, **options):
        """The command must exit with `code` and print one error that holds each text of `wanted`, nothing else."""
        done = self.command(*arguments, **options)
        name = name or " ".join(arguments)
        found = f"{name}: {done.stderr[:700]!r}"
        self.check(done.returncode == code, f"wanted exit code {code}, found {done.returncode}; {found}")
        self.check(done.stderr.count("error: ") == 1, f"wanted one error, found {done.stderr.count('error: ')}; {found}")
        self.check(done.stdout == "", f"wanted nothing on stdout, found {done.stdout[:300]!r}; {found}")
        for text in wanted:
            self.check(text in done.stderr, f"wanted {text!r} in the error; {found}")
        for text in ("Assertion", "Stack dump", "PLEASE submit a bug report", "Traceback", "see current operation"):
            self.check(text not in done.stderr, f"found {text!r}; {found}")
        return done

    def verdict(self, label, *arguments, outputs=None, slack=1):
        """`heddle check` must find every output within its bound, or within `slack` times it (whose reason the caller gives); there must be some, and
        just `outputs` where given."""
        done = self.command("check", *arguments, "--device", DEVICE, "--format", "json")
        try:
            found = json.loads(done.stdout)["outputs"]
        except (ValueError, KeyError):
            found = []
        bad = [output for output in found if not output["ok"] and
               (output["misplaced"] or not output["compiled_error"] <= slack * output["bound"])]
        if self.check(done.returncode in ((0, 1) if slack > 1 else (0,)) and found and not bad,
                      f"{label}: exit code {done.returncode}: {bad or done.stdout[:2000]} {done.stderr[:1000]}"):
            names = [output["name"] for output in found]
            self.check(outputs is None or sorted(names) == sorted(outputs), f"{label}: wanted outputs {outputs}, found {names}")

    def run(self, name, text, inputs, flags=(), weights=None, implementations=None):
        """Runs a graph in every implementation, or in those named; yields (label, outputs by name). A run that fails is a fault.
        `weights`: the parameters' values by name, else they are drawn."""
        graph = self.write(f"{name}.mlir", text)
        given = []
        if weights:
            write_safetensors(self.path(f"{name}.weights.safetensors"), weights)
            given += ["--weights", self.path(f"{name}.weights.safetensors")]
        for key, tensor in inputs.items():
            write_npy(self.path(f"{name}.{key}.npy"), tensor)
            given += ["--input", f"{key}={self.path(f'{name}.{key}.npy')}"]
        for implementation in implementations or IMPLEMENTATIONS:
            extra = IMPLEMENTATIONS[implementation]
            output = self.path(f"{name}.{implementation}.safetensors")
            done = self.command("run", graph, "--device", DEVICE, *given, "--output", output, *extra, *flags)
            label = f"{name}, {implementation}"
            if self.check(done.returncode == 0, f"{label}: exit code {done.returncode}: {done.stderr[:1500]}"):
                yield label, read_safetensors(output)

    def clear(self):
        """Removes the tensors of all runs so far, which may be large."""
        for name in os.listdir(self.folder):
            if name.endswith((".safetensors", ".npy")):
                os.remove(self.path(name))

    def close(self, label, found, wanted, tolerance):
        """Every element within `tolerance` times the largest wanted magnitude; NaN is never close."""
        if not self.check(len(found) == len(wanted), f"{label}: wanted {len(wanted)} values, found {len(found)}"):
            return
        bound = tolerance * max(map(abs, wanted))
        bad = [index for index, (have, want) in enumerate(zip(found, wanted)) if not abs(have - want) <= bound]
        self.check(not bad, f"{label}: {len(bad)} of {len(wanted)} values are further off than {bound:.3g}; "
                   f"first at {bad[0] if bad else ''}: wanted {wanted[bad[0]] if bad else ''}, "
                   f"found {found[bad[0]] if bad else ''}")

    def number(self, label, found, wanted, bound):
        """One number within an absolute bound."""
        self.check(abs(found - wanted) <= bound, f"{label}: wanted {wanted!r} within {bound:.3g}, found {found!r}")
