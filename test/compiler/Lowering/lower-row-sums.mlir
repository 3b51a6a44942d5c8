// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// Casts become the buffers' types; lengths and strides are counts: two tables of one width share a kernel.
// CHECK: kernel.func @embedding_grad_8(%[[G:.*]]: !kernel.buffer<bf16>, %[[I:.*]]: !kernel.buffer<i32>, %[[Y:.*]]: !kernel.buffer<f32>, %[[N:.*]]: index, %[[S:.*]]: index, %[[R:.*]]: index)
// CHECK-NEXT: kernel.row_sums 8 of %[[G]][%[[S]]] by %[[I]][%[[N]]] into %[[Y]][%[[R]]] : <bf16>, <i32>, <f32>
// CHECK-NOT: kernel.func
// CHECK: plan.launch @embedding_grad_8 [#plan.ref<@input>, #plan.ref<@input_1>, #plan.ref<@output>] counts [8, 8, 5] phase forward {label = "cast+embedding_grad"
// CHECK: plan.launch @embedding_grad_8 [#plan.ref<@input_2 + 16>, #plan.ref<@input_1 + 8>, #plan.ref<@output_1>] counts [6, 16, 100] phase forward {label = "cast+embedding_grad"
func.func @main(%g: tensor<2x4x8xbf16>, %ids: tensor<2x4xi32>, %h: tensor<6x16xbf16>) -> (tensor<5x8xf32>, tensor<100x8xf32>) {
  %0 = graph.cast %g : tensor<2x4x8xbf16> -> tensor<2x4x8xf32>
  %1 = graph.embedding_grad %0, %ids : tensor<2x4x8xf32>, tensor<2x4xi32> -> tensor<5x8xf32>
  %2 = graph.slice %h offsets [0, 8] strides [1, 1] : tensor<6x16xbf16> -> tensor<6x8xbf16>
  %3 = graph.cast %2 : tensor<6x8xbf16> -> tensor<6x8xf32>
  %4 = graph.reshape %ids : tensor<2x4xi32> -> tensor<8xi32>
  %5 = graph.slice %4 offsets [2] strides [1] : tensor<8xi32> -> tensor<6xi32>
  %6 = graph.embedding_grad %3, %5 : tensor<6x8xf32>, tensor<6xi32> -> tensor<100x8xf32>
  return %1, %6 : tensor<5x8xf32>, tensor<100x8xf32>
}
