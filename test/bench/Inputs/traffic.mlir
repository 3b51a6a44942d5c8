// 100,000 float32 are 0.4 MB: x and y have twice that.
func.func @main(%x: tensor<400x500xf32> {graph.name = "x"}, %y: tensor<500x400xf32> {graph.name = "y"}, %row: tensor<500xf32> {graph.name = "row"}) -> (tensor<800x500xf32> {graph.name = "z"}) {
  %t = graph.transpose %y [1, 0] : tensor<500x400xf32> -> tensor<400x500xf32>
  %sum = graph.add %x, %t : tensor<400x500xf32>
  %one = graph.reshape %row : tensor<500xf32> -> tensor<1x500xf32>
  %rows = graph.broadcast %one : tensor<1x500xf32> -> tensor<400x500xf32>
  %product = graph.mul %sum, %rows : tensor<400x500xf32>
  %z = graph.concat %product, %x axis 0 : tensor<400x500xf32>, tensor<400x500xf32> -> tensor<800x500xf32>
  return %z : tensor<800x500xf32>
}
