// Rows that five blocks share, more of them for one id than a block lists at once, bf16 to a float32 table.
func.func @main(%g: tensor<1300x4612xbf16> {graph.name = "g"}, %ids: tensor<1300xi32> {graph.bound = 1 : i64, graph.name = "ids"})
    -> (tensor<3x4608xf32> {graph.name = "y"}) {
  %part = graph.slice %g offsets [0, 4] strides [1, 1] : tensor<1300x4612xbf16> -> tensor<1300x4608xbf16>
  %wide = graph.cast %part : tensor<1300x4608xbf16> -> tensor<1300x4608xf32>
  %y = graph.embedding_grad %wide, %ids : tensor<1300x4608xf32>, tensor<1300xi32> -> tensor<3x4608xf32>
  return %y : tensor<3x4608xf32>
}
