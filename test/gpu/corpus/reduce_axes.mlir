// Sums over the first, the middle and the last two axes, a maximum and a minimum.
func.func @main(%x: tensor<13x70x45xf32> {graph.name = "x"})
    -> (tensor<1x70x45xf32> {graph.name = "first"}, tensor<13x1x45xf32> {graph.name = "middle"},
        tensor<13x1x1xf32> {graph.name = "last_two"}, tensor<1x1x1xf32> {graph.name = "all"},
        tensor<1x70x45xf32> {graph.name = "max"}, tensor<13x1x45xf32> {graph.name = "min"}) {
  %first = graph.reduce sum %x axes [0] : tensor<13x70x45xf32> -> tensor<1x70x45xf32>
  %middle = graph.reduce mean %x axes [1] : tensor<13x70x45xf32> -> tensor<13x1x45xf32>
  %last = graph.reduce sum %x axes [1, 2] : tensor<13x70x45xf32> -> tensor<13x1x1xf32>
  %all = graph.reduce mean %x axes [0, 1, 2] : tensor<13x70x45xf32> -> tensor<1x1x1xf32>
  %max = graph.reduce max %x axes [0] : tensor<13x70x45xf32> -> tensor<1x70x45xf32>
  %min = graph.reduce min %x axes [1] : tensor<13x70x45xf32> -> tensor<13x1x45xf32>
  return %first, %middle, %last, %all, %max, %min : tensor<1x70x45xf32>, tensor<13x1x45xf32>, tensor<13x1x1xf32>,
      tensor<1x1x1xf32>, tensor<1x70x45xf32>, tensor<13x1x45xf32>
}
