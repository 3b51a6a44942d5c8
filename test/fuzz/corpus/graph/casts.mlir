func.func @main(%x: tensor<4xf32>) -> tensor<4xi64> {
  %0 = graph.cast %x : tensor<4xf32> -> tensor<4xbf16>
  %1 = graph.cast %0 implicit : tensor<4xbf16> -> tensor<4xf32>
  %2 = graph.cast %1 : tensor<4xf32> -> tensor<4xi64>
  return %2 : tensor<4xi64>
}
