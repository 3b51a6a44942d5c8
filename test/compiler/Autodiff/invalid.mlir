// What cannot be differentiated, each with its reason.
// RUN: heddle-opt %s --split-input-file --autodiff --verify-diagnostics
// RUN: not heddle-opt %s --split-input-file --autodiff=optimizer=true 2>&1 | FileCheck %s

// expected-error @below {{no result of @main is called "loss": there is nothing to differentiate}}
func.func @main() -> (tensor<1xf32> {graph.name = "los"}) {
  %p = graph.parameter [#graph.part<"p", [1], normal, 0.5>] : tensor<1xf32>
  return %p : tensor<1xf32>
}

// -----

// expected-error @below {{the loss has type 'tensor<2xf32>', wanted one f32}}
func.func @main() -> (tensor<2xf32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [2], normal, 0.5>] : tensor<2xf32>
  return %p : tensor<2xf32>
}

// -----

// expected-error @below {{the loss has type 'tensor<1xbf16>', wanted one f32}}
func.func @main() -> (tensor<1xbf16> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [1], normal, 0.5>] : tensor<1xbf16>
  return %p : tensor<1xbf16>
}

// -----

// expected-error @below {{the loss depends on no parameter}}
func.func @main(%x: tensor<f32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  // expected-remark @below {{the loss does not depend on parameter "p": it has no gradient}}
  %p = graph.parameter [#graph.part<"p", [4], normal, 0.5>] : tensor<4xf32>
  return %x : tensor<f32>
}

// -----

// The parameter that is named lies on the way to the operand.
func.func @main(%v: tensor<1x1x4x4xf32> {graph.name = "v"}) -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"h.0.key", [1, 1, 4, 4], normal, 0.5>] : tensor<1x1x4x4xf32>
  %k = graph.tanh %p : tensor<1x1x4x4xf32>
  // expected-error @below {{'graph.silu_grad' has no gradient, which parameter "h.0.key" needs}}
  %a = graph.silu_grad %k, %v : tensor<1x1x4x4xf32>
  %1 = graph.reduce sum %a axes [0, 1, 2, 3] : tensor<1x1x4x4xf32> -> tensor<1x1x1x1xf32>
  %2 = graph.reshape %1 : tensor<1x1x1x1xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"w", [4], normal, 0.5>, #graph.part<"v", [4], normal, 0.5>] : tensor<8xf32>
  // expected-error @below {{part "w" lies in two parameters, which cannot both be trained}}
  %b = graph.parameter [#graph.part<"w", [4], normal, 0.5>] : tensor<4xf32>
  %0 = graph.reduce sum %a axes [0] : tensor<8xf32> -> tensor<1xf32>
  %1 = graph.reduce sum %b axes [0] : tensor<4xf32> -> tensor<1xf32>
  %2 = graph.add %0, %1 : tensor<1xf32>
  %3 = graph.reshape %2 : tensor<1xf32> -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// The importer makes one op of tied weights.
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"w", [4], normal, 0.5>] : tensor<4xf32>
  // expected-error @below {{part "w" lies in two parameters, which cannot both be trained}}
  %b = graph.parameter [#graph.part<"w", [4], normal, 0.5>] : tensor<4xf32>
  %0 = graph.mul %a, %b : tensor<4xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
  %2 = graph.reshape %1 : tensor<1xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Gradients can be had of what the graph changes, an optimizer cannot be had besides.
// CHECK: error: the graph changes parameter "p" itself, which the optimizer is to do
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [1], normal, 0.5>] : tensor<1xf32>
  %0 = graph.neg %p : tensor<1xf32>
  graph.assign %p, %0 : tensor<1xf32>
  %1 = graph.mul %p, %p : tensor<1xf32>
  %2 = graph.reshape %1 : tensor<1xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
