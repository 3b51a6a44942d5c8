// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_statistics_bf16.cu -
// The same in bf16.
kernel.func @attention_statistics_bf16(
    %q: !kernel.buffer<bf16> loc("q"), %k: !kernel.buffer<bf16> loc("k"), %v: !kernel.buffer<bf16> loc("v"),
    %out: !kernel.buffer<bf16> loc("out"), %statistics: !kernel.buffer<f32> loc("statistics"), %batch: index loc("batch"),
    %heads: index loc("heads"), %key_heads: index loc("key_heads"), %queries: index loc("queries"),
    %keys: index loc("keys"), %q_batch: index {kernel.divisor = 16 : i64} loc("q_batch"),
    %q_head: index {kernel.divisor = 16 : i64} loc("q_head"), %q_row: index {kernel.divisor = 16 : i64} loc("q_row"),
    %k_batch: index {kernel.divisor = 16 : i64} loc("k_batch"),
    %k_head: index {kernel.divisor = 16 : i64} loc("k_head"), %k_row: index {kernel.divisor = 16 : i64} loc("k_row"),
    %v_batch: index {kernel.divisor = 16 : i64} loc("v_batch"),
    %v_head: index {kernel.divisor = 16 : i64} loc("v_head"), %v_row: index {kernel.divisor = 16 : i64} loc("v_row"),
    %out_batch: index {kernel.divisor = 16 : i64} loc("out_batch"),
    %out_head: index {kernel.divisor = 16 : i64} loc("out_head"),
    %out_row: index {kernel.divisor = 16 : i64} loc("out_row")) {
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 0.125 causal
    (%q, %k, %v, %out, %statistics : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %out_batch, %out_head, %out_row]
    score {} mask {} {statistics}
}
