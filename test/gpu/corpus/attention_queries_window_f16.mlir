// The gradient of queries of the same.
func.func @main(%q: tensor<2x3x200x80xf16> {graph.name = "q"}, %k: tensor<2x3x200x80xf16> {graph.name = "k"}, %v: tensor<2x3x200x80xf16> {graph.name = "v"}, %g: tensor<2x3x200x80xf16> {graph.name = "g"})
    -> (tensor<2x3x200x80xf16> {graph.name = "dq"}) {
  %y, %l = graph.attention %q, %k, %v scale 0.11180339887498948 causal window 100 : tensor<2x3x200x80xf16>, tensor<2x3x200x80xf16>, tensor<2x3x200x80xf16> -> tensor<2x3x200x80xf16>, tensor<2x2x3x200xf32>
  %gf = graph.cast %g : tensor<2x3x200x80xf16> -> tensor<2x3x200x80xf32>
  %yf = graph.cast %y : tensor<2x3x200x80xf16> -> tensor<2x3x200x80xf32>
  %p = graph.mul %gf, %yf : tensor<2x3x200x80xf32>
  %sum = graph.reduce sum %p axes [3] : tensor<2x3x200x80xf32> -> tensor<2x3x200x1xf32>
  %d = graph.reshape %sum : tensor<2x3x200x1xf32> -> tensor<2x3x200xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d scale 0.11180339887498948 causal window 100 : tensor<2x3x200x80xf16>, tensor<2x3x200x80xf16>, tensor<2x3x200x80xf16>, tensor<2x3x200x80xf16>, tensor<2x2x3x200xf32>, tensor<2x3x200xf32>
  return %dq : tensor<2x3x200x80xf16>
}
