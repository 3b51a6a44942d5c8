// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/column_sums.cu -
// Sums over the rows of a matrix, as the gradient of a norm's weight is: eight neighbouring columns share a block, and neighbouring threads
// read neighbouring columns. The last block has columns that are not there.
kernel.func @column_sums(%x: !kernel.buffer<f32> loc("x"), %sums: !kernel.buffer<f32> loc("sums"),
                         %squares: !kernel.buffer<f32> loc("squares"), %count: index loc("count")) {
  %width = arith.constant 770 : index
  kernel.rows (%r loc("column")) in (%width) {
    %sum = kernel.columns %c loc("row") in %count reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r + c * 770)>] (%r, %c) : !kernel.buffer<f32> loc("x_value")
      kernel.yield %v : f32
    } : f32
    %square = arith.mulf %sum, %sum : f32 loc("square")
    kernel.store %sum, %sums [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    kernel.store %square, %squares [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}
