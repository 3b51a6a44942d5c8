// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/causal_mask.cu -
// A causal mask as bools, and the scores that it hides: rows and columns are counts, so vectors have one column.
kernel.func @causal_mask(%scores: !kernel.buffer<f32> loc("scores"), %mask: !kernel.buffer<i1> loc("mask"),
                         %heads: index loc("heads"), %queries: index loc("queries"), %keys: index loc("keys")) {
  %offset = arith.subi %keys, %queries : index loc("offset")
  %hidden = arith.constant 0xFF800000 : f32
  kernel.rows (%h loc("h"), %q loc("q")) in (%heads, %queries) {
    %last = arith.addi %q, %offset : index loc("last")
    kernel.columns %k loc("k") in %keys {
      %sees = arith.cmpi sle, %k, %last : index loc("sees")
      %s = kernel.load %scores [affine_map<(h, q, k)[nq, nk] -> ((h * nq + q) * nk + k)>] (%h, %q, %k)[%queries, %keys] : !kernel.buffer<f32>
      %m = arith.select %sees, %s, %hidden : f32
      kernel.store %m, %scores [affine_map<(h, q, k)[nq, nk] -> ((h * nq + q) * nk + k)>] (%h, %q, %k)[%queries, %keys] : !kernel.buffer<f32>
      kernel.store %sees, %mask [affine_map<(h, q, k)[nq, nk] -> ((h * nq + q) * nk + k)>] (%h, %q, %k)[%queries, %keys] : !kernel.buffer<i1>
    }
  }
}
