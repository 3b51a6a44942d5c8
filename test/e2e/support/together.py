"""Many small graphs that run as one: on a GPU a command costs a second or two whatever it runs."""

import json
import re

from support.driver import DEVICE
from support.tensors import tensor_type


class Together:
    """Graphs by case. In the text that runs, what a case names (inputs, parameters, outputs) has the case's name and a dot before its own, so that no
    value of one case is another's, and a fault names its case. In mode backward the loss is the sum of the cases' losses: the gradients are
    those that each case has alone."""

    def __init__(self):
        self.cases = {}

    def add(self, case, graph, outputs, inputs=None, weights=None, bounds=None):
        """`outputs` by name, each a value of the graph; `loss` among them for mode backward, in all cases or none. `inputs`, `weights`: the tensors
        by name, which `check` draws itself. `bounds`: of the ids that an input holds."""
        assert re.fullmatch(r"\w+", case) and case not in self.cases, case
        self.cases[case] = (graph, outputs, inputs or {}, weights or {}, bounds or {})

    def names(self):
        """Of all outputs in mode forward."""
        return [f"{case}.{name}" for case, (_, outputs, *_) in self.cases.items() for name in outputs]

    def text(self):
        """The whole module."""
        arguments, lines, results, losses = [], [], [], []
        for index, (case, (graph, outputs, _, _, bounds)) in enumerate(self.cases.items()):
            own = lambda text: re.sub(r"%(\w+)", rf"%c{index}.\1", text)
            for name, of_type in graph.inputs.items():
                bound = f", graph.bound = {bounds[name]} : i64" if name in bounds else ""
                arguments.append(f'{own(f"%{name}")}: {tensor_type(*of_type)} {{graph.name = "{case}.{name}"{bound}}}')
            lines += [own(line).replace('#graph.part<"', f'#graph.part<"{case}.') for line in graph.lines]
            results += [(own(value), graph.types[value], f"{case}.{name}") for name, value in outputs.items()]
            losses += [own(value) for name, value in outputs.items() if name == "loss"]
        if losses:
            assert len(losses) == len(self.cases), "a loss in some cases alone"
            total = losses[0]
            for index, loss in enumerate(losses[1:]):
                lines.append(f"%total{index} = graph.add {total}, {loss} : tensor<f32>")
                total = f"%total{index}"
            results.append((total, "tensor<f32>", "loss"))
        body = "\n".join(f"  {line}" for line in lines)
        named = ", ".join(f'{of_type} {{graph.name = "{name}"}}' for _, of_type, name in results)
        values, types = (", ".join(result[at] for result in results) for at in (0, 1))
        return f"func.func @main({', '.join(arguments)}) -> ({named}) {{\n{body}\n  return {values} : {types}\n}}\n"

    def run(self, test, name, flags=(), implementations=None):
        """As Test.run: yields (case, label, outputs by their own names) of every case in every implementation."""
        tensors = lambda at: {f"{case}.{key}": tensor for case, parts in self.cases.items() for key, tensor in parts[at].items()}
        for label, outputs in test.run(name, self.text(), tensors(2), flags, tensors(3), implementations):
            found = {case: {} for case in self.cases}
            for key, tensor in outputs.items():
                case, dot, own = key.partition(".")
                if dot:  # The loss of all has none.
                    found[case][own] = tensor
            for case, of_case in found.items():
                yield case, f"{label}: {case}", of_case

    def matches(self, test, name):
        """What `explain` says of attention in the text that was run under this name: by case, whether each place matched."""
        found = {case: [] for case in self.cases}
        done = test.command("explain", test.path(f"{name}.mlir"), "--device", DEVICE, "--format", "json")
        if not test.check(done.returncode == 0, f"{name}: explain: exit code {done.returncode}: {done.stderr[:500]}"):
            return found
        lines, cases = self.text().splitlines(), list(self.cases)
        for match in json.loads(done.stdout)["matches"]:
            if match["pattern"] == "attention":
                line = int(match["location"].split(":")[-2])
                found[cases[int(re.search(r"%c(\d+)\.", lines[line - 1])[1])]].append(match["matched"])
        return found
