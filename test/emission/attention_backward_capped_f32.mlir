// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_backward_capped_f32.cu -
// The same of capped scores.
kernel.func @attention_backward_capped_f32(
    %q: !kernel.buffer<f32> loc("q"), %k: !kernel.buffer<f32> loc("k"), %v: !kernel.buffer<f32> loc("v"),
    %g: !kernel.buffer<f32> loc("g"), %statistics: !kernel.buffer<f32> loc("statistics"), %delta: !kernel.buffer<f32> loc("delta"),
    %dq: !kernel.buffer<f32> loc("dq"), %dk: !kernel.buffer<f32> loc("dk"), %dv: !kernel.buffer<f32> loc("dv"),
    %turns: !kernel.buffer<i32> loc("turns"), %batch: index loc("batch"), %heads: index loc("heads"),
    %key_heads: index loc("key_heads"), %queries: index loc("queries"), %keys: index loc("keys"),
    %q_batch: index {kernel.divisor = 16 : i64} loc("q_batch"),
    %q_head: index {kernel.divisor = 16 : i64} loc("q_head"), %q_row: index {kernel.divisor = 16 : i64} loc("q_row"),
    %k_batch: index {kernel.divisor = 16 : i64} loc("k_batch"),
    %k_head: index {kernel.divisor = 16 : i64} loc("k_head"), %k_row: index {kernel.divisor = 16 : i64} loc("k_row"),
    %v_batch: index {kernel.divisor = 16 : i64} loc("v_batch"),
    %v_head: index {kernel.divisor = 16 : i64} loc("v_head"), %v_row: index {kernel.divisor = 16 : i64} loc("v_row"),
    %g_batch: index {kernel.divisor = 16 : i64} loc("g_batch"),
    %g_head: index {kernel.divisor = 16 : i64} loc("g_head"), %g_row: index {kernel.divisor = 16 : i64} loc("g_row"),
    %dq_batch: index {kernel.divisor = 16 : i64} loc("dq_batch"),
    %dq_head: index {kernel.divisor = 16 : i64} loc("dq_head"),
    %dq_row: index {kernel.divisor = 16 : i64} loc("dq_row"),
    %dk_batch: index {kernel.divisor = 16 : i64} loc("dk_batch"),
    %dk_head: index {kernel.divisor = 16 : i64} loc("dk_head"),
    %dk_row: index {kernel.divisor = 16 : i64} loc("dk_row"),
    %dv_batch: index {kernel.divisor = 16 : i64} loc("dv_batch"),
    %dv_head: index {kernel.divisor = 16 : i64} loc("dv_head"),
    %dv_row: index {kernel.divisor = 16 : i64} loc("dv_row")) {
  kernel.skeleton "attention_backward"<f32, 128, 128> scale 0.08838834764831845 causal
    (%q, %k, %v, %g, %statistics, %delta, %dq, %dk, %dv, %turns : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<i32>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %g_batch, %g_head, %g_row, %dq_batch, %dq_head, %dq_row, %dk_batch, %dk_head, %dk_row, %dv_batch, %dv_head, %dv_row]
    score {
    ^bb0(%s: f32 loc("s"), %b: index, %h: index, %i: index, %j: index):
      %part = arith.constant 0.02 : f32
      %cap = arith.constant 50.0 : f32
      %one = arith.constant 1.0 : f32
      %d = arith.mulf %s, %part : f32
      %t = math.tanh %d : f32
      %u = arith.mulf %t, %cap : f32
      %above = arith.addf %one, %t : f32
      %below = arith.subf %one, %t : f32
      %slope = arith.mulf %above, %below : f32 loc("change")
      kernel.yield %u, %slope : f32, f32
    } mask {}
}
