// Rotary positions on interleaved pairs of a head of 64, with tables of the position's cosines and sines; batch and
// sequence are symbols.
#rows = #graph.dims<["batch", "seq", "", ""]>
#pairs = #graph.dims<["batch", "seq", "", "", ""]>
#table = #graph.dims<["seq", ""]>
#wide = #graph.dims<["", "seq", "", ""]>
func.func @main(%x: tensor<3x33x12x64xf32, #rows> {graph.name = "x"}, %angle: tensor<33x32xf32, #table> {graph.name = "angle"})
    -> (tensor<3x33x12x64xf32, #rows> {graph.name = "y"}) {
  %c0 = graph.cos %angle : tensor<33x32xf32, #table>
  %s0 = graph.sin %angle : tensor<33x32xf32, #table>
  %c1 = graph.reshape %c0 : tensor<33x32xf32, #table> -> tensor<1x33x1x32xf32, #wide>
  %s1 = graph.reshape %s0 : tensor<33x32xf32, #table> -> tensor<1x33x1x32xf32, #wide>
  %c = graph.broadcast %c1 : tensor<1x33x1x32xf32, #wide> -> tensor<3x33x12x32xf32, #rows>
  %s = graph.broadcast %s1 : tensor<1x33x1x32xf32, #wide> -> tensor<3x33x12x32xf32, #rows>
  %e = graph.slice %x offsets [0, 0, 0, 0] strides [1, 1, 1, 2] : tensor<3x33x12x64xf32, #rows> -> tensor<3x33x12x32xf32, #rows>
  %o = graph.slice %x offsets [0, 0, 0, 1] strides [1, 1, 1, 2] : tensor<3x33x12x64xf32, #rows> -> tensor<3x33x12x32xf32, #rows>
  %ec = graph.mul %e, %c : tensor<3x33x12x32xf32, #rows>
  %os = graph.mul %o, %s : tensor<3x33x12x32xf32, #rows>
  %es = graph.mul %e, %s : tensor<3x33x12x32xf32, #rows>
  %oc = graph.mul %o, %c : tensor<3x33x12x32xf32, #rows>
  %first = graph.sub %ec, %os : tensor<3x33x12x32xf32, #rows>
  %second = graph.add %es, %oc : tensor<3x33x12x32xf32, #rows>
  %f1 = graph.reshape %first : tensor<3x33x12x32xf32, #rows> -> tensor<3x33x12x32x1xf32, #pairs>
  %s2 = graph.reshape %second : tensor<3x33x12x32xf32, #rows> -> tensor<3x33x12x32x1xf32, #pairs>
  %both = graph.concat %f1, %s2 axis 4 : tensor<3x33x12x32x1xf32, #pairs>, tensor<3x33x12x32x1xf32, #pairs> -> tensor<3x33x12x32x2xf32, #pairs>
  %y = graph.reshape %both : tensor<3x33x12x32x2xf32, #pairs> -> tensor<3x33x12x64xf32, #rows>
  return %y : tensor<3x33x12x64xf32, #rows>
}
