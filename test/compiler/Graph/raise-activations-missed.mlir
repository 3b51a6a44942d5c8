// What is nearly GELU, and why it is not.
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --graph-canonicalize --raise-activations=remarks=true | FileCheck %s

// The function's value is read by others.
// CHECK-LABEL: func.func @read_twice
// CHECK-NOT: graph.gelu
func.func @read_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %root = graph.constant dense<0.707106769> : tensor<4xf32>
  %0 = graph.mul %x, %root : tensor<4xf32>
  // expected-remark@+1 {{is read by others as well}}
  %1 = graph.erf %0 : tensor<4xf32>
  %2 = graph.add %1, %one : tensor<4xf32>
  %3 = graph.mul %x, %half : tensor<4xf32>
  %4 = graph.mul %3, %2 : tensor<4xf32>
  return %4, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Another factor than x.
// CHECK-LABEL: func.func @other_factor
// CHECK-NOT: graph.gelu
func.func @other_factor(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %root = graph.constant dense<0.707106769> : tensor<4xf32>
  %0 = graph.mul %x, %root : tensor<4xf32>
  // expected-remark@+1 {{has an operand that is no polynomial in x}}
  %1 = graph.erf %0 : tensor<4xf32>
  %2 = graph.add %1, %one : tensor<4xf32>
  %3 = graph.mul %y, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// A cast that the user wrote rounds.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: graph.gelu
func.func @rounded(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %root = graph.constant dense<0.707106769> : tensor<4xf32>
  %0 = graph.mul %x, %root : tensor<4xf32>
  // expected-remark@+1 {{is no factor and no sum of x times the function}}
  %1 = graph.erf %0 : tensor<4xf32>
  %2 = graph.add %1, %one : tensor<4xf32>
  %3 = graph.cast %2 : tensor<4xf32> -> tensor<4xbf16>
  %4 = graph.cast %3 : tensor<4xbf16> -> tensor<4xf32>
  %5 = graph.mul %x, %half : tensor<4xf32>
  %6 = graph.mul %5, %4 : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

// Another constant inside, a sigmoid of 1.702 x, a plain tanh: nothing of the kind, and no report.
// CHECK-LABEL: func.func @others
// CHECK: graph.tanh
// CHECK: graph.sigmoid
func.func @others(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %c = graph.constant dense<0.0447> : tensor<4xf32>
  %s = graph.constant dense<0.797884583> : tensor<4xf32>
  %quick = graph.constant dense<1.702> : tensor<4xf32>
  %cube = graph.constant dense<3.0> : tensor<4xf32>
  %0 = graph.pow %x, %cube : tensor<4xf32>
  %1 = graph.mul %0, %c : tensor<4xf32>
  %2 = graph.add %x, %1 : tensor<4xf32>
  %3 = graph.mul %2, %s : tensor<4xf32>
  %4 = graph.tanh %3 : tensor<4xf32>
  %5 = graph.add %4, %one : tensor<4xf32>
  %6 = graph.mul %x, %half : tensor<4xf32>
  %7 = graph.mul %6, %5 : tensor<4xf32>
  %8 = graph.mul %x, %quick : tensor<4xf32>
  %9 = graph.sigmoid %8 : tensor<4xf32>
  %10 = graph.mul %x, %9 : tensor<4xf32>
  return %7, %10 : tensor<4xf32>, tensor<4xf32>
}
