// What tiled products alone touch is stored as they want it.
// RUN: heddle-opt %s --plan-product-layouts --split-input-file | FileCheck %s

// Panels of 32 rows with AVX-512; "tiled:32" is what the product computes by. Nothing else changes: merged parts keep
// their places.
// CHECK-LABEL: plan.program @packed
plan.program @packed attributes {device = "cpu", model = "m", target = "x86-64-v4", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<8x64xf32>
  // CHECK: plan.buffer @w parameter tensor<96x64xf32> {panel = 32 : i64, parts = [#plan.part<"q", [50, 64] at 0,
  plan.buffer @w parameter tensor<96x64xf32> {parts = [#plan.part<"q", [50, 64] at 0, normal, 0.02 : f64>,
                                                       #plan.part<"k", [46, 64] at 3200, normal, 0.02 : f64>]}
  plan.buffer @y output tensor<8x96xf32>
  // CHECK: plan.product 8 x 96 x 64
  // CHECK-SAME: algorithm = array<i8: 116, 105, 108, 101, 100, 58, 51, 50>
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
}

// -----

// With AVX2, 16. Two products share a parameter.
// CHECK-LABEL: plan.program @older
plan.program @older attributes {device = "cpu", model = "m", target = "x86-64-v3", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<8x64xf32>
  // CHECK: plan.buffer @w parameter tensor<96x64xf32> {panel = 16 : i64}
  plan.buffer @w parameter tensor<96x64xf32>
  plan.buffer @y output tensor<8x96xf32>
  plan.buffer @z output tensor<8x96xf32>
  // CHECK: algorithm = array<i8: 116, 105, 108, 101, 100, 58, 49, 54>
  // CHECK: algorithm = array<i8: 116, 105, 108, 101, 100, 58, 49, 54>
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@z>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
}

// -----

// Stays in rows: what an embedding reads as well, what the library multiplies, what is stored as k x n, a part of a
// parameter, halves of a gate that are no whole panels, a bias.
// CHECK-LABEL: plan.program @rows
// CHECK-NOT: panel =
// CHECK-NOT: 100, 58
plan.program @rows attributes {device = "cpu", model = "m", target = "x86-64-v4", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<8x64xf32>
  plan.buffer @tied parameter tensor<96x64xf32>
  plan.buffer @library parameter tensor<96x64xf32>
  plan.buffer @straight parameter tensor<64x96xf32>
  plan.buffer @part parameter tensor<100x64xf32>
  plan.buffer @gate parameter tensor<96x64xf32>
  plan.buffer @bias parameter tensor<96xf32>
  plan.buffer @y output tensor<8x96xf32>
  plan.buffer @z output tensor<8x48xf32>
  plan.copy <@tied> to <@y> bytes 256 phase forward
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@tied>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@library>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>}
  plan.product 8 x 96 x 64 math f32 epilogue bias phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@straight>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    bias = #plan.ref<@bias>, biasType = f32,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@part>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
  plan.product 8 x 96 x 64 math f32 epilogue silu_mul phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@gate>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@z>, elementType = f32, ld = 48, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
}

// -----

// An optimizer would write rows, and a GPU's library reads them.
// CHECK-LABEL: plan.program @step
// CHECK-NOT: panel =
plan.program @step attributes {device = "cpu", model = "m", target = "x86-64-v4", pipeline = "compiled", mode = "step", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<8x64xf32>
  plan.buffer @w parameter tensor<96x64xf32>
  plan.buffer @y output tensor<8x96xf32>
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
}

// -----

// CHECK-LABEL: plan.program @gpu
// CHECK-NOT: panel =
plan.program @gpu attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<8x64xf32>
  plan.buffer @w parameter tensor<96x64xf32>
  plan.buffer @y output tensor<8x96xf32>
  plan.product 8 x 96 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 96, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
}

// -----

