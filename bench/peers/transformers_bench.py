"""One cell of the comparison of models: the `transformers` model of a config.json in PyTorch; prints one JSON object.

python3 transformers_bench.py --config FOLDER --impl compile --attention sdpa --batch 8 --context 512
Random weights. Outputs are those that Heddle computes: logits of all positions, of BERT the last hidden state and the
pooled one. median_ms: wall time of a synchronised step. busy_ms: sum of the kernels' times in one profiled step. first_s:
the first step, which compiles. attention_kernels: which of the library's attention kernels ran. graph_breaks,
cudagraph_skips: how often PyTorch gave up compiling the whole model or making a CUDA graph of it; absent where it did not.

--attention sdpa: as transformers has it. From which versions on its compiled forms make a mask where the causal flag would
do, and BERT's whenever one is given, is its affair: such a mask costs them flash attention. unmasked: no mask is made, which
is the best that the library's kernels can do; BERT then gets no attention_mask and applies none.

--wait: after the first step it prints {"first_s": …} and waits for a line on its input, so that many can be prepared at
once and measured one after the other.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import sys
import time

import torch
import transformers

from torch_bench import profiled, timed

MODES = {"compile": "default", "compile-graphs": "reduce-overhead", "max-autotune": "max-autotune"}
# Parts of the names of attention kernels, by what PyTorch calls their backends.
BACKENDS = {"flash": "flash_fwd", "efficient": "fmha_cutlass", "cudnn": "cudnn"}
UNMASKED = "sdpa_unmasked"


def register_unmasked():
    """An attention of transformers' own interface: its sdpa, for which no mask is made."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    transformers.AttentionInterface.register(UNMASKED, sdpa_attention_forward)
    transformers.AttentionMaskInterface.register(UNMASKED, lambda *arguments, **named: None)


def make_model(arguments):
    config = transformers.AutoConfig.from_pretrained(arguments.config, local_files_only=True)
    config.use_cache = False
    implementation = "sdpa"
    if arguments.attention == "unmasked":
        window = getattr(config, "sliding_window", None)
        if window and window < arguments.context and "sliding_attention" in (getattr(config, "layer_types", None) or
                                                                             ["sliding_attention"]):
            sys.exit(f"error: unmasked attention would lose the model's window of {window}")
        register_unmasked()
        implementation = UNMASKED
    kind = transformers.AutoModel if config.model_type == "bert" else transformers.AutoModelForCausalLM
    # Of its type from the start: several of these processes share a device.
    dtype = torch.bfloat16 if arguments.precision == "bf16-true" else torch.float32
    with torch.device(arguments.device):
        return kind.from_config(config, attn_implementation=implementation, dtype=dtype).eval()


def make_inputs(model, arguments):
    """What Heddle's model gets: ids, and for BERT segments and a mask of zeros and ones. Heddle's masks are random, too."""
    shape = (arguments.batch, arguments.context)

    def draw(bound):
        return torch.randint(bound, shape, device=arguments.device)

    inputs = {"input_ids": draw(model.config.vocab_size)}
    if model.config.model_type == "bert":
        inputs["token_type_ids"] = draw(model.config.type_vocab_size)
        if arguments.attention == "sdpa":
            inputs["attention_mask"] = draw(2)
    return inputs


def wanted_shapes(config, arguments):
    if config.model_type == "bert":
        return {"last_hidden_state": (arguments.batch, arguments.context, config.hidden_size),
                "pooler_output": (arguments.batch, config.hidden_size)}
    return {"logits": (arguments.batch, arguments.context, config.vocab_size)}


def make_run(arguments):
    """(a function that runs a step, one that does the first and checks that its outputs are all that is asked for)."""
    torch.manual_seed(0)
    model = make_model(arguments)
    inputs = make_inputs(model, arguments)
    function = model if arguments.impl == "eager" else torch.compile(model, mode=MODES[arguments.impl])
    wanted = wanted_shapes(model.config, arguments)
    low = torch.autocast(arguments.device, torch.bfloat16) if arguments.precision == "bf16" else contextlib.nullcontext()

    def run():
        if arguments.impl != "eager":
            torch.compiler.cudagraph_mark_step_begin()
        with torch.no_grad(), low:
            return function(**inputs)

    def first():
        outputs = run()
        found = {name: tuple(outputs[name].shape) for name in wanted}
        if found != wanted:
            sys.exit(f"error: wanted outputs {wanted}, found {found}")

    return run, first


def obstacles():
    """What kept PyTorch from compiling the whole model as it was asked to: breaks of the graph, CUDA graphs not made."""
    from torch._dynamo.utils import counters
    found = {"graph_breaks": sum(counters["graph_break"].values()), "cudagraph_skips": counters["inductor"]["cudagraph_skips"]}
    return {name: count for name, count in found.items() if count}


def measure(arguments, result):
    cuda = arguments.device == "cuda"
    synchronize = torch.cuda.synchronize if cuda else lambda: None
    run, first = make_run(arguments)
    start = time.perf_counter()
    first()
    synchronize()
    result["first_s"] = time.perf_counter() - start
    result |= obstacles()
    if arguments.wait:
        if cuda:
            torch.cuda.empty_cache()
        print(json.dumps({"first_s": result["first_s"]}), flush=True)
        if not sys.stdin.readline():
            sys.exit("error: nobody waits for the measurement any more")
    result["median_ms"] = statistics.median(timed(run, arguments.warmup, arguments.steps, synchronize))
    if cuda:
        result["peak_gib"] = torch.cuda.max_memory_allocated() / 2**30
        result["busy_ms"], kernels = profiled(run)
        result["kernels"] = len(kernels)
        found = [name for name, part in BACKENDS.items() if any(part in kernel for kernel in kernels)]
        result["attention_kernels"] = "+".join(found) or "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=pathlib.Path, required=True, help="a folder with a config.json")
    parser.add_argument("--impl", choices=["eager", *MODES], default="eager")
    parser.add_argument("--attention", choices=["sdpa", "unmasked"], default="sdpa")
    parser.add_argument("--precision", choices=["fp32", "bf16", "bf16-true"], default="bf16-true")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--wait", action="store_true")
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    torch.set_float32_matmul_precision("highest")

    result = {"versions": f"torch {torch.__version__}, CUDA {torch.version.cuda}, transformers {transformers.__version__}"}
    try:
        measure(arguments, result)
    except torch.cuda.OutOfMemoryError:
        result = {"versions": result["versions"], "out_of_memory": True}
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
