// Reductions: the reduced dimensions become the columns, the others the rows, whichever they are.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// Along the last dimension: neighbouring rows are one loop. A sum is what the loop gives.
// CHECK: #[[AT:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 8 + d1)>
// CHECK-LABEL: kernel.func @reduce(
// CHECK-SAME: %[[X:[a-z0-9]+]]: !kernel.buffer<f32>, %[[Y:[a-z0-9]+]]: !kernel.buffer<f32>)
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 8 : index
// CHECK: kernel.rows (%[[R:.*]]) in (%[[ROWS]]) {
// CHECK-NEXT: %[[SUM:.*]] = kernel.columns %[[C:.*]] in %[[WIDTH]] reduce [add] {
// CHECK-NEXT: %[[V:.*]] = kernel.load %[[X]][#[[AT]]] (%[[R]], %[[C]])
// CHECK-NEXT: kernel.yield %[[V]] : f32
// CHECK-NEXT: } : f32
// CHECK-NEXT: kernel.store %[[SUM]], %[[Y]]
func.func @main(%x: tensor<3x4x8xf32>) -> tensor<3x4x1xf32> {
  %0 = graph.reduce sum %x axes [2] : tensor<3x4x8xf32> -> tensor<3x4x1xf32>
  return %0 : tensor<3x4x1xf32>
}

// -----

// Along the first dimension, a maximum.
// CHECK: #[[AT:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 + d1 * 32)>
// CHECK-LABEL: kernel.func @reduce(
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 3 : index
// CHECK: kernel.rows (%[[R:.*]]) in (%[[ROWS]]) {
// CHECK-NEXT: %[[MAX:.*]] = kernel.columns %[[C:.*]] in %[[WIDTH]] reduce [max] {
// CHECK-NEXT: kernel.load %{{.*}}[#[[AT]]] (%[[R]], %[[C]])
// CHECK: kernel.store %[[MAX]],
func.func @main(%x: tensor<3x4x8xf32>) -> tensor<1x4x8xf32> {
  %0 = graph.reduce max %x axes [0] : tensor<3x4x8xf32> -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// -----

// Along the middle, a minimum: the rows are two loops.
// CHECK: #[[AT:[a-z0-9]+]] = affine_map<(d0, d1, d2) -> (d0 * 32 + d1 + d2 * 8)>
// CHECK-LABEL: kernel.func @reduce(
// CHECK-DAG: %[[I:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[J:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 4 : index
// CHECK: kernel.rows (%[[R:.*]], %[[S:.*]]) in (%[[I]], %[[J]]) {
// CHECK-NEXT: %[[MIN:.*]] = kernel.columns %[[C:.*]] in %[[WIDTH]] reduce [min] {
// CHECK-NEXT: kernel.load %{{.*}}[#[[AT]]] (%[[R]], %[[S]], %[[C]])
// CHECK: kernel.store %[[MIN]],
func.func @main(%x: tensor<3x4x8xf32>) -> tensor<3x1x8xf32> {
  %0 = graph.reduce min %x axes [1] : tensor<3x4x8xf32> -> tensor<3x1x8xf32>
  return %0 : tensor<3x1x8xf32>
}

// -----

// Along adjacent dimensions: they are one loop. A mean divides the sum once a row.
// CHECK: #[[AT:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 32 + d1)>
// CHECK-LABEL: kernel.func @reduce(
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 32 : index
// CHECK: kernel.rows (%{{.*}}) in (%[[ROWS]]) {
// CHECK-NEXT: %[[SUM:.*]] = kernel.columns %{{.*}} in %[[WIDTH]] reduce [add] {
// CHECK-NEXT: kernel.load %{{.*}}[#[[AT]]]
// CHECK-NEXT: kernel.yield
// CHECK-NEXT: } : f32
// CHECK-NEXT: %[[COUNT:.*]] = arith.constant 3.200000e+01 : f32
// CHECK-NEXT: %[[MEAN:.*]] = arith.divf %[[SUM]], %[[COUNT]] : f32
// CHECK-NEXT: kernel.store %[[MEAN]],
func.func @main(%x: tensor<3x4x8xf32>) -> tensor<3x1x1xf32> {
  %0 = graph.reduce mean %x axes [2, 1] : tensor<3x4x8xf32> -> tensor<3x1x1xf32>
  return %0 : tensor<3x1x1xf32>
}

// -----

// Along dimensions with another between them: one column index, taken apart.
// CHECK: #[[AT:[a-z0-9]+]] = affine_map<(d0, d1, d2) -> (d0 * 8 + d1 * 32 + d2)>
// CHECK-LABEL: kernel.func @reduce(
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 24 : index
// CHECK-DAG: %[[INNER:.*]] = arith.constant 8 : index
// CHECK: kernel.rows (%[[R:.*]]) in
// CHECK-NEXT: %{{.*}} = kernel.columns %[[C:.*]] in %[[WIDTH]] reduce [add] {
// CHECK-NEXT: %[[FAST:.*]] = arith.remui %[[C]], %[[INNER]] : index
// CHECK-NEXT: %[[SLOW:.*]] = arith.divui %[[C]], %[[INNER]] : index
// CHECK-NEXT: kernel.load %{{.*}}[#[[AT]]] (%[[R]], %[[SLOW]], %[[FAST]])
func.func @main(%x: tensor<3x4x8xf32>) -> tensor<1x4x1xf32> {
  %0 = graph.reduce sum %x axes [0, 2] : tensor<3x4x8xf32> -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// -----

// All of it: one row. Half precision is summed in f32 and rounded once.
// CHECK-LABEL: kernel.func @reduce(
// CHECK: kernel.rows () in () {
// CHECK-NEXT: %[[SUM:.*]] = kernel.columns %{{.*}} in %{{.*}} reduce [add] {
// CHECK-NEXT: %[[V:.*]] = kernel.load
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[V]] : bf16 to f32
// CHECK-NEXT: kernel.yield %[[W]] : f32
// CHECK-NEXT: } : f32
// CHECK-NEXT: %[[S:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT: kernel.store %[[S]],
func.func @main(%x: tensor<3x4xbf16>) -> tensor<1x1xbf16> {
  %0 = graph.reduce sum %x axes [0, 1] : tensor<3x4xbf16> -> tensor<1x1xbf16>
  return %0 : tensor<1x1xbf16>
}

// -----

// A mean over a symbolic extent divides by a count.
// CHECK-LABEL: kernel.func @reduce(
// CHECK-SAME: %[[SEQ:[a-z0-9]+]]: index)
// CHECK: %[[SUM:.*]] = kernel.columns %{{.*}} in %[[SEQ]] reduce [add]
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[SEQ]] : index to i64
// CHECK-NEXT: %[[COUNT:.*]] = arith.sitofp %[[WIDE]] : i64 to f32
// CHECK-NEXT: arith.divf %[[SUM]], %[[COUNT]] : f32
// CHECK: plan.launch @reduce {{.*}} counts [5]
func.func @main(%x: tensor<3x5xf32, #graph.dims<["", "seq"]>>) -> tensor<3x1xf32> {
  %0 = graph.reduce mean %x axes [1] : tensor<3x5xf32, #graph.dims<["", "seq"]>> -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}
