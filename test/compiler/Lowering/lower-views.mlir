// Views are in the accesses: no kernel moves data for them.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// A transposed operand, a sliced one and one broadcast along each side; scalars that are constants are literals.
// CHECK-DAG: #[[T:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 + d1 * 4)>
// CHECK-DAG: #[[S:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 20 + d1 * 2 + 3)>
// CHECK-DAG: #[[B:[a-z0-9]+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[OUT:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 8 + d1)>
// CHECK-LABEL: kernel.func @add_mul(
// CHECK: kernel.rows (%[[R:[a-z0-9]+]]) in
// CHECK-NEXT: kernel.columns %[[C:[a-z0-9]+]] in
// CHECK: %[[XV:.*]] = kernel.load %{{.*}}[#[[T]]] (%[[R]], %[[C]])
// CHECK: %[[YV:.*]] = kernel.load %{{.*}}[#[[S]]] (%[[R]], %[[C]])
// CHECK: %[[V:.*]] = kernel.load %{{.*}}[#[[B]]] (%[[C]])
// CHECK: %[[W:.*]] = kernel.load %{{.*}}[#[[B]]] (%[[R]])
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: kernel.store %{{.*}}, %{{.*}}[#[[OUT]]] (%[[R]], %[[C]])
func.func @main(%x: tensor<8x4xf32>, %y: tensor<4x20xf32>, %v: tensor<8xf32>, %w: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %h = graph.constant dense<0.5> : tensor<4x8xf32>
  %0 = graph.transpose %x [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = graph.slice %y offsets [0, 3] strides [1, 2] : tensor<4x20xf32> -> tensor<4x8xf32>
  %2 = graph.reshape %v : tensor<8xf32> -> tensor<1x8xf32>
  %3 = graph.broadcast %2 : tensor<1x8xf32> -> tensor<4x8xf32>
  %4 = graph.broadcast %w : tensor<4x1xf32> -> tensor<4x8xf32>
  %5 = graph.add %0, %1 : tensor<4x8xf32>
  %6 = graph.mul %5, %3 : tensor<4x8xf32>
  %7 = graph.add %6, %4 : tensor<4x8xf32>
  %8 = graph.mul %7, %h : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// -----

// x + transpose(x) of an input reads it twice, at two places.
// CHECK-DAG: #[[ROW:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 4 + d1)>
// CHECK-DAG: #[[COL:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 + d1 * 4)>
// CHECK-LABEL: kernel.func @add(
// CHECK: %[[A:.*]] = kernel.load %[[X:[a-z0-9]+]][#[[ROW]]]
// CHECK: %[[B:.*]] = kernel.load %[[X]][#[[COL]]]
// CHECK: arith.addf %[[A]], %[[B]] : f32
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.add %x, %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A part of a packed projection, [sequence, 3 heads of 8] cut and turned to heads first: one offset, three strides.
// CHECK-DAG: #[[PART:[a-z0-9]+]] = affine_map<(d0, d1, d2) -> (d0 * 8 + d1 * 48 + d2 + 24)>
// CHECK-LABEL: kernel.func @exp_rows(
// CHECK: kernel.load %{{.*}}[#[[PART]]]
func.func @main(%x: tensor<5x48xf32>) -> tensor<3x5x8xf32> {
  %0 = graph.slice %x offsets [0, 24] strides [1, 1] : tensor<5x48xf32> -> tensor<5x24xf32>
  %1 = graph.reshape %0 : tensor<5x24xf32> -> tensor<5x3x8xf32>
  %2 = graph.transpose %1 [1, 0, 2] : tensor<5x3x8xf32> -> tensor<3x5x8xf32>
  %3 = graph.exp %2 : tensor<3x5x8xf32>
  return %3 : tensor<3x5x8xf32>
}

// -----

// A transposed result of what the group computes: the group runs in the order of the output.
// CHECK-DAG: #[[IN:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 + d1 * 8)>
// CHECK-DAG: #[[OUT:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 4 + d1)>
// CHECK-LABEL: kernel.func @exp_copy(
// CHECK: kernel.load %{{.*}}[#[[IN]]]
// CHECK: kernel.store %{{.*}}, %{{.*}}[#[[OUT]]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Rank 0 and extents of 1 have no loops of their own.
// CHECK-LABEL: kernel.func @exp_rows(
// CHECK: kernel.rows () in () {
// CHECK-NEXT: kernel.columns %{{.*}} in %{{.*}} {
// CHECK-NEXT: kernel.load %{{.*}} ()
func.func @main(%x: tensor<f32>, %y: tensor<1x1xf32>) -> tensor<f32> {
  %0 = graph.exp %x : tensor<f32>
  return %0 : tensor<f32>
}
