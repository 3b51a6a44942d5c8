// Keys and values that are the same for all of the batch, which a tensor map does not describe; and full attention of 64.
func.func @main(%q: tensor<3x4x70x64xbf16> {graph.name = "q"}, %k: tensor<1x4x90x64xbf16> {graph.name = "k"})
    -> (tensor<3x4x70x64xbf16> {graph.name = "y"}, tensor<3x4x70x64xbf16> {graph.name = "z"}) {
  %b = graph.broadcast %k : tensor<1x4x90x64xbf16> -> tensor<3x4x90x64xbf16>
  %y = graph.attention %q, %b, %b scale 0.125 : tensor<3x4x70x64xbf16>, tensor<3x4x90x64xbf16>, tensor<3x4x90x64xbf16> -> tensor<3x4x70x64xbf16>
  %z = graph.attention %y, %q, %q scale 0.125 : tensor<3x4x70x64xbf16>, tensor<3x4x70x64xbf16>, tensor<3x4x70x64xbf16> -> tensor<3x4x70x64xbf16>
  return %y, %z : tensor<3x4x70x64xbf16>, tensor<3x4x70x64xbf16>
}
