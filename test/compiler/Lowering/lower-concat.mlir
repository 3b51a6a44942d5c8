// Concatenations are written in parts, each into its place.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// Alone: a launch for each part, for the parts run over other rows.
// CHECK-DAG: #[[FIRST:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 11 + d1)>
// CHECK-DAG: #[[SECOND:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 11 + d1 + 8)>
// CHECK: kernel.func @[[K0:[a-z0-9_]+]](
// CHECK: kernel.store %{{.*}}, %{{.*}}[#[[FIRST]]]
// CHECK: plan.launch @[[K0]] [#plan.ref<@input>, #plan.ref<@output>]
// CHECK: kernel.func @[[K1:[a-z0-9_]+]](
// CHECK: kernel.store %{{.*}}, %{{.*}}[#[[SECOND]]]
// CHECK: plan.launch @[[K1]] [#plan.ref<@input_1>, #plan.ref<@output>]
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x3xf32>) -> tensor<4x11xf32> {
  %0 = graph.concat %x, %y axis 1 : tensor<4x8xf32>, tensor<4x3xf32> -> tensor<4x11xf32>
  return %0 : tensor<4x11xf32>
}

// -----

// Parts of one extent run together and take in what computes them: the rotary positions.
// CHECK-DAG: #[[LOW:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 8 + d1)>
// CHECK-DAG: #[[HIGH:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 8 + d1 + 4)>
// CHECK: kernel.func @neg_concat(
// CHECK: kernel.columns
// CHECK-NEXT: %[[H:.*]] = kernel.load %[[X:[a-z0-9]+]][#[[HIGH]]]
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[H]] : f32
// CHECK-NEXT: kernel.store %[[N]], %[[Y:[a-z0-9]+]][#[[LOW]]]
// CHECK-NEXT: %[[L:.*]] = kernel.load %[[X]][#[[LOW]]]
// CHECK-NEXT: kernel.store %[[L]], %[[Y]][#[[HIGH]]]
func.func @main(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %0 = graph.slice %x offsets [0, 4] strides [1, 1] : tensor<5x8xf32> -> tensor<5x4xf32>
  %1 = graph.neg %0 : tensor<5x4xf32>
  %2 = graph.slice %x offsets [0, 0] strides [1, 1] : tensor<5x8xf32> -> tensor<5x4xf32>
  %3 = graph.concat %1, %2 axis 1 : tensor<5x4xf32>, tensor<5x4xf32> -> tensor<5x8xf32>
  return %3 : tensor<5x8xf32>
}

// -----

// Interleaved: a concatenation along a new last dimension, the positions of even and odd elements.
// CHECK-DAG: #[[EVEN:[a-z0-9]+]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-DAG: #[[ODD:[a-z0-9]+]] = affine_map<(d0) -> (d0 * 2 + 1)>
// CHECK: kernel.func @sin_cos_concat(
// CHECK: %[[S:.*]] = math.sin
// CHECK-NEXT: kernel.store %[[S]], %{{.*}}[#[[EVEN]]]
// CHECK: %[[C:.*]] = math.cos
// CHECK-NEXT: kernel.store %[[C]], %{{.*}}[#[[ODD]]]
func.func @main(%x: tensor<5x4xf32>) -> tensor<5x4x2xf32> {
  %0 = graph.sin %x : tensor<5x4xf32>
  %1 = graph.cos %x : tensor<5x4xf32>
  %2 = graph.reshape %0 : tensor<5x4xf32> -> tensor<5x4x1xf32>
  %3 = graph.reshape %1 : tensor<5x4xf32> -> tensor<5x4x1xf32>
  %4 = graph.concat %2, %3 axis 2 : tensor<5x4x1xf32>, tensor<5x4x1xf32> -> tensor<5x4x2xf32>
  return %4 : tensor<5x4x2xf32>
}

// -----

// A part that spreads a row's sum along the columns is stored in a loop after the sum; parts of the rows alone once a row.
// CHECK-LABEL: kernel.func @reduce_exp_concat(
// CHECK: kernel.rows (%[[R:[a-z0-9]+]]) in
// CHECK-NEXT: %[[SUM:.*]] = kernel.columns %{{.*}} in %{{.*}} reduce [add] {
// CHECK-NEXT: %[[X:.*]] = kernel.load
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]] : f32
// CHECK-NEXT: kernel.store %[[E]], %[[OUT:[a-z0-9]+]][
// CHECK: kernel.columns %[[C:[a-z0-9]+]] in
// CHECK-NEXT: kernel.store %[[SUM]], %[[OUT]][#{{[a-z0-9]+}}] (%[[R]], %[[C]])
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = graph.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = graph.exp %x : tensor<4x8xf32>
  %3 = graph.concat %2, %1 axis 1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// -----

// CHECK-LABEL: kernel.func @reduce_sqrt_concat(
// CHECK: %[[SUM:.*]] = kernel.columns %{{.*}} in %{{.*}} reduce [add] {
// CHECK: } : f32
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[SUM]] : f32
// CHECK-NEXT: kernel.store %[[SUM]], %[[OUT:[a-z0-9]+]][#{{[a-z0-9]+}}] (%[[R:[a-z0-9]+]])
// CHECK-NEXT: kernel.store %[[ROOT]], %[[OUT]][#{{[a-z0-9]+}}] (%[[R]])
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %0 = graph.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.sqrt %0 : tensor<4x1xf32>
  %2 = graph.concat %0, %1 axis 1 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
