# RUN: %python %s %t
"""Graphs that cannot be compiled: exit code 1, one error with file, line and reason, whatever the text
(iree-org/iree#13864, #13156; llvm/torch-mlir#3267)."""

import os

from support.driver import DEVICE, Test

test = Test()


def function(body, inputs="%x: tensor<4x8xf32>", outputs="tensor<4x8xf32>"):
    """Lines of a function; the first of `body` is line 2."""
    return f"func.func @main({inputs}) -> {outputs} {{\n" + "\n".join(body) + "\n}\n"


def refused(name, text, line, *wanted):
    """Every subcommand that reads a graph refuses it in the same words; nothing is written."""
    path = test.write(f"{name}.mlir", text)
    place = path if line is None else f"{path}:{line}:"
    artifact, output = test.path(f"{name}.heddle"), test.path(f"{name}.safetensors")
    commands = {"compile": [path, "-o", artifact], "explain": [path], "check": [path], "bench": [path],
                "run": [path, "--input", "random:1", "--output", output]}
    said = set()
    for command, arguments in commands.items():
        done = test.fails(1, [command, *arguments, "--device", DEVICE], place, *wanted, name=f"{name}: {command}")
        said.add(done.stderr)
    test.check(len(said) == 1, f"{name}: wanted one wording, found {said}")
    test.check(not os.path.exists(artifact) and not os.path.exists(output), f"{name}: wanted nothing written")


x = "tensor<4x8xf32>"
refused("unknown-op", function([f"  %y = graph.frobnicate %x : {x}", f"  return %y : {x}"]), 2, "graph.frobnicate")
refused("unknown-dialect", function([f'  %y = "weave.add"(%x) : ({x}) -> {x}', f"  return %y : {x}"]), 2, "weave")
refused("f64", function(["  %y = graph.exp %x : tensor<4x8xf64>", "  return %y : tensor<4x8xf64>"],
                        "%x: tensor<4x8xf64>", "tensor<4x8xf64>"), 2, "f64")
refused("f64-argument", function(["  return %x : tensor<4x8xf64>"], "%x: tensor<4x8xf64>", "tensor<4x8xf64>"), 1, "f64")
refused("i8", function(["  %y = graph.add %x, %x : tensor<4x8xi8>", "  return %y : tensor<4x8xi8>"],
                       "%x: tensor<4x8xi8>", "tensor<4x8xi8>"), 2, "i8")
refused("unranked", function(["  %y = graph.exp %x : tensor<*xf32>", "  return %y : tensor<*xf32>"],
                             "%x: tensor<*xf32>", "tensor<*xf32>"), 2, "tensor<*xf32>")
refused("dynamic", function(["  %y = graph.exp %x : tensor<?x8xf32>", "  return %y : tensor<?x8xf32>"],
                            "%x: tensor<?x8xf32>", "tensor<?x8xf32>"), 2, "tensor<?x8xf32>")
refused("empty-extent", function(["  %y = graph.exp %x : tensor<0x8xf32>", "  return %y : tensor<0x8xf32>"],
                                 "%x: tensor<0x8xf32>", "tensor<0x8xf32>"), 2, "tensor<0x8xf32>")
rank7 = "tensor<1x1x1x1x1x2x2xf32>"
refused("rank-7", function([f"  %y = graph.exp %x : {rank7}", f"  return %y : {rank7}"], f"%x: {rank7}", rank7), 2, "rank")
refused("vast", function(["  %y = graph.exp %x : tensor<4611686018427387904x4611686018427387904xf32>",
                          "  return %y : tensor<4611686018427387904x4611686018427387904xf32>"],
                         "%x: tensor<4611686018427387904x4611686018427387904xf32>",
                         "tensor<4611686018427387904x4611686018427387904xf32>"), None)
refused("one-operand", function([f"  %y = graph.add %x : {x}", f"  return %y : {x}"]), 2, "expected ','")
refused("three-operands", function([f'  %y = "graph.add"(%x, %x, %x) : ({x}, {x}, {x}) -> {x}', f"  return %y : {x}"]), 2,
        "3", "2")
