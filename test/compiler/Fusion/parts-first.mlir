// What is computed from a concatenation is computed from its parts: one kernel.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s

// Rotary positions as x cos + concat(-x2, x1) sin: one kernel that writes both halves.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows {{.*}} {
// CHECK-NOT: graph.group
// CHECK: %[[A:.*]] = graph.add
// CHECK-NOT: graph.group
// CHECK: %[[B:.*]] = graph.add
// CHECK: graph.concat %[[A]], %[[B]] axis 1
// CHECK-NEXT: graph.yield
// CHECK: } : tensor<6x8xf32>
// CHECK-NEXT: return
func.func @main(%x: tensor<6x8xf32>, %cos: tensor<6x8xf32>, %sin: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %a = graph.slice %x offsets [0, 0] strides [1, 1] : tensor<6x8xf32> -> tensor<6x4xf32>
  %b = graph.slice %x offsets [0, 4] strides [1, 1] : tensor<6x8xf32> -> tensor<6x4xf32>
  %n = graph.neg %b : tensor<6x4xf32>
  %t = graph.concat %n, %a axis 1 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x8xf32>
  %0 = graph.mul %x, %cos : tensor<6x8xf32>
  %1 = graph.mul %t, %sin : tensor<6x8xf32>
  %2 = graph.add %0, %1 : tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}

// -----

// Not where others read the concatenation too, and not for parts of two extents, which would run over two spaces.
// CHECK-LABEL: func.func @main(
// CHECK: graph.concat
// CHECK: graph.group rows "exp"
// CHECK: graph.concat
// CHECK: graph.group rows "exp"
func.func @main(%x: tensor<6x4xf32>, %y: tensor<6x2xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x6xf32>) {
  %t = graph.concat %x, %x axis 1 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x8xf32>
  %0 = graph.exp %t : tensor<6x8xf32>
  %u = graph.concat %x, %y axis 1 : tensor<6x4xf32>, tensor<6x2xf32> -> tensor<6x6xf32>
  %1 = graph.exp %u : tensor<6x6xf32>
  return %0, %t, %1 : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x6xf32>
}
