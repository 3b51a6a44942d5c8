#!/bin/sh
# Builds the standalone attention bench: bench/kernels/build_attention.sh [output file] [compute capability, 90a]
# One program with the CUDA runtime inside; nothing else of the project is needed. JOBS: compilers at a time (2).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
output=${1:-$root/build/attention_bench}
arch=${2:-90a}
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir -p "$(dirname "$output")"
nvcc="${NVCC:-nvcc} -std=c++17 -O3 -gencode=arch=compute_$arch,code=sm_$arch -I $root"
seq 0 4 | xargs -P "${JOBS:-2}" -I '{}' $nvcc -DHEDDLE_UNIT='{}' -c "$root/bench/kernels/attention_instances.cu" \
  -o "$objects/unit{}.o"
$nvcc "$root/bench/kernels/attention.cu" "$objects"/unit*.o -cudart static -o "$output"
echo "$output"
