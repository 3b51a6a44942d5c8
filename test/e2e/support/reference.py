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


def attention_gradients(q, k, v, g, scale, allowed=lambda i, j: True, bias=lambda i, j: 0.0, cap=None):
    """Of one head, as `attention`, with g [Sq][E] the gradient of the result: the gradients of q, k and v."""
    slope = (lambda s: 1 - math.tanh(s / cap) ** 2) if cap else (lambda s: 1.0)
    capped = (lambda s: cap * math.tanh(s / cap)) if cap else (lambda s: s)
    dq = [[0.0] * len(q[0]) for _ in q]
    dk = [[0.0] * len(k[0]) for _ in k]
    dv = [[0.0] * len(v[0]) for _ in v]
    add = lambda to, factor, row: [x + factor * y for x, y in zip(to, row)]
    for i, (query, change) in enumerate(zip(q, g)):
        keys = [j for j in range(len(k)) if allowed(i, j)]
        if not keys:
            continue
        scores = [scale * sum(map(mul, query, k[j])) for j in keys]
        weights = softmax([capped(score) + bias(i, j) for score, j in zip(scores, keys)])
        changes = [sum(map(mul, change, v[j])) for j in keys]
        inner = sum(map(mul, weights, changes))
        for j, score, weight, by in zip(keys, scores, weights, changes):
            factor = scale * weight * (by - inner) * slope(score)
            dq[i] = add(dq[i], factor, k[j])
            dk[j] = add(dk[j], factor, query)
            dv[j] = add(dv[j], weight, change)
    return dq, dk, dv


def heads_gradients(q, k, v, g, scale, **options):
    """Of Tensors [1, H, S, D], where k and v may have fewer heads: the flat gradients of q, k and v."""
    rows = lambda t: [rows_of(t.values[head * t.shape[-2] * t.shape[-1]:][:t.shape[-2] * t.shape[-1]], t.shape[-1])
                      for head in range(t.shape[1])]
    qs, ks, vs, gs = (rows(t) for t in (q, k, v, g))
    group = len(qs) // len(ks)
    dq, dk, dv = [], [0.0] * len(k.values), [0.0] * len(v.values)
    for head, query in enumerate(qs):
        parts = attention_gradients(query, ks[head // group], vs[head // group], gs[head], scale, **options)
        flat = [[x for row in part for x in row] for part in parts]
        dq += flat[0]
        for to, part in ((dk, flat[1]), (dv, flat[2])):
            for index, value in enumerate(part, head // group * len(part)):
                to[index] += value
    return dq, dk, dv
