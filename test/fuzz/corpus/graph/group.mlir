func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.group rows "add+mul" {
    %0 = graph.add %a, %a : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}
