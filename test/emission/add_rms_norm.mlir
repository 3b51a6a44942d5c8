// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/add_rms_norm.cu -
// The residual sum is written and normalised in one pass over 2,048 columns: 64 threads a row, sums through shared
// memory.
kernel.func @add_rms_norm(%x: !kernel.buffer<f32> loc("x"), %branch: !kernel.buffer<bf16> loc("branch"),
                          %weight: !kernel.buffer<f32> loc("weight"), %residual: !kernel.buffer<f32> loc("residual"),
                          %y: !kernel.buffer<bf16> loc("y"), %batch: index loc("batch"), %sequence: index loc("sequence")) {
  %width = arith.constant 2048 : index
  %count = arith.constant 2048.0 : f32
  %eps = arith.constant 1.0e-06 : f32
  kernel.rows (%b loc("b"), %s loc("s")) in (%batch, %sequence) {
    %kept, %sum = kernel.columns %c loc("c") in %width reduce [add] {
      %v = kernel.load %x [affine_map<(b, s, c)[n] -> ((b * n + s) * 2048 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<f32> loc("x_value")
      %h = kernel.load %branch [affine_map<(b, s, c)[n] -> ((b * n + s) * 2048 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<bf16> loc("branch_value")
      %f = arith.extf %h : bf16 to f32
      %t = arith.addf %v, %f : f32 loc("total")
      kernel.store %t, %residual [affine_map<(b, s, c)[n] -> ((b * n + s) * 2048 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<f32>
      %q = arith.mulf %t, %t : f32
      kernel.yield %t, %q : f32, f32
    } : !kernel.row<f32>, f32 loc("sum_squares")
    %mean = arith.divf %sum, %count : f32 loc("mean")
    %shifted = arith.addf %mean, %eps : f32
    %scale = math.rsqrt %shifted : f32 loc("scale")
    kernel.columns %c loc("c") in %width {
      %v = kernel.get %kept : !kernel.row<f32>
      %w = kernel.load %weight [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("w")
      %n = arith.mulf %v, %scale : f32
      %o = arith.mulf %n, %w : f32
      %r = arith.truncf %o : f32 to bf16
      kernel.store %r, %y [affine_map<(b, s, c)[n] -> ((b * n + s) * 2048 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<bf16>
    }
  }
}
