#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every default instantiation of the attention skeletons, needs no GPU, and records what each takes.

For head sizes 16 to 256, float32, bf16 and f16, kinds full, causal, window, mask and score, for sm_80 and sm_90a, rows aligned:
registers, spills, shared memory as a CSV on standard output. In bf16 and f16 sm_90a has two forward kernels up to 128: wgmma, and mma
for operands that the tensor unit does not copy. Backward has keys, queries (bf16 and f16) and bias. Exits 1 where a kernel spills, or needs more shared memory than the
architecture gives a block. Also compiles each device header alone.

    test/gpu/attention/resources.py [--jobs N] [--dims 64,128] [--arch 80] > resources.csv
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
DEVICE = os.path.join(ROOT, "compiler/Target/CUDA/device")
DIMS = [16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 160, 192, 224, 256]
# Causal, mask, score, window.
KINDS = {"full": (0, 0, 0, 0), "causal": (1, 0, 0, 0), "window": (1, 0, 0, 1000), "mask": (0, 1, 0, 0), "score": (1, 0, 1, 0)}
TYPES = {"f32": "float", "bf16": "heddle::bf16", "f16": "heddle::f16"}
# Shared memory of a block, dynamic, after the opt-in (CUDA C++ Programming Guide, compute capabilities).
SHARED_LIMIT = {"80": 163 * 1024, "90a": 227 * 1024}
# TargetInfo::spillsWideKeys.
SPILLS_WIDE_KEYS = {"80": "true", "90a": "false"}

SOURCE = """
#include "attention_tiles.h"
#include "{header}"
#include "bench/kernels/attention_score.cuh"
constexpr int D = {dim};
constexpr heddle::AttentionTile {tiles};
{kernels}
"""
KERNEL = """
extern "C" __global__ void __launch_bounds__({tile}.warps * 32, {tile}.minBlocks)
{name}(const __grid_constant__ heddle::AttentionParams<{type}> p,
     const __grid_constant__ heddle::bench::TestScore<{causal}, {mask}, {score}, {window}> s{maps}) {{
  heddle::attention_forward<{type}, D, D, {tile}.tileM, {tile}.tileN, {tile}.warps{stages}>(p, s{operands});
}}
"""
MAPS = ("q_map", "k_map", "v_map")
BACKWARD = """
extern "C" __global__ void __launch_bounds__(tile.warps * 32, tile.minBlocks)
{kind}(const __grid_constant__ heddle::AttentionBackwardParams<{type}> p{gradient},
     const __grid_constant__ heddle::bench::TestScore<{causal}, {mask}, {score}, {window}, {slope}> s) {{
  heddle::attention_backward_{kernel}<{type}, D, D, tile.tileM, tile.tileN, tile.warps{stages}>(p{operand}, s);
}}
"""
# Kernel of backward -> (tile of dim, generated, limit, spills; shared bytes of a tile).
SIMT = ("attentionBackwardSimtTile({d}, {d}, {generated}, {limit})", "attentionBackwardSimtSharedBytes({d}, {d}, {tile})")
BACKWARD_KERNELS = {
    "keys-simt": SIMT, "bias-simt": SIMT,
    "keys-mma": ("attentionBackwardMmaKeysTile({d}, {d}, {limit}, {spills})",
                 "attentionBackwardMmaSharedBytes({d}, {d}, {tile}.tileN, {tile}.tileM, {tile}.stages)"),
    "queries-mma": ("attentionBackwardMmaQueriesTile({d}, {d}, {limit})",
                    "attentionBackwardMmaSharedBytes({d}, {d}, {tile}.tileM, {tile}.tileN, {tile}.stages)"),
    "bias-mma": ("attentionBackwardMmaBiasTile({d}, {d})",
                 "attentionBackwardMmaSharedBytes({d}, {d}, {tile}.tileM, {tile}.tileN, {tile}.stages)")}


