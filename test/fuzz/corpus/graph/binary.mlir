func.func @main(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.add %x, %y : tensor<4xbf16>
  %1 = graph.sub %0, %y : tensor<4xbf16>
  %2 = graph.mul %1, %y : tensor<4xbf16>
  %3 = graph.div %2, %y : tensor<4xbf16>
  %4 = graph.pow %3, %y : tensor<4xbf16>
  %5 = graph.maximum %4, %y : tensor<4xbf16>
  %6 = graph.minimum %5, %y : tensor<4xbf16>
  return %6 : tensor<4xbf16>
}
