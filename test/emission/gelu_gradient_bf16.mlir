// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/gelu_gradient_bf16.cu -
// Nothing is reduced along the rows: the gradient behind a bias and an activation, and in parts of the rows the bias' own. Two sums; some
// threads have no columns.
kernel.func @gelu_gradient_bf16(%x: !kernel.buffer<bf16> loc("x"), %dy: !kernel.buffer<bf16> loc("dy"), %dx: !kernel.buffer<bf16> loc("dx"),
    %bias: !kernel.buffer<f32> loc("dbias"), %whole: !kernel.buffer<f32> loc("dy_sums"), %b: index loc("batch"), %s: index loc("seq")) {
  %width = arith.constant 3080 : index
  kernel.rows (%i loc("i"), %j loc("j")) in (%b, %s) attributes {parts = 256 : i64} {
    kernel.columns %c loc("col") in %width {
      %xl = kernel.load %x [affine_map<(b, s, c)[n] -> (b * n * 3080 + s * 3080 + c)>] (%i, %j, %c)[%s] : !kernel.buffer<bf16> loc("x_value")
      %dl = kernel.load %dy [affine_map<(b, s, c)[n] -> (b * n * 3080 + s * 3080 + c)>] (%i, %j, %c)[%s] : !kernel.buffer<bf16> loc("dy_value")
      %v = arith.extf %xl : bf16 to f32 loc("wide_x")
      %d = arith.extf %dl : bf16 to f32 loc("wide_dy")
      %t = math.tanh %v : f32 loc("slope")
      %g = arith.mulf %d, %t : f32 loc("gradient")
      kernel.accumulate %g, %bias : !kernel.buffer<f32>
      kernel.accumulate %d, %whole : !kernel.buffer<f32>
      %low = arith.truncf %g : f32 to bf16 loc("low")
      kernel.store %low, %dx [affine_map<(b, s, c)[n] -> (b * n * 3080 + s * 3080 + c)>] (%i, %j, %c)[%s] : !kernel.buffer<bf16>
    }
  }
}
