// bf16 rows, a part of each row of a wider tensor, by 64-bit ids.
func.func @main(%g: tensor<70x192xbf16> {graph.name = "g"}, %ids: tensor<70xi64> {graph.bound = 9 : i64, graph.name = "ids"})
    -> (tensor<9x64xbf16> {graph.name = "y"}) {
  %part = graph.slice %g offsets [0, 64] strides [1, 1] : tensor<70x192xbf16> -> tensor<70x64xbf16>
  %y = graph.embedding_grad %part, %ids : tensor<70x64xbf16>, tensor<70xi64> -> tensor<9x64xbf16>
  return %y : tensor<9x64xbf16>
}
