// The same of two tensors of other sizes: one launch of two instances (pass batch-launches).
func.func @main(%x: tensor<35x768xbf16> {graph.name = "x"}, %z: tensor<4x24xbf16> {graph.name = "z"},
                %rate: tensor<1x1xf32> {graph.name = "rate"})
    -> (tensor<35x768xbf16> {graph.name = "y"}, tensor<4x24xbf16> {graph.name = "w"}) {
  %xr = graph.broadcast %rate : tensor<1x1xf32> -> tensor<35x768xf32>
  %xf = graph.cast %x : tensor<35x768xbf16> -> tensor<35x768xf32>
  %xt = graph.mul %xf, %xr : tensor<35x768xf32>
  %y = graph.cast %xt : tensor<35x768xf32> -> tensor<35x768xbf16>
  %zr = graph.broadcast %rate : tensor<1x1xf32> -> tensor<4x24xf32>
  %zf = graph.cast %z : tensor<4x24xbf16> -> tensor<4x24xf32>
  %zt = graph.mul %zf, %zr : tensor<4x24xf32>
  %w = graph.cast %zt : tensor<4x24xf32> -> tensor<4x24xbf16>
  return %y, %w : tensor<35x768xbf16>, tensor<4x24xbf16>
}
