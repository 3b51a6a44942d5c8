// Mode accumulate: each run adds its gradients to states, in backward; the optimizer, which runs may leave out, takes the sums.
// RUN: heddle-opt %s --autodiff='optimizer accumulate' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(autodiff{optimizer accumulate},func.func(keep-least,form-groups),lower-to-plan{device=cpu mode=accumulate})' | FileCheck %s --check-prefix=PLAN

// CHECK: %[[DW:[0-9]+]] = graph.matmul
// CHECK: %[[KEEP:[0-9]+]] = graph.state accumulates [#graph.part<"accumulate.keep", [1], constant, 0.0
// CHECK: %[[WEIGHT:[0-9]+]] = graph.state accumulates [#graph.part<"accumulate.weight", [1], constant, 1.0
// CHECK: %[[KEEPS:[0-9]+]] = graph.compare gt %[[KEEP]]
// CHECK: %[[SUM:[0-9]+]] = graph.state accumulates [#graph.part<"accumulate.sum.w", [8, 16], constant, 0.0
// CHECK: %[[BEFORE:[0-9]+]] = graph.select %{{[0-9]+}}, %[[SUM]]
// CHECK: %[[PART:[0-9]+]] = graph.mul %{{.*}}
// CHECK: %[[NEXT:[0-9]+]] = graph.add %[[BEFORE]], %[[PART]]
// CHECK: graph.assign %[[SUM]], %[[NEXT]]
// CHECK: graph.mul %[[NEXT]], %[[NEXT]]
// CHECK: graph.state [#graph.part<"adamw.lr"

// The sum is a kernel of backward, written in place; what it goes into runs with the optimizer.
// PLAN: plan.launch @compare_select_mul_add {{.*}}#plan.ref<@accumulate.sum.w>{{.*}} phase backward
// PLAN: plan.launch @mul_reduce [#plan.ref<@accumulate.sum.w>{{.*}} phase optimizer
// PLAN: plan.launch @mul_sub_add_select {{.*}} phase optimizer
func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [8, 16], normal, 1.0>] : tensor<8x16xf32>
  %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %z = graph.mul %y, %y : tensor<4x16xf32>
  %s = graph.reduce sum %z axes [0, 1] : tensor<4x16xf32> -> tensor<1x1xf32>
  %l = graph.reshape %s : tensor<1x1xf32> -> tensor<f32>
  return %l : tensor<f32>
}
