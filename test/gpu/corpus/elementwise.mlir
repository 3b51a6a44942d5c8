// Every elementwise function, each an output of its own: `p` stays inside the domains of those that need it.
func.func @main(%x: tensor<1021xf32> {graph.name = "x"})
    -> (tensor<1021xf32> {graph.name = "exp"}, tensor<1021xf32> {graph.name = "log"}, tensor<1021xf32> {graph.name = "sqrt"},
        tensor<1021xf32> {graph.name = "rsqrt"}, tensor<1021xf32> {graph.name = "reciprocal"}, tensor<1021xf32> {graph.name = "tanh"},
        tensor<1021xf32> {graph.name = "sigmoid"}, tensor<1021xf32> {graph.name = "erf"}, tensor<1021xf32> {graph.name = "sin"},
        tensor<1021xf32> {graph.name = "cos"}, tensor<1021xf32> {graph.name = "gelu"}, tensor<1021xf32> {graph.name = "gelu_tanh"},
        tensor<1021xf32> {graph.name = "pow"}) {
  %half = graph.constant dense<0.5> : tensor<1021xf32>
  %power = graph.constant dense<1.7> : tensor<1021xf32>
  %a = graph.abs %x : tensor<1021xf32>
  %p = graph.add %a, %half : tensor<1021xf32>
  %exp = graph.exp %x : tensor<1021xf32>
  %log = graph.log %p : tensor<1021xf32>
  %sqrt = graph.sqrt %p : tensor<1021xf32>
  %rsqrt = graph.rsqrt %p : tensor<1021xf32>
  %reciprocal = graph.reciprocal %p : tensor<1021xf32>
  %tanh = graph.tanh %x : tensor<1021xf32>
  %sigmoid = graph.sigmoid %x : tensor<1021xf32>
  %erf = graph.erf %x : tensor<1021xf32>
  %sin = graph.sin %x : tensor<1021xf32>
  %cos = graph.cos %x : tensor<1021xf32>
  %gelu = graph.gelu erf %x : tensor<1021xf32>
  %gelu_tanh = graph.gelu tanh %x : tensor<1021xf32>
  %pow = graph.pow %p, %power : tensor<1021xf32>
  return %exp, %log, %sqrt, %rsqrt, %reciprocal, %tanh, %sigmoid, %erf, %sin, %cos, %gelu, %gelu_tanh, %pow :
      tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>,
      tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>, tensor<1021xf32>,
      tensor<1021xf32>
}
