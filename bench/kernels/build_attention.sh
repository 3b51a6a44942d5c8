#!/bin/sh
# Builds a standalone attention bench: bench/kernels/build_attention.sh [output file] [compute capability, 90a] [forward|backward]
# One program with the CUDA runtime inside; nothing else of the project is needed. JOBS: compilers at a time (2).
# UNITS: parts of attention_instances.cu or attention_backward_instances.cu, all that the target has unless given.
set -eu
. "$(dirname "$0")/../../cmake/usage.sh"
case "$#:${1:-}" in
[0-3]:-* | [4-9]:* | [1-9][0-9]*:*)
  echo "error: usage: build_attention.sh [output file] [compute capability] [forward|backward]; found '$*'" >&2
  exit 2
  ;;
esac
root=$(cd "$(dirname "$0")/../.." && pwd)
output=${1:-$root/build/attention_bench}
arch=${2:-90a}
pass=${3:-forward}
units=${UNITS:-0 1 2 3 4}
blocks=
flags=
case "$pass" in
forward)
  program=attention
  if [ "$arch" = 90a ]; then
    units=${UNITS:-0 1 2 3 4 5 6 7}
    blocks=$root/bench/kernels/wgmma_blocks.cu
  fi
  ;;
backward)
  program=attention_backward
  # Shared memory of a block after the opt-in, and TargetInfo's spillsWideKeys, by compute capability.
  case "$arch" in
  80) limit=166912 spills=true ;;
  90a) limit=232448 spills=false ;;
  *) echo "error: what compute capability '$arch' has is not known here; wanted 80 or 90a" >&2; exit 2 ;;
  esac
  flags="-DHEDDLE_SHARED_LIMIT=$limit -DHEDDLE_SPILLS_WIDE_KEYS=$spills"
  ;;
*)
  echo "error: unknown pass '$pass'; wanted forward or backward" >&2
  exit 2
  ;;
esac
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir -p "$(dirname "$output")"
nvcc="${NVCC:-nvcc} -std=c++17 -O3 -gencode=arch=compute_$arch,code=sm_$arch -I $root $flags"
printf '%s\n' $units | xargs -P "${JOBS:-2}" -I '{}' $nvcc -DHEDDLE_UNIT='{}' -c \
  "$root/bench/kernels/${program}_instances.cu" -o "$objects/unit{}.o"
$nvcc "$root/bench/kernels/$program.cu" $blocks "$objects"/unit*.o -cudart static -o "$output"
echo "$output"
