// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_softcap_bf16.cu -
// Scores capped by a tangent, under a window.
kernel.func @attention_softcap_bf16(%q: !kernel.buffer<bf16> loc("q"),
                                   %k: !kernel.buffer<bf16> loc("k"),
                                   %v: !kernel.buffer<bf16> loc("v"),
                                   %out: !kernel.buffer<bf16> loc("out"),
                                   %batch: index loc("batch"),
                                   %heads: index loc("heads"),
                                   %key_heads: index loc("key_heads"),
                                   %queries: index loc("queries"),
                                   %keys: index loc("keys"),
                                   %q_batch: index {kernel.divisor = 16 : i64} loc("q_batch"),
                                   %q_head: index {kernel.divisor = 16 : i64} loc("q_head"),
                                   %q_row: index {kernel.divisor = 16 : i64} loc("q_row"),
                                   %k_batch: index {kernel.divisor = 16 : i64} loc("k_batch"),
                                   %k_head: index {kernel.divisor = 16 : i64} loc("k_head"),
                                   %k_row: index {kernel.divisor = 16 : i64} loc("k_row"),
                                   %v_batch: index {kernel.divisor = 16 : i64} loc("v_batch"),
                                   %v_head: index {kernel.divisor = 16 : i64} loc("v_head"),
                                   %v_row: index {kernel.divisor = 16 : i64} loc("v_row"),
                                   %out_batch: index {kernel.divisor = 16 : i64} loc("out_batch"),
                                   %out_head: index {kernel.divisor = 16 : i64} loc("out_head"),
                                   %out_row: index {kernel.divisor = 16 : i64} loc("out_row")) {
  kernel.skeleton "attention_forward"<bf16, 128, 128> scale 1.250000000e-01 causal window 77
    (%q, %k, %v, %out : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %out_batch, %out_head, %out_row]
    score {
    ^bb0(%s: f32 loc("s"), %b: index, %h: index, %i: index, %j: index):
      %cap = arith.constant 50.0 : f32
      %reciprocal = arith.constant 2.0e-02 : f32
      %d = arith.mulf %s, %reciprocal : f32
      %t = math.tanh %d : f32
      %u = arith.mulf %t, %cap : f32
      kernel.yield %u : f32
    } mask {}
}
