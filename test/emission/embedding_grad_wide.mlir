// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/embedding_grad_wide.cu -
// bf16 rows to a float32 table: five blocks share a row of 4,608 columns. Rows of the gradient lie at odd multiples of four
// elements, so that a thread takes four columns at a time.
kernel.func @embedding_grad_wide(%g: !kernel.buffer<bf16> loc("g"), %ids: !kernel.buffer<i32> loc("ids"),
                                 %y: !kernel.buffer<f32> loc("y"), %tokens: index loc("tokens"),
                                 %stride: index {kernel.divisor = 4 : i64} loc("stride"),
                                 %rows: index loc("rows")) {
  kernel.row_sums 4608 of %g[%stride] by %ids[%tokens] into %y[%rows] : <bf16>, <i32>, <f32>
}
