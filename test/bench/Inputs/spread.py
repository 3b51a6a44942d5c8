"""Holds spread.py and the band of losses against tables and simulations. Usage: spread.py FOLDER, which has it."""

import math
import random
import sys

sys.path.insert(0, sys.argv[1])
from loss_band import band_of, outside
from spread import digamma, moderated, outside_student, quantile, trigamma

# Euler's constant, and pi² / 6 (Abramowitz and Stegun 6.3.2, 6.4.2); at 1/2 (6.3.3, 6.4.4).
for found, wanted in [(digamma(1), -0.57721566490153286), (trigamma(1), math.pi**2 / 6),
                      (digamma(0.5), -0.57721566490153286 - 2 * math.log(2)), (trigamma(0.5), math.pi**2 / 2)]:
    assert abs(found - wanted) < 1e-11, (found, wanted)
# Tables of Student's t, two-sided (Abramowitz and Stegun, table 26.10: five digits), and Cauchy's distribution in closed form.
for probability, freedom, wanted in [(0.05, 4, 2.776), (0.01, 10, 3.169), (0.5, 3, 0.765), (0.001, 30, 3.646),
                                     (0.05, math.inf, 1.960)]:
    assert abs(quantile(probability, freedom) - wanted) < 6e-4, (probability, freedom)
for q in (1e-3, 0.5, 1.0, 30.0, 1e4):
    assert abs(outside_student(q, 1) / (1 - 2 * math.atan(q) / math.pi) - 1) < 1e-9, q
assert abs(quantile(1.6e-6, 1e7) - quantile(1.6e-6, math.inf)) < 1e-3

# Variances of five numbers each, whose own variance is drawn around a trend with `prior` degrees of freedom, then all alike.
random.seed(1)
STEPS = 20000
trend = [1.0 + index % 7 for index in range(STEPS)]
square = lambda freedom: random.gammavariate(freedom / 2, 2)
for prior in (3, 8):
    variances = [t * prior / square(prior) * square(4) / 4 for t in trend]
    found, freedom = moderated(variances, trend, 5)
    # Of 20,000 logarithms the variance is known to 2 %, and the degrees of freedom to about 6 %.
    assert abs(freedom - 4 - prior) < 0.2 * prior, (prior, freedom)
    assert all(math.isclose(v, ((freedom - 4) * t + 4 * own) / freedom, rel_tol=0.1)
               for v, t, own in zip(found, trend, variances)), prior
# All alike: their logarithms have the mean that those of numbers drawn with four degrees of freedom have around the trend.
alike = [t * math.exp(digamma(2)) / 2 for t in trend]
found, freedom = moderated(alike, trend, 5)
assert math.isinf(freedom) and all(math.isclose(v, t) for v, t in zip(found, trend))
# Of numbers that are all the same nothing is known but the trend.
assert moderated([0.0] * 5, [1.0] * 5, 5) == ([1.0] * 5, math.inf)

# Six runs of one kind, whose deviation is another at each step: of 100 sixth ones, 30,000 steps, one lies outside in one of 20 trials. A
# band of one pooled deviation and normal variates is left by dozens. What is off by ten deviations of every step is seen.
random.seed(2)
left = seen = 0
for _ in range(100):
    deviations = [math.exp(random.gauss(0, 0.7)) for _ in range(300)]
    *runs, sixth = [[random.gauss(0, deviation) for deviation in deviations] for _ in range(6)]
    band = band_of(runs, [0.0] * 300)
    left += len(outside(sixth, band))
    seen += bool(outside([loss + 10 * deviation for loss, deviation in zip(sixth, deviations)], band))
assert left <= 1 and seen == 100, (left, seen)
# Any number of steps, and steps at which all runs agree.
for steps in (1, 2, 99, 100, 101, 199, 200, 250):
    runs = [[random.gauss(0, 1) for _ in range(steps)] for _ in range(5)]
    assert len(band_of(runs, [0.0] * steps)) == steps
assert len(band_of([[5.0] * 19 + [5.0 + 1e-6 * run] + [5.0] * 21 for run in range(5)], [0.0] * 41)) == 41

# The mean over the last steps (loss_band.py): of five runs' means the largest difference from the others' is 1.7 deviations, and a sixth
# mean differs from theirs by more than three times that in one of 120 trials: 167 of 20,000, give or take four deviations of 13.
random.seed(3)
TRIALS, above, largest = 20000, 0, 0.0
for _ in range(TRIALS):
    *five, sixth = [random.gauss(0, 1) for _ in range(6)]
    own = max(abs(value - (sum(five) - value) / 4) for value in five)
    largest += own / TRIALS
    above += abs(sixth - sum(five) / 5) > 3 * own
assert abs(largest - 1.7) < 0.05 and abs(above - TRIALS / 120) < 4 * 13, (largest, above)
