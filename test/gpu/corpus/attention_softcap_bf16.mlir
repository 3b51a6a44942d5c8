// Scores capped softly at 50, in bf16, under a window.
func.func @main(%q: tensor<1x4x130x128xbf16> {graph.name = "q"}, %k: tensor<1x1x130x128xbf16> {graph.name = "k"}, %v: tensor<1x1x130x128xbf16> {graph.name = "v"})
    -> (tensor<1x4x130x128xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.08838834764831845 softcap 50.0 causal window 77 : tensor<1x4x130x128xbf16>, tensor<1x1x130x128xbf16>, tensor<1x1x130x128xbf16> -> tensor<1x4x130x128xbf16>
  return %y : tensor<1x4x130x128xbf16>
}
