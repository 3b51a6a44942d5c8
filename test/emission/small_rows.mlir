// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/small_rows.cu -
// Rows of 48 columns share a warp: sixteen lanes each, and sums that stay within them. One thread a row writes the sum.
kernel.func @small_rows(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y"),
                        %sums: !kernel.buffer<f32> loc("sums"), %rows: index loc("rows")) {
  %width = arith.constant 48 : index
  kernel.rows (%r loc("r")) in (%rows) {
    %kept, %sum, %min = kernel.columns %c loc("c") in %width reduce [add, min] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 48 + c)>] (%r, %c) : !kernel.buffer<f32> loc("x_value")
      %a = math.absf %v : f32 loc("magnitude")
      kernel.yield %a, %a, %v : f32, f32, f32
    } : !kernel.row<f32>, f32, f32
    kernel.store %sum, %sums [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    kernel.columns %c loc("c") in %width {
      %a = kernel.get %kept : !kernel.row<f32>
      %p = arith.divf %a, %sum : f32
      %q = arith.addf %p, %min : f32
      kernel.store %q, %y [affine_map<(r, c) -> (r * 48 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}
