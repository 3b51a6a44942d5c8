// A table that is read as float32 by an embedding and as bf16 by a product.
func.func @main(%ids: tensor<6xi32> {graph.name = "ids", graph.bound = 40 : i64}) -> (tensor<6x40xf32> {graph.name = "logits"}) {
  %w = graph.parameter [#graph.part<"table", [40, 32], normal, 0.5>] : tensor<40x32xf32>
  %e = graph.embedding %w, %ids : tensor<40x32xf32>, tensor<6xi32> -> tensor<6x32xf32>
  %p = graph.softmax %e : tensor<6x32xf32>
  %s = graph.add %e, %p : tensor<6x32xf32>
  %t = graph.transpose %w [1, 0] : tensor<40x32xf32> -> tensor<32x40xf32>
  %0 = graph.matmul %s, %t : tensor<6x32xf32>, tensor<32x40xf32> -> tensor<6x40xf32>
  return %0 : tensor<6x40xf32>
}
