// The gradient of attention: a launch for keys and values, one for queries, one for a bias, of what is read.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan=device=cpu | FileCheck %s
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan=device=cuda | FileCheck %s --check-prefix=CUDA

// Forward gives its statistics in a fifth buffer. 2 * 2 * 4 * 4 * 4 * 16 multiply-adds times two, and 2.5 times that.
// CHECK: matrixFlops = 1.433600e+04
// CHECK: kernel.func @attention_d8_causal_statistics(
// CHECK: kernel.skeleton "attention_forward"
// CHECK: statistics
// CHECK: plan.launch @attention_d8_causal_statistics {{.*}} counts [2, 4, 2, 4, 4, {{[0-9, ]+}}]
// CHECK: kernel.func @attention_keys_d8_causal(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: !kernel.buffer<f32>, %[[K:[a-z0-9]+]]: !kernel.buffer<f32>, %[[V:[a-z0-9]+]]: !kernel.buffer<f32>, %[[G:[a-z0-9]+]]: !kernel.buffer<f32>, %[[L:[a-z0-9]+]]: !kernel.buffer<f32>, %[[D:[a-z0-9]+]]: !kernel.buffer<f32>, %[[DK:[a-z0-9]+]]: !kernel.buffer<f32>, %[[DV:[a-z0-9]+]]: !kernel.buffer<f32>, %{{[a-z0-9]+}}: index
// CHECK: kernel.skeleton "attention_backward_keys"<f32, 8, 8> scale 5.000000e-01 causal(%[[Q]], %[[K]], %[[V]], %[[G]], %[[L]], %[[D]], %[[DK]], %[[DV]] :
// Batch, heads, key heads, lengths; strides of query, key, value, gradient, dkey and dvalue.
// CHECK: plan.launch @attention_keys_d8_causal
// CHECK-SAME: counts [2, 4, 2, 4, 4, 128, 32, 8, 64, 32, 8, 64, 32, 8, 128, 32, 8, 64, 32, 8, 64, 32, 8]
// CHECK-SAME: phase backward
// CHECK: kernel.func @attention_queries_d8_causal(
// CHECK: kernel.skeleton "attention_backward_queries"<f32, 8, 8>
// The query's gradient is [batch, sequence, head, width].
// CHECK: plan.launch @attention_queries_d8_causal
// CHECK-SAME: counts [2, 4, 2, 4, 4, 128, 32, 8, 64, 32, 8, 64, 32, 8, 128, 32, 8, 128, 8, 32]
// CHECK-NOT: plan.launch @attention
// A GPU's float32 has one pass, after a kernel that zeroes what blocks add to and take turns by.
// CUDA: plan.buffer @attention_turns scratch tensor<2x4x4x2xi32>
// CUDA: kernel.func @attention_zeros_d8(
// CUDA-SAME: %[[DQ:[a-z0-9]+]]: !kernel.buffer<f32>, %[[T:[a-z0-9]+]]: !kernel.buffer<i32>, %{{[a-z0-9]+}}: index
// CUDA-COUNT-2: kernel.store %{{.*}}, %[[T]]
// CUDA: kernel.columns
// CUDA: kernel.store %{{.*}}, %[[DQ]]
// CUDA: plan.launch @attention_zeros_d8
// CUDA-SAME: <@[[DQUERY:[a-z0-9_]+]]>, #plan.ref<@attention_turns>]
// CUDA-SAME: counts [2, 4, 4, 128, 8, 32]
// CUDA-SAME: phase backward
// CUDA: kernel.func @attention_backward_d8_causal(
// CUDA: kernel.skeleton "attention_backward"<f32, 8, 8>
// CUDA: plan.launch @attention_backward_d8_causal
// CUDA-SAME: <@[[DQUERY]]>
// CUDA-SAME: <@attention_turns>]
// CUDA-SAME: counts [2, 4, 2, 4, 4, 128, 32, 8, 64, 32, 8, 64, 32, 8, 128, 32, 8, 128, 8, 32, 64, 32, 8, 64, 32, 8]
func.func @main(%q: tensor<2x4x4x8xf32>, %k: tensor<2x2x4x8xf32>, %g: tensor<2x4x4x8xf32>, %d: tensor<2x4x4xf32>) -> (tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32> {graph.gradient = [#graph.part<"q", [2, 4, 4, 8], normal, 0.02>]}, tensor<2x2x4x8xf32> {graph.gradient = [#graph.part<"k", [2, 2, 4, 8], normal, 0.02>]}) {
  %y, %l = graph.attention %q, %k, %k scale 0.5 causal : tensor<2x4x4x8xf32>, tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32> -> tensor<2x4x4x8xf32>, tensor<2x2x4x4xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %k, %g, %l, %d scale 0.5 causal : tensor<2x4x4x8xf32>, tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>, tensor<2x4x4x8xf32>, tensor<2x2x4x4xf32>, tensor<2x4x4xf32>
  %0 = graph.transpose %dq [0, 2, 1, 3] : tensor<2x4x4x8xf32> -> tensor<2x4x4x8xf32>
  %1 = graph.exp %0 : tensor<2x4x4x8xf32>
  %2 = graph.add %dk, %dv : tensor<2x2x4x8xf32>
  return %y, %1, %2 : tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>, tensor<2x2x4x8xf32>
}

// -----

// Under a cap the score function also gives its derivative. The bias's gradient has counts for its batches and heads;
// keys and values, which nothing reads, have no launch.
// CHECK-NOT: @attention_keys
// CHECK: kernel.func @attention_queries_d8(
// CHECK: ^{{.*}}(%[[S:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index):
// CHECK: %[[T:.*]] = math.tanh %{{.*}} : f32
// CHECK: %[[C:.*]] = arith.mulf %[[T]], %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.addf %{{.*}}, %[[T]] : f32
// CHECK: %[[M:.*]] = arith.subf %{{.*}}, %[[T]] : f32
// CHECK: %[[D:.*]] = arith.mulf %[[A]], %[[M]] : f32
// CHECK: %[[B:.*]] = arith.addf %[[C]], %{{.*}} : f32
// CHECK-NEXT: kernel.yield %[[B]], %[[D]] : f32, f32
// CHECK: kernel.func @attention_bias_d8(
// CHECK: kernel.skeleton "attention_backward_bias"<f32, 8, 8>
// CHECK: plan.launch @attention_bias_d8
// CHECK-SAME: counts [2, 4, 4, 4, 5, 128, 32, 8, 160, 40, 8, 160, 40, 8, 128, 32, 8, 1, 4]
// CHECK-NOT: @attention_keys
// CUDA: kernel.skeleton "attention_backward"<f32, 8, 8>
// CUDA: kernel.skeleton "attention_backward_bias"<f32, 8, 8>
func.func @main(%q: tensor<2x4x4x8xf32>, %k: tensor<2x4x5x8xf32>, %l: tensor<2x2x4x4xf32>, %d: tensor<2x4x4xf32>, %b: tensor<1x4x1x5xf32>) -> (tensor<2x4x4x8xf32>, tensor<1x4x4x5xf32>) {
  %0:4 = graph.attention_grad %q, %k, %k, %q, %l, %d bias %b : tensor<1x4x1x5xf32> scale 0.5 softcap 30.0 : tensor<2x4x4x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x4x8xf32>, tensor<2x2x4x4xf32>, tensor<2x4x4xf32> -> tensor<1x4x4x5xf32>
  return %0#0, %0#3 : tensor<2x4x4x8xf32>, tensor<1x4x4x5xf32>
}
