#!/usr/bin/env bash
# Runs the end-to-end tests where there is no lit: only Python and the driver are needed.
# Usage: without-lit.sh FOLDER_OF_HEDDLE [cpu|cuda]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$1:$PATH HEDDLE_DEVICE=${2:-cpu} PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

failed=0
for test in "$here"/*.py; do
  name=$(basename "$test" .py)
  code=0
  python3 "$test" "$folder/$name" >"$folder/log" 2>&1 || code=$?
  if [ "$code" -eq 0 ]; then
    echo "passed: $name: $(tail -n 1 "$folder/log")"
  elif [ "$code" -eq 77 ]; then # A test for another device; see support/driver.py.
    echo "skipped: $name: $(tail -n 1 "$folder/log")"
  else
    echo "FAILED: $name"
    tail -n 40 "$folder/log" | cut -c1-1000
    failed=$((failed + 1))
  fi
  rm -rf "${folder:?}/$name"
done
[ "$failed" -eq 0 ] || { echo "$failed tests failed" >&2; exit 1; }
