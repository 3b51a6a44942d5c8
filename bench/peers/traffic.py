"""Kernels and bytes of one eager run, by op: counted, not measured; no GPU is needed.

python3 traffic.py torch --size small --precision bf16 --mode step
    What PyTorch launches for torch_bench.py's model: its operators, recorded on tensors without data. A GPU is told
    apart from the CPU by hand: softmax is float32 under autocast, AdamW is foreach's. Sorting for the embedding's
    gradient and what cuBLAS adds to a product are left out.
python3 traffic.py heddle DIR/6-Fusion.mlir
    What `heddle compile MODEL --impl eager --dump-to DIR --stop-after Fusion` made groups of.

A tensor counts once for each kernel that reads or writes it, and where it is repeated with what is there.
"""

import argparse
import collections
import functools
import re

ELEMENT_BYTES = {"f32": 4, "bf16": 2, "f16": 2, "i32": 4, "i64": 8, "i1": 1}


class Table:
    """Kernels and bytes by the op's name."""

    def __init__(self):
        self.kernels, self.bytes = collections.Counter(), collections.Counter()

    def add(self, name, kernels, size):
        self.kernels[name] += kernels
        self.bytes[name] += size

    def print(self):
        print(f"{'op':36}{'kernels':>8}{'MB':>12}")
        rows = [(name, self.kernels[name], size) for name, size in self.bytes.most_common()]
        for name, kernels, size in rows + [("total", self.kernels.total(), self.bytes.total())]:
            print(f"{name:36}{kernels:8}{size / 1e6:12.1f}")


# PyTorch.

NO_KERNELS = """alias as_strided detach device empty empty_like empty_strided expand lift_fresh local_scalar_dense
    new_empty new_empty_strided permute record_function_enter_new record_function_exit reshape select slice split
    squeeze t transpose unbind unsafe_view unsqueeze view""".split()


def torch_traffic(arguments):
    import torch
    from torch._subclasses import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    import torch_bench

    def tensors(tree):
        return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]

    def size_of(tensor):
        count = tensor.element_size()
        for extent, stride in zip(tensor.shape, tensor.stride()):
            count *= extent if stride != 0 else 1
        return count

    def cost(name, inputs, outputs):
        """Kernels, bytes."""
        distinct = {(t.untyped_storage()._cdata, t.storage_offset(), t.shape, t.stride()): t for t in inputs}
        read, written = sum(map(size_of, distinct.values())), sum(map(size_of, outputs))
        if name == "masked_fill":  # A clone, which is then filled.
            return 2, read + written + 2 * written
        if name == "slice_backward":  # Zeros, and a copy into the slice.
            return 2, written + 2 * read
        if name == "nll_loss_backward":  # Zeros, and one element a row.
            return 2, written
        if name == "nll_loss_forward":
            return 1, size_of(inputs[1])
        if name == "embedding":
            return 1, 2 * written
        return 1, read + written

    table = Table()

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            name = func._overloadpacket.__name__
            inputs, outputs = tensors((args, kwargs)), tensors(result)
            if name.startswith("_foreach") and name.endswith("_"):
                outputs = tensors(args[0])
            steps = name.startswith("_foreach") and all(t.ndim == 0 for t in inputs)  # These are on the host.
            if name.strip("_") not in NO_KERNELS and not steps:
                table.add(name, *cost(name, inputs, outputs))
            return result

    softmax = torch.softmax
    if arguments.precision == "bf16":
        torch.softmax = lambda scores, dim: softmax(scores.float(), dim)
    torch.optim.AdamW = functools.partial(torch.optim.AdamW, foreach=True)
    arguments.device, arguments.impl = "cpu", "eager"
    with FakeTensorMode(allow_non_fake_inputs=True):
        run = torch_bench.make_step(arguments)
        run()  # Moments are made in the first.
        with Recorder():
            run()
    return table


# Heddle.

TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)(?:, #\w+)?>")
VALUE = re.compile(r"%\w+(?:#\d+)?")
GROUP = re.compile(r'(%\w+)(?::\d+)? = graph\.group +\w+ "([^"]*)"')
OP = re.compile(r"(%\w+)(?::\d+)? = graph\.(\w+) (.*)")
VIEW_OPS = ("reshape", "transpose", "broadcast", "slice")


def types_of(text):
    """(elements, bytes of one) of each tensor type."""
    found = []
    for extents, element in TENSOR.findall(text):
        count = 1
        for extent in extents.split("x")[:-1]:
            count *= int(extent)
        found.append((count, ELEMENT_BYTES[element]))
    return found


def heddle_traffic(path):
    table = Table()
    known = {}  # Outside of groups: the value in memory (none: a constant), elements that a view has of it, bytes of one.
    group = None  # Label, name, values made inside, bytes of those read, parts that a concatenation copies.
    for number, line in enumerate(open(path), 1):
        text = line.strip()
        if "func.func @main(" in text:
            for name, shape in re.findall(r"(%arg\d+): (tensor<[^>]*>)", text):
                known[name] = (name, *types_of(shape)[0])
        elif found := GROUP.match(text):
            group = (found[2], found[1], set(), {}, 0)
        elif group and text.startswith("}"):
            label, name, _, reads, parts = group
            results = types_of(text)
            for index, result in enumerate(results):
                known[f"{name}#{index}" if len(results) > 1 else name] = (f"{name}#{index}", *result)
            table.add(label, max(parts, 1), sum(reads.values()) + sum(count * size for count, size in results))
            group = None
        elif found := OP.match(text):
            name, op, rest = found.groups()
            result = types_of(rest)[-1]
            if group:
                for index, operand in enumerate(VALUE.findall(rest)):
                    base, count, size = known.get(operand, (None, 0, 0))
                    if operand in group[2] or base is None:
                        continue
                    if op == "embedding" and index == 0:
                        count = result[0]
                    group[3][base, count] = count * size
                group[2].add(name)
                if op == "concat":
                    group = (*group[:4], len(VALUE.findall(rest)))
            elif op in VIEW_OPS:
                base, count, _ = known[VALUE.search(rest)[0]]
                known[name] = (base, min(count, result[0]), result[1])
            else:
                known[name] = (None if op == "constant" else name, *result)
    if not table.kernels:
        raise SystemExit(f"{path}: found no group of graph ops, wanted the IR behind phase Fusion")
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, dest="of")
    peer = commands.add_parser("torch")
    own = commands.add_parser("heddle")
    own.add_argument("file")
    from sizes import add_cell_arguments

    add_cell_arguments(peer)
    arguments = parser.parse_args()
    (torch_traffic(arguments) if arguments.of == "torch" else heddle_traffic(arguments.file)).print()


if __name__ == "__main__":
    main()
