// Folds and single-op canonicalization, and where each must not happen.
// RUN: heddle-opt %s --graph-canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]] : tensor<4xf32>
func.func @identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %minus = graph.constant dense<-0.0> : tensor<4xf32>
  %0 = graph.mul %one, %x : tensor<4xf32>
  %1 = graph.div %0, %one : tensor<4xf32>
  %2 = graph.sub %1, %zero : tensor<4xf32>
  %3 = graph.add %minus, %2 : tensor<4xf32>
  %4 = graph.pow %3, %one : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// x + 0.0 is 0.0 for x = -0.0, and x - -0.0 is x + 0.0.
// CHECK-LABEL: func.func @signed_zeros
// CHECK: graph.add
// CHECK: graph.sub
func.func @signed_zeros(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %minus = graph.constant dense<-0.0> : tensor<4xf32>
  %0 = graph.add %x, %zero : tensor<4xf32>
  %1 = graph.sub %0, %minus : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK-SAME: (%[[X:.*]]: tensor<4xi32>)
// CHECK-NEXT: return %[[X]] : tensor<4xi32>
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %one = graph.constant dense<1> : tensor<4xi32>
  %zero = graph.constant dense<0> : tensor<4xi32>
  %0 = graph.mul %x, %one : tensor<4xi32>
  %1 = graph.add %0, %zero : tensor<4xi32>
  %2 = graph.sub %1, %zero : tensor<4xi32>
  %3 = graph.neg %2 : tensor<4xi32>
  %4 = graph.neg %3 : tensor<4xi32>
  return %4 : tensor<4xi32>
}

// -----

// Constants are computed in the element type.
// CHECK-LABEL: func.func @constants
// CHECK: %[[C:.*]] = graph.constant dense<1.500000e+00> : tensor<2x3xbf16>
// CHECK: return %[[C]]
func.func @constants() -> tensor<2x3xbf16> {
  %a = graph.constant dense<2.0> : tensor<3xf32>
  %b = graph.constant dense<4.0> : tensor<3xf32>
  %0 = graph.div %a, %b : tensor<3xf32>
  %1 = graph.mul %0, %a : tensor<3xf32>
  %2 = graph.add %1, %0 : tensor<3xf32>
  %3 = graph.sub %2, %b : tensor<3xf32>
  %4 = graph.neg %3 : tensor<3xf32>
  %5 = graph.sub %4, %0 : tensor<3xf32>
  %6 = graph.sub %5, %0 : tensor<3xf32>
  %7 = graph.cast %6 : tensor<3xf32> -> tensor<3xbf16>
  %8 = graph.reshape %7 : tensor<3xbf16> -> tensor<1x3xbf16>
  %9 = graph.broadcast %8 : tensor<1x3xbf16> -> tensor<2x3xbf16>
  %10 = graph.transpose %9 [1, 0] : tensor<2x3xbf16> -> tensor<3x2xbf16>
  %11 = graph.transpose %10 [1, 0] : tensor<3x2xbf16> -> tensor<2x3xbf16>
  return %11 : tensor<2x3xbf16>
}

// -----

