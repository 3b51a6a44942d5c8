// RUN: heddle-opt %s --target-cuda=arch=sm_90a | FileCheck %s
// A few blocks for each of 132 multiprocessors; no more than 256 rows for one; 16-byte accesses where rows keep to them.

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @g input tensor<2048x768xf32>
  plan.buffer @ids input tensor<2048xi32>
  plan.buffer @y output tensor<10000x768xf32>
  plan.buffer @z output tensor<250000x768xf32>
  plan.buffer @h input tensor<2048x4610xf32>
  plan.buffer @w output tensor<3x4610xf32>
  kernel.func @narrow(%g: !kernel.buffer<f32>, %ids: !kernel.buffer<i32>, %y: !kernel.buffer<f32>, %n: index, %s: index, %r: index) {
    kernel.row_sums 768 of %g[%s] by %ids[%n] into %y[%r] : <f32>, <i32>, <f32>
  }
  // Two columns of 4,610 at a time are 2,305, ten blocks of 231 threads.
  kernel.func @wide(%g: !kernel.buffer<f32>, %ids: !kernel.buffer<i32>, %y: !kernel.buffer<f32>, %n: index, %s: index, %r: index) {
    kernel.row_sums 4610 of %g[%s] by %ids[%n] into %y[%r] : <f32>, <i32>, <f32>
  }
  // CHECK: plan.kernel @narrow cuda
  // CHECK-SAME: heddle::row_sums<768, 4, 192, 192>(
  // CHECK-SAME: threads = 192
  // CHECK: plan.kernel @wide cuda
  // CHECK-SAME: heddle::row_sums<4610, 2, 256, 231>(
  // CHECK: plan.launch @narrow
  // CHECK-SAME: grid = array<i64: 527, 1, 1>
  plan.launch @narrow [#plan.ref<@g>, #plan.ref<@ids>, #plan.ref<@y>] counts [2048, 768, 10000] phase forward
  // CHECK: plan.launch @narrow
  // CHECK-SAME: grid = array<i64: 977, 1, 1>
  plan.launch @narrow [#plan.ref<@g>, #plan.ref<@ids>, #plan.ref<@z>] counts [2048, 768, 250000] phase forward
  // CHECK: plan.launch @wide
  // CHECK-SAME: grid = array<i64: 30, 1, 1>
  plan.launch @wide [#plan.ref<@h>, #plan.ref<@ids>, #plan.ref<@w>] counts [2048, 4610, 3] phase forward
}
