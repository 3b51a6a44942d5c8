// A sum that products are added to one after the other is written over: one buffer, which is the output's where the last one is an output.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// CHECK: plan.buffer @output output
// CHECK-NOT: plan.buffer @{{.*}} scratch
// CHECK: plan.product 4 x 5 x 8
// CHECK-SAME: d = #plan.matrix<ref = <@output>
// CHECK-NOT: plan.buffer @{{.*}} scratch
// CHECK: plan.product 4 x 5 x 8
// CHECK-SAME: beta = 1.000000e+00 : f64
// CHECK-SAME: c = #plan.matrix<ref = <@output>
// CHECK-SAME: d = #plan.matrix<ref = <@output>
// CHECK: plan.product 4 x 5 x 8
// CHECK-SAME: c = #plan.matrix<ref = <@output>
// CHECK-SAME: d = #plan.matrix<ref = <@output>
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>, %z: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %0 = graph.matmul %x, %y : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %1 = graph.matmul %x, %z : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %2 = graph.add %1, %0 : tensor<4x5xf32>
  %3 = graph.matmul %x, %y : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %4 = graph.add %3, %2 : tensor<4x5xf32>
  return %4 : tensor<4x5xf32>
}

// -----

// What another op reads stays: the first sum is scratch and is not the output.
// CHECK: plan.buffer @output output
// CHECK: plan.buffer @[[FIRST:.*]] scratch
// CHECK: plan.product 4 x 5 x 8
// CHECK-SAME: d = #plan.matrix<ref = <@[[FIRST]]>
// CHECK: plan.product 4 x 5 x 8
// CHECK-SAME: c = #plan.matrix<ref = <@[[FIRST]]>
// CHECK-SAME: d = #plan.matrix<ref = <@output>
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>, %z: tensor<8x5xf32>) -> (tensor<4x5xf32>, tensor<4x1xf32>) {
  %0 = graph.matmul %x, %y : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %1 = graph.matmul %x, %z : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %2 = graph.add %1, %0 : tensor<4x5xf32>
  %3 = graph.reduce max %0 axes [1] : tensor<4x5xf32> -> tensor<4x1xf32>
  return %2, %3 : tensor<4x5xf32>, tensor<4x1xf32>
}
