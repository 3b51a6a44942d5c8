// What fusion gives products: a bias with ReLU, a bias with GELU (bf16 alone: float32 keeps it in a row kernel), a bias and a
// residual that are read twice, an odd number of columns.
func.func @main(%x: tensor<35x72xf32> {graph.name = "x"}) -> (tensor<35x101xf32> {graph.name = "y"}) {
  %up = graph.parameter [#graph.part<"up", [72, 200], normal, 0.1>] : tensor<72x200xf32>
  %upb = graph.parameter [#graph.part<"upb", [200], normal, 0.1>] : tensor<200xf32>
  %mid = graph.parameter [#graph.part<"mid", [200, 72], normal, 0.1>] : tensor<200x72xf32>
  %midb = graph.parameter [#graph.part<"midb", [72], normal, 0.1>] : tensor<72xf32>
  %down = graph.parameter [#graph.part<"down", [72, 101], normal, 0.1>] : tensor<72x101xf32>
  %downb = graph.parameter [#graph.part<"downb", [101], normal, 0.1>] : tensor<101xf32>
  %up1 = graph.reshape %upb : tensor<200xf32> -> tensor<1x200xf32>
  %up2 = graph.broadcast %up1 : tensor<1x200xf32> -> tensor<35x200xf32>
  %mid1 = graph.reshape %midb : tensor<72xf32> -> tensor<1x72xf32>
  %mid2 = graph.broadcast %mid1 : tensor<1x72xf32> -> tensor<35x72xf32>
  %down1 = graph.reshape %downb : tensor<101xf32> -> tensor<1x101xf32>
  %down2 = graph.broadcast %down1 : tensor<1x101xf32> -> tensor<35x101xf32>
  %0 = graph.matmul %x, %up : tensor<35x72xf32>, tensor<72x200xf32> -> tensor<35x200xf32>
  %1 = graph.add %0, %up2 : tensor<35x200xf32>
  %2 = graph.gelu tanh %1 : tensor<35x200xf32>
  %3 = graph.matmul %2, %mid : tensor<35x200xf32>, tensor<200x72xf32> -> tensor<35x72xf32>
  %4 = graph.add %3, %mid2 : tensor<35x72xf32>
  %5 = graph.add %x, %4 : tensor<35x72xf32>
  %6 = graph.matmul %5, %up : tensor<35x72xf32>, tensor<72x200xf32> -> tensor<35x200xf32>
  %7 = graph.add %6, %up2 : tensor<35x200xf32>
  %8 = graph.relu %7 : tensor<35x200xf32>
  %9 = graph.matmul %8, %mid : tensor<35x200xf32>, tensor<200x72xf32> -> tensor<35x72xf32>
  %10 = graph.add %5, %9 : tensor<35x72xf32>
  %11 = graph.matmul %10, %down : tensor<35x72xf32>, tensor<72x101xf32> -> tensor<35x101xf32>
  %12 = graph.add %11, %down2 : tensor<35x101xf32>
  return %12 : tensor<35x101xf32>
}
