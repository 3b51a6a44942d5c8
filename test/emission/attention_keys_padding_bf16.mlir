// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_keys_padding_bf16.cu -
// Keys that are padding, and values of another width; their sums are made apart.
kernel.func @attention_keys_padding_bf16(
    %q: !kernel.buffer<bf16> loc("q"), %k: !kernel.buffer<bf16> loc("k"), %v: !kernel.buffer<bf16> loc("v"),
    %g: !kernel.buffer<bf16> loc("g"), %statistics: !kernel.buffer<f32> loc("statistics"), %delta: !kernel.buffer<f32> loc("delta"),
    %dk: !kernel.buffer<bf16> loc("dk"), %dv: !kernel.buffer<bf16> loc("dv"), %ids: !kernel.buffer<i32> loc("ids"),
    %batch: index loc("batch"), %heads: index loc("heads"), %key_heads: index loc("key_heads"),
    %queries: index loc("queries"), %keys: index loc("keys"),
    %q_batch: index {kernel.divisor = 16 : i64} loc("q_batch"),
    %q_head: index {kernel.divisor = 16 : i64} loc("q_head"), %q_row: index {kernel.divisor = 16 : i64} loc("q_row"),
    %k_batch: index {kernel.divisor = 16 : i64} loc("k_batch"),
    %k_head: index {kernel.divisor = 16 : i64} loc("k_head"), %k_row: index {kernel.divisor = 16 : i64} loc("k_row"),
    %v_batch: index {kernel.divisor = 16 : i64} loc("v_batch"),
    %v_head: index {kernel.divisor = 16 : i64} loc("v_head"), %v_row: index {kernel.divisor = 16 : i64} loc("v_row"),
    %g_batch: index {kernel.divisor = 16 : i64} loc("g_batch"),
    %g_head: index {kernel.divisor = 16 : i64} loc("g_head"), %g_row: index {kernel.divisor = 16 : i64} loc("g_row"),
    %dk_batch: index {kernel.divisor = 16 : i64} loc("dk_batch"),
    %dk_head: index {kernel.divisor = 16 : i64} loc("dk_head"),
    %dk_row: index {kernel.divisor = 16 : i64} loc("dk_row"),
    %dv_batch: index {kernel.divisor = 16 : i64} loc("dv_batch"),
    %dv_head: index {kernel.divisor = 16 : i64} loc("dv_head"),
    %dv_row: index {kernel.divisor = 16 : i64} loc("dv_row")) {
  kernel.skeleton "attention_backward_keys"<bf16, 192, 128> scale 0.07216878364870322
    (%q, %k, %v, %g, %statistics, %delta, %dk, %dv, %ids : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<i32>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %g_batch, %g_head, %g_row, %dk_batch, %dk_head, %dk_row, %dv_batch, %dv_head, %dv_row]
    score {} mask {
    ^bb0(%b: index loc("batch_index"), %h: index, %i: index, %j: index loc("key")):
      %p = kernel.load %ids [affine_map<(b, j)[n] -> (b * n + j)>] (%b, %j)[%keys] : !kernel.buffer<i32>
      %two = arith.constant 2 : i32
      %keep = arith.cmpi sge, %p, %two : i32
      kernel.yield %keep : i1
    }
}
