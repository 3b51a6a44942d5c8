# RUN: %python %s %t
"""The graphs that `explain --dump-to` writes after each phase read back, run eagerly and compiled, and keep their values.
After Precision they hold implicit casts, also of concatenations; after Layout merged weights."""

import os

from support.driver import DEVICE, Test

test = Test()

for precision in ("fp32", "bf16"):
    folder = test.path(precision)
    done = test.command("explain", "study:small", "--layers", "2", "--batch", "2", "--context", "17", "--vocab", "100",
                        "--precision", precision, "--device", DEVICE, "--dump-to", folder)
    test.check(done.returncode == 0, f"explain, {precision}: {done.stderr[:1000]}")
    for phase in ("0-Import", "1-Graph", "2-Layout", "4-Precision", "5-Checkpoint"):
        test.verdict(f"{phase} of {precision}", os.path.join(folder, f"{phase}.mlir"))
    test.verdict(f"4-Precision of {precision}, as bf16", os.path.join(folder, "4-Precision.mlir"), "--precision", "bf16")

HEAD = 'func.func @main(%x: tensor<4x8x{}> {{graph.name = "x"}}, %z: tensor<4x3xf32> {{graph.name = "z"}}) -> (tensor<4x11x{}> {{graph.name = "y"}}) {{'
test.verdict("a cast of a concatenation", test.write("whole.mlir", HEAD.format("f32", "bf16") + """
  %a = graph.exp %x : tensor<4x8xf32>
  %c = graph.concat %a, %z axis 1 : tensor<4x8xf32>, tensor<4x3xf32> -> tensor<4x11xf32>
  %y = graph.cast %c implicit : tensor<4x11xf32> -> tensor<4x11xbf16>
  return %y : tensor<4x11xbf16>
}
"""))
test.verdict("a concatenation of a cast", test.write("part.mlir", HEAD.format("bf16", "f32") + """
  %a = graph.exp %x : tensor<4x8xbf16>
  %b = graph.cast %a implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
  %c = graph.concat %b, %z axis 1 : tensor<4x8xf32>, tensor<4x3xf32> -> tensor<4x11xf32>
  return %c : tensor<4x11xf32>
}
"""))
test.verdict("a cast of a concatenation of parameters", test.write("weights.mlir", HEAD.format("f32", "f32") + """
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 0.5>] : tensor<8x8xf32>
  %v = graph.parameter [#graph.part<"v", [3, 8], normal, 0.5>] : tensor<3x8xf32>
  %k = graph.concat %w, %v axis 0 : tensor<8x8xf32>, tensor<3x8xf32> -> tensor<11x8xf32>
  %b = graph.cast %k implicit : tensor<11x8xf32> -> tensor<11x8xbf16>
  %a = graph.cast %x implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %t = graph.transpose %b [1, 0] : tensor<11x8xbf16> -> tensor<8x11xbf16>
  %c = graph.matmul %a, %t : tensor<4x8xbf16>, tensor<8x11xbf16> -> tensor<4x11xf32>
  return %c : tensor<4x11xf32>
}
"""))
test.finish()
