// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_keys_window_f16.cu -
// Keys that a window of queries sees, in float16; rows that are not aligned.
kernel.func @attention_keys_window_f16(
    %q: !kernel.buffer<f16> loc("q"), %k: !kernel.buffer<f16> loc("k"), %v: !kernel.buffer<f16> loc("v"),
    %g: !kernel.buffer<f16> loc("g"), %statistics: !kernel.buffer<f32> loc("statistics"), %delta: !kernel.buffer<f32> loc("delta"),
    %dk: !kernel.buffer<f16> loc("dk"), %dv: !kernel.buffer<f16> loc("dv"), %batch: index loc("batch"),
    %heads: index loc("heads"), %key_heads: index loc("key_heads"), %queries: index loc("queries"),
    %keys: index loc("keys"), %q_batch: index {kernel.divisor = 2 : i64} loc("q_batch"),
    %q_head: index {kernel.divisor = 2 : i64} loc("q_head"), %q_row: index {kernel.divisor = 2 : i64} loc("q_row"),
    %k_batch: index {kernel.divisor = 2 : i64} loc("k_batch"), %k_head: index {kernel.divisor = 2 : i64} loc("k_head"),
    %k_row: index {kernel.divisor = 2 : i64} loc("k_row"), %v_batch: index {kernel.divisor = 2 : i64} loc("v_batch"),
    %v_head: index {kernel.divisor = 2 : i64} loc("v_head"), %v_row: index {kernel.divisor = 2 : i64} loc("v_row"),
    %g_batch: index {kernel.divisor = 2 : i64} loc("g_batch"), %g_head: index {kernel.divisor = 2 : i64} loc("g_head"),
    %g_row: index {kernel.divisor = 2 : i64} loc("g_row"), %dk_batch: index {kernel.divisor = 2 : i64} loc("dk_batch"),
    %dk_head: index {kernel.divisor = 2 : i64} loc("dk_head"), %dk_row: index {kernel.divisor = 2 : i64} loc("dk_row"),
    %dv_batch: index {kernel.divisor = 2 : i64} loc("dv_batch"),
    %dv_head: index {kernel.divisor = 2 : i64} loc("dv_head"),
    %dv_row: index {kernel.divisor = 2 : i64} loc("dv_row")) {
  kernel.skeleton "attention_backward_keys"<f16, 80, 80> scale 0.11180339887498948 causal window 100
    (%q, %k, %v, %g, %statistics, %delta, %dk, %dv : !kernel.buffer<f16>, !kernel.buffer<f16>, !kernel.buffer<f16>, !kernel.buffer<f16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f16>, !kernel.buffer<f16>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %g_batch, %g_head, %g_row, %dk_batch, %dk_head, %dk_row, %dv_batch, %dv_head, %dv_row]
    score {} mask {}
}
