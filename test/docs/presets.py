"""The table of presets in README.md is that of the code, and the parameters are those that `heddle explain` counts."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = re.compile(r'\{"(study:\w+)", (\d+), (\d+), (\d+), (\d+)\}')
ROW = re.compile(r"^\| `(study:\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| ([\d,]+) \|$", re.M)

code = {name: (layers, width, mlp, heads) for name, width, mlp, layers, heads in
        SIZE.findall((ROOT / "compiler" / "Import" / "Presets.cpp").read_text())}
page = {name: rest for name, *rest in ROW.findall((ROOT / "README.md").read_text())}
if len(code) < 5 or list(code) != list(page):
    sys.exit(f"presets of the code {list(code)}, of README.md {list(page)}")
for name, (*sizes, parameters) in page.items():
    if tuple(sizes) != code[name]:
        sys.exit(f"{name}: layers, width, MLP and heads are {code[name]}; README.md says {sizes}")
    explained = subprocess.run(["heddle", "explain", name, "--context", "16"], capture_output=True, text=True)
    found = re.search(r"^parameters +([\d,]+) ", explained.stdout, re.M)
    if explained.returncode or not found or found[1] != parameters:
        sys.exit(f"{name}: README.md says {parameters} parameters; found {found and found[1]} {explained.stderr[:500]}")
