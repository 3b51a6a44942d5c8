func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = graph.compare eq %x, %y : tensor<4xi32> -> tensor<4xi1>
  %1 = graph.compare ne %x, %y : tensor<4xi32> -> tensor<4xi1>
  %2 = graph.compare lt %x, %y : tensor<4xi32> -> tensor<4xi1>
  %3 = graph.compare le %x, %y : tensor<4xi32> -> tensor<4xi1>
  %4 = graph.compare gt %x, %y : tensor<4xi32> -> tensor<4xi1>
  %5 = graph.compare ge %x, %y : tensor<4xi32> -> tensor<4xi1>
  %6 = graph.and %0, %1 : tensor<4xi1>
  %7 = graph.or %6, %2 : tensor<4xi1>
  %8 = graph.not %7 : tensor<4xi1>
  %9 = graph.select %8, %x, %y : tensor<4xi1>, tensor<4xi32>
  return %9 : tensor<4xi32>
}
