// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/bias_gelu.cu -
// Pointwise with a bias along the columns and a scale along the rows, GELU by the error function.
kernel.func @bias_gelu(%x: !kernel.buffer<bf16> loc("x"), %bias: !kernel.buffer<f32> loc("bias"),
                       %row_scale: !kernel.buffer<f32> loc("row_scale"), %y: !kernel.buffer<bf16> loc("y"),
                       %rows: index loc("rows")) {
  %width = arith.constant 3072 : index
  %half = arith.constant 5.0e-01 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.707106769 : f32
  kernel.rows (%r loc("r")) in (%rows) {
    kernel.columns %c loc("c") in %width {
      %h = kernel.load %x [affine_map<(r, c) -> (r * 3072 + c)>] (%r, %c) : !kernel.buffer<bf16>
      %b = kernel.load %bias [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      %s = kernel.load %row_scale [affine_map<(r, c) -> (r)>] (%r, %c) : !kernel.buffer<f32> loc("s")
      %f = arith.extf %h : bf16 to f32
      %t = arith.addf %f, %b : f32 loc("t")
      %a = arith.mulf %t, %root : f32
      %e = math.erf %a : f32
      %p = arith.addf %one, %e : f32
      %q = arith.mulf %t, %half : f32
      %g = arith.mulf %q, %p : f32 loc("gelu")
      %o = arith.mulf %g, %s : f32
      %k = arith.truncf %o : f32 to bf16
      kernel.store %k, %y [affine_map<(r, c) -> (r * 3072 + c)>] (%r, %c) : !kernel.buffer<bf16>
    }
  }
}
