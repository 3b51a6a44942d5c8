"""One cell of the comparison in PyTorch; prints one JSON object.

python3 torch_bench.py --impl compile --size small --precision bf16 --mode forward
median_ms, mean_ms, std_ms: wall time of a synchronised step. busy_ms: sum of the kernels' times in one profiled step. first_s:
the first step, which compiles. peak_gib: most that PyTorch's allocator had given out; not of CUDA graphs, whose memory it does
not see. On the CPU neither busy_ms nor peak_gib.
"""

import argparse
import contextlib
import json
import statistics
import time

import torch
import torch.nn.functional as F

from sizes import add_cell_arguments
from torch_model import LanguageModel


def timed(run, warmup, steps, synchronize=torch.cuda.synchronize):
    for _ in range(warmup):
        run()
    synchronize()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        run()
        synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def profiled(run):
    """Milliseconds of all kernels and copies of one step, and their names in order."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run()
        torch.cuda.synchronize()
    events = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    return sum(e.time_range.elapsed_us() for e in events) / 1e3, [e.name for e in events]


def make_step(arguments):
    """The function that runs one step of the mode."""
    torch.manual_seed(0)
    with torch.device(arguments.device):
        model = LanguageModel(arguments.size, arguments.vocab, arguments.context, arguments.attention, arguments.layers)
    shape = (arguments.batch, arguments.context)
    ids = torch.randint(arguments.vocab, shape, device=arguments.device)
    targets = torch.randint(arguments.vocab, shape, device=arguments.device)

    def loss_of(ids, targets):
        logits = model(ids)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]).float(), targets.view(-1))

    run_forward, run_loss = model, loss_of
    if arguments.impl != "eager":
        mode = "reduce-overhead" if arguments.impl == "compile-graphs" else "default"
        run_forward, run_loss = torch.compile(model, mode=mode), torch.compile(loss_of, mode=mode)

    def autocast():
        if arguments.precision == "bf16":
            return torch.autocast(arguments.device, torch.bfloat16)
        return contextlib.nullcontext()

    def forward():
        with torch.no_grad(), autocast():
            run_forward(ids)

    def backward():
        if arguments.impl == "compile-graphs":
            torch.compiler.cudagraph_mark_step_begin()
        model.zero_grad(set_to_none=True)
        with autocast():
            loss = run_loss(ids, targets)
        loss.backward()

    if arguments.mode == "forward":
        return forward
    if arguments.mode == "backward":
        return backward
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=arguments.impl != "eager")

    def step():
        backward()
        optimizer.step()

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_cell_arguments(parser)
    parser.add_argument("--impl", choices=["eager", "compile", "compile-graphs"], default="eager")
    arguments = parser.parse_args()
    torch.set_float32_matmul_precision("high" if arguments.precision == "tf32" else "highest")

    result = {"versions": f"torch {torch.__version__}, CUDA {torch.version.cuda}"}
    cuda = arguments.device == "cuda"
    synchronize = torch.cuda.synchronize if cuda else lambda: None
    try:
        run = make_step(arguments)
        start = time.perf_counter()
        run()
        synchronize()
        result["first_s"] = time.perf_counter() - start
        times = timed(run, arguments.warmup, arguments.steps, synchronize)
        result |= {"median_ms": statistics.median(times), "mean_ms": statistics.mean(times),
                   "std_ms": statistics.stdev(times) if len(times) > 1 else 0.0}
        if cuda:
            if arguments.impl != "compile-graphs":
                result["peak_gib"] = torch.cuda.max_memory_allocated() / 2**30
            result["busy_ms"], kernels = profiled(run)
            result["kernels"] = len(kernels)
    except torch.cuda.OutOfMemoryError:
        result = {"versions": result["versions"], "out_of_memory": True}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
