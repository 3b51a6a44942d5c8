// The gate of SwiGLU and GELU of float32, on a device whose products multiply two halves of their columns and whose GELU
// is as exact as float32.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s
// RUN: heddle-opt %s --split-input-file --form-groups=own-epilogues=true | FileCheck %s --check-prefix=GATED

// SwiGLU: one kernel on a device whose products multiply two halves, two elsewhere.
// GATED-LABEL: func.func @main(
// GATED: graph.group product "matmul+slice+silu+mul" {
// GATED-NOT: graph.group rows
// CHECK-LABEL: func.func @main(
// CHECK: graph.group product "matmul" {
// CHECK: graph.group rows "silu+mul" {
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.slice %0 offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = graph.slice %0 offsets [0, 3] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %3 = graph.silu %1 : tensor<4x3xf32>
  %4 = graph.mul %2, %3 : tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}

// -----

// The second half is not what the epilogue activates.
// GATED-LABEL: func.func @main(
// GATED: graph.group product "matmul" {
// GATED: graph.group rows
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.slice %0 offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = graph.slice %0 offsets [0, 3] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %3 = graph.silu %2 : tensor<4x3xf32>
  %4 = graph.mul %1, %3 : tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}

// -----

// bf16: implicit casts in between are dropped; somebody else reads the product in the last one.
// GATED-LABEL: func.func @main(
// GATED: graph.group product "matmul+slice+cast+mul" {
// GATED: } : tensor<4x3xbf16>
// GATED: graph.group product "matmul" {
func.func @main(%x: tensor<4x8xbf16>, %w: tensor<8x6xbf16>) -> (tensor<4x3xbf16>, tensor<4x3xbf16>, tensor<4x6xbf16>) {
  %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x6xbf16> -> tensor<4x6xbf16>
  %1 = graph.slice %0 offsets [0, 0] strides [1, 1] : tensor<4x6xbf16> -> tensor<4x3xbf16>
  %2 = graph.slice %0 offsets [0, 3] strides [1, 1] : tensor<4x6xbf16> -> tensor<4x3xbf16>
  %3 = graph.cast %1 implicit : tensor<4x3xbf16> -> tensor<4x3xf32>
  %4 = graph.silu %3 : tensor<4x3xf32>
  %5 = graph.cast %2 implicit : tensor<4x3xbf16> -> tensor<4x3xf32>
  %6 = graph.mul %4, %5 : tensor<4x3xf32>
  %7 = graph.cast %6 implicit : tensor<4x3xf32> -> tensor<4x3xbf16>
  %y = graph.exp %x : tensor<4x8xbf16>
  %8 = graph.matmul %y, %w : tensor<4x8xbf16>, tensor<8x6xbf16> -> tensor<4x6xbf16>
  %9 = graph.slice %8 offsets [0, 0] strides [1, 1] : tensor<4x6xbf16> -> tensor<4x3xbf16>
  %10 = graph.slice %8 offsets [0, 3] strides [1, 1] : tensor<4x6xbf16> -> tensor<4x3xbf16>
  %11 = graph.silu %9 : tensor<4x3xbf16>
  %12 = graph.mul %11, %10 : tensor<4x3xbf16>
  return %7, %12, %8 : tensor<4x3xbf16>, tensor<4x3xbf16>, tensor<4x6xbf16>
}

// -----

// Two slices of half the width that are not the two halves.
// GATED-LABEL: func.func @main(
// GATED: graph.group product "matmul" {
// GATED: graph.group rows "silu+mul" {
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.slice %0 offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = graph.slice %0 offsets [0, 1] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %3 = graph.silu %1 : tensor<4x3xf32>
  %4 = graph.mul %2, %3 : tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}

// -----

// GELU of a float32 result; fuse-products.mlir has the other device's, whose library is off by more than float32's roundings.
// GATED-LABEL: func.func @main(
// GATED: graph.group product "matmul+add+gelu" {
// GATED-NOT: graph.group rows
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %v: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %b = graph.parameter [#graph.part<"b", [6], normal, 0.02>] : tensor<6xf32>
  %r = graph.reshape %b : tensor<6xf32> -> tensor<1x6xf32>
  %c = graph.broadcast %r : tensor<1x6xf32> -> tensor<4x6xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.add %0, %c : tensor<4x6xf32>
  %2 = graph.gelu tanh %1 : tensor<4x6xf32>
  %3 = graph.matmul %2, %v : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<4x5xf32>
  return %3 : tensor<4x5xf32>
}
