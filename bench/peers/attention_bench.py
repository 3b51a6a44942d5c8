"""The study's attention table in PyTorch: forward ms, backward ms and MiB held before backward; prints CSV.

python3 attention_bench.py --dims 64 --lengths 4096 16384 --impls eager compile
Batch 8, one head, no mask, attention written out; flash, cudnn and efficient are the library's, where the type admits
them. --tokens N keeps batch times length at N, --heads makes a multi-head table with FLOP/s.
"""

import argparse
import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from torch_model import written_attention

LIBRARY = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}


def implementation(name, causal):
    if name == "eager":
        return written_attention
    if name == "compile":
        return torch.compile(written_attention, dynamic=False)

    def library(q, k, v, mask):
        with sdpa_kernel(LIBRARY[name]):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return library


def event_ms(run):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


def measure(name, arguments, head_dim, length, batch):
    """Forward ms, backward ms, MiB held before backward; medians."""
    shape, dtype = (batch, arguments.heads, length, head_dim), getattr(torch, arguments.dtype)
    q, k, v = (torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3))
    gradient = torch.randn(shape, device="cuda", dtype=dtype)
    mask = None
    if arguments.causal and name in ("eager", "compile"):
        mask = torch.tril(torch.ones(length, length, dtype=torch.bool, device="cuda"))
    attention = implementation(name, arguments.causal)

    def forward():
        return attention(q, k, v, mask)

    for _ in range(arguments.warmup):
        forward().backward(gradient)
    forward_ms = statistics.median(event_ms(forward) for _ in range(arguments.steps))
    q.grad = k.grad = v.grad = None
    out = forward()
    torch.cuda.synchronize()
    held = torch.cuda.memory_allocated() / 2**20
    times = []
    for _ in range(arguments.steps):
        times.append(event_ms(lambda: out.backward(gradient)))
        q.grad = k.grad = v.grad = None
        out = forward()
    return forward_ms, statistics.median(times), held


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dims", nargs="+", type=int, default=[16, 32, 64, 128])
    parser.add_argument("--lengths", nargs="+", type=int, default=[256, 1024, 4096, 8192, 16384])
    parser.add_argument("--impls", nargs="+", choices=["eager", "compile", *LIBRARY], default=["eager", "compile"])
    parser.add_argument("--dtype", choices=["float32", "bfloat16", "float16"], default="float32")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--heads", type=int, default=1)
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--tokens", type=int, help="batch = tokens / length instead of --batch")
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20)
    arguments = parser.parse_args()
    torch.set_float32_matmul_precision("highest")

    print("peer,dtype,causal,batch,heads,d,length,status,forward_ms,backward_ms,mib_before_backward,"
          "forward_tflops,backward_tflops", flush=True)
    for name in arguments.impls:
        for head_dim in arguments.dims:
            for length in arguments.lengths:
                torch._dynamo.reset()
                torch.cuda.empty_cache()
                batch = arguments.tokens // length if arguments.tokens else arguments.batch
                cell = f"torch-{name},{arguments.dtype},{arguments.causal},{batch},{arguments.heads},{head_dim},{length}"
                try:
                    forward_ms, backward_ms, held = measure(name, arguments, head_dim, length, batch)
                except torch.cuda.OutOfMemoryError:
                    print(f"{cell},out of memory,,,,,", flush=True)
                    continue
                flops = 4 * batch * arguments.heads * length * length * head_dim * (0.5 if arguments.causal else 1)
                print(f"{cell},ok,{forward_ms:.4f},{backward_ms:.4f},{held:.1f},{flops / forward_ms / 1e9:.1f},"
                      f"{2.5 * flops / backward_ms / 1e9:.1f}", flush=True)


if __name__ == "__main__":
    main()
