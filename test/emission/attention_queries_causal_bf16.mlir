// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_queries_causal_bf16.cu -
// The gradient of queries beside them.
kernel.func @attention_queries_causal_bf16(
    %q: !kernel.buffer<bf16> loc("q"), %k: !kernel.buffer<bf16> loc("k"), %v: !kernel.buffer<bf16> loc("v"),
    %g: !kernel.buffer<bf16> loc("g"), %statistics: !kernel.buffer<f32> loc("statistics"), %delta: !kernel.buffer<f32> loc("delta"),
    %dq: !kernel.buffer<bf16> loc("dq"), %batch: index loc("batch"), %heads: index loc("heads"),
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
    %dq_row: index {kernel.divisor = 16 : i64} loc("dq_row")) {
  kernel.skeleton "attention_backward_queries"<bf16, 64, 64> scale 0.125 causal
    (%q, %k, %v, %g, %statistics, %delta, %dq : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %g_batch, %g_head, %g_row, %dq_batch, %dq_head, %dq_row]
    score {} mask {}
}
