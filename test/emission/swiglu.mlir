// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/swiglu.cu -
// silu(gate) * up, gate and up side by side in the rows of one product: flat.
kernel.func @swiglu(%product: !kernel.buffer<bf16> loc("product"), %y: !kernel.buffer<bf16> loc("y"),
                    %rows: index loc("rows")) {
  %width = arith.constant 2048 : index
  %one = arith.constant 1.0 : f32
  kernel.rows (%r loc("r")) in (%rows) {
    kernel.columns %c loc("c") in %width {
      %g0 = kernel.load %product [affine_map<(r, c) -> (r * 4096 + c)>] (%r, %c) : !kernel.buffer<bf16> loc("gate_half")
      %u0 = kernel.load %product [affine_map<(r, c) -> (r * 4096 + c + 2048)>] (%r, %c) : !kernel.buffer<bf16> loc("up_half")
      %g = arith.extf %g0 : bf16 to f32 loc("gate")
      %u = arith.extf %u0 : bf16 to f32 loc("up")
      %minus = arith.negf %g : f32
      %e = math.exp %minus : f32
      %d = arith.addf %one, %e : f32
      %s = arith.divf %g, %d : f32 loc("silu")
      %o = arith.mulf %s, %u : f32
      %h = arith.truncf %o : f32 to bf16
      kernel.store %h, %y [affine_map<(r, c) -> (r * 2048 + c)>] (%r, %c) : !kernel.buffer<bf16>
    }
  }
}
