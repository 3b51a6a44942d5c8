#x = #graph.dims<["batch", "seq", ""]>
#h = #graph.dims<["batch", "seq", "", ""]>
#t = #graph.dims<["batch", "", "seq", ""]>
func.func @main(%x: tensor<4x512x768xf32, #x>) -> tensor<4x12x512x64xf32, #t> {
  %0 = graph.reshape %x : tensor<4x512x768xf32, #x> -> tensor<4x512x12x64xf32, #h>
  %1 = graph.transpose %0 [0, 2, 1, 3] : tensor<4x512x12x64xf32, #h> -> tensor<4x12x512x64xf32, #t>
  %2 = graph.slice %1 offsets [0, 0, 0, 1] strides [1, 1, 1, 2] : tensor<4x12x512x64xf32, #t> -> tensor<4x12x512x32xf32, #t>
  %3 = graph.concat %2, %2 axis 3 : tensor<4x12x512x32xf32, #t>, tensor<4x12x512x32xf32, #t> -> tensor<4x12x512x64xf32, #t>
  %4 = graph.reduce mean %3 axes [3] : tensor<4x12x512x64xf32, #t> -> tensor<4x12x512x1xf32, #t>
  %5 = graph.broadcast %4 : tensor<4x12x512x1xf32, #t> -> tensor<4x12x512x64xf32, #t>
  return %5 : tensor<4x12x512x64xf32, #t>
}
