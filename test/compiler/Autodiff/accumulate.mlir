// What several readers give one value, slices side by side, and parameters without a gradient.
// RUN: heddle-opt %s --split-input-file --autodiff --verify-diagnostics | FileCheck %s

// Readers are added up from the last on: exp, then tanh, then the product, which gives twice.
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[P:[0-9]+]] = graph.parameter
// CHECK-DAG: %[[E:[0-9]+]] = graph.exp %[[P]]
// CHECK-DAG: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1xf32> -> tensor<4xf32>
// CHECK: %[[DE:[0-9]+]] = graph.mul %[[DY]], %[[E]]
// CHECK: %[[DT:[0-9]+]] = graph.mul %[[DY]], %{{.*}}
// CHECK: %[[DA:[0-9]+]] = graph.mul %[[DY]], %[[P]]
// CHECK: %[[DB:[0-9]+]] = graph.mul %[[DY]], %[[P]]
// CHECK: %[[S0:[0-9]+]] = graph.add %[[DE]], %[[DT]]
// CHECK: %[[S1:[0-9]+]] = graph.add %[[S0]],
// CHECK: %[[S2:[0-9]+]] = graph.add %[[S1]],
// CHECK: return %{{.*}}, %[[S2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4], normal, 0.5>] : tensor<4xf32>
  %0 = graph.mul %p, %p : tensor<4xf32>
  %1 = graph.tanh %p : tensor<4xf32>
  %2 = graph.exp %p : tensor<4xf32>
  %3 = graph.add %0, %1 : tensor<4xf32>
  %4 = graph.add %3, %2 : tensor<4xf32>
  %5 = graph.reduce sum %4 axes [0] : tensor<4xf32> -> tensor<1xf32>
  %6 = graph.reshape %5 : tensor<1xf32> -> tensor<f32>
  return %6 : tensor<f32>
}

// -----

