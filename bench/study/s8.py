"""Study table S8: the whole model, eager against compiled, with deviations; prints CSV.

python3 bench/study/s8.py --sizes small medium --precisions fp32 bf16 --modes forward step --plot s8.svg
A gain within the deviations is none: `gain` is given with the range that one deviation of both times allows. The peers'
figures come from bench/peers/compare.
"""

import argparse

import plot
from heddle_bench import TIMES, Budget, Output, add_arguments, add_model_arguments, cells, ratio_of, times_of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_model_arguments(parser, precisions=("fp32", "bf16"), modes=("forward", "backward", "step"))
    add_arguments(parser)
    arguments = parser.parse_args()
    budget, drawn = Budget(arguments.budget_s), {}

    output = Output(arguments, ["size", "precision", "mode", "impl", *TIMES, "gain", "gain_low", "gain_high"])
    for size, precision, mode, rows in cells(arguments, budget):
        for impl, row in rows.items():
            gain = ratio_of(rows.get("eager"), row) if impl != "eager" else ["", "", ""]
            output.row(size, precision, mode, impl, *times_of(row), *gain)
            drawn.setdefault(f"{size} {precision} {mode}", {})[impl] = row and (row["mean_ms"], row["std_ms"])
    budget.report()
    if arguments.plot:
        plot.bars(arguments.plot, f"S8: batch {arguments.batch}, context {arguments.context}", "ms, mean and deviation", drawn,
                  logarithmic=True)


if __name__ == "__main__":
    main()
