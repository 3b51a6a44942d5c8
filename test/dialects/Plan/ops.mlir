// Every op and attribute of the plan dialect is read and printed as it was.
// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt --mlir-print-op-generic %s | heddle-opt | FileCheck %s

// A program has no steps and no buffers at the least; what is at its default is left out.
// CHECK: plan.program @empty attributes {device = "cpu", mode = "forward", model = "m", pipeline = "eager", precision = "fp32", symbols = {}, target = "x86-64-v3"} {
// CHECK-NEXT: }
plan.program @empty attributes {model = "m", device = "cpu", target = "x86-64-v3", pipeline = "eager", mode = "forward",
                                precision = "fp32", symbols = {}, arenaBytes = 0 : i64} {
}

// CHECK: plan.program @full attributes {arenaBytes = 1024 : i64, device = "cuda"
// CHECK-SAME: matrixFlops = 4.850000e+01 : f64
// CHECK-SAME: symbols = {batch = 2 : i64, sequence = 128 : i64}
// CHECK-SAME: workspaceBytes = 4096 : i64
plan.program @full attributes {model = "study:small", device = "cuda", target = "sm_90a", pipeline = "compiled",
                               mode = "step", precision = "bf16", symbols = {sequence = 128 : i64, batch = 2 : i64},
                               arenaBytes = 1024 : i64, workspaceBytes = 4096 : i64, matrixFlops = 48.5 : f64} {
  // Roles, element types, a scalar, an empty tensor, a name that needs quotes.
  // CHECK-NEXT: plan.buffer @ids input tensor<2x128xi32> {ignoredIndex = -100 : i64, indexLimit = 50257 : i64, location = "ids"}
  plan.buffer @ids input tensor<2x128xi32> {indexLimit = 50257 : i64, ignoredIndex = -100 : i64, location = "ids"}
  // CHECK-NEXT: plan.buffer @out output tensor<2x4xbf16>
  plan.buffer @out output tensor<2x4xbf16>
  // CHECK-NEXT: plan.buffer @w parameter tensor<6x4xbf16> {parts = [#plan.part<"q.weight", [2, 4] at 0, normal, 2.000000e-02 : f64>, #plan.part<"k.weight", [4, 4] at 8, constant, 1.000000e+00 : f64>]}
  plan.buffer @w parameter tensor<6x4xbf16> {parts = [#plan.part<"q.weight", [2, 4] at 0, normal, 2.0e-2 : f64>,
                                                      #plan.part<"k.weight", [4, 4] at 8, constant, 1.0 : f64>]}
  // CHECK-NEXT: plan.buffer @step state tensor<i64>
  plan.buffer @step state tensor<i64>
  // CHECK-NEXT: plan.buffer @mask constant tensor<4xi1> {data = dense<[true, false, true, true]> : tensor<4xi1>}
  plan.buffer @mask constant tensor<4xi1> {data = dense<[true, false, true, true]> : tensor<4xi1>}
  // CHECK-NEXT: plan.buffer @stats saved tensor<4xf32> {firstStep = 0 : i64, lastStep = 2 : i64, offset = 256 : i64}
  plan.buffer @stats saved tensor<4xf32> {firstStep = 0 : i64, lastStep = 2 : i64, offset = 256 : i64}
  // CHECK-NEXT: plan.buffer @"a b" scratch tensor<0x3xf16> {bytes = 512 : i64}
  plan.buffer @"a b" scratch tensor<0x3xf16> {bytes = 512 : i64}
  // CHECK-NEXT: plan.buffer @raw scratch tensor<64xui8>
  plan.buffer @raw scratch tensor<64xui8>
  // CHECK-NEXT: plan.buffer @h scratch tensor<2x4xbf16>
  plan.buffer @h scratch tensor<2x4xbf16>
  // CHECK-NEXT: plan.buffer @x scratch tensor<2x6xbf16>
  plan.buffer @x scratch tensor<2x6xbf16>
  // CHECK-NEXT: plan.buffer @f scratch tensor<16xf32>
  plan.buffer @f scratch tensor<16xf32>

  // CHECK-NEXT: plan.kernel @rows cuda "sm_90a" {binary = array<i8: 1, -2, 3>, sharedBytes = 1024 : i64, source = "void rows() { char c = '\22'; }", threads = 128 : i64}
  plan.kernel @rows cuda "sm_90a" {source = "void rows() { char c = '\22'; }", binary = array<i8: 1, -2, 3>,
                                   threads = 128 : i64, sharedBytes = 1024 : i64}
  // CHECK: kernel.func @late(
  kernel.func @late(%a: !kernel.buffer<f32>, %n: index) {
    kernel.rows () in () {
    }
  }

  // A kernel's text and a compiled one are launched alike. An operand may be left out.
  // CHECK: plan.launch @rows [#plan.ref<@f>, #plan.ref<@f + 16>, #plan.ref<none>] counts [2, -1] phase init {grid = array<i64: 2, 1, 3>, label = "rows", location = "model.py:7"}
  plan.launch @rows [#plan.ref<@f>, #plan.ref<@f + 16>, #plan.ref<none>] counts [2, -1] phase init
    {grid = array<i64: 2, 1, 3>, label = "rows", location = "model.py:7"}
  // CHECK-NEXT: plan.launch @late [#plan.ref<@f + 4>] counts [4] phase forward {items = 2 : i64}
  plan.launch @late [#plan.ref<@f + 4>] counts [4] phase forward {items = 2 : i64}
  // CHECK-NEXT: plan.launch @rows [#plan.ref<@f>] counts [] phase forward {grid = array<i64: 1, 1, 1>, maps = [#plan.tensor_map<operand = 0, elementType = f32, extents = [2, 3], strides = [16], box = [4, 2], swizzle = bytes128>, #plan.tensor_map<operand = 0, elementType = bf16, extents = [8], strides = [], box = [8], swizzle = none>]}
  plan.launch @rows [#plan.ref<@f>] counts [] phase forward
    {grid = array<i64: 1, 1, 1>,
     maps = [#plan.tensor_map<operand = 0, elementType = f32, extents = [2, 3], strides = [16], box = [4, 2], swizzle = bytes128>,
             #plan.tensor_map<operand = 0, elementType = bf16, extents = [8], strides = [], box = [8], swizzle = none>]}
  // CHECK-NEXT: plan.launch @rows [] counts [] phase forward
  plan.launch @rows [] counts [] phase forward

  // CHECK-NEXT: plan.product 2 x 4 x 6 math low epilogue bias_gelu_tanh phase backward
  // CHECK-SAME: a = #plan.matrix<ref = <@x>, elementType = bf16, ld = 6, batchStride = 0, transposed = false>
  // CHECK-SAME: algorithm = array<i8: 9, 8>
  // CHECK-SAME: alpha = 5.000000e-01 : f64
  // CHECK-SAME: b = #plan.matrix<ref = <@w>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>
  // CHECK-SAME: beta = 1.000000e+00 : f64
  // CHECK-SAME: bias = #plan.ref<@f>
  // CHECK-SAME: biasType = f32
  // CHECK-SAME: c = #plan.matrix<ref = <@h>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>
  // CHECK-SAME: d = #plan.matrix<ref = <@out>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>
  // CHECK-SAME: label = "product"
  // CHECK-SAME: location = "model.py:9"
  plan.product 2 x 4 x 6 math low epilogue bias_gelu_tanh phase backward {
    a = #plan.matrix<ref = <@x>, elementType = bf16, ld = 6, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>,
    c = #plan.matrix<ref = <@h>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@out>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>,
    bias = #plan.ref<@f>, biasType = f32, alpha = 0.5 : f64, beta = 1.0 : f64, algorithm = array<i8: 9, 8>,
    label = "product", location = "model.py:9"}
  // Batches, a transposed operand inside a buffer, and an empty sum.
  // CHECK-NEXT: plan.product 2 x 2 x 0 math f32 epilogue relu phase forward
  // CHECK-SAME: batch = 2 : i64
  // CHECK-SAME: d = #plan.matrix<ref = <@f + 32>, elementType = f32, ld = 2, batchStride = 4, transposed = false>
  plan.product 2 x 2 x 0 math f32 epilogue relu phase forward {batch = 2 : i64,
    a = #plan.matrix<ref = <@f>, elementType = f32, ld = 2, batchStride = 0, transposed = true>,
    b = #plan.matrix<ref = <@f>, elementType = f32, ld = 2, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@f + 32>, elementType = f32, ld = 2, batchStride = 4, transposed = false>}

  // CHECK-NEXT: plan.copy <@f> to <@f + 32> bytes 32 phase optimizer {label = "copy", location = "model.py:10"}
  plan.copy <@f> to <@f + 32> bytes 32 phase optimizer {label = "copy", location = "model.py:10"}
}
