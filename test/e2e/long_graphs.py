# RUN: %python %s %t
"""Graphs of thousands of ops compile in a time that grows with their length, and give the right values: a chain, which
could be one kernel, and a row of branches that all read one value."""

import json

from support.driver import DEVICE, Test
from support.graph import Graph
from support.tensors import fill

test = Test()
SHAPE = (3, 5)
x = fill(1, SHAPE)

# abs, then neg, and so on: the last of an even number of ops is neg. Exact.
graph = Graph(x=x)
value = "%x"
for index in range(2000):
    value = graph.unary("neg" if index % 2 else "abs", value)
for label, outputs in test.run("chain", graph.text(out=value), {"x": x}):
    test.close(label, outputs["out"].values, [-abs(element) for element in x.values], 0)
done = test.command("explain", test.path("chain.mlir"), "--device", DEVICE, "--format", "json")
groups = json.loads(done.stdout)["groups"]
test.check(all(len(group["ops"]) <= 256 for group in groups), "chain: wanted no group of more than 256 ops")
reasons = {reason.partition(": ")[2] for group in groups for reason in group["reasons"]}
test.check(reasons == {"the kernel would hold more than 256 ops"}, f"chain: wanted that limit as the reason, found {reasons}")

# Ten thousand: cubic time, as it once was, would pass the limit of two minutes a hundred times over.
for index in range(2000, 10_000):
    value = graph.unary("neg" if index % 2 else "abs", value)
path = test.write("long.mlir", graph.text(out=value))
done = test.command("compile", path, "-o", test.path("long.heddle"), "--device", DEVICE, timeout=120)
test.check(done.returncode == 0, f"chain of ten thousand: exit code {done.returncode}: {done.stderr[:500]}")

# x + 1/64 * x + 2/64 * x ...: products and sums of these few bits are exact.
graph = Graph(x=x)
total = "%x"
for index in range(1, 301):
    total = graph.binary("add", total, graph.binary("mul", "%x", graph.like(repr(index / 64), "%x")))
factor = 1 + sum(range(1, 301)) / 64
for label, outputs in test.run("branches", graph.text(out=total), {"x": x}):
    test.close(label, outputs["out"].values, [element * factor for element in x.values], 0)
test.finish()
