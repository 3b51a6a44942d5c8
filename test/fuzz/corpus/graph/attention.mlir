func.func @main(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x10xf32>,
                     %m: tensor<1x1x6x6xi1>, %b: tensor<1x4x1x6xf32>) -> (tensor<2x4x6x10xf32>, tensor<2x4x6x10xf32>) {
  %0 = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x4x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x10xf32> -> tensor<2x4x6x10xf32>
  %1 = graph.attention %q, %k, %v mask %m : tensor<1x1x6x6xi1> bias %b : tensor<1x4x1x6xf32> scale 0.125 : tensor<2x4x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x10xf32> -> tensor<2x4x6x10xf32>
  return %0, %1 : tensor<2x4x6x10xf32>, tensor<2x4x6x10xf32>
}
