// Rows of 48 columns share a warp; two reductions of different kinds, and one of them is an output.
func.func @main(%x: tensor<1003x48xf32> {graph.name = "x"})
    -> (tensor<1003x48xf32> {graph.name = "y"}, tensor<1003x1xf32> {graph.name = "sums"}) {
  %a = graph.abs %x : tensor<1003x48xf32>
  %sum = graph.reduce sum %a axes [1] : tensor<1003x48xf32> -> tensor<1003x1xf32>
  %min = graph.reduce min %x axes [1] : tensor<1003x48xf32> -> tensor<1003x1xf32>
  %s = graph.broadcast %sum : tensor<1003x1xf32> -> tensor<1003x48xf32>
  %m = graph.broadcast %min : tensor<1003x1xf32> -> tensor<1003x48xf32>
  %p = graph.div %a, %s : tensor<1003x48xf32>
  %y = graph.add %p, %m : tensor<1003x48xf32>
  return %y, %sum : tensor<1003x48xf32>, tensor<1003x1xf32>
}
