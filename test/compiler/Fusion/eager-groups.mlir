// One group for each op, views outside.
// RUN: heddle-opt %s --split-input-file --eager-groups | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK: %[[E:[0-9]+]] = graph.group rows "exp" {
// CHECK-NEXT: %[[EI:[0-9]+]] = graph.exp %[[X]]
// CHECK-NEXT: graph.yield %[[EI]]
// CHECK-NEXT: } : tensor<4x8xf32>
// CHECK-NEXT: %[[T:[0-9]+]] = graph.transpose %[[E]] [1, 0]
// CHECK-NEXT: %[[R:[0-9]+]] = graph.group rows "relu" {
// CHECK-NEXT: %[[RI:[0-9]+]] = graph.relu %[[T]]
// CHECK-NEXT: graph.yield %[[RI]]
// CHECK-NEXT: } : tensor<8x4xf32>
// CHECK-NEXT: %[[M:[0-9]+]] = graph.group product "matmul" {
// CHECK-NEXT: %[[MI:[0-9]+]] = graph.matmul %[[E]], %[[R]]
// CHECK-NEXT: graph.yield %[[MI]]
// CHECK-NEXT: } : tensor<4x4xf32>
// The addition is an op of its own.
// CHECK-NEXT: %[[A:[0-9]+]] = graph.group rows "add" {
// CHECK-NEXT: %[[AI:[0-9]+]] = graph.add %[[M]], %[[M]]
// CHECK-NEXT: graph.yield %[[AI]]
// CHECK-NEXT: } : tensor<4x4xf32>
// CHECK-NEXT: return %[[A]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = graph.relu %1 : tensor<8x4xf32>
  %3 = graph.matmul %0, %2 : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %4 = graph.add %3, %3 : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// -----

// Attention is one op where the graph has it; views of its result stay outside; ops that nothing uses vanish.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %[[A:[0-9]+]] = graph.group attention "attention" {
// CHECK-NEXT: %[[I:[a-z0-9]+]] = graph.attention
// CHECK-NEXT: graph.yield %[[I]]
// CHECK-NEXT: } : tensor<1x2x4x8xf32>
// CHECK-NEXT: %[[T:[0-9]+]] = graph.transpose %[[A]]
// CHECK-NEXT: %[[C:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: %[[CI:[0-9]+]] = graph.copy %[[T]]
// CHECK-NEXT: graph.yield %[[CI]]
// CHECK-NEXT: } : tensor<1x4x2x8xf32>
// CHECK-NEXT: return %[[C]]
func.func @main(%q: tensor<1x2x4x8xf32>) -> tensor<1x4x2x8xf32> {
  %0 = graph.attention %q, %q, %q scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>
  %1 = graph.exp %q : tensor<1x2x4x8xf32>
  %2 = graph.transpose %0 [0, 2, 1, 3] : tensor<1x2x4x8xf32> -> tensor<1x4x2x8xf32>
  return %2 : tensor<1x4x2x8xf32>
}

// -----

// A reshape that cannot be read in place gets its copy, which is an op.
// CHECK-LABEL: func.func @main(
// CHECK: %[[T:[0-9]+]] = graph.transpose
// CHECK-NEXT: %[[C:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: %[[CI:[0-9]+]] = graph.copy %[[T]]
// CHECK-NEXT: graph.yield %[[CI]]
// CHECK-NEXT: } : tensor<4x6xf32>
// CHECK-NEXT: %[[R:[0-9]+]] = graph.reshape %[[C]]
// CHECK-NEXT: %{{[0-9]+}} = graph.group rows "exp" {
// CHECK-NEXT: %{{[0-9]+}} = graph.exp %[[R]]
func.func @main(%x: tensor<6x4xf32>) -> tensor<3x8xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %1 = graph.reshape %0 : tensor<4x6xf32> -> tensor<3x8xf32>
  %2 = graph.exp %1 : tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}
