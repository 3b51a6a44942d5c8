// Symbols of a plan: buffers have the names that the graph gives, whatever they are made of; the second kernel of a name gets a number
// that nobody else has.
// RUN: heddle-opt %s --eager-groups --lower-to-plan | FileCheck %s

// CHECK-DAG: plan.buffer @"in-put"
// CHECK-DAG: plan.buffer @neg_1
// CHECK-DAG: kernel.func @neg(
// CHECK-DAG: kernel.func @neg_2(
func.func @main(%x: tensor<4xf32> {graph.name = "in-put"}, %z: tensor<8xf32> {graph.name = "neg_1"}) -> (tensor<4xf32> {graph.name = "a"}, tensor<8xf32> {graph.name = "b"}) {
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.neg %z : tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}
