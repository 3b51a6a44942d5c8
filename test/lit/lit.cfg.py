"""The lit suites of Heddle. Programs are found by name: those of the build, then LLVM's test tools.

Features: `compiler` (built with it), `nvrtc` (kernels can be compiled), `cuda` (kernels can be run), `nvcc` (a whole
program can be compiled). `nvrtc` and `cuda` are what `heddle devices` found, so that tests and users see one truth.
HEDDLE_LIT_ROUNDTRIP=1 makes every heddle-opt print what it read, read that back and compare.
"""

import json
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.join(config.heddle_source, "test")
# Not lit tests: gtest programs, this configuration, inputs that tests read, and what only a GPU runs by its own command.
config.excludes = ["unit", "lit", "Inputs", "gpu", "fuzz"]

config.environment["PATH"] = os.pathsep.join([config.heddle_bin, config.llvm_test_tools, os.environ["PATH"]])
# Tests must not share the user's cache: what is in it would decide what they see.
config.environment["HEDDLE_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
for name in ("HEDDLE_CUDA_LIB_DIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%source", config.heddle_source))
config.substitutions.append(("%build", config.heddle_build))
config.substitutions.append(("%python", sys.executable))
if os.environ.get("HEDDLE_LIT_ROUNDTRIP") == "1":
    config.substitutions.append((r"\bheddle-opt\b", "heddle-opt --verify-roundtrip"))

if config.heddle_compiler:
    config.available_features.add("compiler")

nvcc = shutil.which("nvcc", path=os.pathsep.join(
    [os.path.join(os.environ.get("CUDA_HOME") or "/usr/local/cuda", "bin"), os.environ["PATH"]]))
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))
else:
    lit_config.note("no nvcc: the tests that build kernel benches are left out")

heddle = os.path.join(config.heddle_bin, "heddle")
if os.path.exists(heddle):
    found = subprocess.run([heddle, "devices", "--format", "json"], capture_output=True, text=True, env=config.environment)
    if found.returncode != 0:
        lit_config.fatal(f"`heddle devices` failed:\n{found.stderr}")
    for device in json.loads(found.stdout)["devices"]:
        if device["available"]:
            config.available_features.add(device["device"])
    for library in json.loads(found.stdout)["libraries"]:
        if library["available"]:
            config.available_features.add(library["library"].lower())
