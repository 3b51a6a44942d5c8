"""Adds up what test/run wrote: gtest cases, lit tests and single checks; prints `N passed, N failed, N skipped`.

Usage: summary.py RESULTS. Reads ctest-*.xml with gtest-*/*.json, lit-*.json and checks.tsv of that folder. A ctest
entry that wrote no gtest report (it crashed, or is no gtest program) counts as one test. Exit code 1 when a test
failed or when none passed or failed.
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
    """Outcome of each case of one gtest report, by name."""
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            name = f"{suite['name']}.{case['name']}"
            if case.get("failures"):
                yield name, "failed"
            elif case.get("result") == "SKIPPED" or case.get("status") == "NOTRUN":
                yield name, "skipped"
            else:
                yield name, "passed"


def collect(folder):
    """Yields (name, outcome, reason) for everything that ran or was left out."""
    for xml_file in sorted(folder.glob("ctest-*.xml")):
        preset = xml_file.stem.removeprefix("ctest-")
        for case in xml.etree.ElementTree.parse(xml_file).getroot().iter("testcase"):
            name, ran = case.get("name"), case.get("status") == "run"
            report = folder / f"gtest-{preset}" / f"{name}.json"
            cases = []
            if report.exists():
                try:
                    cases = list(gtest_cases(json.loads(report.read_text())))
                except json.JSONDecodeError:
                    pass
            for case_name, outcome in cases:
                yield f"{preset}: {case_name}", outcome, ""
            # The program's own verdict counts where its cases do not explain it: a crash, a leak found at exit.
            if not cases or (not ran and not any(o == "failed" for _, o in cases)):
                status = {"run": "passed", "notrun": "skipped", "disabled": "skipped"}.get(case.get("status"), "failed")
                yield f"{preset}: {name}", status, "no gtest report" if not cases else "the program failed after its cases"
    for lit_file in sorted(folder.glob("lit-*.json")):
        for test in json.loads(lit_file.read_text())["tests"]:
            yield f"{lit_file.stem}: {test['name']}", LIT_CODES[test["code"]], ""
    checks = folder / "checks.tsv"
    if checks.exists():
        for line in checks.read_text().splitlines():
            yield tuple(line.split("\t"))


def main():
    counts = collections.Counter()
    reasons = []
    for name, outcome, reason in collect(pathlib.Path(sys.argv[1])):
        counts[outcome] += 1
        if outcome == "failed" or (outcome == "skipped" and reason):
            reasons.append(f"{outcome}: {name}" + (f" ({reason})" if reason else ""))
    print("\n".join(sorted(reasons)))
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
