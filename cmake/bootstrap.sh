# What bench/run, test/run and .ci/run share: installs what a machine lacks, finds CUDA, configures and builds.
# Sourced by bash scripts that have set -euo pipefail, which thereby have --help. Each step does nothing, quickly, when its
# work is done.

. "$(dirname "${BASH_SOURCE[0]}")/usage.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*" >&2; }
note() { printf '   %s\n' "$*" >&2; }
die() { # die CODE TEXT…
  local code=$1
  shift
  printf 'error: %s\n' "$*" >&2
  exit "$code"
}

# packages GROUP…: the names in cmake/packages.txt that belong to the groups.
packages() {
  local groups=" $* "
  while read -r name group; do
    case "$name" in '' | '#'*) continue ;; esac
    case "$groups" in *" $group "*) echo "$name" ;; esac
  done <"$root/cmake/packages.txt"
}

# missing_packages NAME…: those that dpkg does not have installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | awk '$2 == "installed" { print $1 }' || true)
  for name in "$@"; do
    grep -qx -- "$name" <<<"$installed" || echo "$name"
  done
}

# install_packages GROUP…: apt-get for what is missing. Without root it tries sudo, and otherwise says the command.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    note "no dpkg here: going on with what is installed (cmake/packages.txt names what is needed)"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages $(packages "$@"))
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      die 3 "these packages are missing and installing them needs root; run:
  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
    fi
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >&2 || die 3 "apt-get update failed: is there a network?"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 ||
    die 3 "apt-get could not install: ${missing[*]}"
}

# compiler_possible: whether LLVM and MLIR 22 are here, or can come from this system's archive.
compiler_possible() {
  [ -f /usr/lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake ] && return 0
  command -v apt-cache >/dev/null || return 1
  # A fresh machine has no package lists yet: then the release decides. Debian 12 carries LLVM 22.
  local candidate
  candidate=$(apt-cache policy libmlir-22-dev 2>/dev/null | awk '$1 == "Candidate:" { print $2 }')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ] && return 0
  (. /etc/os-release && [ "$ID" = debian ] && [ "${VERSION_ID%%.*}" -ge 12 ])
}

# find_cuda: makes sure that the CUDA headers and libraries are here. A toolkit is found by CMake and by the runtime
# themselves; otherwise NVIDIA's wheels go into build/cuda, and cuda_flags and HEDDLE_CUDA_LIB_DIR point at them.
cuda_flags=()
find_cuda() {
  local toolkit
  for toolkit in "${CUDA_HOME:-}" /usr/local/cuda /opt/cuda; do
    if [ -n "$toolkit" ] && [ -f "$toolkit/include/nvrtc.h" ] && [ -f "$toolkit/include/cublasLt.h" ]; then
      return
    fi
  done
  local venv=$root/build/cuda
  if ! cmp -s cmake/cuda-wheels.txt "$venv/installed.txt"; then
    say "No CUDA toolkit found: fetching NVRTC, the runtime headers and cuBLAS as wheels into build/cuda (about 0.6 GB)"
    rm -rf "$venv"
    mkdir -p build
    python3 -m venv "$venv" || die 3 "python3 -m venv failed: is python3-venv installed?"
    "$venv/bin/pip" install --disable-pip-version-check --no-deps -r cmake/cuda-wheels.txt >&2 ||
      die 3 "pip could not fetch the CUDA wheels of cmake/cuda-wheels.txt; with a CUDA 13 toolkit set CUDA_HOME instead"
    # What CMake remembers of the machine was found without these.
    rm -f build/*/CMakeCache.txt
    cp cmake/cuda-wheels.txt "$venv/installed.txt"
  fi
  local wheels
  wheels=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13)
  [ -f "$wheels/include/nvrtc.h" ] || die 3 "the CUDA wheels in build/cuda are incomplete; remove build/cuda and try again"
  cuda_flags=(-DHEDDLE_CUDA_INCLUDE_DIRS="$wheels/include")
  export HEDDLE_CUDA_LIB_DIR=$wheels/lib
}

# jobs: one a core, but no more than memory holds: a unit that includes MLIR takes up to 1.5 GB to compile.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo)
  [ "$memory" -lt 1 ] && memory=1
  echo $((cores < memory ? cores : memory))
}

# build PRESET [TARGET…]: configures build/PRESET and builds it; ninja shows the progress.
build() {
  local preset=$1
  shift
  mkdir -p "build/$preset"
  cmake --preset "$preset" "${cuda_flags[@]}" >"build/$preset/configure.log" 2>&1 || {
    cat "build/$preset/configure.log" >&2
    die 3 "cmake could not configure preset $preset"
  }
  say "Building preset $preset with $(jobs) jobs"
  cmake --build "build/$preset" -j "$(jobs)" ${1:+--target "$@"} >&2 || die 70 "the build of preset $preset failed"
}

# has_gpu: whether the NVIDIA driver lists a GPU.
has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}
