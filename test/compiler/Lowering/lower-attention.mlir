// Attention: strides of query, key, value and result as counts, offsets in the references, generated functions for mask
// and bias.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// A packed projection [batch, sequence, 3, heads, width] is read in place, and the result written as [batch, sequence, 16].
// Counts: batch, heads, key heads, query and key length; then batch, head and sequence stride of each buffer.
// CHECK: matrixFlops = 2.048000e+03
// CHECK: kernel.func @attention_d8_causal(
// CHECK: kernel.skeleton
// CHECK: plan.launch @attention_d8_causal [#plan.ref<@input>, #plan.ref<@input + 64>, #plan.ref<@input + 128>, #plan.ref<@attention>]
// CHECK-SAME: counts [2, 2, 2, 4, 4, 192, 8, 48, 192, 8, 48, 192, 8, 48, 64, 8, 16]
// CHECK-SAME: phase forward
func.func @main(%p: tensor<2x4x3x2x8xf32>) -> tensor<2x4x16xf32> {
  %0 = graph.slice %p offsets [0, 0, 0, 0, 0] strides [1, 1, 1, 1, 1] : tensor<2x4x3x2x8xf32> -> tensor<2x4x1x2x8xf32>
  %1 = graph.reshape %0 : tensor<2x4x1x2x8xf32> -> tensor<2x4x2x8xf32>
  %q = graph.transpose %1 [0, 2, 1, 3] : tensor<2x4x2x8xf32> -> tensor<2x2x4x8xf32>
  %2 = graph.slice %p offsets [0, 0, 1, 0, 0] strides [1, 1, 1, 1, 1] : tensor<2x4x3x2x8xf32> -> tensor<2x4x1x2x8xf32>
  %3 = graph.reshape %2 : tensor<2x4x1x2x8xf32> -> tensor<2x4x2x8xf32>
  %k = graph.transpose %3 [0, 2, 1, 3] : tensor<2x4x2x8xf32> -> tensor<2x2x4x8xf32>
  %4 = graph.slice %p offsets [0, 0, 2, 0, 0] strides [1, 1, 1, 1, 1] : tensor<2x4x3x2x8xf32> -> tensor<2x4x1x2x8xf32>
  %5 = graph.reshape %4 : tensor<2x4x1x2x8xf32> -> tensor<2x4x2x8xf32>
  %v = graph.transpose %5 [0, 2, 1, 3] : tensor<2x4x2x8xf32> -> tensor<2x2x4x8xf32>
  %6 = graph.attention %q, %k, %v scale 0.5 causal : tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32> -> tensor<2x2x4x8xf32>
  %7 = graph.transpose %6 [0, 2, 1, 3] : tensor<2x2x4x8xf32> -> tensor<2x4x2x8xf32>
  %8 = graph.reshape %7 : tensor<2x4x2x8xf32> -> tensor<2x4x16xf32>
  return %8 : tensor<2x4x16xf32>
}

// -----

// A bias is added to the score, a mask says what is seen; broadcast dimensions are not in the access.
// CHECK-DAG: #[[BIAS:[a-z0-9]+]] = affine_map<(d0, d1, d2) -> (d0 * 15 + d1 * 5 + d2)>
// CHECK-DAG: #[[MASK:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 5 + d1)>
// CHECK: kernel.func @attention_d8(
// CHECK: ^{{.*}}(%[[S:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index):
// CHECK-NEXT: %[[BV:.*]] = kernel.load %{{.*}}[#[[BIAS]]] (%[[H]], %[[I]], %[[J]]) : <bf16>
// CHECK-NEXT: %[[BW:.*]] = arith.extf %[[BV]] : bf16 to f32
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[S]], %[[BW]] : f32
// CHECK-NEXT: kernel.yield %[[Y]] : f32
// CHECK: ^{{.*}}(%[[B2:[a-z0-9]+]]: index, %[[H2:[a-z0-9]+]]: index, %[[I2:[a-z0-9]+]]: index, %[[J2:[a-z0-9]+]]: index):
// CHECK-NEXT: %[[M:.*]] = kernel.load %{{.*}}[#[[MASK]]] (%[[B2]], %[[J2]]) : <i1>
// CHECK-NEXT: kernel.yield %[[M]] : i1
func.func @main(%q: tensor<2x4x3x8xbf16>, %k: tensor<2x2x5x8xbf16>, %b: tensor<1x4x3x5xbf16>, %m: tensor<2x1x1x5xi1>) -> tensor<2x4x3x8xbf16> {
  %0 = graph.attention %q, %k, %k mask %m : tensor<2x1x1x5xi1> bias %b : tensor<1x4x3x5xbf16> scale 0.5 : tensor<2x4x3x8xbf16>, tensor<2x2x5x8xbf16>, tensor<2x2x5x8xbf16> -> tensor<2x4x3x8xbf16>
  return %0 : tensor<2x4x3x8xbf16>
}

