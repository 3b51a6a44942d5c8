// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/softmax_vocabulary.cu -
// Softmax over a vocabulary of 50,257: no thread's registers hold its share of a row, so that the exponentials are computed again.
kernel.func @softmax_vocabulary(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y"),
                                %rows: index loc("rows")) {
  %width = arith.constant 50257 : index
  kernel.rows (%r loc("r")) in (%rows) {
    %kept, %max = kernel.columns %c loc("c") in %width reduce [max] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 50257 + c)>] (%r, %c) : !kernel.buffer<f32> loc("x_value")
      kernel.yield %v, %v : f32, f32
    } : !kernel.row<f32>, f32 loc("row_max")
    %exps, %sum = kernel.columns %c loc("c") in %width reduce [add] {
      %v = kernel.get %kept : !kernel.row<f32>
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32 loc("e")
      kernel.yield %e, %e : f32, f32
    } : !kernel.row<f32>, f32 loc("row_sum")
    kernel.columns %c loc("c") in %width {
      %e = kernel.get %exps : !kernel.row<f32>
      %p = arith.divf %e, %sum : f32
      kernel.store %p, %y [affine_map<(r, c) -> (r * 50257 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}
