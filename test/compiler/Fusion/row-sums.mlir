// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s
// RUN: heddle-opt %s --split-input-file --eager-groups | FileCheck %s

// Implicit casts around float32 sums belong to them: rows are widened where they are read, sums rounded where they are written.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group row_sums "{{(cast\+)?}}embedding_grad" {
// CHECK-NEXT: %[[G:[0-9]+]] = graph.cast %{{.*}} implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
// CHECK-NEXT: %[[S:[0-9]+]] = graph.embedding_grad %[[G]], %{{.*}}
// CHECK-NEXT: %[[R:[0-9]+]] = graph.cast %[[S]] implicit : tensor<5x8xf32> -> tensor<5x8xbf16>
// CHECK-NEXT: graph.yield %[[R]]
// CHECK-NOT: graph.group
func.func @main(%g: tensor<4x8xbf16>, %ids: tensor<4xi32>) -> tensor<5x8xbf16> {
  %0 = graph.cast %g implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
  %1 = graph.embedding_grad %0, %ids : tensor<4x8xf32>, tensor<4xi32> -> tensor<5x8xf32>
  %2 = graph.cast %1 implicit : tensor<5x8xf32> -> tensor<5x8xbf16>
  return %2 : tensor<5x8xbf16>
}

// -----

// A cast that others read as well, one behind sums that are rounded already, and one of integers are kernels of their own.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "cast" {
// CHECK: graph.group rows "cast" {
// CHECK: graph.group row_sums "embedding_grad" {
// CHECK: graph.group rows "cast" {
// CHECK: graph.group row_sums "embedding_grad" {
func.func @main(%g: tensor<4x8xbf16>, %ids: tensor<4xi32>, %n: tensor<4x8xi32>) -> (tensor<5x8xf32>, tensor<4x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) {
  %0 = graph.cast %g : tensor<4x8xbf16> -> tensor<4x8xf32>
  %1 = graph.cast %n : tensor<4x8xi32> -> tensor<4x8xf32>
  %2 = graph.embedding_grad %0, %ids : tensor<4x8xf32>, tensor<4xi32> -> tensor<5x8xf32>
  %3 = graph.embedding_grad %g, %ids : tensor<4x8xbf16>, tensor<4xi32> -> tensor<5x8xbf16>
  %4 = graph.cast %3 : tensor<5x8xbf16> -> tensor<5x8xf32>
  %5 = graph.embedding_grad %1, %ids : tensor<4x8xf32>, tensor<4xi32> -> tensor<5x8xf32>
  return %2, %0, %4, %5 : tensor<5x8xf32>, tensor<4x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>
}

// -----

// Rows of contiguous columns are read in place, however far apart they lie; others are copied, and so are scattered indices.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: graph.copy
// CHECK: %[[PART:[0-9]+]] = graph.slice
// CHECK-NOT: graph.copy
// CHECK: graph.group row_sums "embedding_grad" {
// CHECK-NEXT: graph.embedding_grad %[[PART]]
// CHECK: graph.copy
// CHECK: graph.copy
// CHECK: graph.group row_sums "embedding_grad" {
func.func @main(%g: tensor<4x16xf32>, %ids: tensor<4xi32>, %h: tensor<8x4xf32>, %pairs: tensor<4x2xi32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %0 = graph.slice %g offsets [0, 8] strides [1, 1] : tensor<4x16xf32> -> tensor<4x8xf32>
  %1 = graph.embedding_grad %0, %ids : tensor<4x8xf32>, tensor<4xi32> -> tensor<5x8xf32>
  %2 = graph.transpose %h [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %3 = graph.slice %pairs offsets [0, 1] strides [1, 1] : tensor<4x2xi32> -> tensor<4x1xi32>
  %4 = graph.reshape %3 : tensor<4x1xi32> -> tensor<4xi32>
  %5 = graph.embedding_grad %2, %4 : tensor<4x8xf32>, tensor<4xi32> -> tensor<5x8xf32>
  return %1, %5 : tensor<5x8xf32>, tensor<5x8xf32>
}
