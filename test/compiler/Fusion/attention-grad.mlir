// The gradient of attention: one group that yields all its results, each with the views that lead to its reader.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s
// RUN: heddle-opt %s --split-input-file --eager-groups | FileCheck %s --check-prefix=EAGER

// The gradient of the query is written as the product reads it. That of the value is computed with the key's, though
// nothing reads it.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G:[0-9]+]]:3 = graph.group attention "attention_grad" {
// CHECK-NEXT: %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = graph.attention_grad
// CHECK-NEXT: %[[T:[0-9]+]] = graph.transpose %[[DQ]] [0, 2, 1, 3]
// CHECK-NEXT: %[[R:[0-9]+]] = graph.reshape %[[T]] : tensor<1x4x2x8xf32> -> tensor<4x16xf32>
// CHECK-NEXT: %[[U:[0-9]+]] = graph.transpose %[[DK]] [0, 2, 1, 3]
// CHECK-NEXT: graph.yield %[[R]], %[[U]], %[[DV]] : tensor<4x16xf32>, tensor<1x4x1x8xf32>, tensor<1x1x4x8xf32>
// CHECK: graph.group product "matmul" {
// CHECK-NEXT: graph.matmul %[[G]]#0
// EAGER-LABEL: func.func @main(
// EAGER: graph.group attention "attention_grad" {
// EAGER-NEXT: %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = graph.attention_grad
// EAGER-NEXT: graph.yield %[[DQ]], %[[DK]], %[[DV]] : tensor<1x2x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
func.func @main(%q: tensor<1x2x4x8xf32>, %k: tensor<1x1x4x8xf32>, %g: tensor<1x2x4x8xf32>, %l: tensor<2x1x2x4xf32>, %d: tensor<1x2x4xf32>) -> (tensor<4x3xf32>, tensor<1x4x1x8xf32>) {
  %w = graph.parameter [#graph.part<"w", [16, 3], normal, 0.02>] : tensor<16x3xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %k, %g, %l, %d scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x2x4x8xf32>, tensor<2x1x2x4xf32>, tensor<1x2x4xf32>
  %0 = graph.transpose %dq [0, 2, 1, 3] : tensor<1x2x4x8xf32> -> tensor<1x4x2x8xf32>
  %1 = graph.reshape %0 : tensor<1x4x2x8xf32> -> tensor<4x16xf32>
  %2 = graph.matmul %1, %w : tensor<4x16xf32>, tensor<16x3xf32> -> tensor<4x3xf32>
  %3 = graph.transpose %dk [0, 2, 1, 3] : tensor<1x1x4x8xf32> -> tensor<1x4x1x8xf32>
  %4 = graph.exp %3 : tensor<1x4x1x8xf32>
  return %2, %4 : tensor<4x3xf32>, tensor<1x4x1x8xf32>
}

// -----

// Heads of 6 and 9 become heads of 8 and 16; statistics and a delta that are views are copied, a key mask is sunk.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[L:.*]]: tensor<4x2x1x2xf32>, %[[D:.*]]: tensor<4x2x1xf32>, %[[M:.*]]: tensor<1x1x1x4xi32>)
// CHECK-DAG: %[[T:[0-9]+]] = graph.transpose %[[L]] [3, 2, 1, 0]
// CHECK-DAG: %[[U:[0-9]+]] = graph.transpose %[[D]] [2, 1, 0]
// CHECK: %[[C:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[T]]
// CHECK: %[[E:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[U]]
// CHECK: %[[G:[0-9]+]]:3 = graph.group attention "attention_grad" {
// CHECK: graph.compare ne %[[M]]
// CHECK: graph.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[C]], %[[E]] mask {{.*}} : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<2x1x2x4xf32>, tensor<1x2x4xf32>
// CHECK: graph.slice %[[G]]#0 offsets [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<1x2x4x8xf32> -> tensor<1x2x4x6xf32>
// CHECK: graph.slice %[[G]]#2 offsets [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<1x2x4x16xf32> -> tensor<1x2x4x9xf32>
func.func @main(%q: tensor<1x2x4x6xf32>, %k: tensor<1x2x4x6xf32>, %v: tensor<1x2x4x9xf32>, %g: tensor<1x2x4x9xf32>, %s: tensor<4x2x1x2xf32>, %t: tensor<4x2x1xf32>, %i: tensor<1x1x1x4xi32>) -> (tensor<1x2x4x6xf32>, tensor<1x2x4x9xf32>) {
  %l = graph.transpose %s [3, 2, 1, 0] : tensor<4x2x1x2xf32> -> tensor<2x1x2x4xf32>
  %d = graph.transpose %t [2, 1, 0] : tensor<4x2x1xf32> -> tensor<1x2x4xf32>
  %z = graph.constant dense<0> : tensor<1x1x1x4xi32>
  %m = graph.compare ne %i, %z : tensor<1x1x1x4xi32> -> tensor<1x1x1x4xi1>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d mask %m : tensor<1x1x1x4xi1> scale 0.5 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>, tensor<1x2x4x9xf32>, tensor<1x2x4x9xf32>, tensor<2x1x2x4xf32>, tensor<1x2x4xf32>
  return %dq, %dv : tensor<1x2x4x6xf32>, tensor<1x2x4x9xf32>
}
