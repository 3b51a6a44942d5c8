"""Study table S2, warm-up: the same measurement with 0, 1, 2 and 5 steps before it, each in a fresh process; prints CSV.

python3 bench/study/s2.py --modes forward step --caches cold warm
`steps` is how many were measured: rows with 1 and a warm-up of 0 are the first step alone. cache: cold processes have an empty
kernel cache, so that they compile before their first step (compile_s, which no step holds); warm ones find what an earlier
process left.
"""

import argparse
import os
import tempfile

import plot
from heddle_bench import TIMES, Budget, Output, add_arguments, add_model_arguments, model_flags, run, times_of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warmups", nargs="+", type=int, default=[0, 1, 2, 5])
    parser.add_argument("--caches", nargs="+", choices=["cold", "warm"], default=["cold"])
    add_model_arguments(parser, modes=("forward", "backward", "step"))
    add_arguments(parser, warmup=None)
    arguments = parser.parse_args()
    budget, drawn = Budget(arguments.budget_s), {}

    output = Output(arguments, ["size", "precision", "mode", "impl", "cache", "warmup", "steps", *TIMES, "compile_s"])
    grid = [(size, precision, mode, impl, cache) for precision in arguments.precisions for size in arguments.sizes
            for mode in arguments.modes for impl in arguments.impls for cache in arguments.caches]
    differing = [len(set(values)) > 1 for values in zip(*grid)]
    for cell in grid:
        size, precision, mode, impl, cache = cell
        flags = model_flags(arguments, precision, mode)
        with tempfile.TemporaryDirectory() as kept:
            environments = os.environ | {"HEDDLE_CACHE_DIR": kept}
            if cache == "warm" and budget.allows(f"{size} {precision} {mode} {impl} {cache}"):
                run(arguments, f"study:{size}", [impl], flags, 0, 1, environments)  # Fills the cache.
            for warmup, steps in [(0, 1), *((warmup, arguments.steps) for warmup in arguments.warmups)]:
                if not budget.allows(f"{size} {precision} {mode} {impl} {cache} warm-up {warmup}"):
                    continue
                with tempfile.TemporaryDirectory() as empty:
                    folder = kept if cache == "warm" else empty
                    rows = run(arguments, f"study:{size}", [impl], flags, warmup, steps,
                               os.environ | {"HEDDLE_CACHE_DIR": folder})
                row = rows and rows[impl]
                output.row(size, precision, mode, impl, cache, warmup, steps, *times_of(row),
                           f"{row['compile_ms'] / 1e3:.2f}" if row else "")
                group = "first step" if steps == 1 else f"warm-up {warmup}"
                name = " ".join(value for value, differs in zip(cell, differing) if differs) or impl
                drawn.setdefault(group, {})[name] = row and (row["mean_ms"], row["std_ms"])
    budget.report()
    if arguments.plot:
        plot.bars(arguments.plot, "S2: warm-up", "ms, mean and deviation", drawn)


if __name__ == "__main__":
    main()