def nvcc(source, arch, scratch, name):
    path = os.path.join(scratch, name + ".cu")
    with open(path, "w") as file:
        file.write(source)
    command = ["nvcc", "-std=c++17", f"-gencode=arch=compute_{arch},code=sm_{arch}", "-cubin", "-Xptxas", "-v",
               "-I", DEVICE, "-I", ROOT, "-o", path + ".cubin", path]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{name}: {run.stderr}")
    return run.stderr


def registers_of(source, arch, scratch, name):
    """Registers and spilled bytes of the one kernel of a program."""
    log = nvcc(source, arch, scratch, name)
    return (int(re.search(r"Used (\d+) registers", log).group(1)),
            sum(map(int, re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log).groups())))


def tile_table(scratch):
    """What attention_tiles.h says, asked of the header itself: (family, arch, size, causal, generated) -> (tile, bytes)."""
    path = os.path.join(scratch, "table.cpp")
    targets = ", ".join(f'{{"{arch}", {limit}, {SPILLS_WIDE_KEYS[arch]}}}' for arch, limit in SHARED_LIMIT.items())
    with open(path, "w") as file:
        file.write('#include "attention_tiles.h"\n#include <cstdio>\n#include <initializer_list>\nusing namespace heddle;\n'
                   "struct Target { const char *arch; int limit; bool spills; };\nint main() {\n"
                   "  for (int d = 8; d <= 256; d += 8) for (int c = 0; c < 2; ++c) for (int g = 0; g < 2; ++g)\n"
                   f"  for (auto [arch, limit, spills] : {{{targets.replace('{', 'Target{')}}}) {{\n"
                   "    AttentionTile m = attentionMmaTile(d, d, g), s = attentionSimtTile(d, d, g, c, limit);\n"
                   "    AttentionTile w = attentionWgmmaTile(d, d, c, g);\n"
                   '    if (d <= kAttentionWgmmaDim) std::printf("wgmma %s %d %d %d %dx%dx%dx%d %d\\n", arch, d, c, g,'
                   " w.tileM, w.tileN, w.warps, w.minBlocks, attentionWgmmaSharedBytes(d, d, w));\n"
                   '    std::printf("mma %s %d %d %d %dx%dx%dx%d %d\\n", arch, d, c, g, m.tileM, m.tileN, m.warps,'
                   " m.minBlocks, attentionMmaSharedBytes(d, d, m));\n"
                   '    std::printf("simt %s %d %d %d %dx%dx%dx%d %d\\n", arch, d, c, g, s.tileM, s.tileN, s.warps,'
                   " s.minBlocks, attentionSimtSharedBytes(d, d, s));\n")
        for family, (tile, shared) in BACKWARD_KERNELS.items():
            file.write(f"    {{ AttentionTile t = {tile.format(d='d', generated='g', limit='limit', spills='spills')};\n"
                       f'    std::printf("{family} %s %d %d %d %dx%dx%dx%d %d\\n", arch, d, c, g, t.tileM, t.tileN, t.warps,'
                       f" t.minBlocks, {shared.format(d='d', tile='t')}); }}\n")
        file.write("  }\n}\n")
    subprocess.run(["c++", "-std=c++17", "-I", DEVICE, path, "-o", path + ".out"], check=True)
    lines = subprocess.run([path + ".out"], check=True, capture_output=True, text=True).stdout.split("\n")
    table = {}
    for line in filter(None, lines):
        family, arch, *key, tile, shared = line.split()
        table[(family, arch, *map(int, key))] = (tile, int(shared))
    return table


def families_of(arch, element, dim, table):
    """Those that TargetInfo::attention may choose."""
    backward = [family for family in BACKWARD_KERNELS if family.endswith("simt" if element == "f32" else "mma")]
    if element == "f32":
        return ["simt"] + backward
    wgmma = arch == "90a" and ("wgmma", arch, dim, 0, 0) in table
    return (["wgmma"] if wgmma else []) + ["mma"] + backward


