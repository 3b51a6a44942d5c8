// RMSNorm of 768 columns, the result rounded to bf16 for the next product.
func.func @main(%x: tensor<67x768xf32> {graph.name = "x"}) -> (tensor<67x768xbf16> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [768], normal, 0.5>] : tensor<768xf32>
  %n = graph.rms_norm %x, %w epsilon 1.0e-5 : tensor<67x768xf32>, tensor<768xf32>
  %y = graph.cast %n : tensor<67x768xf32> -> tensor<67x768xbf16>
  return %y : tensor<67x768xbf16>
}
