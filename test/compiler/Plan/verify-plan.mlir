// What the plan phase may leave; the pass changes nothing.
// RUN: heddle-opt %s --verify-plan | FileCheck %s

// CHECK: plan.program @cuda
plan.program @cuda attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<16xf32> {firstStep = 0 : i64, lastStep = 0 : i64}
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  plan.launch @k [#plan.ref<@x>] counts [] phase forward {grid = array<i64: 1, 1, 1>}
}
// CHECK: plan.program @cpu
plan.program @cpu attributes {device = "cpu", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<16xf32> {firstStep = 0 : i64, lastStep = 0 : i64}
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  plan.launch @k [#plan.ref<@x>] counts [] phase forward {items = 16 : i64}
}
