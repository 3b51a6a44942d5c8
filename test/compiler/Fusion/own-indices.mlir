// Indices of dropouts are computed where they are read: none lies in memory, though two dropouts share it and it depends on
// nothing, which would have it computed once, before the first run.
// RUN: heddle-opt %s --form-groups --verify-fusion | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: heddle-opt %s --eager-groups --verify-fusion | FileCheck %s --check-prefixes=CHECK,EAGER

// CHECK-LABEL: func.func @main
// CHECK-NOT: -> tensor<32xi32>
// FUSED: graph.group rows "exp+iota+dropout"
// EAGER: graph.group rows "exp"
// EAGER: graph.group rows "dropout"
// CHECK: %[[I:[0-9]+]] = graph.iota 0 : tensor<32xi32>
// CHECK: %[[INDEX:[0-9]+]] = graph.reshape %[[I]]
// CHECK: graph.dropout %{{.*}}, %[[INDEX]], %{{.*}} layer 0
// CHECK: graph.group product "matmul"
// FUSED: graph.group rows "iota+dropout+add"
// EAGER: graph.group rows "dropout"
// CHECK: %[[I:[0-9]+]] = graph.iota 0 : tensor<32xi32>
// CHECK: %[[INDEX:[0-9]+]] = graph.reshape %[[I]]
// CHECK: graph.dropout %{{.*}}, %[[INDEX]], %{{.*}} layer 1
// CHECK-NOT: graph.iota
func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}, %w: tensor<8x8xf32> {graph.name = "w"}, %k: tensor<1xi64> {graph.name = "k"})
    -> (tensor<4x8xf32> {graph.name = "y"}) {
  %flat = graph.iota 0 : tensor<32xi32>
  %index = graph.reshape %flat : tensor<32xi32> -> tensor<4x8xi32>
  %one = graph.reshape %k : tensor<1xi64> -> tensor<1x1xi64>
  %key = graph.broadcast %one : tensor<1x1xi64> -> tensor<4x8xi64>
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.dropout %0, %index, %key layer 0 probability 0.5 : tensor<4x8xf32>
  %2 = graph.matmul %1, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %3 = graph.dropout %2, %index, %key layer 1 probability 0.5 : tensor<4x8xf32>
  %4 = graph.add %3, %x : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}
