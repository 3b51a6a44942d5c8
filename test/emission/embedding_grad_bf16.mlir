// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/embedding_grad_bf16.cu -
// bf16 rows to a bf16 table by 64-bit ids: eight threads take a row of 64 columns, so that 32 rows share a block.
kernel.func @embedding_grad_bf16(%g: !kernel.buffer<bf16> loc("g"), %ids: !kernel.buffer<i64> loc("ids"),
                                 %y: !kernel.buffer<bf16> loc("y"), %tokens: index loc("tokens"),
                                 %stride: index {kernel.divisor = 192 : i64} loc("stride"),
                                 %rows: index loc("rows")) {
  kernel.row_sums 64 of %g[%stride] by %ids[%tokens] into %y[%rows] : <bf16>, <i64>, <bf16>
}
