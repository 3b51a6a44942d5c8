"""What the scripts of this folder share: programs that are run and counted."""

import concurrent.futures
import json
import math
import os
import subprocess
import sys
import time

import corpus

# A program that hangs must not take the machine with it; the longest step takes a tenth of this.
TIMEOUT_S = 240


def timed(work, *arguments):
    """(seconds, result)."""
    begin = time.monotonic()
    result = work(*arguments)
    return round(time.monotonic() - begin, 1), result


class Suite:
    """Runs programs with a cache of their own and counts what passed. options has `bin`, a folder, and `device`."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.heddle = str(options.bin / "heddle")
        self.environment = dict(os.environ, PATH=f"{options.bin}{os.pathsep}{os.environ['PATH']}",
                                HEDDLE_DEVICE=options.device, HEDDLE_CACHE_DIR=str(folder / "cache"),
                                PYTHONDONTWRITEBYTECODE="1")
        # Every process makes a context of its own: more than this only wait for one another.
        self.pool = concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1))
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.checks = []

    def record(self, name, outcome, reason="", **numbers):
        self.counts[outcome] += 1
        if outcome == "skipped":
            print(f"skipped: {name} ({reason})", flush=True)
            return
        self.checks.append({"name": name, "error": None, "bound": None, **numbers, "ok": outcome == "passed"})
        if outcome == "failed":
            print(f"FAILED: {name}" + (f": {reason}" if reason else ""), flush=True)

    def expect(self, name, good, reason="", **numbers):
        self.record(name, "passed" if good else "failed", "" if good else reason, **numbers)

    def command(self, *arguments):
        """The finished process; a timeout is a failure with its own words."""
        try:
            return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True,
                                  errors="backslashreplace", env=self.environment, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(arguments, 124, "", f"no end after {TIMEOUT_S} s")

    def as_they_end(self, work, items, kind):
        """Runs work(item) of each name's item in the pool; yields (name, seconds, result) as each ends. Those whose checks `kind NAME` took
        longest in the last run start first, before them those that it does not know: a long one that begins last keeps all waiting."""
        last = corpus.seconds_of_last_run()
        names = sorted(items, key=lambda name: last.get(f"{kind} {name}", math.inf), reverse=True)
        futures = {self.pool.submit(timed, work, items[name]): name for name in names}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], *future.result()

    def record_check(self, name, done, **numbers_of_all):
        """The outputs of a finished `heddle check --format json`, each a check, which also gets the numbers given; []: it had none."""
        try:
            outputs = json.loads(done.stdout)["outputs"]
        except (ValueError, KeyError):
            outputs = []
        if not outputs:
            self.record(f"check {name}", "failed", f"exit code {done.returncode}: {done.stderr.strip()[:1000]}")
            return []
        for output in outputs:
            numbers = {"error": output["compiled_error"], "eager_error": output["eager_error"], "bound": output["bound"],
                       **numbers_of_all}
            self.expect(f"check {name}: {output['name']}", output["ok"],
                        f"{numbers}, not finite: {output['misplaced']}", **numbers)
        if done.returncode != 0 and all(output["ok"] for output in outputs):
            self.record(f"check {name}", "failed", f"exit code {done.returncode}: {done.stderr.strip()[:1000]}")
        return outputs

    def machine(self):
        """Of the device that was used: name, target, driver; ToolError where it is not there."""
        done = self.command(self.heddle, "devices", "--format", "json")
        if done.returncode != 0:
            raise corpus.ToolError(f"heddle devices: {done.stderr.strip()[:1000]}")
        found = json.loads(done.stdout)
        devices = [device for device in found["devices"] if device["device"] == self.options.device and device["available"]]
        if not devices:
            problems = [entry["problem"] for entry in found["devices"] + found["libraries"] if entry["problem"]]
            raise corpus.ToolError(f"no device '{self.options.device}': {'; '.join(problems)}")
        versions = {"heddle": self.command(self.heddle, "--version").stdout.strip()}
        versions |= {library["library"]: library["version"] for library in found["libraries"] if library["available"]}
        return {"device": devices[0]["name"], "target": devices[0]["target"], "driver": self.driver(), "versions": versions}

    def driver(self):
        """The driver's version by nvidia-smi; '' where that is not there."""
        try:
            done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True,
                                  text=True)
        except OSError:
            return ""
        return done.stdout.strip().splitlines()[0] if done.returncode == 0 and done.stdout.strip() else ""

    def finish(self):
        """Prints the line that counts; the exit code."""
        print("{passed} passed, {failed} failed, {skipped} skipped".format(**self.counts))
        return 1 if self.counts["failed"] or not self.counts["passed"] else 0


def check_programs(parser, *folders):
    """A usage error where one of the folders has no heddle."""
    for folder in folders:
        if not os.access(folder / "heddle", os.X_OK):
            parser.error(f"no program {folder / 'heddle'}")


def open_suite(kind, options, folder):
    """(suite, its machine); ends with exit code 3 where there is no such device."""
    suite = kind(options, folder)
    try:
        machine = suite.machine()
    except corpus.ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3)
    print(f"{machine['device']}, {machine['target']}", flush=True)
    return suite, machine
