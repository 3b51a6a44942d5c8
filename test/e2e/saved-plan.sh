#!/usr/bin/env bash
# A plan that one driver saved runs with another that has no compiler, and gives the same bits.
# Usage: saved-plan.sh HEDDLE RUNTIME_ONLY_HEDDLE
set -euo pipefail
. "$(dirname "$0")/../../cmake/usage.sh"
[ $# -eq 2 ] || { echo "error: usage: saved-plan.sh HEDDLE RUNTIME_ONLY_HEDDLE; found $# arguments" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$1" compile study:small --layers 2 --context 32 --batch 2 --vocab 1000 -o "$folder/plan.heddle"
"$1" run "$folder/plan.heddle" --input random:1 --output "$folder/first.safetensors"
"$2" run "$folder/plan.heddle" --input random:1 --output "$folder/second.safetensors"
cmp "$folder/first.safetensors" "$folder/second.safetensors"

# The driver without the compiler must not lean on LLVM in any other way.
if ldd "$2" | grep -E 'LLVM|MLIR'; then
  echo "$2 links LLVM" >&2
  exit 1
fi