def compile_kernel(arch, family, element, dim, kind, scratch):
    """One kernel a program: ptxas 13.0 crashes for sm_80 on four float32 instantiations in one."""
    causal, mask, score, window = KINDS[kind]
    generated = "true" if mask or score else "false"
    if family in BACKWARD_KERNELS:
        name, version = family.split("-")
        tile = BACKWARD_KERNELS[family][0].format(d="D", generated=generated, limit=SHARED_LIMIT[arch],
                                                  spills=SPILLS_WIDE_KEYS[arch])
        bias = name == "bias"
        kernel = BACKWARD.format(kind=kind, kernel=name, type=TYPES[element], causal=causal, mask=mask, score=score, window=window,
                                 slope=0 if bias else score, stages=", tile.stages" if version == "mma" else "",
                                 gradient=", const __grid_constant__ heddle::AttentionBiasGradient g" if bias else "",
                                 operand=", g" if bias else "")
        text = SOURCE.format(header=f"attention_backward_{version}.cuh", dim=dim, tiles=f"tile = heddle::{tile}", kernels=kernel)
        return arch, family, element, dim, kind, *registers_of(text, arch, scratch, f"{family}_{element}_{dim}_{kind}_{arch}")
    function = {"simt": f"attentionSimtTile(D, D, {generated}, {causal}, {SHARED_LIMIT[arch]})",
                "mma": f"attentionMmaTile(D, D, {generated})",
                "wgmma": f"attentionWgmmaTile(D, D, {causal}, {generated})"}[family]
    kernel = KERNEL.format(tile="tile", name=kind, type=TYPES[element], causal=causal, mask=mask, score=score,
                           window=window, stages=", tile.stages" if family == "wgmma" else "",
                           maps="".join(f", const __grid_constant__ heddle::TensorMap {name}" for name in MAPS)
                           if family == "wgmma" else "",
                           operands="".join(f", {name}" for name in MAPS) if family == "wgmma" else "")
    text = SOURCE.format(header=f"attention_forward_{family}.cuh", dim=dim, tiles=f"tile = heddle::{function}",
                         kernels=kernel)
    return arch, family, element, dim, kind, *registers_of(text, arch, scratch, f"{family}_{element}_{dim}_{kind}_{arch}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dims", default=",".join(map(str, DIMS)))
    parser.add_argument("--arch", default="80,90a")
    parser.add_argument("--families", help="only these: mma, wgmma, simt, " + ", ".join(BACKWARD_KERNELS))
    arguments = parser.parse_args()
    dims = [int(d) for d in arguments.dims.split(",")]
    archs = arguments.arch.split(",")
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for header in sorted(os.listdir(DEVICE)):
            if header.endswith(".cuh"):
                nvcc(f'#include "{header}"\n', "90a", scratch, "alone_" + header.replace(".", "_"))
        table = tile_table(scratch)
        print("arch,family,element,d,kind,tile_m x tile_n x warps x min_blocks,registers,spill_bytes,shared_bytes")
        jobs = [(a, f, e, d, k) for a in archs for e in TYPES for d in dims for f in families_of(a, e, d, table) for k in KINDS
                if not arguments.families or f in arguments.families.split(",")
                if k == "score" or not f.startswith("bias")]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = pool.map(lambda job: compile_kernel(*job, scratch), jobs)
            for arch, family, element, dim, kind, registers, spills in results:
                causal, mask, score, _ = KINDS[kind]
                tile, shared = table[family, arch, dim, causal, int(mask or score)]
                print(f"sm_{arch},{family},{element},{dim},{kind},{tile},{registers},{spills},{shared}", flush=True)
                if spills or shared > SHARED_LIMIT[arch]:
                    print(f"error: {family} {element} {dim} {kind} on sm_{arch} spills or does not fit", file=sys.stderr)
                    bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
