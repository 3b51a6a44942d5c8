// Lifetimes and places in the arena.
// RUN: heddle-opt %s --plan-memory --split-input-file | FileCheck %s

// A chain of four: neighbours live at once, others share. The input and the output keep their own memory, and live
// from the first step that touches them to the last.
// CHECK-LABEL: plan.program @chain attributes {arenaBytes = 2048 : i64
plan.program @chain attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  // CHECK: plan.buffer @x input tensor<256xf32> {firstStep = 0 : i64, lastStep = 3 : i64}
  plan.buffer @x input tensor<256xf32>
  // CHECK: plan.buffer @a scratch tensor<256xf32> {firstStep = 0 : i64, lastStep = 1 : i64, offset = [[FIRST:[0-9]+]] : i64}
  plan.buffer @a scratch tensor<256xf32>
  // CHECK: plan.buffer @b scratch tensor<256xf32> {firstStep = 1 : i64, lastStep = 2 : i64, offset = [[SECOND:[0-9]+]] : i64}
  plan.buffer @b scratch tensor<256xf32>
  // CHECK: plan.buffer @c scratch tensor<256xf32> {firstStep = 2 : i64, lastStep = 3 : i64, offset = [[FIRST]] : i64}
  plan.buffer @c scratch tensor<256xf32>
  // CHECK: plan.buffer @y output tensor<256xf32> {firstStep = 3 : i64, lastStep = 3 : i64, offset = 1024 : i64}
  plan.buffer @y output tensor<256xf32>
  // What the interface holds stays, though no step touches it.
  // CHECK: plan.buffer @unread input tensor<4xf32>{{$}}
  plan.buffer @unread input tensor<4xf32>
  plan.copy <@x> to <@a> bytes 1024 phase forward
  plan.copy <@a> to <@b> bytes 1024 phase forward
  plan.copy <@b> to <@c> bytes 1024 phase forward
  plan.kernel @add cuda "sm_80" {source = "void add() {}", threads = 32 : i64}
  plan.launch @add [#plan.ref<@c>, #plan.ref<@x + 4>, #plan.ref<none>, #plan.ref<@y>] counts [] phase forward
}

// -----

// A large buffer that comes late does not lie above the small ones that are gone by then: the arena is what lives at
// once, in units of 256 bytes.
// CHECK-LABEL: plan.program @order attributes {arenaBytes = 4608 : i64
plan.program @order attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  // CHECK: plan.buffer @x input
  plan.buffer @x input tensor<1024xf32>
  // CHECK: plan.buffer @small scratch tensor<1xf32> {firstStep = 0 : i64, lastStep = 1 : i64, offset = {{[0-9]+}} : i64}
  plan.buffer @small scratch tensor<1xf32>
  // CHECK: plan.buffer @keep saved tensor<1xf32> {firstStep = 1 : i64, lastStep = 3 : i64, offset = 4096 : i64}
  plan.buffer @keep saved tensor<1xf32>
  // CHECK: plan.buffer @large scratch tensor<1024xf32> {firstStep = 2 : i64, lastStep = 3 : i64, offset = 0 : i64}
  plan.buffer @large scratch tensor<1024xf32>
  // CHECK: plan.buffer @other scratch tensor<1xf32> {firstStep = 3 : i64, lastStep = 3 : i64, offset = 4352 : i64}
  plan.buffer @other scratch tensor<1xf32>
  plan.copy <@x> to <@small> bytes 4 phase forward
  plan.copy <@small> to <@keep> bytes 4 phase forward
  plan.copy <@x> to <@large> bytes 4096 phase forward
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  plan.launch @k [#plan.ref<@large>, #plan.ref<@keep>, #plan.ref<@other>] counts [] phase backward
}

// -----

// Init steps come first whatever their place, in their order. What they need only for themselves is scratch and shares
// memory with the runs; what no step touches is gone, except what others see.
// CHECK-LABEL: plan.program @init attributes {arenaBytes = 512 : i64
plan.program @init attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  // CHECK: plan.buffer @w parameter tensor<16xf32> {firstStep = 0 : i64, lastStep = 0 : i64}
  plan.buffer @w parameter tensor<16xf32>
  // CHECK-NEXT: plan.buffer @temporary scratch tensor<16xf32> {firstStep = 0 : i64, lastStep = 1 : i64, offset = 0 : i64}
  plan.buffer @temporary scratch tensor<16xf32>
  // CHECK-NEXT: plan.buffer @table constant tensor<16xf32> {firstStep = 1 : i64, lastStep = 2 : i64}
  plan.buffer @table constant tensor<16xf32>
  // CHECK-NEXT: plan.buffer @h scratch tensor<16xf32> {firstStep = 2 : i64, lastStep = 3 : i64, offset = 0 : i64}
  plan.buffer @h scratch tensor<16xf32> {offset = 2560 : i64, firstStep = 7 : i64, lastStep = 8 : i64}
  plan.buffer @unusedScratch scratch tensor<16xf32> {offset = 0 : i64, firstStep = 0 : i64, lastStep = 0 : i64}
  plan.buffer @unusedSaved saved tensor<16xf32>
  plan.buffer @unusedConstant constant tensor<16xf32> {data = dense<1.0> : tensor<16xf32>}
  // CHECK-NEXT: plan.buffer @unusedState state tensor<16xf32>{{$}}
  plan.buffer @unusedState state tensor<16xf32> {firstStep = 0 : i64, lastStep = 0 : i64}
  // CHECK-NEXT: plan.buffer @y output tensor<16xf32> {firstStep = 3 : i64, lastStep = 3 : i64, offset = 256 : i64}
  plan.buffer @y output tensor<16xf32>
  // CHECK-NEXT: plan.copy <@w> to <@temporary>
  // CHECK-NEXT: plan.copy <@temporary> to <@table>
  // CHECK-NEXT: plan.copy <@table> to <@h>
  // CHECK-NEXT: plan.copy <@h> to <@y>
  plan.copy <@table> to <@h> bytes 64 phase forward
  plan.copy <@w> to <@temporary> bytes 64 phase init
  plan.copy <@h> to <@y> bytes 64 phase forward
  plan.copy <@temporary> to <@table> bytes 64 phase init
}
