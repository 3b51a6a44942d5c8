// Casts of weights that a step changes live from run to run, and the weight's update writes them.
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16 rounding=fused' | FileCheck %s
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16 rounding=eager' | FileCheck %s --check-prefix=EAGER
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16 rounding=fused' --form-groups --lower-to-plan=mode=step | FileCheck %s --check-prefix=PLAN

// A weight that a product reads through a view. PyTorch casts it in each run.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = graph.parameter [#graph.part<"w"
// CHECK: %[[C:.*]] = graph.cast %[[W]] kept : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: %[[T:.*]] = graph.transpose %[[C]]
// CHECK: graph.matmul %{{.*}}, %[[T]]
// CHECK: %[[N:.*]] = graph.mul %[[W]]
// CHECK: %[[B:.*]] = graph.cast %[[N]] implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-NEXT: graph.assign %[[C]], %[[B]] : tensor<4x8xbf16>
// CHECK-NEXT: graph.assign %[[W]], %[[N]] : tensor<4x8xf32>
// EAGER-LABEL: func.func @main
// EAGER: graph.cast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16>
// EAGER-NOT: kept

// The cast is computed before the first run; one kernel writes both.
// PLAN: plan.buffer @[[COPY:[a-z0-9_]+]] state tensor<4x8xbf16>
// PLAN: plan.launch @[[CAST:[a-z0-9_]+]] [#plan.ref<@w>, #plan.ref<@[[COPY]]>] counts [] phase init
// PLAN: plan.product {{.*}} phase forward {{.*}}b = #plan.matrix<ref = <@[[COPY]]>
// PLAN: plan.launch @[[UPDATE:[a-z0-9_]+]] [#plan.ref<@w>, #plan.ref<@lr>, #plan.ref<@[[COPY]]>] counts [] phase optimizer
// PLAN-NOT: plan.launch @
func.func @main(%x: tensor<3x8xf32> {graph.name = "x"}) -> (tensor<3x4xf32> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %t = graph.transpose %w [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %t : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %lr = graph.state [#graph.part<"lr", [1], constant, 0.5>] : tensor<1xf32>
  %r = graph.reshape %lr : tensor<1xf32> -> tensor<1x1xf32>
  %b = graph.broadcast %r : tensor<1x1xf32> -> tensor<4x8xf32>
  %1 = graph.mul %w, %b : tensor<4x8xf32>
  graph.assign %w, %1 : tensor<4x8xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// Near misses: a weight that nothing changes, and one that no product reads.
// CHECK-LABEL: func.func @main
// CHECK-NOT: kept
// EAGER-LABEL: func.func @main
// PLAN: plan.program
func.func @main(%x: tensor<3x8xf32> {graph.name = "x"}) -> (tensor<3x4xf32> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [8, 4], normal, 0.02>] : tensor<8x4xf32>
  %0 = graph.matmul %x, %w : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %g = graph.parameter [#graph.part<"g", [3, 4], normal, 0.02>] : tensor<3x4xf32>
  %1 = graph.add %0, %g : tensor<3x4xf32>
  %2 = graph.neg %g : tensor<3x4xf32>
  graph.assign %g, %2 : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

// A float16 weight: its copy would be rounded from what the weight was rounded from, and not from the weight.
// CHECK-LABEL: func.func @main
// CHECK: graph.parameter [#graph.part<"w", [8, 4], normal, 2.000000e-02 : f64>] : tensor<8x4xf16>
// CHECK-NOT: kept
// EAGER-LABEL: func.func @main
// PLAN: plan.program
func.func @main(%x: tensor<3x8xbf16> {graph.name = "x"}) -> (tensor<3x4xbf16> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [8, 4], normal, 0.02>] : tensor<8x4xf16>
  %c = graph.cast %w : tensor<8x4xf16> -> tensor<8x4xbf16>
  %0 = graph.matmul %x, %c : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %1 = graph.neg %w : tensor<8x4xf16>
  graph.assign %w, %1 : tensor<8x4xf16>
  return %0 : tensor<3x4xbf16>
}

// -----

// A copy that is a result, too: what lives from run to run is not given out, a run's own copy of it is.
// PLAN: plan.buffer @y output tensor<8x4xbf16>
// PLAN: plan.buffer @[[COPY:[a-z0-9_]+]] state tensor<8x4xbf16>
// PLAN: plan.launch @{{.*}}[#plan.ref<@w>, #plan.ref<@[[COPY]]>] counts [] phase init
// PLAN: plan.launch @copy{{.*}} [#plan.ref<@[[COPY]]>, #plan.ref<@y>] counts [] phase forward
// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<8x4xbf16> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [8, 4], normal, 0.02>] : tensor<8x4xf32>
  %c = graph.cast %w kept : tensor<8x4xf32> -> tensor<8x4xbf16>
  return %c : tensor<8x4xbf16>
}
