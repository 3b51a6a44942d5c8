// A residual and RMSNorm: the sum is stored and read on by the norm in the same kernel.
func.func @main(%x: tensor<2x33x2560xf32> {graph.name = "x"}, %r: tensor<2x33x2560xf32> {graph.name = "r"})
    -> (tensor<2x33x2560xf32> {graph.name = "sum"}, tensor<2x33x2560xbf16> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [2560], normal, 0.5>] : tensor<2560xf32>
  %s = graph.add %x, %r : tensor<2x33x2560xf32>
  %n = graph.rms_norm %s, %w epsilon 1.0e-5 : tensor<2x33x2560xf32>, tensor<2560xf32>
  %y = graph.cast %n : tensor<2x33x2560xf32> -> tensor<2x33x2560xbf16>
  return %s, %y : tensor<2x33x2560xf32>, tensor<2x33x2560xbf16>
}
