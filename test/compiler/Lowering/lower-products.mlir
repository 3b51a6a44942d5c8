// Products: m, n, k, batch, and how the library reads each operand.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan=precision=tf32 | FileCheck %s --check-prefix=TF32
// RUN: heddle-opt %s --split-input-file --form-groups=own-epilogues=true --lower-to-plan=device=cpu | FileCheck %s --check-prefix=CPU

// Rank 2 on the right: the leading dimensions are rows. The residual is the addend.
// CHECK: plan.product 12 x 5 x 8 math f32 epilogue none phase forward {
// CHECK-SAME: a = #plan.matrix<ref = <@input>, elementType = f32, ld = 8, batchStride = 0, transposed = false>
// CHECK-SAME: b = #plan.matrix<ref = <@w>, elementType = f32, ld = 5, batchStride = 0, transposed = false>
// CHECK-SAME: beta = 1.000000e+00 : f64
// CHECK-SAME: c = #plan.matrix<ref = <@input_1>, elementType = f32, ld = 5, batchStride = 60, transposed = false>
// CHECK-SAME: d = #plan.matrix<ref = <@output>, elementType = f32, ld = 5, batchStride = 60, transposed = false>
// TF32: plan.product 12 x 5 x 8 math tf32
func.func @main(%x: tensor<3x4x8xf32>, %r: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %w = graph.parameter [#graph.part<"w", [8, 5], normal, 0.02>] : tensor<8x5xf32>
  %0 = graph.matmul %x, %w : tensor<3x4x8xf32>, tensor<8x5xf32> -> tensor<3x4x5xf32>
  %1 = graph.add %0, %r : tensor<3x4x5xf32>
  return %1 : tensor<3x4x5xf32>
}

// -----

// Batched, the right side transposed in place, the left one a slice of a packed tensor; low precision is low.
// CHECK: matrixFlops = 4.800000e+02
// CHECK: plan.product 4 x 5 x 4 math low
// CHECK-SAME: a = #plan.matrix<ref = <@input + 8>, elementType = bf16, ld = 8, batchStride = 32, transposed = false>
// CHECK-SAME: b = #plan.matrix<ref = <@input_1>, elementType = bf16, ld = 4, batchStride = 20, transposed = true>, batch = 3 : i64, d =
func.func @main(%x: tensor<3x4x8xbf16>, %y: tensor<3x5x4xbf16>) -> tensor<3x4x5xbf16> {
  %0 = graph.slice %x offsets [0, 0, 4] strides [1, 1, 1] : tensor<3x4x8xbf16> -> tensor<3x4x4xbf16>
  %1 = graph.transpose %y [0, 2, 1] : tensor<3x5x4xbf16> -> tensor<3x4x5xbf16>
  %2 = graph.matmul %0, %1 : tensor<3x4x4xbf16>, tensor<3x4x5xbf16> -> tensor<3x4x5xbf16>
  return %2 : tensor<3x4x5xbf16>
}

// -----

// A matrix that all of a batch share is read once, with stride 0; a row of a wider matrix has no stride to speak of.
// CHECK: plan.product 1 x 5 x 4 math f32
// CHECK-SAME: a = #plan.matrix<ref = <@input>, elementType = f32, ld = 4, batchStride = 4, transposed = false>
// CHECK-SAME: b = #plan.matrix<ref = <@input_1>, elementType = f32, ld = 5, batchStride = 0, transposed = false>, batch = 3 : i64, d =
func.func @main(%x: tensor<3x1x4xf32>, %y: tensor<1x4x5xf32>) -> tensor<3x1x5xf32> {
  %0 = graph.broadcast %y : tensor<1x4x5xf32> -> tensor<3x4x5xf32>
  %1 = graph.matmul %x, %0 : tensor<3x1x4xf32>, tensor<3x4x5xf32> -> tensor<3x1x5xf32>
  return %1 : tensor<3x1x5xf32>
}

// -----

// Bias, activation and residual are the library's.
// CHECK: plan.product 4 x 8 x 8 math low epilogue bias_relu phase forward {
// CHECK-SAME: beta = 1.000000e+00 : f64, bias = #plan.ref<@input_2 + 16>, biasType = bf16
// CHECK-SAME: c = #plan.matrix<ref = <@input_1>, elementType = bf16
// CHECK-SAME: d = #plan.matrix<ref = <@output>, elementType = bf16
func.func @main(%x: tensor<4x8xbf16>, %r: tensor<4x8xbf16>, %b: tensor<16xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %s = graph.slice %b offsets [8] strides [1] : tensor<16xbf16> -> tensor<8xbf16>
  %vr = graph.reshape %s : tensor<8xbf16> -> tensor<1x8xbf16>
  %v = graph.broadcast %vr : tensor<1x8xbf16> -> tensor<4x8xbf16>
  %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
  %1 = graph.add %0, %r : tensor<4x8xbf16>
  %2 = graph.add %1, %v : tensor<4x8xbf16>
  %3 = graph.relu %2 : tensor<4x8xbf16>
  return %3 : tensor<4x8xbf16>
}

// -----

// On the CPU a compiled plan's products are Heddle's own, by name.
// CPU: plan.product 4 x 6 x 8 math f32 epilogue silu_mul phase forward {
// CPU-SAME: algorithm = array<i8: 116, 105, 108, 101, 100>
// CPU-SAME: d = #plan.matrix<ref = <@output>, elementType = f32, ld = 3, batchStride = 12, transposed = false>
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.slice %0 offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = graph.slice %0 offsets [0, 3] strides [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %3 = graph.silu %1 : tensor<4x3xf32>
  %4 = graph.mul %2, %3 : tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}
