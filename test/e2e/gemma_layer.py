# RUN: %python %s %t
"""One layer of gemma-2b and of gemma-3-1b at their widths, as bf16 models: embedding times a normaliser that is rounded to bf16, norms
whose weight is applied as 1 + w in float32 and rounded last, GELU by tanh, one head of keys and values, 256 wide
(huggingface/transformers#29402, #29285). Forward and every gradient against float64; where all norms' weights are 0 the factor is 1."""

import math

from support.driver import Test
from support.graph import Graph
from support.tensors import Tensor

EPSILON = 1e-6
# hidden, heads, width of the MLP, whether queries and keys have norms (gemma 3, which has one behind attention and MLP, too), window
MODELS = {"gemma-2b": (2048, 8, 16384, False, None), "gemma-3-1b": (1152, 4, 6912, True, 5)}
NORMALIZERS = {2048: 45.25, 1152: 34.0}
HEAD, VOCABULARY, TOKENS = 256, 67, 7


class Layer:
    def __init__(self, hidden, heads, inner, gemma3, window, stored):
        self.graph = graph = Graph(ids=("i32", (1, TOKENS)))
        self.hidden, self.stored = hidden, stored
        table = graph.cast(self.weight("embed", (VOCABULARY, hidden)), "bf16")
        x = graph.op(f"embedding {table}, %ids : {graph.types[table]}, {graph.types['%ids']} -> tensor<1x{TOKENS}x{hidden}xbf16>", "bf16",
                     (1, TOKENS, hidden))
        # What is multiplied is rounded to the model's type first.
        root = graph.cast(graph.unary("sqrt", graph.splat(f"{hidden}.0", "f32", (1, 1, 1))), "bf16")
        self.root = graph.cast(root, "f32")
        x = graph.binary("mul", x, graph.broadcast(root, (1, TOKENS, hidden)))

        h = self.norm(x, "input")
        q, k, v = (self.split(self.linear(h, name, count * HEAD), count) for name, count in (("q", heads), ("k", 1), ("v", 1)))
        if gemma3:
            q, k = self.norm(q, "q_norm"), self.norm(k, "k_norm")
        q, k = self.rotated(q), self.rotated(k)
        y = graph.attention(q, k, v, HEAD ** -0.5, causal=True, window=window)
        y = graph.reshape(graph.transpose(y, [0, 2, 1, 3]), (1, TOKENS, heads * HEAD))
        y = self.linear(y, "o", hidden)
        x = graph.binary("add", x, self.norm(y, "post_attention") if gemma3 else y)
        h = self.norm(x, "pre_mlp")
        gated = graph.binary("mul", graph.unary("gelu tanh", self.linear(h, "gate", inner)), self.linear(h, "up", inner))
        y = self.linear(gated, "down", hidden)
        self.out = graph.binary("add", x, self.norm(y, "post_mlp") if gemma3 else y)

    def weight(self, name, shape, init=None):
        return self.graph.parameter(name, shape, init or f"normal, {shape[-1] ** -0.5 / 2}")

    def linear(self, x, name, width):
        graph = self.graph
        weight = graph.cast(self.weight(name, (width, graph.shape(x)[-1])), "bf16")
        return graph.matmul(x, graph.transpose(weight, [1, 0]))

    def split(self, x, count):
        graph = self.graph
        return graph.transpose(graph.reshape(x, (1, TOKENS, count, HEAD)), [0, 2, 1, 3])

    def norm(self, x, name):
        """x / sqrt(mean(x^2) + epsilon) * (1 + w) in float32, cast last."""
        graph, shape = self.graph, self.graph.shape(x)
        wide = graph.cast(x, "f32")
        mean = graph.reduce("mean", graph.binary("mul", wide, wide), [len(shape) - 1])
        scale = graph.unary("rsqrt", graph.binary("add", mean, graph.like(f"{EPSILON:.7f}", mean)))
        if self.stored is None:
            return graph.cast(graph.binary("mul", wide, graph.broadcast(scale, shape)), "bf16")
        weight = self.weight(name, shape[-1:], self.stored)
        factor = graph.reshape(graph.binary("add", weight, graph.like("1.0", weight)), (1,) * (len(shape) - 1) + shape[-1:])
        scaled = graph.binary("mul", wide, graph.broadcast(scale, shape))
        return graph.cast(graph.binary("mul", scaled, graph.broadcast(factor, shape)), "bf16")

    def rotated(self, x):
        """By halves, base 1e4, angles and products in float32."""
        graph, shape = self.graph, self.graph.shape(x)
        half, table = (*shape[:-1], HEAD // 2), (1, 1, TOKENS, HEAD // 2)
        pair = graph.cast(graph.iota(3, "i32", table), "f32")
        frequency = graph.unary("exp", graph.binary("mul", pair, graph.like(f"{-math.log(1e4) / (HEAD // 2):.12f}", pair)))
        angle = graph.binary("mul", graph.cast(graph.iota(2, "i32", table), "f32"), frequency)
        cosine, sine = (graph.broadcast(graph.unary(name, angle), half) for name in ("cos", "sin"))
        wide = graph.cast(x, "f32")
        a, b = (graph.slice(wide, [0, 0, 0, at], [1, 1, 1, 1], half) for at in (0, HEAD // 2))
        first = graph.binary("sub", graph.binary("mul", a, cosine), graph.binary("mul", b, sine))
        second = graph.binary("add", graph.binary("mul", b, cosine), graph.binary("mul", a, sine))
        return graph.cast(graph.concat([first, second], 3), "bf16")

    def text(self):
        """The result and the normaliser are given out; the loss is the mean square of the result."""
        graph = self.graph
        wide = graph.cast(self.out, "f32")
        total = graph.total(graph.binary("mul", wide, wide))
        mean = graph.binary("mul", total, graph.splat(f"{1 / (TOKENS * self.hidden):.12f}", "f32", ()))
        text = graph.text(loss=mean, out=wide, normalizer=self.root)
        return text.replace('graph.name = "ids"', f'graph.name = "ids", graph.bound = {VOCABULARY} : i64')


test = Test()
ids = Tensor("i32", (1, TOKENS), [i * 29 % VOCABULARY for i in range(TOKENS)])
for name, (hidden, heads, inner, gemma3, window) in MODELS.items():
    layer = Layer(hidden, heads, inner, gemma3, window, "normal, 0.2")
    path = test.write(f"{name}.mlir", layer.text())
    test.verdict(name, path, "--mode", "backward")
    # Stored zeros mean a factor of 1: as without one, but for what another order of sums rounds otherwise. The embedding's factor is
    # the rounded square root.
    forms = [Layer(hidden, heads, inner, gemma3, window, stored) for stored in ("constant, 0.0", None)]
    zeros, without = (list(test.run(f"{name}-{kind}", form.text(), {"ids": ids})) for kind, form in zip(("zeros", "without"), forms))
    for (label, found), (_, wanted) in zip(zeros, without):
        test.check(list(found["normalizer"].values) == [NORMALIZERS[hidden]], f"{label}: normaliser {list(found['normalizer'].values)}")
        test.close(label, found["out"].values, wanted["out"].values, 2.0 ** -6)
test.finish()
