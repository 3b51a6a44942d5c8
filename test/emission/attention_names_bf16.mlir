// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/attention_names_bf16.cu -
// Captured operands that are called as members of the struct are: they get other names.
kernel.func @attention_names_bf16(%q: !kernel.buffer<bf16> loc("q"), %k: !kernel.buffer<bf16> loc("k"),
                                      %v: !kernel.buffer<bf16> loc("v"), %out: !kernel.buffer<bf16> loc("out"),
                                      %bias: !kernel.buffer<f32> loc("b"),
                                      %padding: !kernel.buffer<i1> loc("keep"), %batch: index loc("batch"),
                                      %heads: index loc("heads"), %key_heads: index loc("key_heads"),
                                      %queries: index loc("queries"), %keys: index loc("keys"),
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
                                      %out_row: index {kernel.divisor = 16 : i64} loc("out_row"),
                                      %bias_head: index loc("kHasMask")) {
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.250000000e-01 causal
    (%q, %k, %v, %out, %bias, %padding : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<i1>)
    [%batch, %heads, %key_heads, %queries, %keys, %q_batch, %q_head, %q_row, %k_batch, %k_head, %k_row, %v_batch, %v_head, %v_row, %out_batch, %out_head, %out_row]
    score {
    ^bb0(%s: f32 loc("s"), %b: index loc("batch_index"), %h: index loc("head"), %i: index loc("query"), %j: index loc("key")):
      %at = kernel.load %bias [affine_map<(h, i, j)[st] -> (h * st + i - j)>] (%h, %i, %j)[%bias_head] : !kernel.buffer<f32>
      %t = arith.addf %s, %at : f32
      kernel.yield %t : f32
    } mask {
    ^bb0(%b: index loc("batch_index"), %h: index loc("head"), %i: index loc("query"), %j: index loc("key")):
      %p = kernel.load %padding [affine_map<(b, j)[n] -> (b * n + j)>] (%b, %j)[%keys] : !kernel.buffer<i1>
      %true = arith.constant true
      %keep = arith.xori %p, %true : i1
      kernel.yield %keep : i1
    }
}
