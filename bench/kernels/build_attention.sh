#!/bin/sh
# Builds the standalone attention bench: bench/kernels/build_attention.sh [output file] [compute capability, 90a]
# One program with the CUDA runtime inside; nothing else of the project is needed. JOBS: compilers at a time (2).
# UNITS: parts of attention_instances.cu, all that the target has unless given.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
output=${1:-$root/build/attention_bench}
arch=${2:-90a}
units=${UNITS:-0 1 2 3 4}
blocks=
if [ "$arch" = 90a ]; then
  units=${UNITS:-0 1 2 3 4 5 6 7}
  blocks=$root/bench/kernels/wgmma_blocks.cu
fi
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir -p "$(dirname "$output")"
nvcc="${NVCC:-nvcc} -std=c++17 -O3 -gencode=arch=compute_$arch,code=sm_$arch -I $root"
printf '%s\n' $units | xargs -P "${JOBS:-2}" -I '{}' $nvcc -DHEDDLE_UNIT='{}' -c \
  "$root/bench/kernels/attention_instances.cu" -o "$objects/unit{}.o"
$nvcc "$root/bench/kernels/attention.cu" $blocks "$objects"/unit*.o -cudart static -o "$output"
echo "$output"
