func.func @main(%a: tensor<4x8xf32> {graph.name = "a"}, %b: tensor<4x8xf32> {graph.name = "b"}) -> (tensor<4x8xf32> {graph.name = "y"}) {
  %y = graph.add %a, %b : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
