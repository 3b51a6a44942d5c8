// What graph.partial_sums can share a kernel with; written out here, else form-groups puts them in itself.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "exp+partial_sums" {
func.func @main(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<8x512xf32>) {
  %0 = graph.exp %x : tensor<64x512xf32>
  %1 = graph.partial_sums %0 axes [0] : tensor<64x512xf32> -> tensor<8x512xf32>
  return %0, %1 : tensor<64x512xf32>, tensor<8x512xf32>
}

// -----

// Sums are whole behind the kernel alone.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["relu: relu: reads sums over the rows, which are whole behind the kernel alone"]
func.func @main(%x: tensor<64x512xf32>) -> tensor<8x512xf32> {
  %0 = graph.partial_sums %x axes [0] : tensor<64x512xf32> -> tensor<8x512xf32>
  %1 = graph.relu %0 : tensor<8x512xf32>
  return %1 : tensor<8x512xf32>
}

// -----

// One kernel cuts its rows in one way.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["partial_sums: partial_sums: cuts the rows into 8 parts, another op of the group into 4"]
func.func @main(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<8x512xf32>, tensor<4x512xf32>) {
  %0 = graph.exp %x : tensor<64x512xf32>
  %1 = graph.partial_sums %0 axes [0] : tensor<64x512xf32> -> tensor<8x512xf32>
  %2 = graph.partial_sums %0 axes [0] : tensor<64x512xf32> -> tensor<4x512xf32>
  return %0, %1, %2 : tensor<64x512xf32>, tensor<8x512xf32>, tensor<4x512xf32>
}

// -----

// The columns of the sums lie in another order than the reduction walks: a kernel would have to take them by different loops.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["partial_sums: partial_sums: extents 3 and 2 do not divide each other"]
func.func @main(%x: tensor<64x2x3xf32>) -> (tensor<64x1x1xf32>, tensor<8x3x2xf32>) {
  %0 = graph.exp %x : tensor<64x2x3xf32>
  %1 = graph.reduce max %0 axes [1, 2] : tensor<64x2x3xf32> -> tensor<64x1x1xf32>
  %2 = graph.transpose %0 [0, 2, 1] : tensor<64x2x3xf32> -> tensor<64x3x2xf32>
  %3 = graph.partial_sums %2 axes [0] : tensor<64x3x2xf32> -> tensor<8x3x2xf32>
  return %1, %3 : tensor<64x1x1xf32>, tensor<8x3x2xf32>
}

// -----

// A kernel holds a constant number of sums.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["partial_sums: partial_sums: sums rows of seq elements, wanted a constant number"]
func.func @main(%x: tensor<64x512xf32, #graph.dims<["", "seq"]>>)
    -> (tensor<64x512xf32, #graph.dims<["", "seq"]>>, tensor<8x512xf32, #graph.dims<["", "seq"]>>) {
  %0 = graph.exp %x : tensor<64x512xf32, #graph.dims<["", "seq"]>>
  %1 = graph.partial_sums %0 axes [0] : tensor<64x512xf32, #graph.dims<["", "seq"]>> -> tensor<8x512xf32, #graph.dims<["", "seq"]>>
  return %0, %1 : tensor<64x512xf32, #graph.dims<["", "seq"]>>, tensor<8x512xf32, #graph.dims<["", "seq"]>>
}
