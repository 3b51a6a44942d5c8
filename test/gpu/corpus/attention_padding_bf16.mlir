// Padding as an input of integers, compared in the kernel, in bf16; rows of a table give the integers their range.
func.func @main(%q: tensor<3x2x70x64xbf16> {graph.name = "q"}, %k: tensor<3x2x70x64xbf16> {graph.name = "k"}, %v: tensor<3x2x70x64xbf16> {graph.name = "v"}, %ids: tensor<3x70xi32> {graph.name = "ids"}, %table: tensor<5x8xf32> {graph.name = "table"})
    -> (tensor<3x2x70x64xbf16> {graph.name = "y"}, tensor<3x70x8xf32> {graph.name = "rows"}) {
  %two = graph.constant dense<2> : tensor<3x70xi32>
  %c = graph.compare ge %ids, %two : tensor<3x70xi32> -> tensor<3x70xi1>
  %m = graph.reshape %c : tensor<3x70xi1> -> tensor<3x1x1x70xi1>
  %y = graph.attention %q, %k, %v mask %m : tensor<3x1x1x70xi1> scale 0.125 : tensor<3x2x70x64xbf16>, tensor<3x2x70x64xbf16>, tensor<3x2x70x64xbf16> -> tensor<3x2x70x64xbf16>
  %rows = graph.embedding %table, %ids : tensor<5x8xf32>, tensor<3x70xi32> -> tensor<3x70x8xf32>
  return %y, %rows : tensor<3x2x70x64xbf16>, tensor<3x70x8xf32>
}
