"""Adds up what test/run wrote: gtest cases, lit tests and single checks; prints `N passed, N failed, N skipped`.

Usage: summary.py RESULTS. Reads ctest-*.xml with gtest-*/*.xml, lit-*.json and checks.tsv of that folder. A ctest entry that
wrote no gtest report (it crashed, or is no gtest program) counts as one test. Exit code 1 when a test failed or when none
passed or failed.
"""

import collections
import json
import pathlib
import sys
import xml.etree.ElementTree

LIT_CODES = {
    "PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed",
    "FAIL": "failed", "XPASS": "failed", "UNRESOLVED": "failed", "TIMEOUT": "failed",
    "UNSUPPORTED": "skipped", "SKIPPED": "skipped", "EXCLUDED": "skipped",
}


def gtest_cases(report):
    """(name, outcome, reason) of each case of one gtest report; nothing where the report was cut short."""
    try:
        root = xml.etree.ElementTree.parse(report).getroot()
    except (FileNotFoundError, xml.etree.ElementTree.ParseError):
        return
    for case in root.iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            yield name, "failed", ""
        elif skipped is not None or case.get("status") == "notrun":
            # The message begins with file and line; its last line says why.
            message = (skipped.get("message") or skipped.text or "") if skipped is not None else ""
            yield name, "skipped", (message.strip().splitlines() or ["disabled"])[-1].strip()
        else:
            yield name, "passed", ""


def ctest_results(folder, xml_file):
    """What ctest ran, by gtest's cases where there are any."""
    preset = xml_file.stem.removeprefix("ctest-")
    for entry in xml.etree.ElementTree.parse(xml_file).getroot().iter("testcase"):
        name, status = entry.get("name"), entry.get("status")
        cases = list(gtest_cases(folder / f"gtest-{preset}" / f"{name}.xml"))
        for case, outcome, reason in cases:
            yield f"{preset}: {case}", outcome, reason
        # The program's own verdict counts where its cases do not explain it: a crash, a leak found at exit, a program
        # that was not built (ctest: notrun).
        if not cases:
            outcome = {"run": "passed", "disabled": "skipped"}.get(status, "failed")
            yield f"{preset}: {name}", outcome, "" if outcome == "passed" else f"ctest: {status}"
        elif status != "run" and all(outcome != "failed" for _, outcome, _ in cases):
            yield f"{preset}: {name}", "failed", "the program failed after its cases"


def lit_results(lit_file):
    for test in json.loads(lit_file.read_text())["tests"]:
        outcome = LIT_CODES[test["code"]]
        yield f"{lit_file.stem}: {test['name']}", outcome, test.get("output", "").strip() if outcome == "skipped" else ""


def collect(folder):
    """Yields (name, outcome, reason) for everything that ran or was left out."""
    for xml_file in sorted(folder.glob("ctest-*.xml")):
        yield from ctest_results(folder, xml_file)
    for lit_file in sorted(folder.glob("lit-*.json")):
        yield from lit_results(lit_file)
    checks = folder / "checks.tsv"
    if checks.exists():
        for line in checks.read_text().splitlines():
            yield tuple(line.split("\t"))


def main():
    counts = collections.Counter()
    failed, skipped = [], collections.defaultdict(list)
    for name, outcome, reason in collect(pathlib.Path(sys.argv[1])):
        counts[outcome] += 1
        if outcome == "failed":
            failed.append(f"failed: {name}" + (f" ({reason})" if reason else ""))
        elif outcome == "skipped":
            skipped[reason].append(name)
    for reason, names in sorted(skipped.items()):
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        print(f"skipped: {names[0]}{more} ({reason or 'no reason given'})")
    for line in failed:
        print(line)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
