// Sums over rows that stay whole, and why.
// RUN: heddle-opt %s --split-input-file --form-groups=sum-parts=4 | FileCheck %s --implicit-check-not=graph.partial_sums

// As many rows as parts: the partial sums would be as large as what they sum.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = [{{.*}}"partial_sums: partial sums would be written and read, 16384 bytes, and save 16384"]
// CHECK: reasons = [{{.*}}"exp+reduce+sub+mul: partial sums would be written and read, 16384 bytes, and save 16384"]
func.func @main(%x: tensor<4x512xf32>, %y: tensor<4x512xf32>) -> (tensor<1x512xf32>, tensor<4x512xf32>) {
  %0 = graph.exp %x : tensor<4x512xf32>
  %1 = graph.reduce max %0 axes [1] : tensor<4x512xf32> -> tensor<4x1xf32>
  %2 = graph.broadcast %1 : tensor<4x1xf32> -> tensor<4x512xf32>
  %3 = graph.sub %0, %2 : tensor<4x512xf32>
  %4 = graph.mul %3, %y : tensor<4x512xf32>
  %5 = graph.reduce sum %4 axes [0] : tensor<4x512xf32> -> tensor<1x512xf32>
  return %5, %3 : tensor<1x512xf32>, tensor<4x512xf32>
}

// -----

// More columns than a kernel holds sums of.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = [{{.*}}"partial_sums: the kernel would hold sums of more than 16384 columns"]
func.func @main(%x: tensor<64x20480xf32>, %y: tensor<64x20480xf32>) -> (tensor<1x20480xf32>, tensor<64x20480xf32>) {
  %0 = graph.exp %x : tensor<64x20480xf32>
  %1 = graph.reduce max %0 axes [1] : tensor<64x20480xf32> -> tensor<64x1xf32>
  %2 = graph.broadcast %1 : tensor<64x1xf32> -> tensor<64x20480xf32>
  %3 = graph.sub %0, %2 : tensor<64x20480xf32>
  %4 = graph.mul %3, %y : tensor<64x20480xf32>
  %5 = graph.reduce sum %4 axes [0] : tensor<64x20480xf32> -> tensor<1x20480xf32>
  return %5, %3 : tensor<1x20480xf32>, tensor<64x20480xf32>
}

// -----

// What stays of the sum is not what a row of the kernel has.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = [{{.*}}"partial_sums: partial_sums: sums rows of 1024 elements, another op of the group reduces over 512"]
func.func @main(%x: tensor<64x2x512xf32>, %y: tensor<64x2x512xf32>) -> (tensor<1x2x512xf32>, tensor<64x2x512xf32>) {
  %0 = graph.exp %x : tensor<64x2x512xf32>
  %1 = graph.reduce max %0 axes [2] : tensor<64x2x512xf32> -> tensor<64x2x1xf32>
  %2 = graph.broadcast %1 : tensor<64x2x1xf32> -> tensor<64x2x512xf32>
  %3 = graph.sub %0, %2 : tensor<64x2x512xf32>
  %4 = graph.mul %3, %y : tensor<64x2x512xf32>
  %5 = graph.reduce sum %4 axes [0] : tensor<64x2x512xf32> -> tensor<1x2x512xf32>
  return %5, %3 : tensor<1x2x512xf32>, tensor<64x2x512xf32>
}

// -----

// A maximum over the rows has no parts, and reads what the sum does.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["reduce: not summed with its rows: reduce is computed beside it"]
func.func @main(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<1x512xf32>, tensor<1x512xf32>) {
  %0 = graph.exp %x : tensor<64x512xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<64x512xf32> -> tensor<1x512xf32>
  %2 = graph.reduce max %0 axes [0] : tensor<64x512xf32> -> tensor<1x512xf32>
  return %0, %1, %2 : tensor<64x512xf32>, tensor<1x512xf32>, tensor<1x512xf32>
}

// -----

// Nobody has the rows at hand: no reason to be given.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "reduce" {
// CHECK: } : tensor<1x512xf32>
func.func @main(%x: tensor<64x512xf32>) -> tensor<1x512xf32> {
  %0 = graph.reduce sum %x axes [0] : tensor<64x512xf32> -> tensor<1x512xf32>
  return %0 : tensor<1x512xf32>
}

// -----

// Rows that are written for others, of fewer bytes than parts would be.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "exp+reduce" {
func.func @main(%x: tensor<4x512xf32>) -> (tensor<4x512xf32>, tensor<1x512xf32>) {
  %y = graph.exp %x : tensor<4x512xf32>
  %s = graph.reduce sum %y axes [0] : tensor<4x512xf32> -> tensor<1x512xf32>
  return %y, %s : tensor<4x512xf32>, tensor<1x512xf32>
}
