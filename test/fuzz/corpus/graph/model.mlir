func.func @main(%ids: tensor<2x3xi32>, %table: tensor<50x8xf32>, %w: tensor<8xf32>, %p: tensor<8x5xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.embedding %table, %ids : tensor<50x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  %1 = graph.rms_norm %0, %w epsilon 1.0e-5 : tensor<2x3x8xf32>, tensor<8xf32>
  %2 = graph.layer_norm %1, %w epsilon 1.0e-5 : tensor<2x3x8xf32>, tensor<8xf32>
  %3 = graph.layer_norm %2, %w, %w epsilon 1.0e-5 : tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
  %4 = graph.matmul %3, %p : tensor<2x3x8xf32>, tensor<8x5xf32> -> tensor<2x3x5xf32>
  %5 = graph.softmax %4 : tensor<2x3x5xf32>
  return %5 : tensor<2x3x5xf32>
}
