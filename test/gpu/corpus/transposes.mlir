// Results in another order of dimensions: heads before positions, columns before rows, every dimension turned round.
func.func @main(%x: tensor<3x33x6x40xf32> {graph.name = "x"})
    -> (tensor<3x6x33x40xf32> {graph.name = "heads"}, tensor<3x33x40x6xf32> {graph.name = "columns"},
        tensor<40x6x33x3xf32> {graph.name = "turned"}) {
  %s = graph.silu %x : tensor<3x33x6x40xf32>
  %h = graph.transpose %s [0, 2, 1, 3] : tensor<3x33x6x40xf32> -> tensor<3x6x33x40xf32>
  %heads = graph.neg %h : tensor<3x6x33x40xf32>
  %c = graph.transpose %x [0, 1, 3, 2] : tensor<3x33x6x40xf32> -> tensor<3x33x40x6xf32>
  %columns = graph.relu %c : tensor<3x33x40x6xf32>
  %turned = graph.transpose %x [3, 2, 1, 0] : tensor<3x33x6x40xf32> -> tensor<40x6x33x3xf32>
  return %heads, %columns, %turned : tensor<3x6x33x40xf32>, tensor<3x33x40x6xf32>, tensor<40x6x33x3xf32>
}
