# RUN: %python %s %t
"""Rotary angles, index times frequency in float32, in a bf16 model: positions or frequencies that were rounded to bf16
would be off by whole radians (huggingface/transformers#29496, #25681; NVIDIA/TransformerEngine#1245)."""

import math

from support.driver import Test
from support.graph import Graph
from support.tensors import f32

# Half a step of bf16, which has eight bits of significand, relative to the value, and the rounding of a float32
# angle of up to 131071 radians: frequency 1 is exact, the other is off by half a step of float32 relative to itself.
BF16_STEP = 2.0 ** -8
# Position to cosine, frequency 1, and for pair 5 of 32 with base 5e5; from those reports.
COSINES = {257: 0.81930553, 4097: 0.93477196, 32769: -0.57926501, 131071: -0.81798350}
PAIR_FREQUENCY, PAIR_POSITION, PAIR_COSINE = 5e5 ** (-5 / 32), 100003, 0.39943462


def graph_of(count, frequency, size, cast_last):
    """x [count, size] in float32 times cos(position * frequency), as a bf16 model does it."""
    graph = Graph(x=("f32", (1, count, size)))
    shape = (1, count, size)
    position = graph.cast(graph.iota(1, "i32", shape), "f32")
    angle = graph.binary("mul", position, graph.like(repr(frequency), position))
    cosine, sine = graph.unary("cos", angle), graph.unary("sin", angle)
    x = graph.cast("%x", "bf16")
    if cast_last:  # The product in float32, rounded once.
        wide = graph.cast(x, "f32")
        out = graph.cast(graph.binary("mul", wide, cosine), "bf16")
    else:  # The table rounded to bf16, as models do that keep it in the model's type.
        out = graph.binary("mul", x, graph.cast(cosine, "bf16"))
    return graph.text(out=out, sine=graph.cast(graph.binary("mul", graph.cast(x, "f32"), sine), "bf16"))


test = Test()
SIZE = 2
for name, count, frequency, known in (("one", 131072, 1.0, COSINES),
                                      ("pair", 100004, PAIR_FREQUENCY, {PAIR_POSITION: PAIR_COSINE})):
    x = f32((1, count, SIZE), [1.0] * (count * SIZE))
    for cast_last in (True, False):
        for label, outputs in test.run(f"{name}-{cast_last}", graph_of(count, frequency, SIZE, cast_last), {"x": x}):
            out = outputs["out"]
            test.check(out.dtype == "bf16", f"{label}: wanted bf16, found {out.dtype}")
            for position, cosine in known.items():
                # The float32 frequency and the float32 product are each off by 2^-24 of themselves at most.
                slack = 0 if frequency == 1 else 2 * 2.0 ** -24 * position * frequency
                for d in range(SIZE):
                    test.number(f"{label}: cos at {position}", out.values[position * SIZE + d], cosine,
                                abs(cosine) * BF16_STEP + slack + 1e-6)
                test.number(f"{label}: sin at {position}", outputs["sine"].values[position * SIZE],
                            math.sin(position * frequency), BF16_STEP + slack)
            # Every hundredth position, so that reductions of the argument are seen at all sizes.
            bad = [position for position in range(0, count, 97)
                   if not abs(out.values[position * SIZE] - math.cos(position * frequency))
                   <= BF16_STEP + 2 * 2.0 ** -24 * position * frequency]
            test.check(not bad, f"{label}: cosines off at {bad[:5]}, {len(bad)} in all")
test.finish()
