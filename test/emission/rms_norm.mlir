// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/rms_norm.cu -
// RMSNorm of 768 columns, the result rounded to bf16 for the next product: a warp a row, the row kept in registers.
kernel.func @rms_norm(%x: !kernel.buffer<f32> loc("x"), %weight: !kernel.buffer<f32> loc("weight"),
                      %y: !kernel.buffer<bf16> loc("y"), %rows: index loc("rows")) {
  %width = arith.constant 768 : index
  %count = arith.constant 768.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  kernel.rows (%r loc("r")) in (%rows) {
    %kept, %sum = kernel.columns %c loc("c") in %width reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32> loc("x_value")
      %s = arith.mulf %v, %v : f32
      kernel.yield %v, %s : f32, f32
    } : !kernel.row<f32>, f32 loc("sum_squares")
    %mean = arith.divf %sum, %count : f32 loc("mean")
    %shifted = arith.addf %mean, %eps : f32 loc("shifted")
    %scale = math.rsqrt %shifted : f32 loc("scale")
    kernel.columns %c loc("c") in %width {
      %v = kernel.get %kept : !kernel.row<f32>
      %n = arith.mulf %v, %scale : f32 loc("normalised")
      %w = kernel.load %weight [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("w")
      %o = arith.mulf %n, %w : f32 loc("scaled")
      %b = arith.truncf %o : f32 to bf16 loc("rounded")
      kernel.store %b, %y [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<bf16>
    }
  }
}
