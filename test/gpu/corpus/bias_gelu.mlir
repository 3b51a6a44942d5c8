// A bias along the columns and a scale along the rows, GELU by the error function, from and to bf16.
func.func @main(%x: tensor<35x3072xbf16> {graph.name = "x"}, %scale: tensor<35x1xf32> {graph.name = "scale"})
    -> (tensor<35x3072xbf16> {graph.name = "y"}) {
  %b0 = graph.parameter [#graph.part<"bias", [3072], normal, 0.5>] : tensor<3072xf32>
  %b1 = graph.reshape %b0 : tensor<3072xf32> -> tensor<1x3072xf32>
  %b = graph.broadcast %b1 : tensor<1x3072xf32> -> tensor<35x3072xf32>
  %s = graph.broadcast %scale : tensor<35x1xf32> -> tensor<35x3072xf32>
  %f = graph.cast %x : tensor<35x3072xbf16> -> tensor<35x3072xf32>
  %t = graph.add %f, %b : tensor<35x3072xf32>
  %g = graph.gelu erf %t : tensor<35x3072xf32>
  %o = graph.mul %g, %s : tensor<35x3072xf32>
  %y = graph.cast %o : tensor<35x3072xf32> -> tensor<35x3072xbf16>
  return %y : tensor<35x3072xbf16>
}
