// Parts of different extents side by side on the last, the middle and the first axis.
func.func @main(%x: tensor<5x7x24xf32> {graph.name = "x"}, %y: tensor<5x7x40xf32> {graph.name = "y"})
    -> (tensor<5x7x64xf32> {graph.name = "last"}, tensor<5x14x24xf32> {graph.name = "middle"},
        tensor<10x7x24xf32> {graph.name = "first"}) {
  %e = graph.exp %x : tensor<5x7x24xf32>
  %t = graph.tanh %y : tensor<5x7x40xf32>
  %last = graph.concat %e, %t axis 2 : tensor<5x7x24xf32>, tensor<5x7x40xf32> -> tensor<5x7x64xf32>
  %middle = graph.concat %x, %e axis 1 : tensor<5x7x24xf32>, tensor<5x7x24xf32> -> tensor<5x14x24xf32>
  %first = graph.concat %e, %x axis 0 : tensor<5x7x24xf32>, tensor<5x7x24xf32> -> tensor<10x7x24xf32>
  return %last, %middle, %first : tensor<5x7x64xf32>, tensor<5x14x24xf32>, tensor<10x7x24xf32>
}