// -----

// A window narrower than the keys is the skeleton's; the cap comes before the bias.
// CHECK: kernel.func @attention_d8_causal_window(
// CHECK: kernel.skeleton "attention_forward"<f16, 8, 16> scale 5.000000e-01 causal window 3
// CHECK: ^{{.*}}(%[[S:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: index, %[[H:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index):
// CHECK-NEXT: %[[R:.*]] = arith.constant 2.000000e-02 : f32
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[S]], %[[R]] : f32
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[D]] : f32
// CHECK-NEXT: %[[C:.*]] = arith.constant 5.000000e+01 : f32
// CHECK-NEXT: %[[U:.*]] = arith.mulf %[[T]], %[[C]] : f32
// CHECK-NEXT: %[[B:.*]] = kernel.load
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[U]], %[[B]] : f32
// CHECK-NEXT: kernel.yield %[[Y]] : f32
func.func @main(%q: tensor<2x4x6x8xf16>, %k: tensor<2x2x6x8xf16>, %v: tensor<2x2x6x16xf16>, %b: tensor<1x4x6x6xf32>) -> tensor<2x4x6x16xf16> {
  %0 = graph.attention %q, %k, %v bias %b : tensor<1x4x6x6xf32> scale 0.5 softcap 50.0 causal window 3 : tensor<2x4x6x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x16xf16> -> tensor<2x4x6x16xf16>
  return %0 : tensor<2x4x6x16xf16>
}

// -----

// A window as wide as the keys hides nothing.
// CHECK: kernel.func @attention_d8_causal(
// CHECK: kernel.skeleton "attention_forward"<f32, 8, 8> scale 5.000000e-01 causal(
func.func @main(%q: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %0 = graph.attention %q, %q, %q scale 0.5 causal window 6 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %0 : tensor<2x4x6x8xf32>
}

// -----

// Padding told by integers is compared where it is read; the only step is attention's.
// CHECK-DAG: #[[KEY:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 5 + d1)>
// CHECK: kernel.skeleton
// CHECK: ^{{.*}}(%[[B:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[J:[a-z0-9]+]]: index):
// CHECK-NEXT: %[[V:.*]] = kernel.load %{{.*}}[#[[KEY]]] (%[[B]], %[[J]]) : <i32>
// CHECK-NEXT: %[[Z:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[M:.*]] = arith.cmpi ne, %[[V]], %[[Z]] : i32
// CHECK-NEXT: kernel.yield %[[M]] : i1
// CHECK: plan.launch @attention_d8
// CHECK-NOT: plan.launch
func.func @main(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %ids: tensor<2x5xi32>) -> tensor<2x4x3x8xf32> {
  %z = graph.constant dense<0> : tensor<2x5xi32>
  %c = graph.compare ne %ids, %z : tensor<2x5xi32> -> tensor<2x5xi1>
  %m = graph.reshape %c : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
  %0 = graph.attention %q, %k, %k mask %m : tensor<2x1x1x5xi1> scale 0.5 : tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32> -> tensor<2x4x3x8xf32>
  return %0 : tensor<2x4x3x8xf32>
}

// -----

// Keys of one batch for all: the skeleton is told, since not every copy can repeat. An extent of 1 repeats nothing.
// CHECK: kernel.skeleton
// CHECK: {broadcast}
// CHECK: counts [2, 4, 4, 3, 5, 96, 24, 8, 0, 40, 8, 0, 40, 8, 96, 24, 8]
func.func @main(%q: tensor<2x4x3x8xbf16>, %k: tensor<1x4x5x8xbf16>) -> tensor<2x4x3x8xbf16> {
  %b = graph.broadcast %k : tensor<1x4x5x8xbf16> -> tensor<2x4x5x8xbf16>
  %0 = graph.attention %q, %b, %b scale 0.5 : tensor<2x4x3x8xbf16>, tensor<2x4x5x8xbf16>, tensor<2x4x5x8xbf16> -> tensor<2x4x3x8xbf16>
  return %0 : tensor<2x4x3x8xbf16>
}

// -----

// CHECK: kernel.skeleton
// CHECK-NOT: broadcast
// CHECK: plan.launch
func.func @main(%q: tensor<1x1x3x8xbf16>, %k: tensor<1x1x1x8xbf16>) -> tensor<1x1x3x8xbf16> {
  %0 = graph.attention %q, %k, %k scale 0.5 : tensor<1x1x3x8xbf16>, tensor<1x1x1x8xbf16>, tensor<1x1x1x8xbf16> -> tensor<1x1x3x8xbf16>
  return %0 : tensor<1x1x3x8xbf16>
}
