"""What the documents name between backticks and what looks like a path of the repository is there: `compiler/Fusion`, `bench/peers/compare
--python X`, `test/{unit,gpu}`, `docs/*.md`. A name without its ending stands for files that begin so: `runtime/base/Status`. Alone, a
name such as `Status.h` is that of some file."""

import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOP = {path.name for path in ROOT.iterdir()} - {"build"}
BRACES = re.compile(r"\{([^{}]*)\}")
ALONE = re.compile(r"[A-Z]\w*\.(?:h|cpp|td)")


def expanded(text):
    found = BRACES.search(text)
    if not found:
        return [text]
    return list(itertools.chain.from_iterable(expanded(text[:found.start()] + part.strip() + text[found.end():])
                                              for part in found[1].split(",")))


names = {path.name for folder in ("compiler", "dialects", "runtime", "tools", "test", "bench")
         for path in (ROOT / folder).rglob("*.*")}
faults, seen = [], 0
for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
    text = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m[0]), page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for quoted in re.finditer(r"`([^`\n]+)`", text):
        where = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, quoted.start()) + 1}"
        words = expanded(quoted[1])[0].split() if " " in quoted[1] else []
        for word in words[:1] or expanded(quoted[1]):
            path = word.rstrip("/.,:")
            if ALONE.fullmatch(path):
                seen += 1
                if path not in names:
                    faults.append(f"{where}: there is no file {path}")
                continue
            if "/" not in path or path.split("/")[0] not in TOP or re.search(r"[<>…A-Z]{3}|[<>…]", path.split("/")[-1]):
                continue
            seen += 1
            if not (any(ROOT.glob(path)) or any(ROOT.glob(path + ".*"))):
                faults.append(f"{where}: there is no {path}")
if seen < 100:
    faults.append(f"only {seen} names were found")
sys.exit("\n".join(faults) or 0)
