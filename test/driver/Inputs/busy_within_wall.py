"""Reads `heddle bench --format json`: whether each row's device-busy time lies within its wall time."""
import json
import sys

for row in json.load(sys.stdin):
    within = 0 < row["busy_ms"] <= row["median_ms"]
    print(row["impl"], "within" if within else f"busy {row['busy_ms']} ms, median {row['median_ms']} ms")
