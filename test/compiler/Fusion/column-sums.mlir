// Sums over the rows of what a rows group has at hand: the group sums its rows in parts, and the reduction adds up the parts.
// RUN: heddle-opt %s --split-input-file --form-groups=sum-parts=4 | FileCheck %s
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: partial_sums

// What is summed is the group's own and nobody else's: it is not written any more.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G:.*]]:2 = graph.group rows "mul+partial_sums+reduce+sub" {
// CHECK: graph.partial_sums %{{.*}} axes [0] : tensor<64x512xf32> -> tensor<4x512xf32>
// CHECK: } {{.*}}: tensor<4x512xf32>, tensor<64x512xf32>
// CHECK: graph.group rows "reduce" {
// CHECK-NEXT: graph.reduce sum %[[G]]#0 axes [0] : tensor<4x512xf32> -> tensor<1x512xf32>
func.func @main(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> (tensor<1x512xf32>, tensor<64x512xf32>) {
  %0 = graph.mul %x, %y : tensor<64x512xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<64x512xf32> -> tensor<1x512xf32>
  %2 = graph.reduce sum %0 axes [1] : tensor<64x512xf32> -> tensor<64x1xf32>
  %3 = graph.broadcast %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = graph.sub %y, %3 : tensor<64x512xf32>
  return %1, %4 : tensor<1x512xf32>, tensor<64x512xf32>
}

// -----

// Of two sums one's operand is computed for it alone, from what the other group computes and from what a product gives; the other's is the
// product's result. Both go along, and what adds up the parts is one kernel.
// CHECK-LABEL: func.func @main(
// CHECK: %[[D:.*]] = graph.group product "matmul"
// CHECK: %[[G:.*]]:3 = graph.group rows "{{.*}}" {
// CHECK-DAG: graph.partial_sums %[[D]] axes [0, 1] : tensor<2x32x512xf32> -> tensor<4x1x512xf32>
// CHECK-DAG: graph.partial_sums %{{.*}} axes [0, 1] : tensor<2x32x512xf32> -> tensor<4x1x512xf32>
// CHECK: graph.yield
// CHECK: graph.group rows "reduce" {
// CHECK-COUNT-2: graph.reduce sum %[[G]]#{{[0-9]}} axes [0, 1]
// CHECK: return
func.func @main(%x: tensor<2x32x512xf32>, %a: tensor<2x32x8xf32>, %w: tensor<2x8x512xf32>)
    -> (tensor<2x32x512xf32>, tensor<1x1x512xf32>, tensor<1x1x512xf32>) {
  %d = graph.matmul %a, %w : tensor<2x32x8xf32>, tensor<2x8x512xf32> -> tensor<2x32x512xf32>
  %0 = graph.reduce mean %x axes [2] : tensor<2x32x512xf32> -> tensor<2x32x1xf32>
  %1 = graph.broadcast %0 : tensor<2x32x1xf32> -> tensor<2x32x512xf32>
  %2 = graph.sub %x, %1 : tensor<2x32x512xf32>
  %3 = graph.mul %2, %d : tensor<2x32x512xf32>
  %4 = graph.reduce sum %3 axes [2] : tensor<2x32x512xf32> -> tensor<2x32x1xf32>
  %5 = graph.broadcast %4 : tensor<2x32x1xf32> -> tensor<2x32x512xf32>
  %6 = graph.sub %3, %5 : tensor<2x32x512xf32>
  %7 = graph.reduce sum %3 axes [0, 1] : tensor<2x32x512xf32> -> tensor<1x1x512xf32>
  %8 = graph.reduce sum %d axes [0, 1] : tensor<2x32x512xf32> -> tensor<1x1x512xf32>
  return %6, %7, %8 : tensor<2x32x512xf32>, tensor<1x1x512xf32>, tensor<1x1x512xf32>
}

// -----

// An elementwise result and its sum were one kernel that walks across the rows; now it walks along them.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "exp+partial_sums" {
// CHECK: graph.group rows "reduce" {
func.func @main(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<1x512xf32>) {
  %0 = graph.exp %x : tensor<64x512xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<64x512xf32> -> tensor<1x512xf32>
  return %0, %1 : tensor<64x512xf32>, tensor<1x512xf32>
}

// -----

// Longer rows are summed in fewer parts, shorter ones in more.
// CHECK-LABEL: func.func @main(
// CHECK-DAG: graph.partial_sums %{{.*}} axes [0] : tensor<640x4096xf32> -> tensor<2x4096xf32>
// CHECK-DAG: graph.partial_sums %{{.*}} axes [0] : tensor<640x100xf32> -> tensor<32x100xf32>
func.func @main(%x: tensor<640x4096xf32>, %y: tensor<640x100xf32>)
    -> (tensor<640x4096xf32>, tensor<1x4096xf32>, tensor<640x100xf32>, tensor<1x100xf32>) {
  %0 = graph.exp %x : tensor<640x4096xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<640x4096xf32> -> tensor<1x4096xf32>
  %2 = graph.relu %y : tensor<640x100xf32>
  %3 = graph.reduce sum %2 axes [0] : tensor<640x100xf32> -> tensor<1x100xf32>
  return %0, %1, %2, %3 : tensor<640x4096xf32>, tensor<1x4096xf32>, tensor<640x100xf32>, tensor<1x100xf32>
}
