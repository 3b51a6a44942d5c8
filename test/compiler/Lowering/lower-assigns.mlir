// Assigned leaves: one kernel argument for what is read and written, states with their parts, phases of steps.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan=mode=step | FileCheck %s

// A parameter is read and written through one argument; the state that scales the update is a buffer with its parts.
// CHECK: plan.buffer @w parameter tensor<4x4xf32>
// CHECK: kernel.func @mul_sub(%[[W:[a-z0-9]+]]: !kernel.buffer<f32>, %[[R:[a-z0-9]+]]: !kernel.buffer<f32>) {
// CHECK: %[[OLD:[0-9]+]] = kernel.load %[[W]][
// CHECK: %[[RATE:[0-9]+]] = kernel.load %[[R]][
// CHECK: %[[C:[0-9]+]] = arith.mulf %[[OLD]], %[[RATE]]
// CHECK: %[[NEW:[0-9]+]] = arith.subf %[[OLD]], %[[C]]
// CHECK: kernel.store %[[NEW]], %[[W]][
// CHECK: plan.buffer @lr state tensor<1xf32> {{.*}}parts = [#plan.part<"lr", [1] at 0, constant, 1.000000e-03 : f64>]
// CHECK: plan.launch @mul_sub [#plan.ref<@w>, #plan.ref<@lr>] counts [] phase optimizer
func.func @main() {
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %r = graph.state [#graph.part<"lr", [1], constant, 0.001>] : tensor<1xf32>
  %0 = graph.reshape %r : tensor<1xf32> -> tensor<1x1xf32>
  %1 = graph.broadcast %0 : tensor<1x1xf32> -> tensor<4x4xf32>
  %2 = graph.mul %w, %1 : tensor<4x4xf32>
  %3 = graph.sub %w, %2 : tensor<4x4xf32>
  graph.assign %w, %3 : tensor<4x4xf32>
  return
}

// -----

// Two parameters that are updated alike have one kernel: the assigned leaf takes the place of the result in its key.
// CHECK: kernel.func @mul(
// CHECK-NOT: kernel.func
// CHECK: plan.launch @mul [#plan.ref<@a>, #plan.ref<@s>]
// CHECK-NOT: kernel.func
// CHECK: plan.launch @mul [#plan.ref<@b>, #plan.ref<@t>]
func.func @main() {
  %a = graph.parameter [#graph.part<"a", [3], normal, 0.02>] : tensor<3xf32>
  %b = graph.parameter [#graph.part<"b", [3], normal, 0.02>] : tensor<3xf32>
  %s = graph.state [#graph.part<"s", [1], constant, 0.5>] : tensor<1xf32>
  %0 = graph.broadcast %s : tensor<1xf32> -> tensor<3xf32>
  %1 = graph.mul %a, %0 : tensor<3xf32>
  graph.assign %a, %1 : tensor<3xf32>
  // Of its own state, so that the two do not share a kernel's pass.
  %t = graph.state [#graph.part<"t", [1], constant, 0.5>] : tensor<1xf32>
  %2 = graph.broadcast %t : tensor<1xf32> -> tensor<3xf32>
  %3 = graph.mul %b, %2 : tensor<3xf32>
  graph.assign %b, %3 : tensor<3xf32>
  return
}
