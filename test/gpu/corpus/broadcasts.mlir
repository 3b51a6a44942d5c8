// One operand along each dimension, and a scalar.
func.func @main(%x: tensor<6x17x50xf32> {graph.name = "x"}, %a: tensor<6x1x1xf32> {graph.name = "a"},
                %b: tensor<1x17x1xf32> {graph.name = "b"}, %c: tensor<1x1x50xf32> {graph.name = "c"},
                %d: tensor<1x1x1xf32> {graph.name = "d"}) -> (tensor<6x17x50xf32> {graph.name = "y"}) {
  %wa = graph.broadcast %a : tensor<6x1x1xf32> -> tensor<6x17x50xf32>
  %wb = graph.broadcast %b : tensor<1x17x1xf32> -> tensor<6x17x50xf32>
  %wc = graph.broadcast %c : tensor<1x1x50xf32> -> tensor<6x17x50xf32>
  %wd = graph.broadcast %d : tensor<1x1x1xf32> -> tensor<6x17x50xf32>
  %0 = graph.mul %x, %wa : tensor<6x17x50xf32>
  %1 = graph.add %0, %wb : tensor<6x17x50xf32>
  %2 = graph.maximum %1, %wc : tensor<6x17x50xf32>
  %y = graph.sub %2, %wd : tensor<6x17x50xf32>
  return %y : tensor<6x17x50xf32>
}
