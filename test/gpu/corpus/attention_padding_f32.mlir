// The same in float32, selected with a finite number: a bias that is computed in the kernel.
func.func @main(%q: tensor<3x2x70x64xf32> {graph.name = "q"}, %k: tensor<3x2x70x64xf32> {graph.name = "k"}, %v: tensor<3x2x70x64xf32> {graph.name = "v"}, %ids: tensor<3x70xi32> {graph.name = "ids"}, %table: tensor<5x8xf32> {graph.name = "table"})
    -> (tensor<3x2x70x64xf32> {graph.name = "y"}, tensor<3x70x8xf32> {graph.name = "rows"}) {
  %two = graph.constant dense<2> : tensor<3x70xi32>
  %c = graph.compare ge %ids, %two : tensor<3x70xi32> -> tensor<3x70xi1>
  %m = graph.reshape %c : tensor<3x70xi1> -> tensor<3x1x1x70xi1>
  %zero = graph.constant dense<0.0> : tensor<3x1x1x70xf32>
  %low = graph.constant dense<-3.0e38> : tensor<3x1x1x70xf32>
  %b = graph.select %m, %zero, %low : tensor<3x1x1x70xi1>, tensor<3x1x1x70xf32>
  %y = graph.attention %q, %k, %v bias %b : tensor<3x1x1x70xf32> scale 0.125 : tensor<3x2x70x64xf32>, tensor<3x2x70x64xf32>, tensor<3x2x70x64xf32> -> tensor<3x2x70x64xf32>
  %rows = graph.embedding %table, %ids : tensor<5x8xf32>, tensor<3x70xi32> -> tensor<3x70x8xf32>
  return %y, %rows : tensor<3x2x70x64xf32>, tensor<3x70x8xf32>
}
