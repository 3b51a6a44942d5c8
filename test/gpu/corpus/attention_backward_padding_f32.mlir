// The same beside padding, heads of 32.
func.func @main(%q: tensor<3x2x70x32xf32> {graph.name = "q"}, %k: tensor<3x2x70x32xf32> {graph.name = "k"}, %v: tensor<3x2x70x32xf32> {graph.name = "v"}, %g: tensor<3x2x70x32xf32> {graph.name = "g"}, %ids: tensor<3x70xi32> {graph.name = "ids"}, %table: tensor<5x8xf32> {graph.name = "table"})
    -> (tensor<3x2x70x32xf32> {graph.name = "dq"}, tensor<3x2x70x32xf32> {graph.name = "dk"}, tensor<3x2x70x32xf32> {graph.name = "dv"}, tensor<3x70x8xf32> {graph.name = "rows"}) {
  %two = graph.constant dense<2> : tensor<3x70xi32>
  %c = graph.compare ge %ids, %two : tensor<3x70xi32> -> tensor<3x70xi1>
  %m = graph.reshape %c : tensor<3x70xi1> -> tensor<3x1x1x70xi1>
  %y, %l = graph.attention %q, %k, %v mask %m : tensor<3x1x1x70xi1> scale 0.1767766952966369 : tensor<3x2x70x32xf32>, tensor<3x2x70x32xf32>, tensor<3x2x70x32xf32> -> tensor<3x2x70x32xf32>, tensor<2x3x2x70xf32>
  %p = graph.mul %g, %y : tensor<3x2x70x32xf32>
  %sum = graph.reduce sum %p axes [3] : tensor<3x2x70x32xf32> -> tensor<3x2x70x1xf32>
  %d = graph.reshape %sum : tensor<3x2x70x1xf32> -> tensor<3x2x70xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d mask %m : tensor<3x1x1x70xi1> scale 0.1767766952966369 : tensor<3x2x70x32xf32>, tensor<3x2x70x32xf32>, tensor<3x2x70x32xf32>, tensor<3x2x70x32xf32>, tensor<2x3x2x70xf32>, tensor<3x2x70xf32>
  %rows = graph.embedding %table, %ids : tensor<5x8xf32>, tensor<3x70xi32> -> tensor<3x70x8xf32>
  return %dq, %dk, %dv, %rows : tensor<3x2x70x32xf32>, tensor<3x2x70x32xf32>, tensor<3x2x70x32xf32>, tensor<3x70x8xf32>
}
