// RUN: heddle-opt %s --target-cuda=arch=sm_90a --split-input-file --verify-diagnostics

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<8xf32>
  plan.buffer @i input tensor<8xi32>
  kernel.func @k(%g: !kernel.buffer<f32>, %ids: !kernel.buffer<i32>, %y: !kernel.buffer<f32>, %n: index, %s: index, %r: index) {
    kernel.row_sums 8 of %g[%s] by %ids[%n] into %y[%r] : <f32>, <i32>, <f32>
  }
  // expected-error@+1 {{kernel 'k' has 1073741825 indices, wanted at most 1073741824}}
  plan.launch @k [#plan.ref<@x>, #plan.ref<@i>, #plan.ref<@x>] counts [1073741825, 8, 5] phase forward
}
