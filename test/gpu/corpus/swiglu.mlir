// silu(gate) * up, gate and up side by side in the rows of one product.
func.func @main(%product: tensor<37x4096xbf16> {graph.name = "product"}) -> (tensor<37x2048xbf16> {graph.name = "y"}) {
  %g0 = graph.slice %product offsets [0, 0] strides [1, 1] : tensor<37x4096xbf16> -> tensor<37x2048xbf16>
  %u0 = graph.slice %product offsets [0, 2048] strides [1, 1] : tensor<37x4096xbf16> -> tensor<37x2048xbf16>
  %g = graph.cast %g0 : tensor<37x2048xbf16> -> tensor<37x2048xf32>
  %u = graph.cast %u0 : tensor<37x2048xbf16> -> tensor<37x2048xf32>
  %s = graph.silu %g : tensor<37x2048xf32>
  %o = graph.mul %s, %u : tensor<37x2048xf32>
  %y = graph.cast %o : tensor<37x2048xf32> -> tensor<37x2048xbf16>
  return %y : tensor<37x2048xbf16>
}
