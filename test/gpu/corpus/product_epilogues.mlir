// Products with a bias and GELU, and with a residual, of sizes that no tile divides.
func.func @main(%x: tensor<35x72xf32> {graph.name = "x"}) -> (tensor<35x72xf32> {graph.name = "y"}) {
  %up = graph.parameter [#graph.part<"up", [72, 200], normal, 0.1>] : tensor<72x200xf32>
  %bias = graph.parameter [#graph.part<"bias", [200], normal, 0.1>] : tensor<200xf32>
  %down = graph.parameter [#graph.part<"down", [200, 72], normal, 0.1>] : tensor<200x72xf32>
  %h0 = graph.matmul %x, %up : tensor<35x72xf32>, tensor<72x200xf32> -> tensor<35x200xf32>
  %b1 = graph.reshape %bias : tensor<200xf32> -> tensor<1x200xf32>
  %b = graph.broadcast %b1 : tensor<1x200xf32> -> tensor<35x200xf32>
  %h1 = graph.add %h0, %b : tensor<35x200xf32>
  %h2 = graph.gelu tanh %h1 : tensor<35x200xf32>
  %o = graph.matmul %h2, %down : tensor<35x200xf32>, tensor<200x72xf32> -> tensor<35x72xf32>
  %y = graph.add %x, %o : tensor<35x72xf32>
  return %y : tensor<35x72xf32>
}
