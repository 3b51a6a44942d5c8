// What backward reads of forward is computed again where that keeps fewer bytes: from what is kept, by elementwise ops alone.
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(keep-least))' | FileCheck %s
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(keep-least{max-chain=1}))' | FileCheck %s --check-prefix=SHORT

// SwiGLU's gate: both halves of the bf16 product are kept (32 bytes a row), and not three float32 values (96). The cast
// of the upper half has a view between it and the product.
// CHECK-LABEL: func.func @gate(
// CHECK: %[[P:[0-9]+]] = graph.matmul
// CHECK: %[[GATE:[0-9]+]] = graph.slice %[[P]] offsets [0, 0]
// CHECK: %[[UP:[0-9]+]] = graph.slice %[[P]] offsets [0, 8]
// CHECK: %[[LOSS:[0-9]+]] = graph.reduce sum
// CHECK-DAG: %[[UP2:[0-9]+]] = graph.cast %[[UP]]
// CHECK-DAG: %[[DGATE:[0-9]+]] = graph.mul %arg2, %[[UP2]]
// CHECK: %[[GATE2:[0-9]+]] = graph.cast %[[GATE]]
// CHECK: graph.silu_grad %[[GATE2]], %[[DGATE]]
// CHECK: %[[SILU2:[0-9]+]] = graph.silu %[[GATE2]]
// CHECK: graph.mul %arg2, %[[SILU2]]
// With one op at a time the gate's silu is kept: 16 bytes a row more.
// SHORT-LABEL: func.func @gate(
// SHORT: graph.silu
// SHORT-NOT: graph.silu %
// SHORT: return
func.func @gate(%x: tensor<4x8xbf16> {graph.name = "x"}, %w: tensor<8x16xbf16> {graph.name = "w"}, %d: tensor<4x8xf32> {graph.name = "d"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<4x8xf32> {graph.name = "a", graph.gradient = []}, tensor<4x8xf32> {graph.name = "b", graph.gradient = []}) {
  %p = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xbf16>
  %0 = graph.slice %p offsets [0, 0] strides [1, 1] : tensor<4x16xbf16> -> tensor<4x8xbf16>
  %1 = graph.slice %p offsets [0, 8] strides [1, 1] : tensor<4x16xbf16> -> tensor<4x8xbf16>
  %gate = graph.cast %0 implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
  %up = graph.cast %1 implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
  %silu = graph.silu %gate : tensor<4x8xf32>
  %h = graph.mul %silu, %up : tensor<4x8xf32>
  %sum = graph.reduce sum %h axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  %dgate = graph.mul %d, %up : tensor<4x8xf32>
  %a = graph.silu_grad %gate, %dgate : tensor<4x8xf32>
  %b = graph.mul %d, %silu : tensor<4x8xf32>
  return %loss, %a, %b : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Nothing is gained: one value is kept instead of another of its size. And a sum of two bf16 products is not computed from
// those, which are as large together.
// CHECK-LABEL: func.func @even(
// CHECK: graph.add
// CHECK: graph.exp
// CHECK-NOT: graph.{{add|exp|cast}}
// CHECK: return
func.func @even(%x: tensor<4x8xbf16> {graph.name = "x"}, %w: tensor<8x8xbf16> {graph.name = "w"}, %v: tensor<8x8xbf16> {graph.name = "v"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<4x8xf32> {graph.name = "a", graph.gradient = []}) {
  %p = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
  %q = graph.matmul %x, %v : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
  %0 = graph.cast %p implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
  %1 = graph.cast %q implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
  %2 = graph.add %0, %1 : tensor<4x8xf32>
  %3 = graph.exp %2 : tensor<4x8xf32>
  %sum = graph.reduce sum %3 axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  %a = graph.mul %3, %3 : tensor<4x8xf32>
  return %loss, %a : tensor<f32>, tensor<4x8xf32>
}

// -----

// A value that a product reads is in memory in forward; computed again it is stored again. That is right where a kernel reads
// all the rest in any case: here it makes tanh of an input, which costs nothing to keep, for its own use.
// CHECK-LABEL: func.func @stored(
// CHECK: graph.matmul
// CHECK: %[[Y:[0-9]+]] = graph.tanh %arg0
// CHECK: %[[H:[0-9]+]] = graph.cast %[[Y]]
// CHECK: %[[T:[0-9]+]] = graph.transpose %[[H]]
// CHECK: graph.matmul %[[T]]
// CHECK: graph.mul %[[Y]], %[[Y]]
func.func @stored(%x: tensor<4x8xf32> {graph.name = "x"}, %w: tensor<8x8xbf16> {graph.name = "w"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<8x8xbf16> {graph.name = "a", graph.gradient = []}, tensor<4x8xf32> {graph.name = "b", graph.gradient = []}) {
  %y = graph.tanh %x : tensor<4x8xf32>
  %h = graph.cast %y implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %p = graph.matmul %h, %w : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
  %sum = graph.reduce sum %p axes [0, 1] : tensor<4x8xbf16> -> tensor<1x1xbf16>
  %wide = graph.cast %sum implicit : tensor<1x1xbf16> -> tensor<1x1xf32>
  %loss = graph.reshape %wide : tensor<1x1xf32> -> tensor<f32>
  %t = graph.transpose %h [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %a = graph.matmul %t, %p : tensor<8x4xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>
  %b = graph.mul %y, %y : tensor<4x8xf32>
  return %loss, %a, %b : tensor<f32>, tensor<8x8xbf16>, tensor<4x8xf32>
}

// -----

// It is kept where only it is read, and where it is made of a weight: no kernel reads that for another reason.
// CHECK-LABEL: func.func @kept(
// CHECK: %[[H:[0-9]+]] = graph.cast %arg0
// CHECK: %[[V:[0-9]+]] = graph.cast %{{[0-9]+}}
// CHECK: graph.matmul %[[H]], %[[V]]
// CHECK-NOT: graph.cast {{.*}}bf16>{{$}}
// CHECK: return
func.func @kept(%x: tensor<8x8xf32> {graph.name = "x"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<8x8xbf16> {graph.name = "a", graph.gradient = []}, tensor<8x8xbf16> {graph.name = "b", graph.gradient = []}) {
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 1.0>] : tensor<8x8xf32>
  %h = graph.cast %x implicit : tensor<8x8xf32> -> tensor<8x8xbf16>
  %v = graph.cast %w implicit : tensor<8x8xf32> -> tensor<8x8xbf16>
  %p = graph.matmul %h, %v : tensor<8x8xbf16>, tensor<8x8xbf16> -> tensor<8x8xbf16>
  %sum = graph.reduce sum %p axes [0, 1] : tensor<8x8xbf16> -> tensor<1x1xbf16>
  %wide = graph.cast %sum implicit : tensor<1x1xbf16> -> tensor<1x1xf32>
  %loss = graph.reshape %wide : tensor<1x1xf32> -> tensor<f32>
  %a = graph.matmul %h, %p : tensor<8x8xbf16>, tensor<8x8xbf16> -> tensor<8x8xbf16>
  %b = graph.matmul %p, %v : tensor<8x8xbf16>, tensor<8x8xbf16> -> tensor<8x8xbf16>
  return %loss, %a, %b : tensor<f32>, tensor<8x8xbf16>, tensor<8x8xbf16>
}

// -----

// From backward to the optimizer a gradient stays bf16; what is made of a weight that the optimizer writes over does not
// become another value.
// CHECK-LABEL: func.func @optimizer(
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK: %[[G:[0-9]+]] = graph.matmul
// CHECK: %[[SQUARE:[0-9]+]] = graph.mul %[[W]], %[[W]]
// CHECK: %[[AGAIN:[0-9]+]] = graph.cast %[[G]]
// CHECK: %[[STEP:[0-9]+]] = graph.mul %[[AGAIN]]
// CHECK: graph.mul %[[STEP]], %[[SQUARE]]
func.func @optimizer(%x: tensor<8x4xbf16> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}, tensor<1x1xf32> {graph.name = "norm", graph.gradient = []}) {
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 1.0>] : tensor<8x8xf32>
  %m = graph.state [#graph.part<"m", [8, 8], constant, 0.0>] : tensor<8x8xf32>
  %loss = graph.constant dense<1.0> : tensor<f32>
  %t = graph.transpose %x [1, 0] : tensor<8x4xbf16> -> tensor<4x8xbf16>
  %g = graph.matmul %x, %t : tensor<8x4xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>
  %wide = graph.cast %g implicit : tensor<8x8xbf16> -> tensor<8x8xf32>
  %square = graph.mul %w, %w : tensor<8x8xf32>
  %squares = graph.mul %wide, %square : tensor<8x8xf32>
  %norm = graph.reduce sum %squares axes [0, 1] : tensor<8x8xf32> -> tensor<1x1xf32>
  %0 = graph.mul %wide, %m : tensor<8x8xf32>
  %1 = graph.mul %0, %square : tensor<8x8xf32>
  graph.assign %m, %0 : tensor<8x8xf32>
  graph.assign %w, %1 : tensor<8x8xf32>
  return %loss, %norm : tensor<f32>, tensor<1x1xf32>
}

// -----

// What was dropped out is computed again from the product, which is kept in bf16 (64 bytes): the same draw once more. Neither
// its float32 values (128 bytes) are kept nor a mask.
// CHECK-LABEL: func.func @dropped(
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<4x8xf32> {{[^,]*}}, %[[KEY:[a-z0-9]+]]: tensor<4x8xi64>
// CHECK: %[[INDEX:[0-9]+]] = graph.iota
// CHECK: %[[P:[0-9]+]] = graph.matmul
// CHECK: graph.dropout %{{.*}}, %[[INDEX]], %[[KEY]] layer 2
// CHECK: graph.reduce sum
// CHECK: %[[P2:[0-9]+]] = graph.cast %[[P]]
// CHECK: %[[Y2:[0-9]+]] = graph.dropout %[[P2]], %[[INDEX]], %[[KEY]] layer 2 probability 5.000000e-01
// CHECK: graph.mul %[[D]], %[[Y2]]
func.func @dropped(%x: tensor<4x8xbf16> {graph.name = "x"}, %w: tensor<8x8xbf16> {graph.name = "w"}, %d: tensor<4x8xf32> {graph.name = "d"},
                   %key: tensor<4x8xi64> {graph.name = "key"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<4x8xf32> {graph.name = "a", graph.gradient = []}) {
  %index = graph.iota 1 : tensor<4x8xi32>
  %p = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
  %wide = graph.cast %p implicit : tensor<4x8xbf16> -> tensor<4x8xf32>
  %y = graph.dropout %wide, %index, %key layer 2 probability 0.5 : tensor<4x8xf32>
  %square = graph.mul %y, %y : tensor<4x8xf32>
  %sum = graph.reduce sum %square axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  %a = graph.mul %d, %y : tensor<4x8xf32>
  return %loss, %a : tensor<f32>, tensor<4x8xf32>
}
