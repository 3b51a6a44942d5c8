// The gradient of fused attention: one op, which reads the statistics that forward then keeps.
// RUN: heddle-opt %s --split-input-file --autodiff | FileCheck %s

// delta is the sum of gradient * result over the width, in float32.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Q:[0-9]+]] = graph.matmul
// CHECK: %[[O:.*]], %[[L:.*]] = graph.attention %[[Q]], %arg0, %arg0 scale 5.000000e-01 causal window 3 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>, tensor<2x1x2x4xf32>
// CHECK: %[[G:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1x1xf32> -> tensor<1x2x4x8xf32>
// CHECK: %[[P:[0-9]+]] = graph.mul %[[G]], %[[O]] : tensor<1x2x4x8xf32>
// CHECK: %[[S:[0-9]+]] = graph.reduce sum %[[P]] axes [3] : tensor<1x2x4x8xf32> -> tensor<1x2x4x1xf32>
// CHECK: %[[D:[0-9]+]] = graph.reshape %[[S]] : tensor<1x2x4x1xf32> -> tensor<1x2x4xf32>
// CHECK: %[[DQ:.*]], %{{.*}}, %{{.*}} = graph.attention_grad %[[Q]], %arg0, %arg0, %[[G]], %[[L]], %[[D]] scale 5.000000e-01 causal window 3
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
func.func @main(%x: tensor<1x2x4x8xf32> {graph.name = "x"}) -> (tensor<1x1x1x1xf32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 0.5>] : tensor<8x8xf32>
  %q = graph.matmul %x, %w : tensor<1x2x4x8xf32>, tensor<8x8xf32> -> tensor<1x2x4x8xf32>
  %y = graph.attention %q, %x, %x scale 0.5 causal window 3 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>
  %l = graph.reduce sum %y axes [0, 1, 2, 3] : tensor<1x2x4x8xf32> -> tensor<1x1x1x1xf32>
  return %l : tensor<1x1x1x1xf32>
}

// -----

// Attention that no parameter reaches keeps no statistics.
// CHECK-LABEL: func.func @main(
// CHECK: %{{[a-z0-9]+}} = graph.attention %arg0, %arg0, %arg0 scale 5.000000e-01 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>{{$}}
// CHECK-NOT: graph.attention_grad
func.func @main(%x: tensor<1x2x4x8xf32> {graph.name = "x"}) -> (tensor<1x1x1x1xf32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [1, 2, 4, 8], normal, 0.5>] : tensor<1x2x4x8xf32>
  %y = graph.attention %x, %x, %x scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>
  %z = graph.mul %y, %w : tensor<1x2x4x8xf32>
  %l = graph.reduce sum %z axes [0, 1, 2, 3] : tensor<1x2x4x8xf32> -> tensor<1x1x1x1xf32>
  return %l : tensor<1x1x1x1xf32>
}

// -----

// A trained bias: batches and heads that share it are summed by the op, queries that do by a reduction.
// CHECK-LABEL: func.func @main(
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[R:[a-z0-9]+]] = graph.attention_grad {{.*}} bias %[[W]] : tensor<1x2x1x4xf32> scale 5.000000e-01 {{.*}} -> tensor<1x2x3x4xf32>
// CHECK: %[[S:[0-9]+]] = graph.reduce sum %[[R]] axes [2] : tensor<1x2x3x4xf32> -> tensor<1x2x1x4xf32>
// CHECK: return %{{.*}}, %[[S]]
func.func @main(%q: tensor<2x2x3x8xf32> {graph.name = "q"}, %k: tensor<2x1x4x8xf32> {graph.name = "k"}) -> (tensor<1x1x1x1xf32> {graph.name = "loss"}) {
  %b = graph.parameter [#graph.part<"b", [1, 2, 1, 4], normal, 0.5>] : tensor<1x2x1x4xf32>
  %y = graph.attention %q, %k, %k bias %b : tensor<1x2x1x4xf32> scale 0.5 : tensor<2x2x3x8xf32>, tensor<2x1x4x8xf32>, tensor<2x1x4x8xf32> -> tensor<2x2x3x8xf32>
  %l = graph.reduce sum %y axes [0, 1, 2, 3] : tensor<2x2x3x8xf32> -> tensor<1x1x1x1xf32>
  return %l : tensor<1x1x1x1xf32>
}

// -----

// What reads the statistics is a function of m - log(n), whose derivative is that by m; it comes off delta. Where the
// result itself is not read, its gradient is zero.
// CHECK-LABEL: func.func @main(
// CHECK: %[[O:.*]], %[[L:.*]] = graph.attention
// CHECK: %[[Z:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<1x2x4x8xf32>
// CHECK: %[[D:[0-9]+]] = graph.reshape %{{.*}} : tensor<1x2x4x1xf32> -> tensor<1x2x4xf32>
// CHECK: %[[S:[0-9]+]] = graph.slice %{{.*}} offsets [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<2x1x2x4xf32> -> tensor<1x1x2x4xf32>
// CHECK: %[[G:[0-9]+]] = graph.reshape %[[S]] : tensor<1x1x2x4xf32> -> tensor<1x2x4xf32>
// CHECK: %[[E:[0-9]+]] = graph.sub %[[D]], %[[G]] : tensor<1x2x4xf32>
// CHECK: graph.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %[[Z]], %[[L]], %[[E]]
func.func @main(%x: tensor<1x2x4x8xf32> {graph.name = "x"}) -> (tensor<1x1x1x1xf32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [1, 2, 4, 8], normal, 0.5>] : tensor<1x2x4x8xf32>
  %y, %s = graph.attention %w, %x, %x scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>, tensor<2x1x2x4xf32>
  %m = graph.slice %s offsets [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<2x1x2x4xf32> -> tensor<1x1x2x4xf32>
  %n = graph.slice %s offsets [1, 0, 0, 0] strides [1, 1, 1, 1] : tensor<2x1x2x4xf32> -> tensor<1x1x2x4xf32>
  %log = graph.log %n : tensor<1x1x2x4xf32>
  %lse = graph.sub %m, %log : tensor<1x1x2x4xf32>
  %l = graph.reduce sum %lse axes [0, 1, 2, 3] : tensor<1x1x2x4xf32> -> tensor<1x1x1x1xf32>
  return %l : tensor<1x1x1x1xf32>
}
