// The same under a window, heads of 80.
func.func @main(%q: tensor<2x3x200x80xf32> {graph.name = "q"}, %k: tensor<2x3x200x80xf32> {graph.name = "k"}, %v: tensor<2x3x200x80xf32> {graph.name = "v"}, %g: tensor<2x3x200x80xf32> {graph.name = "g"})
    -> (tensor<2x3x200x80xf32> {graph.name = "dq"}, tensor<2x3x200x80xf32> {graph.name = "dk"}, tensor<2x3x200x80xf32> {graph.name = "dv"}) {
  %y, %l = graph.attention %q, %k, %v scale 0.11180339887498948 causal window 100 : tensor<2x3x200x80xf32>, tensor<2x3x200x80xf32>, tensor<2x3x200x80xf32> -> tensor<2x3x200x80xf32>, tensor<2x2x3x200xf32>
  %p = graph.mul %g, %y : tensor<2x3x200x80xf32>
  %sum = graph.reduce sum %p axes [3] : tensor<2x3x200x80xf32> -> tensor<2x3x200x1xf32>
  %d = graph.reshape %sum : tensor<2x3x200x1xf32> -> tensor<2x3x200xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d scale 0.11180339887498948 causal window 100 : tensor<2x3x200x80xf32>, tensor<2x3x200x80xf32>, tensor<2x3x200x80xf32>, tensor<2x3x200x80xf32>, tensor<2x2x3x200xf32>, tensor<2x3x200xf32>
  return %dq, %dk, %dv : tensor<2x3x200x80xf32>, tensor<2x3x200x80xf32>, tensor<2x3x200x80xf32>
}
