// Queries, keys and values read where one merged product left them, the result written as the next product reads it.
func.func @main(%x: tensor<2x65x576xf32> {graph.name = "x"}) -> (tensor<2x65x192xf32> {graph.name = "y"}) {
  %r = graph.reshape %x : tensor<2x65x576xf32> -> tensor<2x65x9x64xf32>
  %t = graph.transpose %r [0, 2, 1, 3] : tensor<2x65x9x64xf32> -> tensor<2x9x65x64xf32>
  %q = graph.slice %t offsets [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<2x9x65x64xf32> -> tensor<2x3x65x64xf32>
  %k = graph.slice %t offsets [0, 3, 0, 0] strides [1, 1, 1, 1] : tensor<2x9x65x64xf32> -> tensor<2x3x65x64xf32>
  %v = graph.slice %t offsets [0, 6, 0, 0] strides [1, 1, 1, 1] : tensor<2x9x65x64xf32> -> tensor<2x3x65x64xf32>
  %a = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x3x65x64xf32>, tensor<2x3x65x64xf32>, tensor<2x3x65x64xf32> -> tensor<2x3x65x64xf32>
  %b = graph.transpose %a [0, 2, 1, 3] : tensor<2x3x65x64xf32> -> tensor<2x65x3x64xf32>
  %y = graph.reshape %b : tensor<2x65x3x64xf32> -> tensor<2x65x192xf32>
  return %y : tensor<2x65x192xf32>
}
