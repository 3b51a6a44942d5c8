// Softmax over a length that the kernel is told at run time.
#rows = #graph.dims<["batch", "seq"]>
func.func @main(%x: tensor<6x1537xf32, #rows> {graph.name = "x"}) -> (tensor<6x1537xf32, #rows> {graph.name = "y"}) {
  %y = graph.softmax %x : tensor<6x1537xf32, #rows>
  return %y : tensor<6x1537xf32, #rows>
}
