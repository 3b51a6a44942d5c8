// RUN: heddle-opt %s --target-cuda=arch=sm_80 | FileCheck %s

// Launches of attention's gradient for 2 sequences of 12 heads, 4 of them with keys, 300 queries, 500 keys. In bf16 keys of
// up to 64 elements go in tiles of 128: 2 * 4 * 4 blocks; wider ones than 128 in tiles of 64, twice, for dk and for dv: 2 * 4
// * 8 * 2. Queries are in tiles of 128, or of 64: 2 * 12 * 3 and 2 * 12 * 5. A bias that batches share: 1 * 12 * 5 * 8 tiles. In
// float32 one pass: 2 * 4 tiles of 128 keys for each of 4 heads. Delta is read alone.
// CHECK: plan.kernel @keys cuda "sm_80"
// CHECK-SAME: params.delta = {{[a-z0-9_]+}};
// CHECK-SAME: attention_backward_keys<heddle::bf16, 64, 64, 32, 128, 4, 2, Score, true>(params, score)
// CHECK-SAME: threads = 128
// CHECK: plan.kernel @keys_wide cuda "sm_80"
// CHECK-SAME: attention_backward_keys<heddle::bf16, 256, 256, 32, 64, 4, 2, Score, true>
// CHECK: plan.kernel @queries cuda "sm_80"
// CHECK-SAME: attention_backward_queries<heddle::bf16, 64, 64, 128, 64, 4, 2, Score, true>
// CHECK: plan.kernel @queries_wide cuda "sm_80"
// CHECK-SAME: attention_backward_queries<heddle::bf16, 256, 256, 64, 32, 4, 2, Score, true>
// CHECK: plan.kernel @bias cuda "sm_80"
// CHECK-SAME: attention_backward_bias<heddle::bf16, 64, 64, 64, 64, 4, 1, Score, true>(params, gradient, score)
// CHECK: plan.kernel @backward cuda "sm_80"
// CHECK-SAME: attention_backward_keys<float, 64, 64, 32, 128, 8, Score, true>
// CHECK-SAME: threads = 256
// CHECK: plan.launch @keys
// CHECK-SAME: grid = array<i64: 32, 1, 1>
// CHECK: plan.launch @keys_wide
// CHECK-SAME: grid = array<i64: 128, 1, 1>
// CHECK: plan.launch @queries
// CHECK-SAME: grid = array<i64: 72, 1, 1>
// CHECK: plan.launch @queries_wide
// CHECK-SAME: grid = array<i64: 120, 1, 1>
// CHECK: plan.launch @bias
// CHECK-SAME: grid = array<i64: 480, 1, 1>
// CHECK: plan.launch @backward
// CHECK-SAME: grid = array<i64: 32, 1, 1>
plan.program @p attributes {model = "m", device = "cuda", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @q input tensor<8388608xbf16>
  plan.buffer @f input tensor<8388608xf32>
  plan.buffer @t output tensor<14400xi32>
  kernel.func @keys(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %b: index, %h: index, %k: index, %m: index, %n: index, %s: index) {
    kernel.skeleton "attention_backward_keys"<bf16, 64, 64> scale 0.125
      (%q, %q, %q, %q, %l, %l, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %k, %m, %n, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s] score {} mask {}
  }
  kernel.func @keys_wide(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %b: index, %h: index, %k: index, %m: index, %n: index, %s: index) {
    kernel.skeleton "attention_backward_keys"<bf16, 256, 256> scale 0.125
      (%q, %q, %q, %q, %l, %l, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %k, %m, %n, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s] score {} mask {}
  }
  kernel.func @queries(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %b: index, %h: index, %k: index, %m: index, %n: index, %s: index) {
    kernel.skeleton "attention_backward_queries"<bf16, 64, 64> scale 0.125
      (%q, %q, %q, %q, %l, %l, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>)
      [%b, %h, %k, %m, %n, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s] score {} mask {}
  }
  kernel.func @queries_wide(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %b: index, %h: index, %k: index, %m: index, %n: index, %s: index) {
    kernel.skeleton "attention_backward_queries"<bf16, 256, 256> scale 0.125
      (%q, %q, %q, %q, %l, %l, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>)
      [%b, %h, %k, %m, %n, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s] score {} mask {}
  }
  kernel.func @bias(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %b: index, %h: index, %k: index, %m: index, %n: index, %s: index, %x: index, %y: index) {
    kernel.skeleton "attention_backward_bias"<bf16, 64, 64> scale 0.125
      (%q, %q, %q, %q, %l, %l, %l : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
      [%b, %h, %k, %m, %n, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %x, %y] score {} mask {}
  }
  kernel.func @backward(%q: !kernel.buffer<f32>, %l: !kernel.buffer<f32>, %t: !kernel.buffer<i32>, %b: index, %h: index, %k: index, %m: index, %n: index, %s: index) {
    kernel.skeleton "attention_backward"<f32, 64, 64> scale 0.125
      (%q, %q, %q, %q, %l, %l, %q, %q, %q, %t : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<i32>)
      [%b, %h, %k, %m, %n, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s] score {} mask {}
  }
  plan.launch @keys [#plan.ref<@q>, #plan.ref<@f>] counts [2, 12, 4, 300, 500, 64] phase forward
  plan.launch @keys_wide [#plan.ref<@q>, #plan.ref<@f>] counts [2, 12, 4, 300, 500, 64] phase forward
  plan.launch @queries [#plan.ref<@q>, #plan.ref<@f>] counts [2, 12, 4, 300, 500, 64] phase forward
  plan.launch @queries_wide [#plan.ref<@q>, #plan.ref<@f>] counts [2, 12, 4, 300, 500, 64] phase forward
  plan.launch @bias [#plan.ref<@q>, #plan.ref<@f>] counts [2, 12, 4, 300, 500, 64, 1, 12] phase forward
  plan.launch @backward [#plan.ref<@f>, #plan.ref<@f>, #plan.ref<@t>] counts [2, 12, 4, 300, 500, 64] phase forward
}
