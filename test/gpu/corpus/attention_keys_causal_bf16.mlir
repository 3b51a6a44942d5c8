// Gradients of keys and values under causal attention in bf16, two key heads for six query heads.
func.func @main(%q: tensor<2x6x257x64xbf16> {graph.name = "q"}, %k: tensor<2x2x257x64xbf16> {graph.name = "k"}, %v: tensor<2x2x257x64xbf16> {graph.name = "v"}, %g: tensor<2x6x257x64xbf16> {graph.name = "g"})
    -> (tensor<2x2x257x64xbf16> {graph.name = "dk"}, tensor<2x2x257x64xbf16> {graph.name = "dv"}) {
  %y, %l = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x6x257x64xbf16>, tensor<2x2x257x64xbf16>, tensor<2x2x257x64xbf16> -> tensor<2x6x257x64xbf16>, tensor<2x2x6x257xf32>
  %gf = graph.cast %g : tensor<2x6x257x64xbf16> -> tensor<2x6x257x64xf32>
  %yf = graph.cast %y : tensor<2x6x257x64xbf16> -> tensor<2x6x257x64xf32>
  %p = graph.mul %gf, %yf : tensor<2x6x257x64xf32>
  %sum = graph.reduce sum %p axes [3] : tensor<2x6x257x64xf32> -> tensor<2x6x257x1xf32>
  %d = graph.reshape %sum : tensor<2x6x257x1xf32> -> tensor<2x6x257xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d scale 0.125 causal : tensor<2x6x257x64xbf16>, tensor<2x2x257x64xbf16>, tensor<2x2x257x64xbf16>, tensor<2x6x257x64xbf16>, tensor<2x2x6x257xf32>, tensor<2x6x257xf32>
  return %dk, %dv : tensor<2x2x257x64xbf16>, tensor<2x2x257x64xbf16>
}
