"""Builds every kernel bench of a folder by the command in its first line. Usage: compile_benches.py NVCC FOLDER"""

import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

nvcc, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def build(path):
    command = re.match(r"// nvcc (.*) && \./", path.read_text())
    if not command:
        sys.exit(f"{path.name}: wanted the command that builds it in the first line")
    done = subprocess.run([nvcc, *command[1].split()], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0 or not (folder / path.stem).exists():
        sys.exit(f"{path.name}: {done.stdout}{done.stderr}")


benches = sorted(folder.glob("*.cu"))
with ThreadPoolExecutor(2) as pool:
    list(pool.map(build, benches))
print(f"built {len(benches)} benches")
