// float16, heads of 80, a window.
func.func @main(%q: tensor<1x2x200x80xf16> {graph.name = "q"}, %k: tensor<1x2x200x80xf16> {graph.name = "k"}, %v: tensor<1x2x200x80xf16> {graph.name = "v"})
    -> (tensor<1x2x200x80xf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.11180339887498949 causal window 64 : tensor<1x2x200x80xf16>, tensor<1x2x200x80xf16>, tensor<1x2x200x80xf16> -> tensor<1x2x200x80xf16>
  return %y : tensor<1x2x200x80xf16>
}
