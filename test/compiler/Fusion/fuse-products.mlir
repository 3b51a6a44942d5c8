// What a product takes of its readers: bias, activation, residual; the rest stays, with a reason.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s

// A bias and ReLU, in float32. The bias comes through views; its parameter stays outside.
// CHECK-LABEL: func.func @main(
// CHECK: %[[B:.*]] = graph.parameter [#graph.part<"b"
// CHECK: graph.group product "matmul+add+relu" {
// CHECK-NEXT: %[[M:.*]] = graph.matmul
// CHECK-NEXT: %[[S:.*]] = graph.add %{{.*}}, %[[M]]
// CHECK-NEXT: %[[R:.*]] = graph.relu %[[S]]
// CHECK-NEXT: graph.yield %[[R]]
// CHECK-NEXT: } : tensor<4x2xf32>
// CHECK-NOT: graph.group
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %w = graph.parameter [#graph.part<"w", [8, 2], normal, 0.02>] : tensor<8x2xf32>
  %b = graph.parameter [#graph.part<"b", [2], normal, 0.02>] : tensor<2xf32>
  %r = graph.reshape %b : tensor<2xf32> -> tensor<1x2xf32>
  %v = graph.broadcast %r : tensor<1x2xf32> -> tensor<4x2xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %1 = graph.add %v, %0 : tensor<4x2xf32>
  %2 = graph.relu %1 : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// bf16: implicit casts in between are dropped, the narrow type is what is stored, and the bias is cast to it, which is
// what the library takes.
// CHECK-LABEL: func.func @main(
// CHECK: %[[B:.*]] = graph.parameter [#graph.part<"b"
// CHECK: %[[N:.*]] = graph.group rows "cast" {
// CHECK-NEXT: graph.cast %[[B]] implicit : tensor<2xf32> -> tensor<2xbf16>
// CHECK: %[[V:.*]] = graph.broadcast %{{.*}} : tensor<1x2xbf16> -> tensor<4x2xbf16>
// CHECK: graph.group product "matmul+cast+add+gelu" {
// CHECK-NEXT: %[[M:.*]] = graph.matmul {{.*}} -> tensor<4x2xbf16>
// CHECK-NEXT: %[[MW:.*]] = graph.cast %[[M]] implicit
// CHECK-NEXT: %[[BW:.*]] = graph.cast %[[V]] implicit : tensor<4x2xbf16> -> tensor<4x2xf32>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[MW]], %[[BW]] : tensor<4x2xf32>
// CHECK-NEXT: %[[SN:.*]] = graph.cast %[[S]] implicit
// CHECK-NEXT: %[[SW:.*]] = graph.cast %[[SN]] implicit
// CHECK-NEXT: %[[G:.*]] = graph.gelu tanh %[[SW]]
// CHECK-NEXT: %[[D:.*]] = graph.cast %[[G]] implicit : tensor<4x2xf32> -> tensor<4x2xbf16>
// CHECK-NEXT: graph.yield %[[D]]
// CHECK-NEXT: } : tensor<4x2xbf16>
// CHECK: graph.group product "matmul"
func.func @main(%x: tensor<4x8xbf16>, %y: tensor<2x2xbf16>) -> tensor<4x2xbf16> {
  %w = graph.parameter [#graph.part<"w", [8, 2], normal, 0.02>] : tensor<8x2xbf16>
  %b = graph.parameter [#graph.part<"b", [2], normal, 0.02>] : tensor<2xf32>
  %r = graph.reshape %b : tensor<2xf32> -> tensor<1x2xf32>
  %v = graph.broadcast %r : tensor<1x2xf32> -> tensor<4x2xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x2xbf16> -> tensor<4x2xbf16>
  %1 = graph.cast %0 implicit : tensor<4x2xbf16> -> tensor<4x2xf32>
  %2 = graph.add %1, %v : tensor<4x2xf32>
  %3 = graph.cast %2 implicit : tensor<4x2xf32> -> tensor<4x2xbf16>
  %4 = graph.cast %3 implicit : tensor<4x2xbf16> -> tensor<4x2xf32>
  %5 = graph.gelu tanh %4 : tensor<4x2xf32>
  %6 = graph.cast %5 implicit : tensor<4x2xf32> -> tensor<4x2xbf16>
  %7 = graph.matmul %6, %y : tensor<4x2xbf16>, tensor<2x2xbf16> -> tensor<4x2xbf16>
  return %7 : tensor<4x2xbf16>
}

// -----

// Bias and residual in one call, the residual in float32. GELU of a float32 result stays in a row kernel.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group product "matmul+add" {
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK-NEXT: } : tensor<4x2xf32>
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["gelu: the library's tanh is off by up to 2^-11, and the result is float32"]} : tensor<4x2xf32>
// CHECK: graph.group rows "gelu"
func.func @main(%x: tensor<4x8xbf16>, %y: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = graph.parameter [#graph.part<"w", [8, 2], normal, 0.02>] : tensor<8x2xbf16>
  %b = graph.parameter [#graph.part<"b", [2], normal, 0.02>] : tensor<2xf32>
  %vr = graph.reshape %b : tensor<2xf32> -> tensor<1x2xf32>
  %v = graph.broadcast %vr : tensor<1x2xf32> -> tensor<4x2xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x2xbf16> -> tensor<4x2xf32>
  %1 = graph.add %0, %v : tensor<4x2xf32>
  %2 = graph.add %y, %1 : tensor<4x2xf32>
  %3 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x2xbf16> -> tensor<4x2xf32>
  %4 = graph.gelu tanh %3 : tensor<4x2xf32>
  return %2, %4 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// A user's cast rounds, and an epilogue cannot.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["cast: written by the user: it rounds"]} : tensor<4x2xbf16>
// CHECK: graph.group rows "cast+relu"
func.func @main(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x2xbf16> -> tensor<4x2xbf16>
  %1 = graph.cast %0 : tensor<4x2xbf16> -> tensor<4x2xf32>
  %2 = graph.relu %1 : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// The erf form, gating, and what follows an activation are no epilogues.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["gelu: the product library has the tanh form alone"]}
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["silu: none of the product library's epilogues"]}
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["add: an epilogue ends in its activation", "relu: one row kernel alone reads the result, and does this while it reads"]}
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>, %w: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %1 = graph.gelu erf %0 : tensor<4x2xf32>
  %2 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %3 = graph.silu %2 : tensor<4x2xf32>
  %4 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %5 = graph.relu %4 : tensor<4x2xf32>
  %6 = graph.add %5, %y : tensor<4x2xf32>
  return %1, %3, %6 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Along the rows of a square it is no bias, and no residual either; a part of a vector must be aligned.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["add: the library reads a residual as the result's own shape"]}
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["add: the bias does not begin at a multiple of 16 bytes"]}
// CHECK: graph.group product "matmul+add" {
func.func @main(%x: tensor<4x4xf32>, %b: tensor<4xf32>, %c: tensor<12xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = graph.reshape %b : tensor<4xf32> -> tensor<4x1xf32>
  %v = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x4xf32>
  %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.add %0, %v : tensor<4x4xf32>
  %s = graph.slice %c offsets [3] strides [1] : tensor<12xf32> -> tensor<4xf32>
  %svr = graph.reshape %s : tensor<4xf32> -> tensor<1x4xf32>
  %sv = graph.broadcast %svr : tensor<1x4xf32> -> tensor<4x4xf32>
  %2 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = graph.add %2, %sv : tensor<4x4xf32>
  %t = graph.slice %c offsets [8] strides [1] : tensor<12xf32> -> tensor<4xf32>
  %tvr = graph.reshape %t : tensor<4xf32> -> tensor<1x4xf32>
  %tv = graph.broadcast %tvr : tensor<1x4xf32> -> tensor<4x4xf32>
  %4 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %5 = graph.add %4, %tv : tensor<4x4xf32>
  return %1, %3, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Post-norm: the norm alone reads the sum, so that its kernel adds bias and residual, and the sum is never stored.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["add: one row kernel alone reads the result, and does this while it reads", "add: one row kernel alone reads the result, and does this while it reads"]}
// CHECK: graph.group rows "add+layer_norm" {
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %b = graph.parameter [#graph.part<"b", [8], normal, 0.02>] : tensor<8xf32>
  %vr = graph.reshape %b : tensor<8xf32> -> tensor<1x8xf32>
  %v = graph.broadcast %vr : tensor<1x8xf32> -> tensor<4x8xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.add %0, %v : tensor<4x8xf32>
  %2 = graph.add %1, %x : tensor<4x8xf32>
  %3 = graph.layer_norm %2, %b, %b epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %3 : tensor<4x8xf32>
}
