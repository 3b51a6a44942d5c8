// Attention written out with scores capped by tanh and hidden outside a window: no form that is raised, so that products
// and one softmax kernel remain.
func.func @main(%q: tensor<2x2x75x64xf32> {graph.name = "q"}, %k: tensor<2x2x75x64xf32> {graph.name = "k"},
                %v: tensor<2x2x75x64xf32> {graph.name = "v"}) -> (tensor<2x2x75x64xf32> {graph.name = "y"}) {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x2x75x64xf32> -> tensor<2x2x64x75xf32>
  %s0 = graph.matmul %q, %kt : tensor<2x2x75x64xf32>, tensor<2x2x64x75xf32> -> tensor<2x2x75x75xf32>
  %scale = graph.constant dense<0.0125> : tensor<2x2x75x75xf32>
  %cap = graph.constant dense<10.0> : tensor<2x2x75x75xf32>
  %hidden = graph.constant dense<0xFF800000> : tensor<2x2x75x75xf32>
  %window = graph.constant dense<32> : tensor<2x2x75x75xi32>
  %s1 = graph.mul %s0, %scale : tensor<2x2x75x75xf32>
  %s2 = graph.tanh %s1 : tensor<2x2x75x75xf32>
  %s3 = graph.mul %s2, %cap : tensor<2x2x75x75xf32>
  %i = graph.iota 2 : tensor<2x2x75x75xi32>
  %j = graph.iota 3 : tensor<2x2x75x75xi32>
  %far = graph.sub %i, %j : tensor<2x2x75x75xi32>
  %before = graph.compare ge %i, %j : tensor<2x2x75x75xi32> -> tensor<2x2x75x75xi1>
  %near = graph.compare lt %far, %window : tensor<2x2x75x75xi32> -> tensor<2x2x75x75xi1>
  %seen = graph.and %before, %near : tensor<2x2x75x75xi1>
  %s4 = graph.select %seen, %s3, %hidden : tensor<2x2x75x75xi1>, tensor<2x2x75x75xf32>
  %p = graph.softmax %s4 : tensor<2x2x75x75xf32>
  %y = graph.matmul %p, %v : tensor<2x2x75x75xf32>, tensor<2x2x75x64xf32> -> tensor<2x2x75x64xf32>
  return %y : tensor<2x2x75x64xf32>
}
