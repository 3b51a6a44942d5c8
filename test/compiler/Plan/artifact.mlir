// A program, its artifact, and back: the same text and, once more, the same bytes.
// RUN: heddle-translate --plan-to-artifact %s -o %t.heddle
// RUN: heddle-translate --artifact-to-plan %t.heddle -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: heddle-opt %s -o %t.original.mlir
// RUN: heddle-opt %t.mlir -o %t.returned.mlir
// RUN: diff %t.original.mlir %t.returned.mlir
// RUN: heddle-translate --plan-to-artifact %t.mlir -o %t.again.heddle
// RUN: cmp %t.heddle %t.again.heddle
// RUN: heddle-translate --artifact-to-memory-report %t.heddle | FileCheck %s --check-prefix=MEMORY

// CHECK: plan.program @plan attributes
// CHECK: plan.buffer @splat constant tensor<3xbf16> {data = dense<1.500000e+00> : tensor<3xbf16>
// CHECK: plan.buffer @mask constant tensor<9xi1> {data = dense<[true, false,
// CHECK: plan.launch @rows [#plan.ref<@h>, #plan.ref<none>, #plan.ref<@nan + 8>]
// CHECK: plan.product 2 x 4 x 3
// CHECK: plan.copy <@h> to <@y + 8> bytes 16
// CHECK: plan.launch @text {{.*}} counts [1, 2] phase backward {grid = array<i64: 7, 1, 1>, instances = 2 : i64, {{.*}}shares = array<i64: 3, 4>}
plan.program @plan attributes {device = "cuda", arenaBytes = 768 : i64, workspaceBytes = 4096 : i64, matrixFlops = 48.1 : f64,
    model = "study:\22small\22", target = "sm_90a", pipeline = "compiled", mode = "step", precision = "bf16",
    symbols = {batch = 2 : i64, sequence = -128 : i64}} {
  plan.buffer @ids input tensor<2x3xi64> {ignoredIndex = -100 : i64, indexLimit = 7 : i64, location = "model.py:1"}
  plan.buffer @splat constant tensor<3xbf16> {data = dense<1.5> : tensor<3xbf16>}
  plan.buffer @mask constant tensor<9xi1> {data = dense<[true, false, true, true, false, false, true, false, true]> : tensor<9xi1>}
  plan.buffer @nan constant tensor<2x2xf32> {data = dense<[[0x7FC00001, -0.0], [1.0e-45, 0.1]]> : tensor<2x2xf32>,
                                             firstStep = 0 : i64, lastStep = 0 : i64}
  plan.buffer @one constant tensor<i32> {data = dense<-7> : tensor<i32>}
  plan.buffer @bytes constant tensor<4xui8> {data = dense<[0, 255, 7, 7]> : tensor<4xui8>}
  plan.buffer @w parameter tensor<3x4xf32> {firstStep = 1 : i64, lastStep = 1 : i64,
    parts = [#plan.part<"q \22weight\22", [3, 2] at 0, normal, 0.02 : f64>, #plan.part<"scalar", [] at 6, constant, 1.1 : f64>]}
  plan.buffer @h scratch tensor<2x3xf32> {offset = 0 : i64, bytes = 64 : i64, firstStep = 0 : i64, lastStep = 2 : i64}
  plan.buffer @saved saved tensor<2x4xf32> {offset = 256 : i64, firstStep = 1 : i64, lastStep = 1 : i64}
  plan.buffer @y output tensor<8xf32> {firstStep = 2 : i64, lastStep = 2 : i64}
  plan.buffer @state state tensor<i64>
  plan.buffer @"odd name" scratch tensor<0xf16>
  plan.kernel @rows cuda "sm_90a" {source = "\22text\22\0A\00\FF", binary = array<i8: 0, -1, 127, -128>, threads = 96 : i64, sharedBytes = 512 : i64}
  plan.kernel @text cuda "sm_90a" {source = "void text() {}", threads = 1024 : i64}
  plan.launch @rows [#plan.ref<@h>, #plan.ref<none>, #plan.ref<@nan + 8>] counts [2, -1, 9223372036854775807] phase forward
    {grid = array<i64: 2147483647, 2, 3>, label = "rows", location = "model.py:2"}
  plan.product 2 x 4 x 3 math f32 epilogue bias_gelu_tanh phase forward {
    a = #plan.matrix<ref = <@h>, elementType = f32, ld = 3, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@w>, elementType = f32, ld = 3, batchStride = 5, transposed = true>,
    c = #plan.matrix<ref = <@saved>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@saved>, elementType = f32, ld = 4, batchStride = 8, transposed = false>,
    bias = #plan.ref<@w + 16>, biasType = f32, alpha = 0.1 : f64, beta = -2.5 : f64, algorithm = array<i8: 1, -1>,
    label = "product", location = "model.py:3"}
  plan.copy <@h> to <@y + 8> bytes 16 phase backward {label = "copy", location = "model.py:4"}
  plan.launch @text [#plan.ref<@splat>, #plan.ref<@state>, #plan.ref<@splat + 2>, #plan.ref<none>] counts [1, 2] phase backward
    {grid = array<i64: 7, 1, 1>, instances = 2 : i64, shares = array<i64: 3, 4>, label = "batch"}
}

// What lives throughout and has no place is fixed: 48 + 6 + 9 + 16 + 4 + 4 + 48 + 32 + 8 = 175 bytes.
// MEMORY:      peak {{ *}}943
// MEMORY-NEXT: fixed {{ *}}175
// MEMORY-NEXT: arena {{ *}}768
// MEMORY-NEXT: unplaced {{ *}}0
// MEMORY-NEXT: lower bound {{ *}}271 at step 1, product
// MEMORY-NEXT: without reuse {{ *}}271
// MEMORY-NEXT: bytes role type steps offset buffer location
// MEMORY-NEXT: 64 scratch 2x3xf32 0..2 0 h{{$}}
// MEMORY-NEXT: 48 input 2x3xi64 always - ids model.py:1{{$}}
// MEMORY:      0 scratch 0xf16 never - odd name{{$}}
