// What verify-plan refuses.
// RUN: heddle-opt %s --verify-plan --split-input-file --verify-diagnostics

plan.program @kernel attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  // expected-error@+1 {{'kernel.func' op is not compiled, wanted a plan.kernel}}
  kernel.func @k() {
    kernel.rows () in () {
    }
  }
}

// -----

plan.program @grid attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op has no grid, wanted one for device cuda}}
  plan.launch @k [] counts [] phase forward {items = 4 : i64}
}

// -----

plan.program @items attributes {device = "cpu", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op has no items, wanted them for device cpu}}
  plan.launch @k [] counts [] phase forward {grid = array<i64: 1, 1, 1>}
}

// -----

// The runtime's verifier has the last word: here on two buffers that live at once in one place.
// expected-error@+1 {{'plan.program' op plan: buffer 0 (a) and buffer 1 (b) live at once and share bytes of the arena}}
plan.program @overlap attributes {device = "cuda", arenaBytes = 512 : i64, model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @a scratch tensor<65xf32> {offset = 0 : i64, firstStep = 0 : i64, lastStep = 0 : i64}
  plan.buffer @b scratch tensor<64xf32> {offset = 256 : i64, firstStep = 0 : i64, lastStep = 0 : i64}
  plan.copy <@a> to <@b> bytes 256 phase forward
}

// -----

// A pass that moved a step and did not plan again.
// expected-error@+1 {{'plan.program' op plan: step 1 (late)}}
plan.program @life attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @a scratch tensor<64xf32> {firstStep = 0 : i64, lastStep = 0 : i64}
  plan.buffer @b output tensor<64xf32> {firstStep = 0 : i64, lastStep = 1 : i64}
  plan.copy <@a> to <@b> bytes 256 phase forward
  plan.copy <@a> to <@b> bytes 256 phase forward {label = "late"}
}
