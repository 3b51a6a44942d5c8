// All gradients in one pass in float32, more keys than one block has, two key heads for six query heads.
func.func @main(%q: tensor<2x6x257x64xf32> {graph.name = "q"}, %k: tensor<2x2x400x64xf32> {graph.name = "k"}, %v: tensor<2x2x400x64xf32> {graph.name = "v"}, %g: tensor<2x6x257x64xf32> {graph.name = "g"})
    -> (tensor<2x6x257x64xf32> {graph.name = "dq"}, tensor<2x2x400x64xf32> {graph.name = "dk"}, tensor<2x2x400x64xf32> {graph.name = "dv"}) {
  %y, %l = graph.attention %q, %k, %v scale 0.125 : tensor<2x6x257x64xf32>, tensor<2x2x400x64xf32>, tensor<2x2x400x64xf32> -> tensor<2x6x257x64xf32>, tensor<2x2x6x257xf32>
  %p = graph.mul %g, %y : tensor<2x6x257x64xf32>
  %sum = graph.reduce sum %p axes [3] : tensor<2x6x257x64xf32> -> tensor<2x6x257x1xf32>
  %d = graph.reshape %sum : tensor<2x6x257x1xf32> -> tensor<2x6x257xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d scale 0.125 : tensor<2x6x257x64xf32>, tensor<2x2x400x64xf32>, tensor<2x2x400x64xf32>, tensor<2x6x257x64xf32>, tensor<2x2x6x257xf32>, tensor<2x6x257xf32>
  return %dq, %dk, %dv : tensor<2x6x257x64xf32>, tensor<2x2x400x64xf32>, tensor<2x2x400x64xf32>
}
