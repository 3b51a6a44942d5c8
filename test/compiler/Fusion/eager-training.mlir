// Gradients in eager execution: the kernels that PyTorch has for them. Compiled execution never sees the marks.
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(autodiff{eager=true},precision{policy=bf16 rounding=eager},func.func(eager-groups))' | FileCheck %s
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(autodiff{eager=true},precision{policy=fp32})' | FileCheck %s --check-prefix=SINGLE
// RUN: heddle-opt %s --split-input-file --autodiff | FileCheck %s --check-prefix=COMPILED

// A norm: one kernel for the gradient by what it normalises, which gives the statistics as well, and one for those by
// weight and bias.
// CHECK-LABEL: func.func @main(
// CHECK: %[[H:[0-9]+]] = graph.group rows "add" {
// CHECK: graph.group rows "layer_norm" {
// CHECK: graph.group rows "reduce" {
// CHECK: %[[DX:[0-9]+]]:3 = graph.group rows "reduce+sub+mul+rsqrt" {
// CHECK-NOT: graph.group
// CHECK: graph.yield %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x8xf32>
// CHECK: %[[MEAN:[0-9]+]] = graph.broadcast %[[DX]]#0
// CHECK: %[[ROOT:[0-9]+]] = graph.broadcast %[[DX]]#1
// CHECK: graph.group rows "sub+mul+reduce" {
// CHECK-NEXT: %[[C:[0-9]+]] = graph.sub %[[H]], %[[MEAN]]
// CHECK-NEXT: %[[N:[0-9]+]] = graph.mul %[[C]], %[[ROOT]]
// CHECK-NEXT: graph.mul %{{[0-9]+}}, %[[N]]
// CHECK-NEXT: graph.reduce sum
// CHECK-NEXT: graph.reduce sum
// CHECK: return %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %[[DX]]#2
// COMPILED-LABEL: func.func @main(
// COMPILED-NOT: graph.kernel
// COMPILED: return
// SINGLE-LABEL: func.func @main(
// SINGLE: graph.kernel = distinct
// SINGLE: return
func.func @main(%x: tensor<4x8xf32>) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [8], constant, 1.0>] : tensor<8xf32>
  %b = graph.parameter [#graph.part<"b", [8], constant, 0.0>] : tensor<8xf32>
  %p = graph.parameter [#graph.part<"p", [4, 8], normal, 0.5>] : tensor<4x8xf32>
  %h = graph.add %x, %p : tensor<4x8xf32>
  %y = graph.layer_norm %h, %w, %b epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Under autocast a float32 value that two products round has two float32 gradients, each cast by a kernel, and their
// sum is float32. Products of the backward pass read the operands that forward rounded, and one cast of the gradient.
// The derivative of tanh is one kernel.
// CHECK-LABEL: func.func @main(
// CHECK: %[[T:[0-9]+]] = graph.group rows "tanh" {
// CHECK: %[[X0:[0-9]+]] = graph.group rows "cast" {
// CHECK-NEXT: graph.cast %arg0
// CHECK: %[[Y:[0-9]+]] = graph.group product "matmul" {
// CHECK: %[[X1:[0-9]+]] = graph.group rows "cast" {
// CHECK-NEXT: graph.cast %arg0
// CHECK: %[[Z:[0-9]+]] = graph.group product "matmul" {
// CHECK: graph.group rows "reduce" {
// CHECK: %[[DY:[0-9]+]] = graph.group rows "cast" {
// CHECK-NEXT: graph.cast %{{[0-9]+}} : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: graph.group rows "mul" {
// CHECK-NEXT: graph.mul %[[DY]], %[[Z]] : tensor<4x8xbf16>
// CHECK: graph.group rows "mul" {
// CHECK-NEXT: graph.mul %[[DY]], %[[Y]] : tensor<4x8xbf16>
// CHECK: graph.transpose %[[X1]] [1, 0]
// CHECK: graph.group product "matmul" {
// CHECK: %[[A:[0-9]+]] = graph.group rows "cast" {
// CHECK-NEXT: graph.cast %{{[0-9]+}} : tensor<8x8xbf16> -> tensor<8x8xf32>
// CHECK: graph.group product "matmul" {
// CHECK: %[[B:[0-9]+]] = graph.group rows "cast" {
// CHECK-NEXT: graph.cast %{{[0-9]+}} : tensor<8x8xbf16> -> tensor<8x8xf32>
// CHECK: %[[SUM:[0-9]+]] = graph.group rows "add" {
// CHECK-NEXT: graph.add %[[A]], %[[B]] : tensor<8x8xf32>
// CHECK: graph.group rows "mul+sub" {
// CHECK-NEXT: graph.mul %[[T]], %[[T]]
// CHECK-NEXT: graph.sub
// CHECK-NEXT: graph.mul %[[SUM]],
// CHECK-NEXT: graph.yield
// Without a policy nothing is rounded.
// SINGLE-LABEL: func.func @main(
// SINGLE-NOT: graph.like
// SINGLE-NOT: graph.cast
// SINGLE: return
// COMPILED-LABEL: func.func @main(
// COMPILED-NOT: graph.like
// COMPILED-NOT: graph.kernel
// COMPILED: return
func.func @main(%x: tensor<4x8xf32>) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 0.5>] : tensor<8x8xf32>
  %a = graph.tanh %w : tensor<8x8xf32>
  %y = graph.matmul %x, %a : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %z = graph.matmul %x, %a : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %s = graph.mul %y, %z : tensor<4x8xf32>
  %sum = graph.reduce sum %s axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
