// The same under a soft cap, heads of 128.
func.func @main(%q: tensor<1x4x130x128xf32> {graph.name = "q"}, %k: tensor<1x1x130x128xf32> {graph.name = "k"}, %v: tensor<1x1x130x128xf32> {graph.name = "v"}, %g: tensor<1x4x130x128xf32> {graph.name = "g"})
    -> (tensor<1x4x130x128xf32> {graph.name = "dq"}, tensor<1x1x130x128xf32> {graph.name = "dk"}, tensor<1x1x130x128xf32> {graph.name = "dv"}) {
  %y, %l = graph.attention %q, %k, %v scale 0.08838834764831845 softcap 50.0 causal : tensor<1x4x130x128xf32>, tensor<1x1x130x128xf32>, tensor<1x1x130x128xf32> -> tensor<1x4x130x128xf32>, tensor<2x1x4x130xf32>
  %p = graph.mul %g, %y : tensor<1x4x130x128xf32>
  %sum = graph.reduce sum %p axes [3] : tensor<1x4x130x128xf32> -> tensor<1x4x130x1xf32>
  %d = graph.reshape %sum : tensor<1x4x130x1xf32> -> tensor<1x4x130xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d scale 0.08838834764831845 softcap 50.0 causal : tensor<1x4x130x128xf32>, tensor<1x1x130x128xf32>, tensor<1x1x130x128xf32>, tensor<1x4x130x128xf32>, tensor<2x1x4x130xf32>, tensor<1x4x130xf32>
  return %dq, %dk, %dv : tensor<1x4x130x128xf32>, tensor<1x1x130x128xf32>, tensor<1x1x130x128xf32>
}
