"""Study table S4, precision: float32 against bf16 autocast at each size; prints CSV.

python3 bench/study/s4.py --sizes small medium --plot s4.svg
python3 bench/study/s4.py --table types
python3 bench/study/s4.py --table accumulation

times: time and peak memory of both; time_ratio (of means, with the range that one deviation of both allows) and memory_ratio
are float32's over bf16's. types: what Heddle's autocast makes of each kind of value: parameters, loss, gradients and logits as
a small model of the same policy stores them, all else by the policy's table, which stands behind them. accumulation: 0.01 added
a thousand times, one addition after the other, each rounded to its type (eager execution; compiled code keeps a chain of
additions in float32 registers).
"""

import argparse
import json
import pathlib
import struct
import tempfile

import plot
from heddle_bench import (TIMES, Budget, Output, add_arguments, add_model_arguments, bench, call, model_flags, ratio_of,
                          times_of)
from training_data import read_safetensors, write_npy

ADDITIONS = 1000
# Name of the sum: (type of the terms, type of the sum).
SUMS = {"float32": ("f32", "f32"), "float16": ("f16", "f16"), "bfloat16": ("bf16", "bf16"),
        "float16 terms in float32": ("f16", "f32"), "bfloat16 terms in float32": ("bf16", "f32")}


def times_table(arguments):
    budget, drawn = Budget(arguments.budget_s), {}
    output = Output(arguments, ["size", "mode", "impl", "precision", *TIMES, "time_ratio", "low", "high", "memory_ratio"])
    for size in arguments.sizes:
        for mode in arguments.modes:
            if not budget.allows(f"{size} {mode}"):
                continue
            rows = {precision: bench(arguments, f"study:{size}", *model_flags(arguments, precision, mode))
                    for precision in ("fp32", "bf16")}
            for impl in arguments.impls:
                full, low = (rows[precision][impl] for precision in ("fp32", "bf16"))
                output.row(size, mode, impl, "fp32", *times_of(full), "", "", "", "")
                memory = f"{full['peak_bytes'] / low['peak_bytes']:.2f}" if full and low else ""
                output.row(size, mode, impl, "bf16", *times_of(low), *ratio_of(full, low), memory)
                for precision, row in (("fp32", full), ("bf16", low)):
                    drawn.setdefault(f"{size} {mode}", {})[f"{impl} {precision}"] = row and (row["mean_ms"], row["std_ms"])
    budget.report()
    if arguments.plot:
        plot.bars(arguments.plot, f"S4: batch {arguments.batch}, context {arguments.context}", "ms, mean and deviation", drawn,
                  logarithmic=True)


def header_of(path):
    """Of a safetensors file: {name: type}."""
    return {name: kind for name, (kind, _, _) in read_safetensors(pathlib.Path(path)).items()}


def stored_types(arguments, folder):
    """(value, type) of what a small model of the policy reads and writes. More than one type for a kind of value is a fault."""
    small = ["study:small", "--layers", 1, "--vocab", 256, "--context", 16, "--batch", 1, "--precision", "bf16", "--device",
             arguments.device, "--input", "random:1"]
    for mode in ("forward", "backward"):
        call([arguments.heddle, "run", *small, "--mode", mode, "--output", f"{folder}/{mode}.safetensors", "--save-weights",
              f"{folder}/weights.safetensors"])
    backward = header_of(f"{folder}/backward.safetensors")
    found = {"parameters": set(header_of(f"{folder}/weights.safetensors").values()),
             "logits": {header_of(f"{folder}/forward.safetensors")["logits"]}, "loss": {backward["loss"]},
             "gradients": {kind for name, kind in backward.items() if name.endswith(".grad")}}
    return [(value, "+".join(sorted(kinds)).lower()) for value, kinds in found.items()]


def types_table(arguments):
    output = Output(arguments, ["value", "role", "compute", "accumulate", "result"])
    with tempfile.TemporaryDirectory() as folder:
        for value, kind in stored_types(arguments, folder):
            output.row(value, "", "", "", kind)
    done = call([arguments.heddle, "explain", "study:small", "--layers", 1, "--precision", "bf16", "--mode", "step", "--format",
                 "json"])
    for row in json.loads(done.stdout)["policy"]:
        output.row(row["op"], row["role"], row["compute"], row["accumulate"], row["result"])


def accumulation_graph():
    """The sums of SUMS as one graph; its input `term` is float32."""
    lines, results = [], []
    for index, (term, total) in enumerate(SUMS.values()):
        value, kind = "%term", "f32"
        for step, wanted in enumerate((term, total)):
            if wanted != kind:
                lines.append(f"  %c{index}_{step} = graph.cast {value} : tensor<1x{kind}> -> tensor<1x{wanted}>")
                value, kind = f"%c{index}_{step}", wanted
        addend = value
        for count in range(1, ADDITIONS):
            lines.append(f"  %s{index}_{count} = graph.add {value}, {addend} : tensor<1x{total}>")
            value = f"%s{index}_{count}"
        if total != "f32":
            lines.append(f"  %r{index} = graph.cast {value} : tensor<1x{total}> -> tensor<1xf32>")
            value = f"%r{index}"
        results.append(value)
    kinds = ", ".join("tensor<1xf32>" for _ in results)
    named = ", ".join(f'tensor<1xf32> {{graph.name = "sum{index}"}}' for index in range(len(results)))
    return (f'func.func @main(%term: tensor<1xf32> {{graph.name = "term"}}) -> ({named}) {{\n' + "\n".join(lines) +
            f"\n  return {', '.join(results)} : {kinds}\n}}\n")


def accumulation_table(arguments):
    output = Output(arguments, ["sum", "terms", "total", "value"])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "sums.mlir").write_text(accumulation_graph())
        write_npy(folder / "term.npy", (1,), [0.01], "f")
        call([arguments.heddle, "run", folder / "sums.mlir", "--device", arguments.device, "--impl", "eager", "--input",
              f"term={folder / 'term.npy'}", "--output", folder / "sums.safetensors"])
        found = read_safetensors(folder / "sums.safetensors")
        for index, (name, (term, total)) in enumerate(SUMS.items()):
            (value,) = struct.unpack("<f", found[f"sum{index}"][2])
            output.row(name, term, total, f"{value:.4f}")


TABLES = {"times": times_table, "types": types_table, "accumulation": accumulation_table}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=TABLES, default="times")
    add_model_arguments(parser, sizes=("small", "medium", "large", "xl"), precisions=(), modes=("forward", "step"))
    add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.plot and arguments.table != "times":
        parser.error("--plot: only the table of times is drawn")
    TABLES[arguments.table](arguments)


if __name__ == "__main__":
    main()
