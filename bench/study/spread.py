"""Variances that a few runs leave badly known, each helped by its neighbours: moderated t statistics (G. K. Smyth, Linear models and
empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3 (2004) 3, sections 3 and 6), with nothing but Python's standard library.

n numbers give a variance v with n - 1 degrees of freedom. What is known of it besides, the trend, is taken for d0 numbers more: then
v' = (d0 t + (n - 1) v) / (d0 + n - 1), and what is further off than q sqrt(v') is so with the probability that Student's
distribution of d0 + n - 1 degrees of freedom gives. d0 says how well the trend tells single variances, which the spread of
log(v / trend) shows; it is infinite where the variances differ no more than those of n numbers do anyway.
"""

import math


def digamma(x):
    """The derivative of log gamma at x > 0, to 1e-12 (Abramowitz and Stegun 6.3.5, 6.3.18)."""
    below = 0.0
    while x < 20:
        below -= 1 / x
        x += 1
    return below + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)


def trigamma(x):
    """The derivative of digamma at x > 0, to 1e-12 (Abramowitz and Stegun 6.4.6, 6.4.12)."""
    below = 0.0
    while x < 20:
        below += 1 / x**2
        x += 1
    return below + 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)


def bisected(falling, wanted, low, high):
    """Where a falling function has the value `wanted`, between two positive numbers."""
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if falling(middle) > wanted else (low, middle)
    return low


def outside_student(q, freedom):
    """The probability that |t| > q >= 0: the incomplete beta function I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + q²), by its
    continued fraction (Abramowitz and Stegun 26.5.8, 26.7.1)."""
    x = freedom / (freedom + q * q)
    if x >= 1:
        return 1.0
    a, b = freedom / 2, 0.5
    swap = x > (a + 1) / (a + b + 2)  # Where the fraction of the other tail converges at once.
    if swap:
        a, b, x = b, a, 1 - x
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for k in range(1, 1000):
        before = fraction
        for term in (k * (b - k) / ((a + 2 * k - 1) * (a + 2 * k)), -(a + k) * (a + b + k) / ((a + 2 * k) * (a + 2 * k + 1))):
            d, c = 1 / (1 + term * x * d), 1 + term * x / c
            fraction *= c * d
        if abs(fraction - before) < 1e-15 * fraction:
            break
    return 1 - front * fraction if swap else front * fraction


def quantile(probability, freedom):
    """The q that |t| exceeds with this probability, in (0, 1); of the normal distribution where `freedom` is infinite."""
    tail = (lambda q: math.erfc(q / math.sqrt(2))) if math.isinf(freedom) else (lambda q: outside_student(q, freedom))
    return bisected(tail, probability, 1e-6, 1e6)


def moderated(variances, trend, count):
    """(variances, freedom): each variance of `count` numbers with the trend's share in it, and Student's degrees of freedom. `trend` must
    not know the variance beside it. Variances and trends of 0, of numbers that are all the same, say nothing about how much the others
    differ."""
    own = count - 1
    logs = [math.log(v / t) for v, t in zip(variances, trend) if v > 0 and t > 0]
    if len(logs) < 2:
        return list(trend), math.inf
    middle = sum(logs) / len(logs)
    excess = sum((value - middle)**2 for value in logs) / (len(logs) - 1) - trigamma(own / 2)
    # What the variances are where the trend is 1: a mean of variances, as trends are, is that of the large ones.
    scale = math.exp(middle - digamma(own / 2) + math.log(own / 2))
    if excess <= 0:
        return [scale * t for t in trend], math.inf
    prior = 2 * bisected(trigamma, excess, 1e-3, 1e9)
    scale *= math.exp(digamma(prior / 2) - math.log(prior / 2))
    return [(prior * scale * t + own * v) / (prior + own) for v, t in zip(variances, trend)], prior + own
