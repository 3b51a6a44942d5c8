// Delta is made of the gradient as attention's kernel reads it: rounded, by a cast of its own that may not be left out. What else
// reads the gradient has it as it was.
// RUN: heddle-opt %s --precision=policy=bf16 | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<1x2x4x8xf32> {graph.name = "g"}
// CHECK: %[[N:[0-9]+]] = graph.neg %[[G]]
// CHECK: %[[R:[0-9]+]] = graph.cast %[[G]] : tensor<1x2x4x8xf32> -> tensor<1x2x4x8xbf16>
// CHECK: %[[W:[0-9]+]] = graph.cast %[[R]] implicit : tensor<1x2x4x8xbf16> -> tensor<1x2x4x8xf32>
// CHECK: graph.mul %[[W]]
// CHECK: graph.attention_grad
func.func @main(%q: tensor<1x2x4x8xf32> {graph.name = "q"}, %g: tensor<1x2x4x8xf32> {graph.name = "g"})
    -> (tensor<1x2x4x8xf32> {graph.name = "dq"}, tensor<1x2x4x8xf32> {graph.name = "n"}) {
  %n = graph.neg %g : tensor<1x2x4x8xf32>
  %y, %l = graph.attention %q, %q, %q scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>, tensor<2x1x2x4xf32>
  %p = graph.mul %g, %y : tensor<1x2x4x8xf32>
  %s = graph.reduce sum %p axes [3] : tensor<1x2x4x8xf32> -> tensor<1x2x4x1xf32>
  %d = graph.reshape %s : tensor<1x2x4x1xf32> -> tensor<1x2x4xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %q, %q, %g, %l, %d scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<2x1x2x4xf32>, tensor<1x2x4xf32>
  return %dq, %n : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>
}
