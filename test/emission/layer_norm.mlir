// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/layer_norm.cu -
// LayerNorm with bias in float32: two reductions over a row that stays in registers.
kernel.func @layer_norm(%x: !kernel.buffer<f32> loc("x"), %weight: !kernel.buffer<f32> loc("weight"),
                        %bias: !kernel.buffer<f32> loc("bias"), %y: !kernel.buffer<f32> loc("y"),
                        %rows: index loc("rows")) {
  %width = arith.constant 1600 : index
  %count = arith.constant 1600.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  kernel.rows (%r loc("r")) in (%rows) {
    %kept, %sum = kernel.columns %c loc("c") in %width reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 1600 + c)>] (%r, %c) : !kernel.buffer<f32> loc("x_value")
      kernel.yield %v, %v : f32, f32
    } : !kernel.row<f32>, f32 loc("sum")
    %mean = arith.divf %sum, %count : f32 loc("mean")
    %centred, %squares = kernel.columns %c loc("c") in %width reduce [add] {
      %v = kernel.get %kept : !kernel.row<f32>
      %d = arith.subf %v, %mean : f32 loc("centred")
      %q = arith.mulf %d, %d : f32
      kernel.yield %d, %q : f32, f32
    } : !kernel.row<f32>, f32 loc("sum_squares")
    %variance = arith.divf %squares, %count : f32 loc("variance")
    %shifted = arith.addf %variance, %eps : f32
    %scale = math.rsqrt %shifted : f32 loc("scale")
    kernel.columns %c loc("c") in %width {
      %d = kernel.get %centred : !kernel.row<f32>
      %n = arith.mulf %d, %scale : f32
      %w = kernel.load %weight [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      %b = kernel.load %bias [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      %m = arith.mulf %n, %w : f32
      %o = arith.addf %m, %b : f32
      kernel.store %o, %y [affine_map<(r, c) -> (r * 1600 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}