refused("use-before-definition", function([f"  %y = graph.exp %z : {x}", f"  %z = graph.exp %x : {x}", f"  return %y : {x}"]),
        2, "does not dominate")
refused("undefined", function([f"  %y = graph.exp %nowhere : {x}", f"  return %y : {x}"]), 2, "%nowhere")
refused("shapes", function(["  %y = graph.matmul %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>",
                            f"  return %y : {x}"]), 2, "matmul", "8", "4")
refused("axis", function(["  %y = graph.reduce sum %x axes [2] : tensor<4x8xf32> -> tensor<4x8xf32>",
                          f"  return %y : {x}"]), 2, "2")
refused("permutation", function(["  %y = graph.transpose %x [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>",
                                 "  return %y : tensor<4x4xf32>"], outputs="tensor<4x4xf32>"), 2, "permut")
refused("slice", function(["  %y = graph.slice %x offsets [2, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<3x8xf32>",
                           "  return %y : tensor<3x8xf32>"], outputs="tensor<3x8xf32>"), 2, "slice")
refused("wrong-return", function(["  return %x : tensor<4x8xf32>"], outputs="tensor<8x4xf32>"), 2, "tensor<8x4xf32>")
refused("no-return", "func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n}\n", None, "")
refused("no-main", "func.func @other(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n  return %x : tensor<4x8xf32>\n}\n", None,
        "main")
refused("declaration", "func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32>\n", 1, "")
refused("declaration-private", "func.func private @main(tensor<4x8xf32>) -> tensor<4x8xf32>\n", 1, "")
refused("no-output", "func.func @main(%x: tensor<4x8xf32>) {\n  return\n}\n", None, "")
refused("empty", "", None, "")
refused("blank", "\n\n  \n", None, "")
refused("comment", "// nothing else\n", None, "")
refused("no-text", b"\x00\x01\x02\xff" * 64, 1, "")
refused("no-utf8", b'func.func @main(%x: tensor<4xf32> {graph.name = "\xff\xfe"}) -> tensor<4xf32> {\n'
        b"  return %x : tensor<4xf32>\n}\n", 1, "")
# Escapes make such names in a file that is UTF-8.
for where, names in (("argument", ('"\\FF"', '"y"')), ("result", ('"x"', '"\\FF"'))):
    refused(f"no-utf8-{where}", f"func.func @main(%x: {x} {{graph.name = {names[0]}}}) -> ({x} {{graph.name = {names[1]}}}) {{"
            f"\n  return %x : {x}\n}}\n", 1, where, "UTF-8")
refused("no-utf8-part", function([f'  %w = graph.parameter [#graph.part<"\\FF", [4, 8], normal, 0.5>] : {x}',
                                  f"  return %w : {x}"]), 2, "UTF-8")
refused("half", function([f"  %y = graph.exp %x : {x}"])[:-12], None, "")
refused("same-names", function([f"  return %x : {x}"], f'%x: {x} {{graph.name = "x"}}, %y: {x} {{graph.name = "x"}}'), None,
        "x")
refused("long-line", "func.func @main() { " + "a" * 10_000_000, 1, "")
refused("long-line-of-ops", "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { "
        + "%y = graph.exp %x : tensor<4xf32> " * 300_000, 1, "")
refused("nested", "module {\n" * 100_000 + "}\n" * 100_000, None, "nest")
refused("nested-open", "module {\n" * 100_000, None, "nest")
refused("nested-groups", "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" + 'graph.group rows "g" {\n' * 100_000
        + "}\n" * 100_000 + "return %x : tensor<4xf32>\n}\n", None, "nest")
refused("brackets", "func.func @main(%x: " + "tuple<" * 100_000 + ">" * 100_000, 1, "nest")
refused("plan", "plan.program @plan attributes {}\n", 1, "plan")

# Paths rather than texts.
out = test.path("out.safetensors")
test.fails(1, ["explain", test.path("none.mlir")], "none.mlir", "No such file")
test.fails(1, ["explain", test.folder + "/"], test.folder)
os.mkdir(test.path("folder.mlir"))
test.fails(1, ["explain", test.path("folder.mlir")], "folder.mlir", "directory")
test.fails(1, ["explain", test.write("graph.txt", "")], "graph.txt")
test.finish()
