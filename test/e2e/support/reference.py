"""Attention and softmax in float64, straight from the formulas."""

import math
from operator import mul

# float32: each of the few roundings in a row is 6e-8, sums of up to some thousand terms grow it by less than a hundred.
F32_TOLERANCE = 1e-5


def softmax(scores):
    """exp(s - max) / sum, of a list; -inf gives 0."""
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    total = math.fsum(powers)
    return [power / total for power in powers]


def rows_of(values, width):
    return [values[start:start + width] for start in range(0, len(values), width)]


def attention(q, k, v, scale, allowed=lambda i, j: True, bias=lambda i, j: 0.0, rows=None, cap=None):
    """Of one head: q [Sq][D], k [Sk][D], v [Sk][E], lists of rows; gives [Sq][E], or only the rows asked for.
    A query that sees no key gives zeros. With a cap c scaled scores s are c * tanh(s / c) before the bias."""
    capped = (lambda s: cap * math.tanh(s / cap)) if cap else (lambda s: s)
    columns = list(zip(*v))
    result = []
    for i in range(len(q)) if rows is None else rows:
        keys = [j for j in range(len(k)) if allowed(i, j)]
        if not keys:
            result.append([0.0] * len(columns))
            continue
        weights = softmax([capped(scale * sum(map(mul, q[i], k[j]))) + bias(i, j) for j in keys])
        if len(keys) == len(k):
            result.append([sum(map(mul, weights, column)) for column in columns])
        else:
            result.append([sum(weight * column[j] for weight, j in zip(weights, keys)) for column in columns])
    return result


def heads(q, k, v, scale, **options):
    """Of Tensors [..., S, D] with equal leading extents: the flat result."""
    size = lambda tensor: tensor.shape[-2] * tensor.shape[-1]
    result = []
    for head in range(len(q.values) // size(q)):
        parts = [rows_of(t.values[head * size(t):(head + 1) * size(t)], t.shape[-1]) for t in (q, k, v)]
        for row in attention(*parts, scale, **options):
            result += row
    return result
