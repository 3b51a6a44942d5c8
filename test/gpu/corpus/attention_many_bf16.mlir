// More tiles of queries than an H200 has multiprocessors, twice over: blocks that go on to further tiles, causal and packed.
func.func @main(%x: tensor<4x500x4608xbf16> {graph.name = "x"}) -> (tensor<4x500x1536xbf16> {graph.name = "y"}) {
  %r = graph.reshape %x : tensor<4x500x4608xbf16> -> tensor<4x500x72x64xbf16>
  %t = graph.transpose %r [0, 2, 1, 3] : tensor<4x500x72x64xbf16> -> tensor<4x72x500x64xbf16>
  %q = graph.slice %t offsets [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<4x72x500x64xbf16> -> tensor<4x24x500x64xbf16>
  %k = graph.slice %t offsets [0, 24, 0, 0] strides [1, 1, 1, 1] : tensor<4x72x500x64xbf16> -> tensor<4x24x500x64xbf16>
  %v = graph.slice %t offsets [0, 48, 0, 0] strides [1, 1, 1, 1] : tensor<4x72x500x64xbf16> -> tensor<4x24x500x64xbf16>
  %a = graph.attention %q, %k, %v scale 0.125 causal : tensor<4x24x500x64xbf16>, tensor<4x24x500x64xbf16>, tensor<4x24x500x64xbf16> -> tensor<4x24x500x64xbf16>
  %b = graph.transpose %a [0, 2, 1, 3] : tensor<4x24x500x64xbf16> -> tensor<4x500x24x64xbf16>
  %y = graph.reshape %b : tensor<4x500x24x64xbf16> -> tensor<4x500x1536xbf16>
  return %y : tensor<4x500x1536xbf16>
}
