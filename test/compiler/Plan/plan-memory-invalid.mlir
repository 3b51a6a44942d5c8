// What memory planning refuses, in both pipelines.
// RUN: heddle-opt %s --plan-memory --split-input-file --verify-diagnostics
// RUN: heddle-opt %s --plan-eager-memory --split-input-file --verify-diagnostics

plan.program @span attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @w parameter tensor<16xf32>
  // expected-error@+1 {{'plan.buffer' op of role scratch is touched by step 0 of phase init and by step 1 of phase forward, wanted role constant}}
  plan.buffer @table scratch tensor<16xf32>
  plan.buffer @y output tensor<16xf32>
  // expected-note@+1 {{the first step}}
  plan.copy <@w> to <@table> bytes 64 phase init
  // expected-note@+1 {{the last step}}
  plan.copy <@table> to <@y> bytes 64 phase forward
}

// -----

plan.program @copied attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op of role scratch is read by step 0 before any step writes it, wanted it written first}}
  plan.buffer @h scratch tensor<16xf32>
  // Nothing can be read from it.
  plan.buffer @empty scratch tensor<0xf32>
  plan.buffer @y output tensor<16xf32>
  // expected-note@+1 {{the step}}
  plan.copy <@h> to <@y> bytes 64 phase forward
  plan.copy <@empty> to <@y> bytes 0 phase forward
  plan.copy <@y> to <@h> bytes 64 phase forward
}

// -----

// What is added to is read, also where the sum goes to the same place.
plan.program @added attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4x4xf32>
  // expected-error@+1 {{'plan.buffer' op of role saved is read by step 0 before any step writes it, wanted it written first}}
  plan.buffer @sum saved tensor<4x4xf32>
  // expected-note@+1 {{the step}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@x>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@x>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    c = #plan.matrix<ref = <@sum>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@sum>, elementType = f32, ld = 4, batchStride = 0, transposed = false>, beta = 1.0 : f64}
}

// -----

// expected-error@+1 {{'plan.program' op scratch and saved buffers take 72057594037927936 bytes or more together, wanted less}}
plan.program @large attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<1xf32>
  plan.buffer @a scratch tensor<9007199254740992xf32>
  plan.buffer @b scratch tensor<9007199254740992xf32>
  plan.copy <@x> to <@a> bytes 4 phase forward
  plan.copy <@a> to <@b> bytes 4 phase forward
}
