// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @tokens
// CHECK: graph.embedding_grad %{{.*}}, %{{.*}} : tensor<4x16x8xf32>, tensor<4x16xi32> -> tensor<100x8xf32>
func.func @tokens(%g: tensor<4x16x8xf32>, %ids: tensor<4x16xi32>) -> tensor<100x8xf32> {
  %0 = graph.embedding_grad %g, %ids : tensor<4x16x8xf32>, tensor<4x16xi32> -> tensor<100x8xf32>
  return %0 : tensor<100x8xf32>
}

// One index, and 64 bits.
// CHECK-LABEL: func.func @scalar
// CHECK: graph.embedding_grad %{{.*}}, %{{.*}} : tensor<8xbf16>, tensor<i64> -> tensor<3x8xbf16>
func.func @scalar(%g: tensor<8xbf16>, %id: tensor<i64>) -> tensor<3x8xbf16> {
  %0 = graph.embedding_grad %g, %id : tensor<8xbf16>, tensor<i64> -> tensor<3x8xbf16>
  return %0 : tensor<3x8xbf16>
}
