"""Curves for loss_band.py to judge, in 300 steps. Usage: curves.py CASE FILE

PyTorch's five runs are apart by 1e-3, whose sign changes with every step, and by a tenth of that all the time; bf16 costs
1e-3 with both signs. Half the band is then n sqrt(1.2 · 1.31 s² + 2 c²) with s² = 1e-6 · 2.5 (the variance of -2, -1, 0, 1, 2),
c² = 1e-6 and n = 4.79, the normal distribution's: 0.0116. 1.31: of numbers drawn with a variance of 1.31 s², s² is what variances of five
are in the mean of their logarithms."""

import json
import sys

case, path = sys.argv[1:]
STEPS = 300


def curve(offset=lambda step: 0.0):
    return [5 / (1 + step / 100) + offset(step) for step in range(STEPS)]


runs = [curve(lambda step, run=run: (run - 2) * 1e-3 * ((-1)**step + 0.1)) for run in range(5)]
costs = [1e-3 * (-1)**(step // 10) if step % 10 == 0 else None for step in range(STEPS)]
inside = curve(lambda step: 0.01 * (-1)**step)
heddle = {
    "inside": inside,
    # One step alone, further off than the band is wide.
    "outside": curve(lambda step: 0.012 if step == 123 else 0.0),
    # Always within the band, and always on one side.
    "aside": curve(lambda step: 0.005),
    "nan": curve(lambda step: float("nan") if step == 7 else 0.0),
    "blind": inside,
}[case]
wrong = inside if case == "blind" else curve(lambda step: 0.1)
with open(path, "w", encoding="utf-8") as file:
    json.dump({"heddle": {"compiled": heddle}, "torch": runs, "wrong": wrong, "costs": costs}, file)
