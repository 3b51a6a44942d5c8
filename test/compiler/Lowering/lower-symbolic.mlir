// The text of kernels does not depend on the values of symbols: the same graph with another batch and sequence gives the same
// functions and other counts.
// RUN: heddle-opt %s --form-groups --lower-to-plan | grep -v "plan\." > %t.first
// RUN: sed -e "s/tensor<3x5x/tensor<1x7x/g; s/tensor<15x/tensor<7x/g; s/x5x1x8xf32/x7x1x8xf32/g; s/tensor<3x1x/tensor<1x1x/g; s/x5x8xf32/x7x8xf32/g; s/tensor<1x5x/tensor<1x7x/g" %s > %t.mlir
// RUN: heddle-opt %t.mlir --form-groups --lower-to-plan | grep -v "plan\." > %t.second
// RUN: diff %t.first %t.second
// RUN: FileCheck %s < %t.first
// RUN: heddle-opt %t.mlir --form-groups --lower-to-plan | FileCheck %s --check-prefix=SECOND
// RUN: heddle-opt %s --form-groups --lower-to-plan | FileCheck %s --check-prefix=FIRST

// (The names without a number are those of the buffers.) Rows of a norm are batch and sequence in one loop, their product made once; queries are turned to heads first.
// CHECK: kernel.func @rms_norm_1(
// CHECK-SAME: %[[BATCH:[a-z0-9]+]]: index, %[[SEQ:[a-z0-9]+]]: index)
// CHECK: %[[ROWS:.*]] = arith.muli %[[BATCH]], %[[SEQ]] : index
// CHECK: kernel.rows (%{{[a-z0-9]+}}) in (%[[ROWS]]) {
// CHECK: kernel.func @mul_1(
// CHECK: kernel.func @attention_d8_causal(
// FIRST: symbols = {batch = 3 : i64, seq = 5 : i64}
// FIRST: plan.launch @rms_norm_1 {{.*}} counts [3, 5]
// FIRST: plan.product 15 x 8 x 8
// FIRST: plan.launch @attention_d8_causal {{.*}} counts [3, 1, 1, 5, 5,
// SECOND: symbols = {batch = 1 : i64, seq = 7 : i64}
// SECOND: plan.launch @rms_norm_1 {{.*}} counts [1, 7]
// SECOND: plan.product 7 x 8 x 8
// SECOND: plan.launch @attention_d8_causal {{.*}} counts [1, 1, 1, 7, 7,
func.func @main(%x: tensor<3x5x8xf32, #graph.dims<["batch", "seq", ""]>>, %t: tensor<1x5x8xf32, #graph.dims<["", "seq", ""]>>) -> tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>> {
  %w = graph.parameter [#graph.part<"norm", [8], constant, 1.0>] : tensor<8xf32>
  %p = graph.parameter [#graph.part<"q", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %0 = graph.rms_norm %x, %w epsilon 1.0e-5 : tensor<3x5x8xf32, #graph.dims<["batch", "seq", ""]>>, tensor<8xf32>
  %1 = graph.reshape %0 : tensor<3x5x8xf32, #graph.dims<["batch", "seq", ""]>> -> tensor<15x8xf32, #graph.dims<["batch*seq", ""]>>
  %2 = graph.matmul %1, %p : tensor<15x8xf32, #graph.dims<["batch*seq", ""]>>, tensor<8x8xf32> -> tensor<15x8xf32, #graph.dims<["batch*seq", ""]>>
  %3 = graph.reshape %2 : tensor<15x8xf32, #graph.dims<["batch*seq", ""]>> -> tensor<3x5x1x8xf32, #graph.dims<["batch", "seq", "", ""]>>
  %4 = graph.transpose %3 [0, 2, 1, 3] : tensor<3x5x1x8xf32, #graph.dims<["batch", "seq", "", ""]>> -> tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>>
  %5 = graph.reshape %t : tensor<1x5x8xf32, #graph.dims<["", "seq", ""]>> -> tensor<1x1x5x8xf32, #graph.dims<["", "", "seq", ""]>>
  %6 = graph.broadcast %5 : tensor<1x1x5x8xf32, #graph.dims<["", "", "seq", ""]>> -> tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>>
  %7 = graph.mul %4, %6 : tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>>
  %8 = graph.attention %7, %4, %4 scale 0.5 causal : tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>>, tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>>, tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>> -> tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>>
  return %8 : tensor<3x1x5x8xf32, #graph.dims<["batch", "", "seq", ""]>>
}
