// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_bias_gradient_f32.cu -
// The gradient of a bias, in float32.
kernel.func @attention_bias_gradient_f32(
    %q: !kernel.buffer<f32> loc("q"), %k: !kernel.buffer<f32> loc("k"), %v: !kernel.buffer<f32> loc("v"),
    %g: !kernel.buffer<f32> loc("g"), %statistics: !kernel.buffer<f32> loc("statistics"), %delta: !kernel.buffer<f32> loc("delta"),
    %dbias: !kernel.buffer<f32> loc("dbias"), %bias: !kernel.buffer<f32> loc("bias"), %batch: index loc("batch"),
    %heads: index loc("heads"), %key_heads: index loc("key_heads"), %queries: index loc("queries"),
    %keys: index loc("keys"), %q_batch: index {kernel.divisor = 16 : i64} loc("q_batch"),
    %q_head: index {kernel.divisor = 16 : i64} loc("q_head"), %q_row: index {kernel.divisor = 16 : i64} loc("q_row"),
    %k_batch: index {kernel.divisor = 16 : i64} loc("k_batch"),
    %k_head: index {kernel.divisor = 16 : i64} loc("k_head"), %k_row: index {kernel.divisor = 16 : i64} loc("k_row"),
    %v_batch: index {kernel.divisor = 16 : i64} loc("v_batch"),
    %v_head: index {kernel.divisor = 16 : i64} loc("v_head"), %v_row: index {kernel.divisor = 16 : i64} loc("v_row"),
    %g_batch: index {kernel.divisor = 16 : i64} loc("g_batch"),
    %g_head: index {kernel.divisor = 16 : i64} loc("g_head"), %g_row: index {kernel.divisor = 16 : i64} loc("g_row"),
    %dbias_batch: index loc("dbias_batch"), %dbias_heads: index loc("dbias_heads")) {
  kernel.skeleton "attention_backward_bias"<f32, 64, 64> scale 0.125
    (%q, %k, %v, %g, %statistics, %delta, %dbias, %bias : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %g_batch, %g_head, %g_row, %dbias_batch, %dbias_heads]
    score {
    ^bb0(%s: f32 loc("s"), %b: index, %h: index loc("head"), %i: index loc("query"), %j: index loc("key")):
      %x = kernel.load %bias [affine_map<(h, i, j)[m, n] -> (h * m * n + i * n + j)>] (%h, %i, %j)[%queries, %keys] : !kernel.buffer<f32>
      %u = arith.addf %s, %x : f32
      kernel.yield %u : f32
    } mask {}
}
