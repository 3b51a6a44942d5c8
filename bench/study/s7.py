"""Study table S7: attention of one head, eager against compiled, over head sizes and lengths; prints CSV.

python3 bench/study/s7.py --dims 64 --lengths 4096 16384 --modes forward backward --plot s7.svg
Float32, batch 8, no mask, unless --dtype, --heads, --tokens (batch times length stays at that) and --causal say otherwise. A
row a mode: forward is the result alone; backward is one run of the forward pass and the
gradients of q, k and v. of_backward_ms is the difference of both medians, the time of the gradients. peak_mib is all memory
of a run, with inputs, result and gradients. held_mib, of compiled code: what lives when the first kernel of the gradients
begins, q, k, v and the given gradient with it, by the plan (heddle-translate, beside heddle; blank where it was not built).
tflops: 4 b h n² d for the forward pass, half of it where causal, 2.5 times that for the gradients. For PyTorch's figures on
the same machine run bench/peers/attention_bench.py with the same flags."""

import argparse
import json
import pathlib
import tempfile

import plot
from attention_graph import attention_graph
from heddle_bench import Budget, Output, add_arguments, bench, call

COLUMNS = ["impl", "mode", "dtype", "causal", "batch", "heads", "d", "length", "median_ms", "mean_ms", "std_ms", "busy_ms", "peak_mib", "tflops",
           "of_backward_ms", "tflops_of_backward", "held_mib"]

DTYPES = {"float32": "f32", "bfloat16": "bf16", "float16": "f16"}
ROLES = ("input", "output", "parameter", "state", "constant", "saved", "scratch")


def numbers(row, flops, factor):
    return [f"{row['median_ms']:.4f}", f"{row['mean_ms']:.4f}", f"{row['std_ms']:.4f}", f"{row['busy_ms']:.4f}",
            f"{row['peak_bytes'] / 2**20:.1f}", f"{factor * flops / row['median_ms'] / 1e9:.2f}"]


def gradients_of(forward, backward, flops):
    """Columns of the gradients alone: blank where one of the two was not measured, or the difference drowns in noise."""
    if not forward or not backward or backward["median_ms"] <= forward["median_ms"]:
        return ["", ""]
    alone = backward["median_ms"] - forward["median_ms"]
    return [f"{alone:.4f}", f"{2.5 * flops / alone / 1e9:.2f}"]


def held_before(report, step):
    """Bytes that live when that step begins, by the text of a plan's memory report: made before it, and read by it or
    later. Outputs are no part of it that are written later, even where they have a memory of their own all the time."""
    held = 0
    for line in report.splitlines():
        words = line.split()
        if len(words) < 5 or not words[0].isdigit() or words[1] not in ROLES:
            continue
        first, _, last = words[3].partition("..")
        if words[3] == "always":
            held += int(words[0]) if words[1] != "output" else 0
        elif int(first) < step <= int(last):
            held += int(words[0])
    return held


def held_mib(arguments, graph):
    """held_mib of a graph of mode backward; blank without heddle-translate, or where no kernel makes the gradients."""
    translate = arguments.heddle.with_name("heddle-translate")
    if not translate.exists():
        return ""
    plan = graph.with_suffix(".heddle")
    call([arguments.heddle, "compile", graph, "--mode", "backward", "--device", arguments.device, "-o", plan])
    steps = json.loads(call([arguments.heddle, "explain", plan, "--format", "json"]).stdout)["steps"]
    first = next((index for index, step in enumerate(steps) if step["label"] == "attention_grad"), None)
    if first is None:
        return ""
    return f"{held_before(call([translate, '--artifact-to-memory-report', plan]).stdout, first) / 2**20:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dims", nargs="+", type=int, default=[16, 32, 64, 128])
    parser.add_argument("--lengths", nargs="+", type=int, default=[256, 1024, 4096, 8192, 16384])
    parser.add_argument("--dtype", choices=DTYPES, default="float32")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--heads", type=int, default=1)
    parser.add_argument("--tokens", type=int, help="batch = tokens / length instead of --batch")
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--modes", nargs="+", choices=["forward", "backward"], default=["forward", "backward"])
    add_arguments(parser)
    arguments = parser.parse_args()
    budget, drawn = Budget(arguments.budget_s), {}

    output = Output(arguments, COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        for head_dim in arguments.dims:
            for length in arguments.lengths:
                if not budget.allows(f"d {head_dim} length {length}"):
                    continue
                batch = arguments.tokens // length if arguments.tokens else arguments.batch
                sequences = batch * arguments.heads
                flops = 4 * sequences * length * length * head_dim * (0.5 if arguments.causal else 1)
                rows = {}
                for mode in arguments.modes:
                    graph = pathlib.Path(folder) / f"attention-{mode}-{head_dim}-{length}.mlir"
                    graph.write_text(attention_graph(sequences, length, head_dim, mode == "backward",
                                                     DTYPES[arguments.dtype], arguments.causal))
                    rows[mode] = bench(arguments, graph, "--mode", mode)
                    for impl, row in rows[mode].items():
                        cell = [impl, mode, arguments.dtype, arguments.causal, batch, arguments.heads, head_dim, length]
                        drawn.setdefault(f"{head_dim} × {length}", {})[f"{impl} {mode}"] = row and row["median_ms"]
                        if row is None:
                            output.row(*cell, "oom", *[""] * (len(COLUMNS) - 6))
                            continue
                        more = ["", "", ""]
                        if mode == "backward":
                            more = [*gradients_of(rows.get("forward", {}).get(impl), row, flops),
                                    held_mib(arguments, graph) if impl == "compiled" else ""]
                        output.row(*cell, *numbers(row, flops, 3.5 if mode == "backward" else 1), *more)
    budget.report()
    if arguments.plot:
        plot.bars(arguments.plot, f"S7: {arguments.dtype}{', causal' if arguments.causal else ''}; d × N", "median ms", drawn,
                  logarithmic=True)


if __name__ == "__main__":
    main()
