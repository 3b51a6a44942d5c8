"""Study table S8, forward: the whole model, eager against compiled, with deviations; prints CSV.

python3 bench/study/s8.py --sizes small medium --precisions fp32 bf16
A gain within the deviations is none: `gain` is given with the range that one deviation of both times allows. The peers'
figures come from bench/peers/compare.
"""

import argparse

from heddle_bench import add_arguments, bench, print_header


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", choices=["small", "medium", "large", "xl", "10B"], default=["small"])
    parser.add_argument("--precisions", nargs="+", choices=["fp32", "tf32", "bf16"], default=["fp32", "bf16"])
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--context", type=int, default=512)
    add_arguments(parser)
    arguments = parser.parse_args()

    print_header(arguments)
    print("size,precision,impl,mean_s,std_s,median_s,busy_s,kernels,peak_gib,gain,gain_low,gain_high", flush=True)
    for size in arguments.sizes:
        for precision in arguments.precisions:
            rows = bench(arguments, f"study:{size}", "--precision", precision, "--batch", arguments.batch, "--context",
                         arguments.context)
            eager = rows.get("eager")
            for impl, row in rows.items():
                if row is None:
                    print(f"{size},{precision},{impl},oom,,,,,,,,", flush=True)
                    continue
                mean, deviation = row["mean_ms"], row["std_ms"]
                gain = ",,"
                if impl != "eager" and eager:
                    low = (eager["mean_ms"] - eager["std_ms"]) / (mean + deviation)
                    high = (eager["mean_ms"] + eager["std_ms"]) / max(mean - deviation, 1e-9)
                    gain = f"{eager['mean_ms'] / mean:.2f},{low:.2f},{high:.2f}"
                print(f"{size},{precision},{impl},{mean / 1e3:.6f},{deviation / 1e3:.6f},{row['median_ms'] / 1e3:.6f},"
                      f"{row['busy_ms'] / 1e3:.6f},{row['kernels']},{row['peak_bytes'] / 2**30:.3f},{gain}", flush=True)


if __name__ == "__main__":
    main()