// Division by a power of two is an exact product; by another number it stays.
// CHECK-LABEL: func.func @division
// CHECK-DAG: %[[EIGHTH:.*]] = graph.constant dense<1.250000e-01>
// CHECK-DAG: %[[THREE:.*]] = graph.constant dense<3.000000e+00>
// CHECK: %[[M:.*]] = graph.mul %{{.*}}, %[[EIGHTH]]
// CHECK: %[[D:.*]] = graph.div %[[M]], %[[THREE]]
// CHECK: graph.reciprocal %[[D]]
func.func @division(%x: tensor<4xf32>) -> tensor<4xf32> {
  %eight = graph.constant dense<8.0> : tensor<4xf32>
  %three = graph.constant dense<3.0> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %0 = graph.div %x, %eight : tensor<4xf32>
  %1 = graph.div %0, %three : tensor<4xf32>
  %2 = graph.div %one, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @square
// CHECK: graph.mul %[[X:.*]], %[[X]]
// CHECK: graph.pow
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %three = graph.constant dense<3.0> : tensor<4xf32>
  %0 = graph.pow %x, %two : tensor<4xf32>
  %1 = graph.pow %0, %three : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @conditions
// CHECK-SAME: (%[[A:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi32>)
// CHECK: %[[C:.*]] = graph.compare lt %[[A]], %[[B]]
// CHECK: graph.select %[[C]], %[[A]], %[[B]]
func.func @conditions(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %true = graph.constant dense<true> : tensor<4xi1>
  %false = graph.constant dense<false> : tensor<4xi1>
  %0 = graph.compare ge %a, %b : tensor<4xi32> -> tensor<4xi1>
  %1 = graph.and %0, %true : tensor<4xi1>
  %2 = graph.or %1, %false : tensor<4xi1>
  %3 = graph.not %2 : tensor<4xi1>
  %4 = graph.and %3, %3 : tensor<4xi1>
  %5 = graph.select %4, %a, %b : tensor<4xi1>, tensor<4xi32>
  %6 = graph.select %true, %5, %b : tensor<4xi1>, tensor<4xi32>
  %7 = graph.select %4, %6, %6 : tensor<4xi1>, tensor<4xi32>
  return %7 : tensor<4xi32>
}

// -----

// With NaN, not (a < b) is not a >= b.
// CHECK-LABEL: func.func @float_comparison
// CHECK: graph.compare lt
// CHECK: graph.not
// CHECK: graph.compare ne
func.func @float_comparison(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = graph.compare lt %a, %b : tensor<4xf32> -> tensor<4xi1>
  %1 = graph.not %0 : tensor<4xi1>
  %2 = graph.compare eq %a, %b : tensor<4xf32> -> tensor<4xi1>
  %3 = graph.not %2 : tensor<4xi1>
  return %1, %3 : tensor<4xi1>, tensor<4xi1>
}

// -----

// The constant goes to the right, as in the other ops.
// CHECK-LABEL: func.func @constant_right
// CHECK-SAME: (%[[A:.*]]: tensor<4xi32>)
// CHECK: %[[C:.*]] = graph.constant dense<3>
// CHECK: graph.compare gt %[[A]], %[[C]]
func.func @constant_right(%a: tensor<4xi32>) -> tensor<4xi1> {
  %c = graph.constant dense<3> : tensor<4xi32>
  %0 = graph.compare lt %c, %a : tensor<4xi32> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// A negated mask swaps the branches, also below a broadcast.
// CHECK-LABEL: func.func @negated_mask
// CHECK-SAME: (%[[M:.*]]: tensor<1x4xi1>, %[[A:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<3x4xf32>)
// CHECK: %[[W:.*]] = graph.broadcast %[[M]]
// CHECK: graph.select %[[W]], %[[B]], %[[A]]
func.func @negated_mask(%m: tensor<1x4xi1>, %a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.broadcast %m : tensor<1x4xi1> -> tensor<3x4xi1>
  %1 = graph.not %0 : tensor<3x4xi1>
  %2 = graph.select %1, %a, %b : tensor<3x4xi1>, tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
// CHECK-DAG: %[[R:.*]] = graph.reshape %[[X]] : tensor<4x6xf32> -> tensor<2x12xf32>
// CHECK-DAG: %[[S:.*]] = graph.slice %[[X]] offsets [1, 1] strides [1, 4] : tensor<4x6xf32> -> tensor<2x2xf32>
// CHECK-DAG: %[[B:.*]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<5x7xf32>
// CHECK: return %[[X]], %[[R]], %[[S]], %[[B]]
func.func @views(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<2x12xf32>, tensor<2x2xf32>, tensor<5x7xf32>) {
  %0 = graph.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %2 = graph.reshape %1 : tensor<4x6xf32> -> tensor<24xf32>
  %3 = graph.reshape %2 : tensor<24xf32> -> tensor<4x6xf32>
  %4 = graph.reshape %2 : tensor<24xf32> -> tensor<2x12xf32>
  %5 = graph.slice %x offsets [1, 1] strides [1, 2] : tensor<4x6xf32> -> tensor<3x3xf32>
  %6 = graph.slice %5 offsets [0, 0] strides [1, 2] : tensor<3x3xf32> -> tensor<2x2xf32>
  %7 = graph.slice %x offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %8 = graph.broadcast %7 : tensor<1x1xf32> -> tensor<1x7xf32>
  %9 = graph.broadcast %8 : tensor<1x7xf32> -> tensor<5x7xf32>
  %10 = graph.slice %3 offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %11 = graph.concat %10 axis 0 : tensor<4x6xf32> -> tensor<4x6xf32>
  return %11, %4, %6, %9 : tensor<4x6xf32>, tensor<2x12xf32>, tensor<2x2xf32>, tensor<5x7xf32>
}

// -----

// Widened and narrowed again is exact; narrowed and widened again rounds.
// CHECK-LABEL: func.func @casts
// CHECK-SAME: (%[[X:.*]]: tensor<4xbf16>, %[[Y:.*]]: tensor<4xf32>)
// CHECK: %[[N:.*]] = graph.cast %[[Y]] : tensor<4xf32> -> tensor<4xbf16>
// CHECK: %[[W:.*]] = graph.cast %[[N]] : tensor<4xbf16> -> tensor<4xf32>
// CHECK: return %[[X]], %[[W]]
func.func @casts(%x: tensor<4xbf16>, %y: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf32>) {
  %0 = graph.cast %x : tensor<4xbf16> -> tensor<4xf32>
  %1 = graph.cast %0 : tensor<4xf32> -> tensor<4xbf16>
  %2 = graph.cast %y : tensor<4xf32> -> tensor<4xbf16>
  %3 = graph.cast %2 : tensor<4xbf16> -> tensor<4xf32>
  return %1, %3 : tensor<4xbf16>, tensor<4xf32>
}

// -----

// A reduction of one element is that element.
// CHECK-LABEL: func.func @reduce_one
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>)
// CHECK-NEXT: return %[[X]]
func.func @reduce_one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = graph.reduce sum %x axes [1] : tensor<4x1xf32> -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// What is the same for every row is computed for one.
// CHECK-LABEL: func.func @before_broadcast
// CHECK-SAME: (%[[W:.*]]: tensor<1x8xf32>, %[[X:.*]]: tensor<4x8xf32>)
// CHECK: %[[S:.*]] = graph.add %[[W]], %{{.*}} : tensor<1x8xf32>
// CHECK: %[[B:.*]] = graph.broadcast %[[S]]
// CHECK: graph.mul %[[X]], %[[B]]
func.func @before_broadcast(%w: tensor<1x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = graph.constant dense<1.0> : tensor<4x8xf32>
  %0 = graph.broadcast %w : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = graph.add %0, %one : tensor<4x8xf32>
  %2 = graph.mul %x, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Broadcasts of two shapes are computed at the shape of both.
// CHECK-LABEL: func.func @two_broadcasts
// CHECK: graph.add %{{.*}} : tensor<4x8xf32>
func.func @two_broadcasts(%w: tensor<1x8xf32>, %x: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %w : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = graph.broadcast %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = graph.add %0, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Of probability 0 nothing is dropped; of any other something is.
// CHECK-LABEL: func.func @dropout
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>, %[[K:.*]]: tensor<4xi64>)
// CHECK-NEXT: %[[Y:.*]] = graph.dropout %[[X]], %[[I]], %[[K]] layer 1 probability 1.000000e-09
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @dropout(%x: tensor<4xf32>, %i: tensor<4xi32>, %k: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.dropout %x, %i, %k layer 0 probability 0.0 : tensor<4xf32>
  %1 = graph.dropout %x, %i, %k layer 1 probability 1.0e-9 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
