// Lifetimes alone: whatever had a place loses it, and the executor allocates.
// RUN: heddle-opt %s --plan-eager-memory | FileCheck %s

// CHECK: plan.program @eager attributes {device = "cuda"
plan.program @eager attributes {device = "cuda", arenaBytes = 1024 : i64, model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  // CHECK-NEXT: plan.buffer @x input tensor<16xf32> {firstStep = 0 : i64, lastStep = 0 : i64}
  plan.buffer @x input tensor<16xf32>
  // CHECK-NEXT: plan.buffer @h scratch tensor<16xf32> {firstStep = 0 : i64, lastStep = 1 : i64}
  plan.buffer @h scratch tensor<16xf32> {offset = 256 : i64}
  // CHECK-NEXT: plan.buffer @y output tensor<16xf32> {firstStep = 1 : i64, lastStep = 1 : i64}
  plan.buffer @y output tensor<16xf32>
  plan.buffer @unused scratch tensor<16xf32>
  // CHECK-NEXT: plan.copy <@x> to <@h>
  plan.copy <@x> to <@h> bytes 64 phase forward
  // CHECK-NEXT: plan.copy <@h> to <@y>
  plan.copy <@h> to <@y> bytes 64 phase forward
}
