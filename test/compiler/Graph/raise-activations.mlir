// GELU and SiLU in the orders in which frameworks write them; each becomes one op.
// RUN: heddle-opt %s --split-input-file --graph-canonicalize --raise-activations | FileCheck %s

// transformers' gelu_new: 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))).
// CHECK-LABEL: func.func @gelu_new
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = graph.gelu tanh %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @gelu_new(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %three = graph.constant dense<3.0> : tensor<4xf32>
  %c = graph.constant dense<0.044715> : tensor<4xf32>
  %s = graph.constant dense<0.797884583> : tensor<4xf32>
  %0 = graph.pow %x, %three : tensor<4xf32>
  %1 = graph.mul %0, %c : tensor<4xf32>
  %2 = graph.add %x, %1 : tensor<4xf32>
  %3 = graph.mul %2, %s : tensor<4xf32>
  %4 = graph.tanh %3 : tensor<4xf32>
  %5 = graph.add %4, %one : tensor<4xf32>
  %6 = graph.mul %x, %half : tensor<4xf32>
  %7 = graph.mul %6, %5 : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// -----

// gelu_fast: the cube as products around the linear factor; halves last.
// CHECK-LABEL: func.func @gelu_fast
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: graph.gelu tanh %[[X]]
// CHECK-NEXT: return
func.func @gelu_fast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %c = graph.constant dense<0.044715> : tensor<4xf32>
  %s = graph.constant dense<0.7978845608> : tensor<4xf32>
  %0 = graph.mul %x, %s : tensor<4xf32>
  %1 = graph.mul %x, %c : tensor<4xf32>
  %2 = graph.mul %1, %x : tensor<4xf32>
  %3 = graph.add %one, %2 : tensor<4xf32>
  %4 = graph.mul %0, %3 : tensor<4xf32>
  %5 = graph.tanh %4 : tensor<4xf32>
  %6 = graph.mul %x, %5 : tensor<4xf32>
  %7 = graph.add %x, %6 : tensor<4xf32>
  %8 = graph.mul %7, %half : tensor<4xf32>
  return %8 : tensor<4xf32>
}

// -----

// The same by the sigmoid.
// CHECK-LABEL: func.func @sigmoid_form
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: graph.gelu tanh %[[X]]
// CHECK-NEXT: return
func.func @sigmoid_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.constant dense<1.59576912> : tensor<4xf32>
  %b = graph.constant dense<0.0713548162> : tensor<4xf32>
  %0 = graph.mul %x, %x : tensor<4xf32>
  %1 = graph.mul %0, %b : tensor<4xf32>
  %2 = graph.add %1, %a : tensor<4xf32>
  %3 = graph.mul %2, %x : tensor<4xf32>
  %4 = graph.sigmoid %3 : tensor<4xf32>
  %5 = graph.mul %4, %x : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// erf, with a division inside and the half in the middle; of a computed value that others read, too.
// CHECK-LABEL: func.func @gelu_erf
// CHECK: %[[X:.*]] = graph.exp
// CHECK-NEXT: %[[Y:.*]] = graph.gelu erf %[[X]]
// CHECK-NEXT: return %[[Y]], %[[X]]
func.func @gelu_erf(%z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %root = graph.constant dense<1.41421354> : tensor<4xf32>
  %x = graph.exp %z : tensor<4xf32>
  %0 = graph.div %x, %root : tensor<4xf32>
  %1 = graph.erf %0 : tensor<4xf32>
  %2 = graph.add %1, %one : tensor<4xf32>
  %3 = graph.mul %2, %half : tensor<4xf32>
  %4 = graph.mul %x, %3 : tensor<4xf32>
  return %4, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// x/2 - x/2 * erf(-x / sqrt 2): the function turned round twice.
// CHECK-LABEL: func.func @turned
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: graph.gelu erf %[[X]]
// CHECK-NEXT: return
func.func @turned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %root = graph.constant dense<-0.707106769> : tensor<4xf32>
  %0 = graph.mul %x, %root : tensor<4xf32>
  %1 = graph.erf %0 : tensor<4xf32>
  %2 = graph.mul %x, %half : tensor<4xf32>
  %3 = graph.mul %2, %1 : tensor<4xf32>
  %4 = graph.sub %2, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @silu
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: graph.silu %[[X]]
// CHECK-NEXT: return
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.sigmoid %x : tensor<4xf32>
  %1 = graph.mul %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
