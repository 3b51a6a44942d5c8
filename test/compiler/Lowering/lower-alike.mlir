// Groups that differ in what they read and write alone are launches of one kernel, which is made once; what else
// differs makes another kernel.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// Each launch has its own values in the kernel's order.
// CHECK-LABEL: plan.program
// CHECK: kernel.func @sub(
// CHECK: plan.launch @sub [#plan.ref<@input>, #plan.ref<@input_1>, #plan.ref<@output>]
// CHECK-NOT: kernel.func
// CHECK: plan.launch @sub [#plan.ref<@input_3>, #plan.ref<@input_2>, #plan.ref<@output_1>]
func.func @main(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>, %c: tensor<2x4xf32>, %d: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = graph.sub %a, %b : tensor<2x4xf32>
  %1 = graph.sub %d, %c : tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// One value twice is not two values.
// CHECK-LABEL: plan.program
// CHECK: kernel.func @add(
// CHECK: plan.launch @add [#plan.ref<@input>, #plan.ref<@input_1>, #plan.ref<@output>]
// CHECK: kernel.func @add_1(
// CHECK: plan.launch @add_1 [#plan.ref<@input_2>, #plan.ref<@output_1>]
func.func @main(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>, %c: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = graph.add %a, %b : tensor<2x4xf32>
  %1 = graph.add %c, %c : tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Views belong to a group, whoever else reads them.
// CHECK-LABEL: plan.program
// CHECK: kernel.func @exp_rows(
// CHECK: plan.launch @exp_rows [#plan.ref<@input>, #plan.ref<@output>]
// CHECK: kernel.func @exp_rows_1(
// CHECK: plan.launch @exp_rows_1 [#plan.ref<@input_1>, #plan.ref<@output_1>]
// CHECK-NOT: kernel.func
// CHECK: plan.launch @exp_rows_1 [#plan.ref<@input_2>, #plan.ref<@output_2>]
func.func @main(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>, %c: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = graph.slice %a offsets [0, 0] strides [1, 1] : tensor<2x8xf32> -> tensor<2x4xf32>
  %1 = graph.slice %b offsets [0, 4] strides [1, 1] : tensor<2x8xf32> -> tensor<2x4xf32>
  %2 = graph.slice %c offsets [0, 4] strides [1, 1] : tensor<2x8xf32> -> tensor<2x4xf32>
  %3 = graph.exp %0 : tensor<2x4xf32>
  %4 = graph.exp %1 : tensor<2x4xf32>
  %5 = graph.exp %2 : tensor<2x4xf32>
  return %3, %4, %5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// So do the values of constants, which are literals of the kernel, and attributes.
// CHECK-LABEL: plan.program
// CHECK: kernel.func @mul(
// CHECK: arith.constant 2.000000e+00 : f32
// CHECK: plan.launch @mul [#plan.ref<@input>, #plan.ref<@output>]
// CHECK: kernel.func @mul_1(
// CHECK: arith.constant 3.000000e+00 : f32
// CHECK: plan.launch @mul_1 [#plan.ref<@input_1>, #plan.ref<@output_1>]
// CHECK: kernel.func @rms_norm(
// CHECK: arith.constant 2.500000e-01 : f32
// CHECK: plan.launch @rms_norm [#plan.ref<@input_2>, #plan.ref<@input_3>, #plan.ref<@output_2>]
// CHECK: kernel.func @rms_norm_1(
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK: plan.launch @rms_norm_1 [#plan.ref<@input_4>, #plan.ref<@input_5>, #plan.ref<@output_3>]
func.func @main(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>, %c: tensor<2x4xf32>, %w: tensor<4xf32>, %d: tensor<2x4xf32>, %v: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %two = graph.constant dense<2.0> : tensor<2x4xf32>
  %three = graph.constant dense<3.0> : tensor<2x4xf32>
  %0 = graph.mul %a, %two : tensor<2x4xf32>
  %1 = graph.mul %b, %three : tensor<2x4xf32>
  %2 = graph.rms_norm %c, %w epsilon 0.25 : tensor<2x4xf32>, tensor<4xf32>
  %3 = graph.rms_norm %d, %v epsilon 0.5 : tensor<2x4xf32>, tensor<4xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}
