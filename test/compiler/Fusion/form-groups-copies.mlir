// Copies where a reader cannot take its operand through views, and none where it can.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s

// A transposed tensor whose extents do not divide the reshape's has to be contiguous.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6x4xf32>
// CHECK: %[[T:[0-9]+]] = graph.transpose %[[X]]
// CHECK: %[[C:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[T]] : tensor<4x6xf32>
// CHECK: %[[R:[0-9]+]] = graph.reshape %[[C]]
// CHECK: graph.exp %[[R]]
func.func @main(%x: tensor<6x4xf32>) -> tensor<3x8xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %1 = graph.reshape %0 : tensor<4x6xf32> -> tensor<3x8xf32>
  %2 = graph.exp %1 : tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}

// -----

// Where they do, the row index is split and nothing is copied.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: graph.copy
// CHECK: return
func.func @main(%x: tensor<6x4xf32>) -> tensor<24xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %1 = graph.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
  %2 = graph.exp %1 : tensor<24xf32>
  return %2 : tensor<24xf32>
}

// -----

// Reshapes of what is contiguous are read in place, also where the extents do not divide or a slice cuts the result.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: graph.copy
// CHECK: return
func.func @main(%x: tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<5xf32>) {
  %0 = graph.reshape %x : tensor<6x4xf32> -> tensor<4x6xf32>
  %1 = graph.exp %0 : tensor<4x6xf32>
  %2 = graph.reshape %x : tensor<6x4xf32> -> tensor<24xf32>
  %3 = graph.slice %2 offsets [3] strides [4] : tensor<24xf32> -> tensor<5xf32>
  %4 = graph.exp %3 : tensor<5xf32>
  return %1, %4 : tensor<4x6xf32>, tensor<5xf32>
}

// -----

// A slice of a reshape that splits a transposed dimension is read in place; of one that merges a sliced one, it is not.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x3xf32>
// CHECK: %[[V:[0-9]+]] = graph.slice %[[X]] offsets [0, 1]
// CHECK: graph.copy %[[V]] : tensor<8x2xf32>
// CHECK-NOT: graph.copy
// CHECK: return
func.func @main(%x: tensor<8x3xf32>) -> (tensor<3x2x2xf32>, tensor<7xf32>) {
  %0 = graph.transpose %x [1, 0] : tensor<8x3xf32> -> tensor<3x8xf32>
  %1 = graph.reshape %0 : tensor<3x8xf32> -> tensor<3x4x2xf32>
  %2 = graph.slice %1 offsets [0, 1, 0] strides [1, 2, 1] : tensor<3x4x2xf32> -> tensor<3x2x2xf32>
  %3 = graph.exp %2 : tensor<3x2x2xf32>
  %4 = graph.slice %x offsets [0, 1] strides [1, 1] : tensor<8x3xf32> -> tensor<8x2xf32>
  %5 = graph.reshape %4 : tensor<8x2xf32> -> tensor<16xf32>
  %6 = graph.slice %5 offsets [2] strides [2] : tensor<16xf32> -> tensor<7xf32>
  %7 = graph.exp %6 : tensor<7xf32>
  return %3, %7 : tensor<3x2x2xf32>, tensor<7xf32>
}

// -----

// Products read transposes and slices of rows in place, but no broadcast and no matrix without a stride of 1.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[Y:[a-z0-9]+]]: tensor<1x8xf32>, %[[Z:[a-z0-9]+]]: tensor<8x8xf32>
// CHECK-DAG: graph.copy %{{[0-9]+}} : tensor<4x8xf32>
// CHECK-DAG: graph.copy %{{[0-9]+}} : tensor<4x4xf32>
// CHECK-NOT: graph.copy
// CHECK: return
func.func @main(%x: tensor<4x8xf32>, %y: tensor<1x8xf32>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = graph.matmul %0, %x : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %2 = graph.broadcast %y : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = graph.matmul %2, %z : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %4 = graph.slice %z offsets [0, 0] strides [2, 2] : tensor<8x8xf32> -> tensor<4x4xf32>
  %5 = graph.matmul %4, %x : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1, %3, %5 : tensor<8x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Attention reads heads of a packed projection in place; a key whose vectors are not contiguous and a mask that no strides
// give are copied.
// CHECK-LABEL: func.func @main(
// CHECK: %[[K:[0-9]+]] = graph.transpose %{{[a-z0-9]+}} [0, 1, 3, 2]
// CHECK-DAG: graph.copy %[[K]] : tensor<1x2x4x8xf32>
// CHECK-DAG: graph.copy %{{[0-9]+}} : tensor<{{.*}}xi1>
// CHECK-NOT: graph.copy
// CHECK: graph.attention
func.func @main(%p: tensor<1x4x3x2x8xf32>, %k: tensor<1x2x8x4xf32>, %m: tensor<2x2x4xi1>) -> tensor<1x2x4x8xf32> {
  %0 = graph.slice %p offsets [0, 0, 0, 0, 0] strides [1, 1, 1, 1, 1] : tensor<1x4x3x2x8xf32> -> tensor<1x4x1x2x8xf32>
  %1 = graph.reshape %0 : tensor<1x4x1x2x8xf32> -> tensor<1x4x2x8xf32>
  %q = graph.transpose %1 [0, 2, 1, 3] : tensor<1x4x2x8xf32> -> tensor<1x2x4x8xf32>
  %2 = graph.transpose %k [0, 1, 3, 2] : tensor<1x2x8x4xf32> -> tensor<1x2x4x8xf32>
  %3 = graph.transpose %m [1, 0, 2] : tensor<2x2x4xi1> -> tensor<2x2x4xi1>
  %4 = graph.reshape %3 : tensor<2x2x4xi1> -> tensor<1x1x4x4xi1>
  %5 = graph.attention %q, %2, %q mask %4 : tensor<1x1x4x4xi1> scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>
  return %5 : tensor<1x2x4x8xf32>
}
