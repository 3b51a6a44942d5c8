// Sums of parts stand in the loop that has their operand; the rows are cut into parts.
// RUN: heddle-opt %s --form-groups=sum-parts=4 --lower-to-plan | FileCheck %s

// CHECK: #[[AT:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 512 + d1)>
// CHECK: plan.buffer @partial_sums scratch tensor<4x512xf32>
// CHECK-LABEL: kernel.func @mul_partial_sums_reduce_sub(
// CHECK-SAME: %[[X:[a-z0-9]+]]: !kernel.buffer<f32>, %[[Y:[a-z0-9]+]]: !kernel.buffer<f32>, %[[S:[a-z0-9]+]]: !kernel.buffer<f32>, %[[OUT:[a-z0-9]+]]: !kernel.buffer<f32>)
// CHECK: kernel.rows (%[[R:.*]]) in (%{{.*}}) attributes {parts = 4 : i64} {
// CHECK: kernel.columns
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: kernel.accumulate %[[P]], %[[S]] : <f32>
// CHECK: kernel.yield
// CHECK: kernel.columns
// CHECK-NOT: kernel.accumulate
// CHECK: kernel.store %{{.*}}, %[[OUT]][#[[AT]]]
// CHECK-LABEL: kernel.func @reduce(
// CHECK: %[[FEW:.*]] = arith.constant 4 : index
// CHECK: kernel.rows (%{{.*}}) in (%{{.*}}) {
// CHECK-NEXT: %{{.*}} = kernel.columns %{{.*}} in %[[FEW]] reduce [add]
func.func @main(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> (tensor<1x512xf32>, tensor<64x512xf32>) {
  %0 = graph.mul %x, %y : tensor<64x512xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<64x512xf32> -> tensor<1x512xf32>
  %2 = graph.reduce sum %0 axes [1] : tensor<64x512xf32> -> tensor<64x1xf32>
  %3 = graph.broadcast %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = graph.sub %y, %3 : tensor<64x512xf32>
  return %1, %4 : tensor<1x512xf32>, tensor<64x512xf32>
}
