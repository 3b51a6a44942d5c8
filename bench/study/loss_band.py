"""Training on text in bf16: is Heddle's loss one that PyTorch could have had? Prints CSV, a row a step.

python3 bench/study/loss_band.py --plot band.svg > band.csv
Both train study:small on the bytes of the project's own documents and sources (or --data FILE): same weights, same windows,
AdamW with the same settings, bf16 autocast. PyTorch does so five times, with the rows of each batch in another order: the
same sums in another order, so that the runs differ by rounding alone.

The band. At each step, PyTorch's runs have a mean and a variance, which five numbers alone know badly, and which changes from step
to step: some batches tell the runs apart much better than others. Its neighbours, 10 steps before and after, know a part of it.
How large a part is measured over stretches of 100 steps (spread.py: moderated t statistics): that gives the variance s² and the
distribution, Student's, of which a further run of the same kind is a draw, around the mean of five and with a variance of
s² (1 + 1/5). The band is as wide as q of its deviations, such that none of all steps lies outside but in one of 2,000 trials. At the
beginning, before rounding has grown through the updates, the runs are closer to one another than any two right programs need be:
bf16 says that a program may be off from the exact loss by what bf16 costs. That cost c is measured, as PyTorch's bf16 loss less its
float32 loss for the same weights and batch, at every tenth step of the first run, and pooled over the neighbours; two programs that
are each off by c differ by c sqrt(2) in the mean square, and by n times that as rarely, with n the normal distribution's q. Half the
band's width is therefore sqrt(1.2 q² s² + 2 n² c²). Its mean over the first and the last 100 steps is printed: the runs part, and what
the band can tell late is little against what it tells early. How often PyTorch's own runs are outside of the band that the other four
make is printed beside the verdict, which it does not change: a band that they left would be too narrow.

As a whole the curve must also not lie to one side: over the last 100 steps the mean of Heddle's differences is at most
3 sqrt(o² + 2 m²), with o the largest such mean of PyTorch's runs, each from the other four, and m the mean of c with its sign. The
largest of five is 1.7 deviations of a run's mean in the mean, so that the bound is 4.6 of Heddle's difference; but five means know their
deviation badly themselves, and a right program of no cost is above it in one of 120 trials.

A band can be too wide to see anything. So PyTorch trains once more with --wrong-rate times the learning rate, 2 % more: that
curve must leave the band or fail the mean, else the command fails for its own blindness. Exit code 1: Heddle's curve is
outside, or that of the wrong rate is not.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import plot
from heddle_bench import ROOT, Output, call
from spread import moderated, quantile
from training_data import places, read_safetensors

RUNS, POOL, LAST = 5, 10, 100
TRIALS = 2000  # In one of so many does a right program leave the band.
VOCABULARY = 256
TEXTS = ("*.md", "*.h", "*.cpp", "*.td", "*.py", "*.cuh")
BETAS, EPSILON, DECAY = (0.9, 0.999), 1e-8, 0.01


def text_of_project():
    """The tracked documents and sources, in the order of their names."""
    names = subprocess.run(["git", "ls-files", "-z", *TEXTS], capture_output=True, cwd=ROOT, check=True).stdout.split(b"\0")
    return b"".join((ROOT / name.decode()).read_bytes() for name in sorted(names) if name)


# -- the band: numbers alone ----------------------------------------------------------------------------------------------


def mean(values):
    return sum(values) / len(values)


def variance(values):
    centre = mean(values)
    return sum((value - centre)**2 for value in values) / (len(values) - 1)


def pooled(values, itself=True):
    """Each value's mean with its POOL neighbours on either side, or theirs alone; None is no value. Some window must hold one."""
    found = []
    for index in range(len(values)):
        window = [values[at] for at in range(max(0, index - POOL), min(len(values), index + POOL + 1))
                  if values[at] is not None and (itself or at != index)]
        found.append(mean(window) if window else found[-1] if found else values[index])
    return found


def band_of(runs, costs):
    """[(low, middle, high)] of each step. runs: the losses of each run of the peer; costs: bf16's loss less float32's at some
    steps, None at the others, of which each stretch of 2 POOL + 1 steps must have one."""
    own = [variance(step) for step in zip(*runs)]
    trend, rare = pooled(own, itself=False), 1 / TRIALS / len(own)
    spread = []  # As q² s² of each step: how well neighbours know each other changes as the runs part.
    ends = [*range(LAST, len(own) - LAST + 1, LAST), len(own)]  # The last stretch is no shorter than the others.
    for begin, end in zip([0, *ends], ends):
        some, freedom = moderated(own[begin:end], trend[begin:end], len(runs))
        q = quantile(rare, freedom)
        spread += [q**2 * value for value in some]
    cost = pooled([None if value is None else value**2 for value in costs])
    centre, normal = [mean(step) for step in zip(*runs)], quantile(rare, math.inf)
    half = [math.sqrt((1 + 1 / len(runs)) * s + 2 * normal**2 * c) for s, c in zip(spread, cost)]
    return [(middle - width, middle, middle + width) for middle, width in zip(centre, half)]


