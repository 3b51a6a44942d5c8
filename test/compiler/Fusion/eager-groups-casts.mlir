// Eager groups: a cast that PyTorch runs is a kernel; one that a kernel does while it reads or writes belongs to it.
// RUN: heddle-opt %s --pass-pipeline='builtin.module(precision{policy=bf16 rounding=eager},func.func(eager-groups))' | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<3x8xf32>)
// The product's operand and its weight are cast by kernels.
// CHECK: graph.group rows "cast" {
// CHECK: graph.group rows "cast" {
// CHECK: %[[Y:.*]] = graph.group product "matmul" {
// The product with a constant that bf16 cannot hold reads and writes bf16, and computes in float32: one kernel.
// CHECK: %[[S:.*]] = graph.group rows "mul" {
// CHECK-NEXT: graph.cast %[[Y]] implicit : tensor<3x8xbf16> -> tensor<3x8xf32>
// CHECK-NEXT: graph.mul
// CHECK-NEXT: graph.cast %{{.*}} implicit : tensor<3x8xf32> -> tensor<3x8xbf16>
// CHECK-NEXT: graph.yield
// The sum widens what it reads.
// CHECK: graph.group rows "add" {
// CHECK-NEXT: graph.cast %[[S]] implicit : tensor<3x8xbf16> -> tensor<3x8xf32>
// CHECK-NEXT: graph.add %[[X]], %{{.*}} : tensor<3x8xf32>
// CHECK-NEXT: graph.yield
// CHECK-NOT: graph.group
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %tenth = graph.constant dense<0.1> : tensor<3x8xf32>
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %t = graph.transpose %w [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %0 = graph.matmul %x, %t : tensor<3x8xf32>, tensor<8x8xf32> -> tensor<3x8xf32>
  %1 = graph.mul %0, %tenth : tensor<3x8xf32>
  %2 = graph.add %x, %1 : tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}
