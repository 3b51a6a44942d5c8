// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/softmax.cu -
// Softmax over a length known only at run time: three loops, nothing kept.
kernel.func @softmax(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y"), %rows: index loc("rows"),
                     %length: index loc("length")) {
  kernel.rows (%r loc("r")) in (%rows) {
    %max = kernel.columns %c loc("c") in %length reduce [max] {
      %v = kernel.load %x [affine_map<(r, c)[n] -> (r * n + c)>] (%r, %c)[%length] : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : f32 loc("row_max")
    %sum = kernel.columns %c loc("c") in %length reduce [add] {
      %v = kernel.load %x [affine_map<(r, c)[n] -> (r * n + c)>] (%r, %c)[%length] : !kernel.buffer<f32>
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      kernel.yield %e : f32
    } : f32 loc("row_sum")
    kernel.columns %c loc("c") in %length {
      %v = kernel.load %x [affine_map<(r, c)[n] -> (r * n + c)>] (%r, %c)[%length] : !kernel.buffer<f32>
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      %p = arith.divf %e, %sum : f32
      kernel.store %p, %y [affine_map<(r, c)[n] -> (r * n + c)>] (%r, %c)[%length] : !kernel.buffer<f32>
    }
  }
}
