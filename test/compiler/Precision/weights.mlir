// Weights that are kept in bf16: prepared once for bf16 autocast (PREPARED, eager and fused alike), and of a model that is
// bf16 as a whole (TRUE-EAGER, TRUE-FUSED).
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16 rounding=eager prepare-weights' | FileCheck %s --check-prefix=PREPARED
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16 rounding=fused prepare-weights' | FileCheck %s --check-prefix=PREPARED
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16-true rounding=eager' | FileCheck %s --check-prefix=TRUE-EAGER
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16-true rounding=fused' | FileCheck %s --check-prefix=TRUE-FUSED

// A weight that only a product reads becomes bf16; @main says that parameters stay as they are.
// PREPARED-LABEL: func.func @main
// PREPARED-SAME: attributes {graph.prepared}
// PREPARED: %[[W:.*]] = graph.parameter {{.*}} : tensor<4x8xbf16>
// PREPARED-NEXT: graph.transpose %[[W]] [1, 0] : tensor<4x8xbf16>
// TRUE-EAGER-LABEL: func.func @main
// TRUE-EAGER-NOT: graph.prepared
// TRUE-EAGER: graph.parameter {{.*}} : tensor<4x8xbf16>
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x4xf32> {
  %w = graph.parameter [#graph.part<"w", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %t = graph.transpose %w [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %t : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// A table that is read as float32, too, stays; its cast is made once, since it depends on nothing else (runs-once.mlir). A
// model of bf16 weights has it in bf16 alone, and so are its rows and their sum, whose reader computes in float32.
// PREPARED-LABEL: func.func @main
// PREPARED: %[[T:.*]] = graph.parameter {{.*}} : tensor<10x8xf32>
// PREPARED: graph.cast %[[T]] {{.*}}: tensor<10x8xf32> -> tensor<10x8xbf16>
// TRUE-EAGER-LABEL: func.func @main
// TRUE-EAGER: %[[T:.*]] = graph.parameter {{.*}} : tensor<10x8xbf16>
// TRUE-EAGER-NOT: graph.cast
// TRUE-EAGER: %[[E:.*]] = graph.embedding %[[T]], %{{.*}} : tensor<10x8xbf16>, tensor<3xi32> -> tensor<3x8xbf16>
// TRUE-EAGER: %[[S:.*]] = graph.add %[[E]], %[[E]] : tensor<3x8xbf16>
// TRUE-EAGER: graph.softmax %[[S]] : tensor<3x8xbf16>
// TRUE-EAGER-NOT: graph.cast
// TRUE-FUSED-LABEL: func.func @main
// TRUE-FUSED-LABEL: func.func @main
// TRUE-FUSED: %[[S:.*]] = graph.add %{{.*}}, %{{.*}} : tensor<3x8xf32>
// TRUE-FUSED: %[[R:.*]] = graph.cast %[[S]] implicit : tensor<3x8xf32> -> tensor<3x8xbf16>
// TRUE-FUSED: %[[C:.*]] = graph.cast %[[R]] implicit : tensor<3x8xbf16> -> tensor<3x8xf32>
// TRUE-FUSED: graph.softmax %[[C]] : tensor<3x8xf32>
func.func @main(%ids: tensor<3xi32> {graph.bound = 10 : i64}) -> tensor<3x10xf32> {
  %w = graph.parameter [#graph.part<"w", [10, 8], normal, 0.02>] : tensor<10x8xf32>
  %e = graph.embedding %w, %ids : tensor<10x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
  %s = graph.add %e, %e : tensor<3x8xf32>
  %p = graph.softmax %s : tensor<3x8xf32>
  %t = graph.transpose %w [1, 0] : tensor<10x8xf32> -> tensor<8x10xf32>
  %0 = graph.matmul %p, %t : tensor<3x8xf32>, tensor<8x10xf32> -> tensor<3x10xf32>
  return %0 : tensor<3x10xf32>
}

// -----

// A norm's result that two read is one bf16 tensor in memory, and each reads it as it was rounded.
// TRUE-FUSED-LABEL: func.func @main
// TRUE-FUSED: %[[N:.*]] = graph.rms_norm %{{.*}} : tensor<3x8xf32>, tensor<8xf32>
// TRUE-FUSED: %[[R:.*]] = graph.cast %[[N]] implicit : tensor<3x8xf32> -> tensor<3x8xbf16>
// TRUE-FUSED: %[[C:.*]] = graph.cast %[[R]] implicit : tensor<3x8xbf16> -> tensor<3x8xf32>
// TRUE-FUSED: graph.matmul %[[R]], %{{.*}} : tensor<3x8xbf16>
// TRUE-FUSED: graph.add %{{.*}}, %[[C]] : tensor<3x8xf32>
func.func @main(%ids: tensor<3xi32> {graph.bound = 10 : i64}) -> tensor<3x8xf32> {
  %w = graph.parameter [#graph.part<"w", [10, 8], normal, 0.02>] : tensor<10x8xf32>
  %g = graph.parameter [#graph.part<"g", [8], constant, 1.0>] : tensor<8xf32>
  %m = graph.parameter [#graph.part<"m", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %e = graph.embedding %w, %ids : tensor<10x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
  %n = graph.rms_norm %e, %g epsilon 1.0e-6 : tensor<3x8xf32>, tensor<8xf32>
  %p = graph.matmul %n, %m : tensor<3x8xf32>, tensor<8x8xf32> -> tensor<3x8xf32>
  %0 = graph.add %p, %n : tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
