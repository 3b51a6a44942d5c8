// Sums of squares along the rows of three matrices, two of them of one width: one launch of two instances.
func.func @main(%x: tensor<35x768xf32> {graph.name = "x"}, %z: tensor<1000x768xf32> {graph.name = "z"},
                %v: tensor<35x100xf32> {graph.name = "v"})
    -> (tensor<35x1xf32> {graph.name = "xs"}, tensor<1000x1xf32> {graph.name = "zs"}, tensor<35x1xf32> {graph.name = "vs"}) {
  %xx = graph.mul %x, %x : tensor<35x768xf32>
  %xs = graph.reduce sum %xx axes [1] : tensor<35x768xf32> -> tensor<35x1xf32>
  %zz = graph.mul %z, %z : tensor<1000x768xf32>
  %zs = graph.reduce sum %zz axes [1] : tensor<1000x768xf32> -> tensor<1000x1xf32>
  %vv = graph.mul %v, %v : tensor<35x100xf32>
  %vs = graph.reduce sum %vv axes [1] : tensor<35x100xf32> -> tensor<35x1xf32>
  return %xs, %zs, %vs : tensor<35x1xf32>, tensor<1000x1xf32>, tensor<35x1xf32>
}
