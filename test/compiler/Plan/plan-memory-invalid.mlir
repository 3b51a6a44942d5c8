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

// expected-error@+1 {{'plan.program' op scratch and saved buffers take 72057594037927936 bytes or more together, wanted less}}
plan.program @large attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @a scratch tensor<9007199254740992xf32>
  plan.buffer @b scratch tensor<9007199254740992xf32>
  plan.copy <@a> to <@b> bytes 4 phase forward
}
