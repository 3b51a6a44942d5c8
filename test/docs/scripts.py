"""Every program of the repository that is run by its path says what it is for with --help, refuses a flag that it does not
know, and does nothing else: it writes nothing here and starts no work, which would take longer than it is given."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Their flags are those of another program.
HANDS_ON = {"bench/run", "test/minilm/run"}


def state():
    """Every file that no build, interpreter or editor makes; those that a script here rewrites, with their time."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in ("build", ".git", "__pycache__")]
        for path in (os.path.join(folder, name) for name in files if not name.startswith(".")):
            found[path] = os.stat(path).st_mtime_ns if "golden" in path else 0
    return found


before = state()
scripts = sorted(path.relative_to(ROOT).as_posix() for path in map(pathlib.Path, before)
                 if os.access(path, os.X_OK) and path.read_bytes()[:2] == b"#!" and "Inputs" not in path.parts)
faults = []
for script in scripts:
    for arguments, wanted in ((["--help"], 0), (["--frobnicate"], 2)):
        if wanted and script in HANDS_ON:
            continue
        label = f"{script} {arguments[0]}"
        try:
            done = subprocess.run([ROOT / script, *arguments], capture_output=True, text=True, timeout=60, cwd=ROOT,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            faults.append(f"{label}: it began to work")
            continue
        if done.returncode != wanted:
            faults.append(f"{label}: wanted exit code {wanted}, found {done.returncode}: {done.stderr[-300:]}")
        name = pathlib.PurePath(script).name
        if wanted == 0 and (name not in done.stdout or done.stderr):
            faults.append(f"{label}: wanted its usage and nothing on stderr, found {done.stdout[:300]!r}, {done.stderr[:300]!r}")
        if wanted and ("--frobnicate" not in done.stderr and "usage" not in done.stderr or "Traceback" in done.stderr):
            faults.append(f"{label}: wanted an error that says what is wanted, found {done.stderr[:300]!r}")
after = state()
faults += [f"written or removed: {path}" for path in sorted(set(before.items()) ^ set(after.items()))]
if len(scripts) < 15:
    faults.append(f"found only {scripts}")
sys.exit("\n".join(faults) or 0)
