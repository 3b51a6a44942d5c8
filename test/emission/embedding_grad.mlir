// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/embedding_grad.cu -
// The gradient of a table in float32: 192 threads take a row of 768 columns.
kernel.func @embedding_grad(%g: !kernel.buffer<f32> loc("g"), %ids: !kernel.buffer<i32> loc("ids"),
                            %y: !kernel.buffer<f32> loc("y"), %tokens: index loc("tokens"),
                            %stride: index {kernel.divisor = 768 : i64} loc("stride"), %rows: index loc("rows")) {
  kernel.row_sums 768 of %g[%stride] by %ids[%tokens] into %y[%rows] : <f32>, <i32>, <f32>
}
