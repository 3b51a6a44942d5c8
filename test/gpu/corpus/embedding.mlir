// A row of the table for each token.
#tokens = #graph.dims<["batch", "seq"]>
#rows = #graph.dims<["batch", "seq", ""]>
func.func @main(%ids: tensor<3x33xi32, #tokens> {graph.bound = 1000 : i64, graph.name = "ids"})
    -> (tensor<3x33x768xf32, #rows> {graph.name = "y"}) {
  %t = graph.parameter [#graph.part<"table", [1000, 768], normal, 0.5>] : tensor<1000x768xf32>
  %y = graph.embedding %t, %ids : tensor<1000x768xf32>, tensor<3x33xi32, #tokens> -> tensor<3x33x768xf32, #rows>
  return %y : tensor<3x33x768xf32, #rows>
}