def outside(losses, band):
    """Steps, counted from 1, at which the losses are not inside; NaN is not."""
    return [step + 1 for step, (loss, (low, _, high)) in enumerate(zip(losses, band)) if not low <= loss <= high]


def offset(losses, others):
    """The mean difference over the last steps from the mean of the other runs."""
    return mean([loss - mean(step) for loss, *step in list(zip(losses, *others))[-LAST:]])


def verdict(losses, runs, band, costs):
    """(good, words) for one curve."""
    left = outside(losses, band)
    own = max(abs(offset(run, [other for other in runs if other is not run])) for run in runs)
    cost = mean([value for value in costs[-LAST:] if value is not None])
    most, found = 3 * math.sqrt(own**2 + 2 * cost**2), offset(losses, runs)
    good = not left and abs(found) <= most
    first = f", first {left[0]}" if left else ""
    return good, (f"{len(left)} of {len(losses)} steps outside the band{first}; mean difference over the last "
                  f"{min(LAST, len(losses))} steps {found:+.2e}, at most {most:.2e}")


def own_outside(runs, costs):
    """How many steps of each of the peer's runs are outside of the band that the others make."""
    return [len(outside(run, band_of([other for other in runs if other is not run], costs))) for run in runs]


# -- the runs -----------------------------------------------------------------------------------------------------------------


def heddle_losses(arguments, folder, impl, weights, data):
    log = folder / f"{impl}.csv"
    call([arguments.heddle, "train", "study:small", *extents(arguments), "--precision", "bf16", "--impl", impl,
          "--weights", weights, "--data", data, "--seed", arguments.seed, "--steps", arguments.steps, "--lr",
          arguments.lr, "--warmup-steps", arguments.warmup_steps, "--csv", log])
    with open(log, encoding="utf-8") as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def extents(arguments):
    layers = ["--layers", arguments.layers] if arguments.layers else []
    return [*layers, "--vocab", VOCABULARY, "--batch", arguments.batch, "--context", arguments.context, "--device",
            arguments.device]


def rate_of(step, peak, warmup):
    """docs/training.md, with the constant schedule."""
    return peak * (step + 1) / warmup if step < warmup else peak


class Torch:
    """PyTorch's side: imports torch, so that the numbers above can be tried without."""

    def __init__(self, arguments, weights, data):
        import torch
        from torch_model import LanguageModel
        self.torch, self.model_of, self.arguments = torch, LanguageModel, arguments
        self.tokens = torch.frombuffer(bytearray(data.read_bytes()), dtype=torch.uint8).long()
        self.weights = {name: torch.frombuffer(bytearray(bytes_), dtype=torch.float32).reshape(shape)
                        for name, (_, shape, bytes_) in read_safetensors(weights).items()}

    def batch(self, step, order):
        context = self.arguments.context
        begins = places(step, self.arguments.batch, len(self.tokens), context, self.arguments.seed)
        rows = self.torch.stack([self.tokens[begins[row]:begins[row] + context + 1] for row in order]).to(self.arguments.device)
        return rows[:, :-1], rows[:, 1:]

    def loss(self, model, step, order, low):
        torch, (ids, targets) = self.torch, self.batch(step, order)
        with torch.autocast(self.arguments.device, torch.bfloat16, enabled=low):
            logits = model(ids)
            return torch.nn.functional.cross_entropy(logits.reshape(-1, VOCABULARY).float(), targets.reshape(-1))

    def train(self, order, rate, measure_cost=False):
        """(losses, costs) of one run; order: of a batch's rows."""
        torch, arguments = self.torch, self.arguments
        with torch.device(arguments.device):
            model = self.model_of("small", VOCABULARY, arguments.context, arguments.attention, arguments.layers)
        model.load_state_dict(self.weights)
        groups = [{"params": [value for value in model.parameters() if (value.dim() < 2) == vectors],
                   "weight_decay": 0.0 if vectors else DECAY} for vectors in (False, True)]
        optimizer = torch.optim.AdamW(groups, lr=rate, betas=BETAS, eps=EPSILON, fused=arguments.device == "cuda")
        losses, costs = [], []
        for step in range(arguments.steps):
            for group in optimizer.param_groups:
                group["lr"] = rate_of(step, rate, arguments.warmup_steps)
            loss = self.loss(model, step, order, low=True)
            costs.append(None)
            if measure_cost and step % POOL == 0:
                with torch.no_grad():
                    costs[-1] = loss.detach() - self.loss(model, step, order, low=False)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return torch.stack(losses).tolist(), [None if cost is None else cost.item() for cost in costs]


