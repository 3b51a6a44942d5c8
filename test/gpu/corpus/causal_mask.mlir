// A causal mask as bools, and the scores that it hides: rows and columns are counts.
#rows = #graph.dims<["", "queries", "keys"]>
#square = #graph.dims<["queries", "keys"]>
#unit = #graph.dims<["", "queries", "keys"]>
func.func @main(%scores: tensor<3x65x129xf32, #rows> {graph.name = "scores"})
    -> (tensor<3x65x129xf32, #rows> {graph.name = "y"}, tensor<65x129xi1, #square> {graph.name = "mask"}) {
  %q = graph.iota 0 : tensor<65x129xi32, #square>
  %k = graph.iota 1 : tensor<65x129xi32, #square>
  %m = graph.compare ge %q, %k : tensor<65x129xi32, #square> -> tensor<65x129xi1, #square>
  %m1 = graph.reshape %m : tensor<65x129xi1, #square> -> tensor<1x65x129xi1, #unit>
  %w = graph.broadcast %m1 : tensor<1x65x129xi1, #unit> -> tensor<3x65x129xi1, #rows>
  %hidden = graph.constant dense<-1.0e4> : tensor<3x65x129xf32, #rows>
  %y = graph.select %w, %scores, %hidden : tensor<3x65x129xi1, #rows>, tensor<3x65x129xf32, #rows>
  return %y, %m : tensor<3x65x129xf32, #rows>, tensor<65x129xi1, #square>
}