// Rows of 4096 bytes that one product writes and another reads get a cache line more. Others stay: a row that a copy
// reads too, rows of another length.
// CHECK-LABEL: plan.program @padded
plan.program @padded attributes {device = "cpu", model = "m", target = "x86-64-v4", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<8x64xf32>
  plan.buffer @w parameter tensor<1024x64xf32>
  plan.buffer @v parameter tensor<64x1024xf32>
  // CHECK: plan.buffer @h scratch tensor<8x1040xf32>
  plan.buffer @h scratch tensor<2x4x1024xf32>
  // CHECK: plan.buffer @copied scratch tensor<8x1024xf32>
  plan.buffer @copied scratch tensor<8x1024xf32>
  // CHECK: plan.buffer @short scratch tensor<8x64xf32>
  plan.buffer @short scratch tensor<8x64xf32>
  plan.buffer @u parameter tensor<64x64xf32>
  plan.buffer @y output tensor<8x64xf32>
  // CHECK: plan.product 8 x 1024 x 64
  // CHECK-SAME: d = #plan.matrix<ref = <@h>, elementType = f32, ld = 1040,
  plan.product 8 x 1024 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@h>, elementType = f32, ld = 1024, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
  // CHECK: plan.product 8 x 64 x 1024
  // CHECK-SAME: a = #plan.matrix<ref = <@h>, elementType = f32, ld = 1040,
  // CHECK-SAME: d = #plan.matrix<ref = <@short>, elementType = f32, ld = 64,
  plan.product 8 x 64 x 1024 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@h>, elementType = f32, ld = 1024, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@v>, elementType = f32, ld = 1024, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@short>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
  // CHECK: d = #plan.matrix<ref = <@copied>, elementType = f32, ld = 1024,
  plan.product 8 x 1024 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@short>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@copied>, elementType = f32, ld = 1024, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
  plan.copy <@copied> to <@y> bytes 256 phase forward
  plan.product 8 x 64 x 64 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@short>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@u>, elementType = f32, ld = 64, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@y>, elementType = f32, ld = 64, batchStride = 0, transposed = false>,
    algorithm = array<i8: 116, 105, 108, 101, 100>}
}

// -----

// On a GPU: an output whose rows would begin anywhere. @aligned has rows of 16 bytes, @copied is written by a copy.
// CHECK-LABEL: plan.program @outputs
plan.program @outputs attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward",
    precision = "bf16-true", symbols = {}} {
  plan.buffer @x input tensor<2x4x16xbf16>
  // CHECK: plan.buffer @w parameter tensor<21x16xbf16> {bytes = 768 : i64}
  plan.buffer @w parameter tensor<21x16xbf16>
  // CHECK: plan.buffer @v parameter tensor<24x16xbf16>{{$}}
  plan.buffer @v parameter tensor<24x16xbf16>
  // CHECK: plan.buffer @logits output tensor<2x4x21xbf16> {bytes = 384 : i64, pitch = 24 : i64}
  plan.buffer @logits output tensor<2x4x21xbf16>
  // CHECK: plan.buffer @aligned output tensor<2x4x24xbf16>{{$}}
  plan.buffer @aligned output tensor<2x4x24xbf16>
  // CHECK: plan.buffer @copied output tensor<8x21xbf16>{{$}}
  plan.buffer @copied output tensor<8x21xbf16>
  // CHECK: plan.product 8 x 24 x 16
  // CHECK-SAME: d = #plan.matrix<ref = <@logits>, elementType = bf16, ld = 24,
  plan.product 8 x 21 x 16 math low epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = bf16, ld = 16, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = bf16, ld = 16, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@logits>, elementType = bf16, ld = 21, batchStride = 0, transposed = false>}
  // CHECK: d = #plan.matrix<ref = <@aligned>, elementType = bf16, ld = 24,
  plan.product 8 x 24 x 16 math low epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = bf16, ld = 16, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@v>, elementType = bf16, ld = 16, batchStride = 0, transposed = true>,
    d = #plan.matrix<ref = <@aligned>, elementType = bf16, ld = 24, batchStride = 0, transposed = false>}
  plan.copy <@x> to <@copied> bytes 256 phase forward
}
