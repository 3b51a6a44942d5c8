"""One cell of the comparison in JAX (XLA:GPU); prints one JSON object.

python3 jax_bench.py --size small --precision bf16 --mode forward
bf16: float32 weights, bf16 products, float32 norms, residuals and loss. fp32 asks for exact float32 products, tf32 for XLA's
default. The step has its AdamW inside the one executable. XLA says nothing of device-busy time.
"""

import argparse
import functools
import json
import statistics
import time

import jax
import jax.numpy as jnp

from sizes import SIZES, add_cell_arguments


def make_parameters(size, vocabulary, layers, key):
    d, ff, own_layers, _ = SIZES[size]
    layers = layers or own_layers
    keys = iter(jax.random.split(key, 2 + 7 * layers))

    def weight(rows, columns):
        return jax.random.normal(next(keys), (rows, columns), jnp.float32) * (2 / (rows + columns)) ** 0.5

    blocks = [
        dict(norm1=jnp.ones(d), norm2=jnp.ones(d), q=weight(d, d), k=weight(d, d), v=weight(d, d), o=weight(d, d),
             w1=weight(ff, d), w2=weight(d, ff), w3=weight(ff, d))
        for _ in range(layers)
    ]
    return dict(embed=weight(vocabulary, d), blocks=blocks, norm=jnp.ones(d), head=weight(vocabulary, d))


def rms_norm(x, weight):
    x = x.astype(jnp.float32)
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * weight


def rotate(x, cos, sin):
    """x: [batch, tokens, heads, head_dim], interleaved pairs."""
    a, b = x[..., 0::2].astype(jnp.float32), x[..., 1::2].astype(jnp.float32)
    return jnp.stack((a * cos - b * sin, a * sin + b * cos), -1).reshape(x.shape).astype(x.dtype)


def attend(q, k, v, attention):
    if attention == "library":
        return jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn")
    tokens = q.shape[1]
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    mask = jnp.tril(jnp.ones((tokens, tokens), bool))
    scores = jnp.where(mask, scores.astype(jnp.float32), -jnp.inf)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1).astype(v.dtype), v)


def forward(parameters, ids, heads, dtype, attention):
    def low(tensor):
        return tensor.astype(dtype)

    x = parameters["embed"][ids]
    batch, tokens, width = x.shape
    head_dim = width // heads
    angle = jnp.arange(tokens)[:, None] * (10000.0 ** (-jnp.arange(0, head_dim, 2) / head_dim))[None]
    cos, sin = jnp.cos(angle)[None, :, None], jnp.sin(angle)[None, :, None]
    for block in parameters["blocks"]:
        h = low(rms_norm(x, block["norm1"]))
        q, k, v = ((h @ low(block[name]).T).reshape(batch, tokens, heads, head_dim) for name in "qkv")
        y = attend(rotate(q, cos, sin), rotate(k, cos, sin), v, attention)
        x = x + y.reshape(batch, tokens, width) @ low(block["o"]).T
        h = low(rms_norm(x, block["norm2"]))
        x = x + (jax.nn.silu(h @ low(block["w1"]).T) * (h @ low(block["w3"]).T)) @ low(block["w2"]).T
    return low(rms_norm(x, parameters["norm"])) @ low(parameters["head"]).T


def make_functions(arguments):
    """The jitted function of the mode, its arguments, and whether its first result is the next first argument."""
    heads = SIZES[arguments.size][3]
    dtype = jnp.bfloat16 if arguments.precision == "bf16" else jnp.float32
    parameters = make_parameters(arguments.size, arguments.vocab, arguments.layers, jax.random.key(0))
    shape = (arguments.batch, arguments.context)
    ids = jax.random.randint(jax.random.key(1), shape, 0, arguments.vocab)
    targets = jax.random.randint(jax.random.key(2), shape, 0, arguments.vocab)
    run = functools.partial(forward, heads=heads, dtype=dtype, attention=arguments.attention)

    def loss(parameters, ids, targets):
        logits = run(parameters, ids).astype(jnp.float32)
        wanted = jnp.take_along_axis(logits, targets[..., None], -1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(logits, -1) - wanted)

    def step(state, ids, targets):
        parameters, first, second, count = state
        value, gradients = jax.value_and_grad(loss)(parameters, ids, targets)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
        c1, c2 = 1 - 0.9**count, 1 - 0.999**count
        parameters = jax.tree.map(
            lambda p, m, v: p * (1 - 1e-6) - 1e-4 * (m / c1) / (jnp.sqrt(v / c2) + 1e-8), parameters, first, second)
        return (parameters, first, second, count), value

    if arguments.mode == "forward":
        return jax.jit(run), (parameters, ids), False
    if arguments.mode == "backward":
        return jax.jit(jax.value_and_grad(loss)), (parameters, ids, targets), False
    zeros = [jax.tree.map(jnp.zeros_like, parameters) for _ in range(2)]
    state = (parameters, *zeros, jnp.zeros((), jnp.int32))
    return jax.jit(step, donate_argnums=0), (state, ids, targets), True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_cell_arguments(parser)
    arguments = parser.parse_args()
    jax.config.update("jax_platforms", arguments.device)  # Ends in an error where that is not there.
    if arguments.precision == "fp32":
        jax.config.update("jax_default_matmul_precision", "highest")

    result = {"versions": f"jax {jax.__version__}"}
    try:
        function, call, carries = make_functions(arguments)
        start = time.perf_counter()
        compiled = function.lower(*call).compile()
        result["first_s"] = time.perf_counter() - start
        memory = compiled.memory_analysis()
        result["peak_gib"] = (memory.temp_size_in_bytes + memory.argument_size_in_bytes + memory.output_size_in_bytes
                              - memory.alias_size_in_bytes) / 2**30
        times = []
        for index in range(arguments.warmup + arguments.steps):
            start = time.perf_counter()
            out = jax.block_until_ready(compiled(*call))
            if index >= arguments.warmup:
                times.append((time.perf_counter() - start) * 1e3)
            if carries:
                call = (out[0],) + call[1:]
        result |= {"median_ms": statistics.median(times), "mean_ms": statistics.mean(times),
                   "std_ms": statistics.stdev(times) if len(times) > 1 else 0.0}
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        result = {"versions": result["versions"], "out_of_memory": True}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