// Q, K and V of a packed product: their gradients are put side by side, with no zeros and no sum.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Q:[0-9]+]] = graph.slice %{{.*}} offsets [0, 0]
// CHECK: %[[K:[0-9]+]] = graph.slice %{{.*}} offsets [0, 2]
// CHECK: %[[V:[0-9]+]] = graph.slice %{{.*}} offsets [0, 4]
// CHECK: %[[QK:[0-9]+]] = graph.mul %[[Q]], %[[K]]
// CHECK: %[[DY:[0-9]+]] = graph.broadcast
// CHECK-NOT: dense<0.0
// CHECK-NOT: graph.add
// CHECK-DAG: %[[DQK:[0-9]+]] = graph.mul %[[DY]], %[[V]]
// CHECK-DAG: %[[DV:[0-9]+]] = graph.mul %[[DY]], %[[QK]]
// CHECK-DAG: %[[DQ:[0-9]+]] = graph.mul %[[DQK]], %[[K]]
// CHECK-DAG: %[[DK:[0-9]+]] = graph.mul %[[DQK]], %[[Q]]
// CHECK-NEXT: %[[DP:[0-9]+]] = graph.concat %[[DQ]], %[[DK]], %[[DV]] axis 1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %{{.*}}, %[[DP]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %q = graph.slice %p offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
  %k = graph.slice %p offsets [0, 2] strides [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
  %v = graph.slice %p offsets [0, 4] strides [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
  %0 = graph.mul %q, %k : tensor<4x2xf32>
  %1 = graph.mul %0, %v : tensor<4x2xf32>
  %2 = graph.reduce sum %1 axes [0, 1] : tensor<4x2xf32> -> tensor<1x1xf32>
  %3 = graph.reshape %2 : tensor<1x1xf32> -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// A part that nobody reads is the only one filled with zeros.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Z:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x3xf32>
// CHECK-NEXT: %[[DP:[0-9]+]] = graph.concat %{{[0-9]+}}, %[[Z]], %{{[0-9]+}} axis 1 : tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %{{.*}}, %[[DP]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %a = graph.slice %p offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
  %b = graph.slice %p offsets [0, 5] strides [1, 1] : tensor<4x6xf32> -> tensor<4x1xf32>
  %0 = graph.reduce sum %a axes [0, 1] : tensor<4x2xf32> -> tensor<1x1xf32>
  %1 = graph.reduce sum %b axes [0, 1] : tensor<4x1xf32> -> tensor<1x1xf32>
  %2 = graph.mul %0, %1 : tensor<1x1xf32>
  %3 = graph.reshape %2 : tensor<1x1xf32> -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Slices that overlap are added.
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[A:[0-9]+]] = graph.concat %{{[0-9]+}}, %{{[0-9]+}} axis 0 : tensor<4xf32>, tensor<2xf32> -> tensor<6xf32>
// CHECK-DAG: %[[B:[0-9]+]] = graph.concat %{{[0-9]+}}, %{{[0-9]+}} axis 0 : tensor<2xf32>, tensor<4xf32> -> tensor<6xf32>
// CHECK: %[[DP:[0-9]+]] = graph.add %[[B]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[DP]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [6], normal, 0.5>] : tensor<6xf32>
  %a = graph.slice %p offsets [0] strides [1] : tensor<6xf32> -> tensor<4xf32>
  %b = graph.slice %p offsets [2] strides [1] : tensor<6xf32> -> tensor<4xf32>
  %0 = graph.mul %a, %b : tensor<4xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
  %2 = graph.reshape %1 : tensor<1xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Even and odd elements (interleaved rotary positions) are columns of one [3, 2], put side by side there.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: dense<0.0
// CHECK-NOT: graph.add
// CHECK: %[[PAIRS:[0-9]+]] = graph.concat %{{[0-9]+}}, %{{[0-9]+}} axis 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT: %[[DP:[0-9]+]] = graph.reshape %[[PAIRS]] : tensor<4x3x2xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %{{.*}}, %[[DP]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %a = graph.slice %p offsets [0, 0] strides [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
  %b = graph.slice %p offsets [0, 1] strides [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
  %0 = graph.mul %a, %b : tensor<4x3xf32>
  %1 = graph.reduce sum %0 axes [0, 1] : tensor<4x3xf32> -> tensor<1x1xf32>
  %2 = graph.reshape %1 : tensor<1x1xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A merged parameter has one gradient with the names of all parts.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: graph.gradient = [#graph.part<"q", [3], normal, 5.000000e-01 : f64>, #graph.part<"k", [1], normal, 5.000000e-01 : f64>], graph.name = "q.grad"
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"q", [3], normal, 0.5>, #graph.part<"k", [1], normal, 0.5>] : tensor<4xf32>
  %0 = graph.reduce sum %p axes [0] : tensor<4xf32> -> tensor<1xf32>
  %1 = graph.reshape %0 : tensor<1xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// A parameter that only another output reads, and one that only an integer depends on, have no gradient; other outputs
// stay what they were.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<4xf32> {graph.name = "other"}, tensor<f32> {graph.name = "loss"}, tensor<4xf32> {graph.gradient = [{{.*}}], graph.name = "p.grad"})
// CHECK: %[[O:[0-9]+]] = graph.neg
// CHECK: return %[[O]], %{{[0-9]+}}, %{{[0-9]+}}
func.func @main() -> (tensor<4xf32> {graph.name = "other"}, tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4], normal, 0.5>] : tensor<4xf32>
  // expected-remark@below {{the loss does not depend on parameter "unread": it has no gradient}}
  %u = graph.parameter [#graph.part<"unread", [4], normal, 0.5>] : tensor<4xf32>
  // expected-remark@below {{the loss does not depend on parameter "counted": it has no gradient}}
  %c = graph.parameter [#graph.part<"counted", [4], normal, 0.5>] : tensor<4xf32>
  %o = graph.neg %u : tensor<4xf32>
  %i = graph.cast %c : tensor<4xf32> -> tensor<4xi32>
  %f = graph.cast %i : tensor<4xi32> -> tensor<4xf32>
  %0 = graph.mul %p, %f : tensor<4xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
  %2 = graph.reshape %1 : tensor<1xf32> -> tensor<f32>
  return %o, %2 : tensor<4xf32>, tensor<f32>
}

// -----

// The loss may be a value that others read on, and one of rank 2.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter
// CHECK: %[[ONE:[0-9]+]] = graph.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK: return %{{[0-9]+}}, %{{[0-9]+}}, %[[ONE]]
func.func @main() -> (tensor<1x1xf32> {graph.name = "loss"}, tensor<1x1xf32> {graph.name = "half"}) {
  %p = graph.parameter [#graph.part<"p", [1, 1], normal, 0.5>] : tensor<1x1xf32>
  %h = graph.constant dense<0.5> : tensor<1x1xf32>
  %0 = graph.mul %p, %h : tensor<1x1xf32>
  return %p, %0 : tensor<1x1xf32>, tensor<1x1xf32>
}

// -----

// An op without a gradient does no harm where no parameter needs it.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: graph.name = "p.grad"
func.func @main(%q: tensor<1x1x4x4xf32> {graph.name = "q"}) -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [1, 1, 4, 4], normal, 0.5>] : tensor<1x1x4x4xf32>
  %a = graph.attention %q, %q, %q scale 0.5 : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32> -> tensor<1x1x4x4xf32>
  %0 = graph.mul %p, %a : tensor<1x1x4x4xf32>
  %1 = graph.reduce sum %0 axes [0, 1, 2, 3] : tensor<1x1x4x4xf32> -> tensor<1x1x1x1xf32>
  %2 = graph.reshape %1 : tensor<1x1x1x1xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