def orders(batch):
    """RUNS orders of a batch's rows, all different; the first is as drawn."""
    found = [list(range(batch))]
    for index in range(1, RUNS):
        order = found[0][index % batch:] + found[0][:index % batch]
        if index >= batch:
            order = order[::-1]
        found.append(order)
    if len({tuple(order) for order in found}) < RUNS:
        sys.exit(f"error: a batch of {batch} has no {RUNS} orders; wanted at least 4")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, help="text; its bytes are the tokens [the project's own]")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--context", type=int, default=256)
    parser.add_argument("--layers", type=int, help="keep only the first so many blocks, to try the command")
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--warmup-steps", type=int, default=20)
    parser.add_argument("--wrong-rate", type=float, default=1.02)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--attention", choices=["written", "library"], default="written", help="PyTorch's")
    parser.add_argument("--impls", nargs="+", choices=["compiled", "eager"], default=["compiled", "eager"])
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/release/bin/heddle")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE.svg")
    parser.add_argument("--curves", type=pathlib.Path, help="judge curves of an earlier run, a JSON file, instead of training")
    parser.add_argument("--save-curves", type=pathlib.Path, help="keep the curves for --curves")
    arguments = parser.parse_args()

    if arguments.curves:
        curves = json.loads(arguments.curves.read_text())
    else:
        curves = trained(arguments)
    if arguments.save_curves:
        arguments.save_curves.write_text(json.dumps(curves) + "\n")
    sys.exit(judge(arguments, curves))


def trained(arguments):
    """Losses by curve: {"heddle": {impl: […]}, "torch": [[…], …], "wrong": […], "costs": […]}."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data, weights = arguments.data, folder / "weights.safetensors"
        if data is None:
            data = folder / "text.txt"
            data.write_bytes(text_of_project())
        call([arguments.heddle, "run", "study:small", *extents(arguments), "--input", "random:1", "--output",
              folder / "logits.safetensors", "--save-weights", weights])
        heddle = {impl: heddle_losses(arguments, folder, impl, weights, data) for impl in arguments.impls}
        peer = Torch(arguments, weights, data)
        runs = [peer.train(order, arguments.lr, measure_cost=index == 0) for index, order in enumerate(orders(arguments.batch))]
        wrong, _ = peer.train(list(range(arguments.batch)), arguments.lr * arguments.wrong_rate)
    return {"heddle": heddle, "torch": [losses for losses, _ in runs], "wrong": wrong, "costs": runs[0][1]}


def judge(arguments, curves):
    heddle, runs, wrong = curves["heddle"], curves["torch"], curves["wrong"]
    band = band_of(runs, curves["costs"])
    output = Output(arguments, ["step", "low", "high", *(f"heddle_{impl}" for impl in heddle),
                                *(f"torch_{index}" for index in range(len(runs))), "torch_wrong_rate"])
    for step, (low, _, high) in enumerate(band):
        values = [low, high, *(losses[step] for losses in heddle.values()), *(run[step] for run in runs), wrong[step]]
        output.row(step + 1, *(f"{value:.6f}" for value in values))
    failed = False
    counts = ", ".join(map(str, own_outside(runs, curves["costs"])))
    widths = [(high - low) / 2 for low, _, high in band]
    print(f"half the band's width: {mean(widths[:LAST]):.4f} over the first {min(LAST, len(band))} steps, "
          f"{mean(widths[-LAST:]):.4f} over the last", file=sys.stderr)
    print(f"PyTorch's own runs, each against the band of the others: {counts} of {len(band)} steps outside", file=sys.stderr)
    for impl, losses in heddle.items():
        good, words = verdict(losses, runs, band, curves["costs"])
        failed |= not good
        print(f"{'inside' if good else 'OUTSIDE'}: heddle {impl}: {words}", file=sys.stderr)
    seen, words = verdict(wrong, runs, band, curves["costs"])
    failed |= seen
    print(f"{'NOT SEEN' if seen else 'seen'}: the rate times {arguments.wrong_rate:g}: {words}", file=sys.stderr)
    if arguments.plot:
        centre = [middle for _, middle, _ in band]
        series = {f"heddle {impl}": losses for impl, losses in heddle.items()} | {
            f"rate × {arguments.wrong_rate:g}": wrong} | {f"PyTorch {index + 1}": run for index, run in enumerate(runs)}
        width = max(high - middle for _, middle, high in band)
        plot.lines(arguments.plot, "Loss less the mean of PyTorch's runs, and the band", "step", "difference of loss",
                   {name: [(step + 1, loss - middle) for step, (loss, middle) in enumerate(zip(losses, centre))]
                    for name, losses in series.items()},
                   band=[(step + 1, low - middle, high - middle) for step, (low, middle, high) in enumerate(band)],
                   y_range=(-1.2 * width, 1.2 * width))
    return 1 if failed else 0


if __name__ == "__main__":
    main()
