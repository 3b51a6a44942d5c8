// The gradient of a table, with ids that come more than once.
#tokens = #graph.dims<["batch", "seq"]>
#rows = #graph.dims<["batch", "seq", ""]>
func.func @main(%g: tensor<3x33x768xf32, #rows> {graph.name = "g"},
                %ids: tensor<3x33xi32, #tokens> {graph.bound = 50 : i64, graph.name = "ids"})
    -> (tensor<50x768xf32> {graph.name = "y"}) {
  %y = graph.embedding_grad %g, %ids : tensor<3x33x768xf32, #rows>, tensor<3x33xi32, #tokens> -> tensor<50x768xf32>
  return %y : tensor<50x768xf32>
}
