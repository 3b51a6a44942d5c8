"""The dictionary that the graph reader is fuzzed with has every op of the graph dialect."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFINITION = re.compile(r'^def Graph_\w+Op : Graph_\w+<"(\w+)"', re.MULTILINE)

ops = {f"graph.{name}" for path in (ROOT / "dialects" / "Graph").glob("*.td") for name in DEFINITION.findall(path.read_text())}
words = set(re.findall(r'"([\w.]+)"', (ROOT / "test" / "fuzz" / "dictionaries" / "graph").read_text()))
if len(ops) < 50 or ops - words:
    sys.exit(f"{len(ops)} ops, not in test/fuzz/dictionaries/graph: {sorted(ops - words)}")
