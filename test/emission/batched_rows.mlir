// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/batched_rows.cu -
// Sums of squares along rows of one length, of matrices of any number of rows: rows are counted within the instance.
kernel.func @batched_rows(%x: !kernel.buffer<bf16> loc("gradient"), %y: !kernel.buffer<f32> loc("sums"),
                          %rows: index loc("rows")) attributes {batched} {
  %width = arith.constant 768 : index
  kernel.rows (%r loc("row")) in (%rows) {
    %sum = kernel.columns %c loc("col") in %width reduce [add] {
      %low = kernel.load %x [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<bf16> loc("low")
      %v = arith.extf %low : bf16 to f32 loc("value")
      %s = arith.mulf %v, %v : f32
      kernel.yield %s : f32
    } : f32 loc("sum")
    kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}
