// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_unaligned_bf16.cu -
// Strides that promise nothing: copies go by elements.
kernel.func @attention_unaligned_bf16(%q: !kernel.buffer<bf16> loc("q"), %k: !kernel.buffer<bf16> loc("k"),
                                      %v: !kernel.buffer<bf16> loc("v"), %out: !kernel.buffer<bf16> loc("out"),
                                      %batch: index loc("batch"), %heads: index loc("heads"),
                                      %key_heads: index loc("key_heads"), %queries: index loc("queries"),
                                      %keys: index loc("keys"), %q_batch: index loc("q_batch"),
                                      %q_head: index loc("q_head"), %q_row: index loc("q_row"),
                                      %k_batch: index loc("k_batch"), %k_head: index loc("k_head"),
                                      %k_row: index loc("k_row"), %v_batch: index loc("v_batch"),
                                      %v_head: index loc("v_head"), %v_row: index loc("v_row"),
                                      %out_batch: index loc("out_batch"), %out_head: index loc("out_head"),
                                      %out_row: index loc("out_row")) {
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.250000000e-01 causal
    (%q, %k, %v, %out : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %out_batch, %out_head, %out_row]
    score {} mask {}
}
