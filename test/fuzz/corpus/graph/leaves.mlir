func.func @main() -> (tensor<10x4xf32>, tensor<f32>, tensor<2x3xi64>) {
  %w = graph.parameter [#graph.part<"q.weight", [8, 4], normal, 0.02>, #graph.part<"k.weight", [2, 4], constant, 1.0>] : tensor<10x4xf32>
  %c = graph.constant dense<0.5> : tensor<f32>
  %i = graph.iota 1 : tensor<2x3xi64>
  return %w, %c, %i : tensor<10x4xf32>, tensor<f32>, tensor<2x3xi64>
}
