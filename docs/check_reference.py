"""Checks generated reference pages: check_reference.py PAGE.md…

Every page has entries (ops, passes or interfaces), and every op and pass has a summary and a description beside its
syntax. Prints one line for each thing that is missing and exits with 1.
"""

import re
import sys

# An entry's lines that are made from its definition and describe nothing.
GENERATED = re.compile(r"^(Syntax:|Traits: |Interfaces: |Effects: |\[TOC\])")


def problems(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # Ops are headed "### `graph.add` (::heddle::graph::AddOp)", passes "### `-plan-memory`".
    entries = re.split(r"^### `([^`]+)`.*$", text, flags=re.MULTILINE)
    if len(entries) == 1:
        if not re.search(r"^## \S+ \(`\w+`\)$", text, flags=re.MULTILINE):
            yield f"{path}: has no ops, passes or interfaces"
        return
    for name, body in zip(entries[1::2], entries[2::2]):
        body = re.sub(r"^```\n.*?^```$", "", body.split("\n#")[0], flags=re.MULTILINE | re.DOTALL)
        lines = [line for line in body.splitlines() if line.strip() and not GENERATED.match(line)]
        if not lines or not re.fullmatch(r"_.+_", lines[0]):
            yield f"{path}: {name} has no summary"
        elif len(lines) == 1:
            yield f"{path}: {name} has no description"


def main(paths):
    if not paths:
        sys.exit(__doc__)
    found = [problem for path in paths for problem in problems(path)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
