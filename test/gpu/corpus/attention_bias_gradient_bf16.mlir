// The gradient of a bias that batches share, in bf16.
func.func @main(%q: tensor<2x3x70x64xbf16> {graph.name = "q"}, %k: tensor<2x3x90x64xbf16> {graph.name = "k"}, %v: tensor<2x3x90x64xbf16> {graph.name = "v"}, %g: tensor<2x3x70x64xbf16> {graph.name = "g"}, %bias: tensor<1x3x70x90xf32> {graph.name = "bias"})
    -> (tensor<2x3x70x64xbf16> {graph.name = "dq"}, tensor<2x3x90x64xbf16> {graph.name = "dk"}, tensor<2x3x90x64xbf16> {graph.name = "dv"}, tensor<1x3x70x90xf32> {graph.name = "dbias"}) {
  %y, %l = graph.attention %q, %k, %v bias %bias : tensor<1x3x70x90xf32> scale 0.125 : tensor<2x3x70x64xbf16>, tensor<2x3x90x64xbf16>, tensor<2x3x90x64xbf16> -> tensor<2x3x70x64xbf16>, tensor<2x2x3x70xf32>
  %gf = graph.cast %g : tensor<2x3x70x64xbf16> -> tensor<2x3x70x64xf32>
  %yf = graph.cast %y : tensor<2x3x70x64xbf16> -> tensor<2x3x70x64xf32>
  %p = graph.mul %gf, %yf : tensor<2x3x70x64xf32>
  %sum = graph.reduce sum %p axes [3] : tensor<2x3x70x64xf32> -> tensor<2x3x70x1xf32>
  %d = graph.reshape %sum : tensor<2x3x70x1xf32> -> tensor<2x3x70xf32>
  %dq, %dk, %dv, %dbias = graph.attention_grad %q, %k, %v, %g, %l, %d bias %bias : tensor<1x3x70x90xf32> scale 0.125 : tensor<2x3x70x64xbf16>, tensor<2x3x90x64xbf16>, tensor<2x3x90x64xbf16>, tensor<2x3x70x64xbf16>, tensor<2x2x3x70xf32>, tensor<2x3x70xf32> -> tensor<1x3x70x90xf32>
  return %dq, %dk, %dv, %dbias : tensor<2x3x70x64xbf16>, tensor<2x3x90x64xbf16>, tensor<2x3x90x64xbf16>, tensor<1x3x70x90xf32>
}
