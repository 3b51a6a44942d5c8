"""Two layers of each model family as textual graphs, written out op by op as its PyTorch code is."""

import math

from support.graph import Graph
from support.tensors import tensor_type

BATCH, SEQ, WIDTH, HEADS, INNER, VOCAB = 2, 24, 64, 4, 256, 601  # Merged weights are no wider than the head.
HEAD = WIDTH // HEADS


class Model(Graph):
    """A graph over token ids [BATCH, SEQ]; parameters by name."""

    def __init__(self, **inputs):
        super().__init__(ids=("i32", (BATCH, SEQ)), **inputs)
        self.bounds = {"ids": VOCAB}

    def along(self, vector, value):
        """A vector as every row of `value`."""
        shape = self.shape(value)
        return self.broadcast(self.reshape(vector, (1,) * (len(shape) - 1) + shape[-1:]), shape)

    def linear(self, value, name, outputs, bias=True, turned=False):
        """x Wᵀ + b; with `turned` the weight is stored [in, out], as GPT-2's Conv1D does."""
        inputs = self.shape(value)[-1]
        weight = (self.parameter(f"{name}.weight", (inputs, outputs)) if turned
                  else self.transpose(self.parameter(f"{name}.weight", (outputs, inputs)), [1, 0]))
        product = self.matmul(value, weight)
        if not bias:
            return product
        return self.binary("add", product, self.along(self.parameter(f"{name}.bias", (outputs,)), product))

    def scaled(self, name, value, literal):
        return self.binary(name, value, self.like(literal, value))

    def layer_norm(self, value, name):
        weight, bias = self.parameter(f"{name}.weight", (WIDTH,), "constant, 1.1"), self.parameter(f"{name}.bias", (WIDTH,))
        types = ", ".join(self.types[operand] for operand in (value, weight, bias))
        return self.op(f"layer_norm {value}, {weight}, {bias} epsilon 1.0e-5 : {types}", *self.shapes[value])

    def rms_norm(self, value, name):
        mean = self.reduce("mean", self.scaled("pow", value, "2.0"), [len(self.shape(value)) - 1])
        scale = self.unary("rsqrt", self.scaled("add", mean, "1.0e-5"))
        normed = self.binary("mul", value, self.broadcast(scale, self.shape(value)))
        return self.binary("mul", self.along(self.parameter(f"{name}.weight", (WIDTH,), "constant, 1.1"), value), normed)

    def embedding(self, name, rows, indices):
        table = self.parameter(name, (rows, WIDTH))
        shape = (*self.shape(indices), WIDTH)
        value = self.op(f"embedding {table}, {indices} : {self.types[table]}, {self.types[indices]} -> {tensor_type('f32', shape)}",
                        "f32", shape)
        return value, table

    def split(self, value, heads):
        return self.transpose(self.reshape(value, (BATCH, SEQ, heads, HEAD)), [0, 2, 1, 3])

    def repeat(self, value, heads):
        """Each key or value head for HEADS / heads query heads."""
        if heads == HEADS:
            return value
        wide = self.reshape(value, (BATCH, heads, 1, SEQ, HEAD))
        return self.reshape(self.broadcast(wide, (BATCH, heads, HEADS // heads, SEQ, HEAD)), (BATCH, HEADS, SEQ, HEAD))

    def rotary(self, value):
        """Halves of a head turned by position times 10000^(-2i / HEAD)."""
        pairs = HEAD // 2
        powers = ", ".join(repr(10000.0 ** (-2 * i / HEAD)) for i in range(pairs))
        frequency = self.op(f"constant dense<[{powers}]> : {tensor_type('f32', (pairs,))}", "f32", (pairs,))
        position = self.reshape(self.cast(self.iota(0, "i32", (SEQ,)), "f32"), (SEQ, 1))
        angle = self.binary("mul", self.broadcast(position, (SEQ, pairs)),
                            self.broadcast(self.reshape(frequency, (1, pairs)), (SEQ, pairs)))
        whole = self.concat([angle, angle], 1)
        cos, sin = (self.broadcast(self.reshape(self.unary(name, whole), (1, 1, SEQ, HEAD)), self.shape(value))
                    for name in ("cos", "sin"))
        half = (*self.shape(value)[:-1], pairs)
        first = self.slice(value, [0, 0, 0, 0], [1, 1, 1, 1], half)
        second = self.slice(value, [0, 0, 0, pairs], [1, 1, 1, 1], half)
        turned = self.concat([self.unary("neg", second), first], 3)
        return self.binary("add", self.binary("mul", value, cos), self.binary("mul", turned, sin))

    def attend(self, q, k, v, seen=None, added=None):
        scores = self.matmul(q, self.transpose(k, [0, 1, 3, 2]))
        scores = self.scaled("div", scores, repr(math.sqrt(HEAD)))
        if seen:
            shape = self.shape(scores)
            scores = self.select(self.broadcast(seen, shape), scores, self.like("0xFF800000", scores))
        if added:
            scores = self.binary("add", scores, self.broadcast(added, self.shape(scores)))
        heads = self.matmul(self.unary("softmax", scores), v)
        return self.reshape(self.transpose(heads, [0, 2, 1, 3]), (BATCH, SEQ, WIDTH))

    def gelu_new(self, x):
        """transformers' NewGELUActivation."""
        inner = self.binary("add", x, self.scaled("mul", self.scaled("pow", x, "3.0"), "0.044715"))
        tanh = self.unary("tanh", self.scaled("mul", inner, repr(math.sqrt(2 / math.pi))))
        return self.binary("mul", self.scaled("mul", x, "0.5"), self.scaled("add", tanh, "1.0"))

    def text(self, **outputs):
        text = super().text(**outputs)
        for name, bound in self.bounds.items():
            text = text.replace(f'graph.name = "{name}"', f'graph.name = "{name}", graph.bound = {bound} : i64')
        return text


def gpt2():
    g = Model()
    x, table = g.embedding("wte", VOCAB, "%ids")
    positions, _ = g.embedding("wpe", 64, g.iota(0, "i32", (SEQ,)))
    x = g.binary("add", x, g.broadcast(g.reshape(positions, (1, SEQ, WIDTH)), g.shape(x)))
    seen = g.causal_mask((1, 1, SEQ, SEQ))
    for layer in range(2):
        h = g.layer_norm(x, f"h.{layer}.ln_1")
        packed = g.linear(h, f"h.{layer}.attn.c_attn", 3 * WIDTH, turned=True)
        q, k, v = (g.split(g.slice(packed, [0, 0, WIDTH * part], [1, 1, 1], (BATCH, SEQ, WIDTH)), HEADS) for part in range(3))
        x = g.binary("add", g.linear(g.attend(q, k, v, seen), f"h.{layer}.attn.c_proj", WIDTH, turned=True), x)
        h = g.linear(g.layer_norm(x, f"h.{layer}.ln_2"), f"h.{layer}.mlp.c_fc", INNER, turned=True)
        x = g.binary("add", x, g.linear(g.gelu_new(h), f"h.{layer}.mlp.c_proj", WIDTH, turned=True))
    return g.text(logits=g.matmul(g.layer_norm(x, "ln_f"), g.transpose(table, [1, 0])))


def llama_like(kv_heads, qkv_bias, window=None):
    g = Model()
    x, table = g.embedding("embed_tokens", VOCAB, "%ids")
    shape = (1, 1, SEQ, SEQ)
    seen = g.causal_mask(shape)
    if window:
        distance = g.binary("sub", g.iota(2, "i32", shape), g.iota(3, "i32", shape))
        seen = g.binary("and", seen, g.compare("lt", distance, g.like(str(window), distance)))
    for layer in range(2):
        name = f"layers.{layer}"
        h = g.rms_norm(x, f"{name}.input_layernorm")
        q = g.split(g.linear(h, f"{name}.q_proj", WIDTH, qkv_bias), HEADS)
        k = g.split(g.linear(h, f"{name}.k_proj", kv_heads * HEAD, qkv_bias), kv_heads)
        v = g.split(g.linear(h, f"{name}.v_proj", kv_heads * HEAD, qkv_bias), kv_heads)
        y = g.attend(g.rotary(q), g.repeat(g.rotary(k), kv_heads), g.repeat(v, kv_heads), seen)
        x = g.binary("add", x, g.linear(y, f"{name}.o_proj", WIDTH, False))
        h = g.rms_norm(x, f"{name}.post_attention_layernorm")
        gate, up = (g.linear(h, f"{name}.{part}_proj", INNER, False) for part in ("gate", "up"))
        h = g.binary("mul", g.unary("silu", gate), up)
        x = g.binary("add", x, g.linear(h, f"{name}.down_proj", WIDTH, False))
    return g.text(logits=g.matmul(g.rms_norm(x, "norm"), g.transpose(table, [1, 0])))


def bert():
    g = Model(segments=("i32", (BATCH, SEQ)), seen=("i32", (BATCH, SEQ)))
    g.bounds.update(segments=2, seen=2)
    words, _ = g.embedding("word", VOCAB, "%ids")
    positions, _ = g.embedding("position", 64, g.iota(0, "i32", (SEQ,)))
    segments, _ = g.embedding("token_type", 2, "%segments")
    x = g.binary("add", words, segments)
    x = g.binary("add", x, g.broadcast(g.reshape(positions, (1, SEQ, WIDTH)), g.shape(x)))
    x = g.layer_norm(x, "embeddings.LayerNorm")
    # (1 - mask) * lowest, added to the scores.
    mask = g.reshape(g.cast("%seen", "f32"), (BATCH, 1, 1, SEQ))
    mask = g.scaled("mul", g.binary("sub", g.like("1.0", mask), mask), "-3.4028234663852886e38")
    for layer in range(2):
        name = f"layer.{layer}"
        q, k, v = (g.split(g.linear(x, f"{name}.{part}", WIDTH), HEADS) for part in ("query", "key", "value"))
        y = g.linear(g.attend(q, k, v, added=mask), f"{name}.attention.output", WIDTH)
        x = g.layer_norm(g.binary("add", y, x), f"{name}.attention.LayerNorm")
        h = g.linear(x, f"{name}.intermediate", INNER)
        half = g.scaled("mul", h, "0.5")
        h = g.binary("mul", half, g.scaled("add", g.unary("erf", g.scaled("div", h, repr(math.sqrt(2)))), "1.0"))
        x = g.layer_norm(g.binary("add", g.linear(h, f"{name}.output", WIDTH), x), f"{name}.LayerNorm")
    return g.text(hidden=x)


FAMILIES = {
    "gpt2": gpt2,
    "llama": lambda: llama_like(2, False),
    "qwen2": lambda: llama_like(2, True),
    "mistral": lambda: llama_like(2, False, window=9),
    "bert": bert,
}
