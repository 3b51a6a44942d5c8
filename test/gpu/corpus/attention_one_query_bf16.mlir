// One query against many keys in bf16, heads of 80, one batch: extents of 1, whose strides may be anything.
func.func @main(%q: tensor<1x6x1x80xbf16> {graph.name = "q"}, %k: tensor<1x1x300x80xbf16> {graph.name = "k"}, %v: tensor<1x1x300x80xbf16> {graph.name = "v"})
    -> (tensor<1x6x1x80xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.1118033988749895 : tensor<1x6x1x80xbf16>, tensor<1x1x300x80xbf16>, tensor<1x1x300x80xbf16> -> tensor<1x6x1x80xbf16>
  return %y : tensor<1x6x1x80xbf16>
}
