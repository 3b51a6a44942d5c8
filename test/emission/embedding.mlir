// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/embedding.cu -
// A row of the table for each token: the id is read once for a vector, the row in whole vectors.
kernel.func @embedding(%ids: !kernel.buffer<i32> loc("ids"), %table: !kernel.buffer<f32> loc("table"),
                       %y: !kernel.buffer<f32> loc("y"), %tokens: index loc("tokens")) {
  %width = arith.constant 768 : index
  kernel.rows (%t loc("t")) in (%tokens) {
    %id = kernel.load %ids [affine_map<(t) -> (t)>] (%t) : !kernel.buffer<i32> loc("id")
    %row = arith.index_cast %id : i32 to index loc("token")
    kernel.columns %c loc("c") in %width {
      %v = kernel.load %table [affine_map<(i, c) -> (i * 768 + c)>] (%row, %c) : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(t, c) -> (t * 768 + c)>] (%t, %c) : !kernel.buffer<f32>
    }
  }
}
