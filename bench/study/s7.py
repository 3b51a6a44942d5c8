"""Study table S7, forward: attention of one head, eager against compiled, over head sizes and lengths; prints CSV.

python3 bench/study/s7.py --dims 64 --lengths 4096 16384
Float32, batch 8, no mask. peak_mib is all memory of a run with inputs and output. For PyTorch's figures on the same machine run
bench/peers/attention_bench.py with the same --dims and --lengths.
"""

import argparse
import pathlib
import tempfile

from attention_graph import attention_graph
from heddle_bench import add_arguments, bench, print_header


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dims", nargs="+", type=int, default=[16, 32, 64, 128])
    parser.add_argument("--lengths", nargs="+", type=int, default=[256, 1024, 4096, 8192, 16384])
    parser.add_argument("--batch", type=int, default=8)
    add_arguments(parser)
    arguments = parser.parse_args()

    print_header(arguments)
    print("impl,batch,d,length,median_ms,mean_ms,std_ms,busy_ms,peak_mib,tflops", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for head_dim in arguments.dims:
            for length in arguments.lengths:
                graph = pathlib.Path(folder) / f"attention-{head_dim}-{length}.mlir"
                graph.write_text(attention_graph(arguments.batch, length, head_dim))
                for impl, row in bench(arguments, graph).items():
                    cell = f"{impl},{arguments.batch},{head_dim},{length}"
                    if row is None:
                        print(f"{cell},oom,,,,,", flush=True)
                        continue
                    flops = 4 * arguments.batch * length * length * head_dim
                    print(f"{cell},{row['median_ms']:.4f},{row['mean_ms']:.4f},{row['std_ms']:.4f},{row['busy_ms']:.4f},"
                          f"{row['peak_bytes'] / 2**20:.1f},{flops / row['median_ms'] / 1e9:.2f}", flush=True)


if __name__ == "__main__":
    main()
