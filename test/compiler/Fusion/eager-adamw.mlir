// AdamW in eager execution: the passes of PyTorch's foreach implementation over each parameter.
// RUN: heddle-opt %s --pass-pipeline='builtin.module(autodiff{eager=true optimizer=true},precision{policy=bf16 rounding=eager},func.func(eager-groups))' | FileCheck %s

// The norm of the gradients reads them once. Behind the scalars, each element of a parameter is read and written as
// often as by lerp_, addcmul_ (here with the difference before it), sqrt, div_, add_ and addcdiv_, and clipping is in
// the first readers.
// CHECK-LABEL: func.func @main(
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK-COUNT-2: graph.group product "matmul" {
// CHECK: %[[G:[0-9]+]] = graph.group rows "cast" {
// CHECK-NEXT: graph.cast %{{[0-9]+}} : tensor<8x16xbf16> -> tensor<8x16xf32>
// CHECK: graph.group rows "mul+reduce" {
// CHECK-NEXT: graph.mul %[[G]], %[[G]]
// CHECK: %[[M:[0-9]+]] = graph.state [#graph.part<"exp_avg.w"
// CHECK: %[[V:[0-9]+]] = graph.state [#graph.part<"exp_avg_sq.w"
// CHECK: %[[AWAY:[0-9]+]] = graph.group rows "mul+sub" {
// CHECK-NEXT: %[[CLIPPED:[0-9]+]] = graph.mul %[[G]],
// CHECK-NEXT: %[[SQUARE:[0-9]+]] = graph.mul %[[CLIPPED]], %[[CLIPPED]]
// CHECK-NEXT: graph.sub %[[SQUARE]], %[[V]]
// CHECK-NEXT: graph.yield
// CHECK: %[[NEXTM:[0-9]+]] = graph.group rows "mul+sub+add+select" {
// CHECK: graph.yield %{{[0-9]+}} : tensor<8x16xf32>
// CHECK: graph.assign %[[M]], %[[NEXTM]]
// CHECK: %[[NEXTV:[0-9]+]] = graph.group rows "mul+add+select" {
// CHECK: graph.yield %{{[0-9]+}} : tensor<8x16xf32>
// CHECK: graph.assign %[[V]], %[[NEXTV]]
// CHECK: %[[ROOT:[0-9]+]] = graph.group rows "sqrt" {
// CHECK-NEXT: graph.sqrt %[[NEXTV]]
// CHECK: %[[CORRECTED:[0-9]+]] = graph.group rows "div" {
// CHECK-NEXT: graph.div %[[ROOT]],
// CHECK: graph.group rows "add" {
// CHECK-NEXT: graph.add %[[CORRECTED]],
// CHECK: %[[NEXT:[0-9]+]] = graph.group rows "mul+div+add+select" {
// CHECK: graph.assign %[[W]], %[[NEXT]] : tensor<8x16xf32>
// CHECK-NOT: tensor<8x16xf32>
// CHECK: return
func.func @main(%x: tensor<4x8xf32>) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [8, 16], normal, 0.5>] : tensor<8x16xf32>
  %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x16xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
