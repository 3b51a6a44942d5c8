// Phases of steps: what the loss needs is forward, what depends on a state is the optimizer, the rest is backward;
// and a merged parameter's gradient has its parts' names.
// RUN: heddle-opt %s --autodiff --form-groups --lower-to-plan=mode=backward | FileCheck %s --check-prefix=BACKWARD
// RUN: heddle-opt %s --autodiff=optimizer=true --form-groups --lower-to-plan=mode=step | FileCheck %s --check-prefix=STEP

// BACKWARD: plan.buffer @q.grad output tensor<8x8xf32> {{.*}}parts = [#plan.part<"q.grad", [4, 8] at 0, normal, 5.000000e-01 : f64>, #plan.part<"k.grad", [4, 8] at 32, normal, 5.000000e-01 : f64>]
// BACKWARD: plan.product {{.*}} phase forward
// BACKWARD-NOT: phase optimizer
// BACKWARD: phase forward
// BACKWARD: plan.product {{.*}} phase backward
// BACKWARD-NOT: phase forward
// BACKWARD-NOT: phase optimizer

// STEP: plan.product {{.*}} phase forward
// STEP: phase forward
// STEP: plan.product {{.*}} phase backward
// STEP: phase optimizer
// STEP-NOT: phase forward
// STEP-NOT: phase backward
func.func @main(%x: tensor<16x8xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"q", [4, 8], normal, 0.5>, #graph.part<"k", [4, 8], normal, 0.5>] : tensor<8x8xf32>
  %t = graph.transpose %w [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %0 = graph.matmul %x, %t : tensor<16x8xf32>, tensor<8x8xf32> -> tensor<16x8xf32>
  %1 = graph.tanh %0 : tensor<16x8xf32>
  %2 = graph.reduce sum %1 axes [0, 1] : tensor<16x8xf32> -> tensor<1x1xf32>
  %3 = graph.reshape %2 : tensor<1x1xf32> -> tensor<f32>
  return %3 : tensor<f32>
}
