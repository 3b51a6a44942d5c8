// Values of which every one is NaN, and values of which the first row is.
func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x8xf32> {graph.name = "all"}, tensor<4x8xf32> {graph.name = "some"}) {
  %zero = graph.constant dense<0.0> : tensor<4x8xf32>
  %less = graph.constant dense<-1.0> : tensor<4x8xf32>
  %rows = graph.constant dense<[[-1.0], [1.0], [2.0], [3.0]]> : tensor<4x1xf32>
  %0 = graph.mul %x, %zero : tensor<4x8xf32>
  %1 = graph.add %0, %less : tensor<4x8xf32>
  %all = graph.rsqrt %1 : tensor<4x8xf32>
  %b = graph.broadcast %rows : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = graph.add %0, %b : tensor<4x8xf32>
  %some = graph.rsqrt %2 : tensor<4x8xf32>
  return %all, %some : tensor<4x8xf32>, tensor<4x8xf32>
}
