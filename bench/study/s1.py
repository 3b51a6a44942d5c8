"""Study table S1, end to end: forward, forward and backward, and the whole AdamW step of every preset; prints CSV.

python3 bench/study/s1.py --precisions fp32 bf16 --plot s1.svg
Every step is synchronised; mean and deviation are of the steps after the warm-up. A preset that does not fit is `oom`.
compile_s is that of the process: with kernels that the cache knows it is short. The peers' figures on the same machine come
from bench/peers/compare.
"""

import argparse

import plot
from heddle_bench import TIMES, Budget, Output, add_arguments, add_model_arguments, cells, times_of
from sizes import SIZES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_model_arguments(parser, sizes=SIZES, modes=("forward", "backward", "step"))
    add_arguments(parser)
    arguments = parser.parse_args()
    budget, drawn = Budget(arguments.budget_s), {}

    output = Output(arguments, ["size", "precision", "mode", "impl", *TIMES, "compile_s"])
    for size, precision, mode, rows in cells(arguments, budget):
        for impl, row in rows.items():
            output.row(size, precision, mode, impl, *times_of(row), f"{row['compile_ms'] / 1e3:.2f}" if row else "")
            name = impl if len(arguments.precisions) == 1 else f"{impl} {precision}"
            drawn.setdefault(f"{size} {mode}", {})[name] = row and (row["mean_ms"], row["std_ms"])
    budget.report()
    if arguments.plot:
        plot.bars(arguments.plot, f"S1: batch {arguments.batch}, context {arguments.context}", "ms, mean and deviation", drawn,
                  logarithmic=True)


if __name__ == "__main__":
    main()
