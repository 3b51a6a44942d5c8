// Every op parses, verifies and prints what it was; what it printed reads back.
// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @leaves
// CHECK: graph.parameter [#graph.part<"q.weight", [8, 4], normal, 2.000000e-02 : f64>, #graph.part<"k.weight", [2, 4], constant, 1.000000e+00 : f64>] : tensor<10x4xf32>
// CHECK: graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK: graph.iota 1 : tensor<2x3xi64>
func.func @leaves() -> (tensor<10x4xf32>, tensor<f32>, tensor<2x3xi64>) {
  %w = graph.parameter [#graph.part<"q.weight", [8, 4], normal, 0.02>, #graph.part<"k.weight", [2, 4], constant, 1.0>] : tensor<10x4xf32>
  %c = graph.constant dense<0.5> : tensor<f32>
  %i = graph.iota 1 : tensor<2x3xi64>
  return %w, %c, %i : tensor<10x4xf32>, tensor<f32>, tensor<2x3xi64>
}

// CHECK-LABEL: func.func @unary
// CHECK: graph.neg %{{.*}} : tensor<4xf32>
// CHECK: graph.abs %{{.*}} : tensor<4xf32>
// CHECK: graph.exp %{{.*}} : tensor<4xf32>
// CHECK: graph.log %{{.*}} : tensor<4xf32>
// CHECK: graph.sqrt %{{.*}} : tensor<4xf32>
// CHECK: graph.rsqrt %{{.*}} : tensor<4xf32>
// CHECK: graph.reciprocal %{{.*}} : tensor<4xf32>
// CHECK: graph.tanh %{{.*}} : tensor<4xf32>
// CHECK: graph.sigmoid %{{.*}} : tensor<4xf32>
// CHECK: graph.erf %{{.*}} : tensor<4xf32>
// CHECK: graph.sin %{{.*}} : tensor<4xf32>
// CHECK: graph.cos %{{.*}} : tensor<4xf32>
// CHECK: graph.relu %{{.*}} : tensor<4xf32>
// CHECK: graph.silu %{{.*}} : tensor<4xf32>
// CHECK: graph.gelu erf %{{.*}} : tensor<4xf32>
// CHECK: graph.gelu tanh %{{.*}} : tensor<4xf32>
// CHECK: graph.copy %{{.*}} : tensor<4xf32>
func.func @unary(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.abs %0 : tensor<4xf32>
  %2 = graph.exp %1 : tensor<4xf32>
  %3 = graph.log %2 : tensor<4xf32>
  %4 = graph.sqrt %3 : tensor<4xf32>
  %5 = graph.rsqrt %4 : tensor<4xf32>
  %6 = graph.reciprocal %5 : tensor<4xf32>
  %7 = graph.tanh %6 : tensor<4xf32>
  %8 = graph.sigmoid %7 : tensor<4xf32>
  %9 = graph.erf %8 : tensor<4xf32>
  %10 = graph.sin %9 : tensor<4xf32>
  %11 = graph.cos %10 : tensor<4xf32>
  %12 = graph.relu %11 : tensor<4xf32>
  %13 = graph.silu %12 : tensor<4xf32>
  %14 = graph.gelu erf %13 : tensor<4xf32>
  %15 = graph.gelu tanh %14 : tensor<4xf32>
  %16 = graph.copy %15 : tensor<4xf32>
  return %16 : tensor<4xf32>
}

// CHECK-LABEL: func.func @binary
// CHECK: graph.add %{{.*}}, %{{.*}} : tensor<4xbf16>
// CHECK: graph.sub %{{.*}}, %{{.*}} : tensor<4xbf16>
// CHECK: graph.mul %{{.*}}, %{{.*}} : tensor<4xbf16>
// CHECK: graph.div %{{.*}}, %{{.*}} : tensor<4xbf16>
// CHECK: graph.pow %{{.*}}, %{{.*}} : tensor<4xbf16>
// CHECK: graph.maximum %{{.*}}, %{{.*}} : tensor<4xbf16>
// CHECK: graph.minimum %{{.*}}, %{{.*}} : tensor<4xbf16>
func.func @binary(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.add %x, %y : tensor<4xbf16>
  %1 = graph.sub %0, %y : tensor<4xbf16>
  %2 = graph.mul %1, %y : tensor<4xbf16>
  %3 = graph.div %2, %y : tensor<4xbf16>
  %4 = graph.pow %3, %y : tensor<4xbf16>
  %5 = graph.maximum %4, %y : tensor<4xbf16>
  %6 = graph.minimum %5, %y : tensor<4xbf16>
  return %6 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @conditions
// CHECK: graph.compare eq %{{.*}}, %{{.*}} : tensor<4xi32> -> tensor<4xi1>
// CHECK: graph.compare ne %{{.*}}, %{{.*}} : tensor<4xi32> -> tensor<4xi1>
// CHECK: graph.compare lt %{{.*}}, %{{.*}} : tensor<4xi32> -> tensor<4xi1>
// CHECK: graph.compare le %{{.*}}, %{{.*}} : tensor<4xi32> -> tensor<4xi1>
// CHECK: graph.compare gt %{{.*}}, %{{.*}} : tensor<4xi32> -> tensor<4xi1>
// CHECK: graph.compare ge %{{.*}}, %{{.*}} : tensor<4xi32> -> tensor<4xi1>
// CHECK: graph.and %{{.*}}, %{{.*}} : tensor<4xi1>
// CHECK: graph.or %{{.*}}, %{{.*}} : tensor<4xi1>
// CHECK: graph.not %{{.*}} : tensor<4xi1>
// CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xi32>
func.func @conditions(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = graph.compare eq %x, %y : tensor<4xi32> -> tensor<4xi1>
  %1 = graph.compare ne %x, %y : tensor<4xi32> -> tensor<4xi1>
  %2 = graph.compare lt %x, %y : tensor<4xi32> -> tensor<4xi1>
  %3 = graph.compare le %x, %y : tensor<4xi32> -> tensor<4xi1>
  %4 = graph.compare gt %x, %y : tensor<4xi32> -> tensor<4xi1>
  %5 = graph.compare ge %x, %y : tensor<4xi32> -> tensor<4xi1>
  %6 = graph.and %0, %1 : tensor<4xi1>
  %7 = graph.or %6, %2 : tensor<4xi1>
  %8 = graph.not %7 : tensor<4xi1>
  %9 = graph.select %8, %x, %y : tensor<4xi1>, tensor<4xi32>
  return %9 : tensor<4xi32>
}

// CHECK-LABEL: func.func @kept
// CHECK: %[[C:.*]] = graph.cast %{{.*}} kept : tensor<4x2xf32> -> tensor<4x2xbf16>
// CHECK: graph.assign %[[C]], %{{.*}} : tensor<4x2xbf16>
func.func @kept(%x: tensor<4x2xbf16>) {
  %w = graph.parameter [#graph.part<"w", [4, 2], normal, 0.02>] : tensor<4x2xf32>
  %c = graph.cast %w kept : tensor<4x2xf32> -> tensor<4x2xbf16>
  graph.assign %c, %x : tensor<4x2xbf16>
  return
}

// CHECK-LABEL: func.func @casts
// CHECK: graph.cast %{{.*}} : tensor<4xf32> -> tensor<4xbf16>
// CHECK: graph.cast %{{.*}} implicit : tensor<4xbf16> -> tensor<4xf32>
// CHECK: graph.cast %{{.*}} : tensor<4xf32> -> tensor<4xi64>
func.func @casts(%x: tensor<4xf32>) -> tensor<4xi64> {
  %0 = graph.cast %x : tensor<4xf32> -> tensor<4xbf16>
  %1 = graph.cast %0 implicit : tensor<4xbf16> -> tensor<4xf32>
  %2 = graph.cast %1 : tensor<4xf32> -> tensor<4xi64>
  return %2 : tensor<4xi64>
}

// CHECK-LABEL: func.func @views
// CHECK-SAME: %{{.*}}: tensor<4x512x768xf32, #[[DIMS:[a-z_]+]]>
// CHECK: graph.reshape %{{.*}} : tensor<4x512x768xf32, #[[DIMS]]> -> tensor<4x512x12x64xf32, #{{.*}}>
// CHECK: graph.transpose %{{.*}} [0, 2, 1, 3] : tensor<4x512x12x64xf32, #{{.*}}> -> tensor<4x12x512x64xf32, #{{.*}}>
// CHECK: graph.slice %{{.*}} offsets [0, 0, 0, 1] strides [1, 1, 1, 2]
// CHECK: graph.concat %{{.*}}, %{{.*}} axis 3
// CHECK: graph.reduce mean %{{.*}} axes [3] : tensor<4x12x512x64xf32, #{{.*}}> -> tensor<4x12x512x1xf32, #{{.*}}>
// CHECK: graph.broadcast %{{.*}} : tensor<4x12x512x1xf32, #{{.*}}> -> tensor<4x12x512x64xf32, #{{.*}}>
#x = #graph.dims<["batch", "seq", ""]>
#h = #graph.dims<["batch", "seq", "", ""]>
#t = #graph.dims<["batch", "", "seq", ""]>
func.func @views(%x: tensor<4x512x768xf32, #x>) -> tensor<4x12x512x64xf32, #t> {
  %0 = graph.reshape %x : tensor<4x512x768xf32, #x> -> tensor<4x512x12x64xf32, #h>
  %1 = graph.transpose %0 [0, 2, 1, 3] : tensor<4x512x12x64xf32, #h> -> tensor<4x12x512x64xf32, #t>
  %2 = graph.slice %1 offsets [0, 0, 0, 1] strides [1, 1, 1, 2] : tensor<4x12x512x64xf32, #t> -> tensor<4x12x512x32xf32, #t>
  %3 = graph.concat %2, %2 axis 3 : tensor<4x12x512x32xf32, #t>, tensor<4x12x512x32xf32, #t> -> tensor<4x12x512x64xf32, #t>
  %4 = graph.reduce mean %3 axes [3] : tensor<4x12x512x64xf32, #t> -> tensor<4x12x512x1xf32, #t>
  %5 = graph.broadcast %4 : tensor<4x12x512x1xf32, #t> -> tensor<4x12x512x64xf32, #t>
  return %5 : tensor<4x12x512x64xf32, #t>
}

// CHECK-LABEL: func.func @model
// CHECK: graph.embedding %{{.*}}, %{{.*}} : tensor<50x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
// CHECK: graph.rms_norm %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<2x3x8xf32>, tensor<8xf32>
// CHECK: graph.layer_norm %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<2x3x8xf32>, tensor<8xf32>
// CHECK: graph.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<2x3x8xf32>, tensor<8x5xf32> -> tensor<2x3x5xf32>
// CHECK: graph.softmax %{{.*}} : tensor<2x3x5xf32>
func.func @model(%ids: tensor<2x3xi32>, %table: tensor<50x8xf32>, %w: tensor<8xf32>, %p: tensor<8x5xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.embedding %table, %ids : tensor<50x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  %1 = graph.rms_norm %0, %w epsilon 1.0e-5 : tensor<2x3x8xf32>, tensor<8xf32>
  %2 = graph.layer_norm %1, %w epsilon 1.0e-5 : tensor<2x3x8xf32>, tensor<8xf32>
  %3 = graph.layer_norm %2, %w, %w epsilon 1.0e-5 : tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
  %4 = graph.matmul %3, %p : tensor<2x3x8xf32>, tensor<8x5xf32> -> tensor<2x3x5xf32>
  %5 = graph.softmax %4 : tensor<2x3x5xf32>
  return %5 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @attention
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 causal : tensor<2x4x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x10xf32> -> tensor<2x4x6x10xf32>
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x1x6x6xi1> bias %{{.*}} : tensor<1x4x1x6xf32> scale 1.250000e-01 : tensor<2x4x6x8xf32>
func.func @attention(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x10xf32>,
                     %m: tensor<1x1x6x6xi1>, %b: tensor<1x4x1x6xf32>) -> (tensor<2x4x6x10xf32>, tensor<2x4x6x10xf32>) {
  %0 = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x4x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x10xf32> -> tensor<2x4x6x10xf32>
  %1 = graph.attention %q, %k, %v mask %m : tensor<1x1x6x6xi1> bias %b : tensor<1x4x1x6xf32> scale 0.125 : tensor<2x4x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x10xf32> -> tensor<2x4x6x10xf32>
  return %0, %1 : tensor<2x4x6x10xf32>, tensor<2x4x6x10xf32>
}

// CHECK-LABEL: func.func @attention_statistics
// CHECK: %{{.*}}, %{{.*}} = graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 causal : tensor<2x4x6x8xbf16>, tensor<2x2x6x8xbf16>, tensor<2x2x6x10xbf16> -> tensor<2x4x6x10xbf16>, tensor<2x2x4x6xf32>
// CHECK: %{{.*}}, %{{.*}}, %{{.*}} = graph.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 causal : tensor<2x4x6x8xbf16>, tensor<2x2x6x8xbf16>, tensor<2x2x6x10xbf16>, tensor<2x4x6x10xbf16>, tensor<2x2x4x6xf32>, tensor<2x4x6xf32>{{$}}
func.func @attention_statistics(%q: tensor<2x4x6x8xbf16>, %k: tensor<2x2x6x8xbf16>, %v: tensor<2x2x6x10xbf16>, %d: tensor<2x4x6xf32>) -> tensor<2x4x6x8xbf16> {
  %0, %l = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x4x6x8xbf16>, tensor<2x2x6x8xbf16>, tensor<2x2x6x10xbf16> -> tensor<2x4x6x10xbf16>, tensor<2x2x4x6xf32>
  %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %0, %l, %d scale 0.125 causal : tensor<2x4x6x8xbf16>, tensor<2x2x6x8xbf16>, tensor<2x2x6x10xbf16>, tensor<2x4x6x10xbf16>, tensor<2x2x4x6xf32>, tensor<2x4x6xf32>
  return %dq : tensor<2x4x6x8xbf16>
}

// CHECK-LABEL: func.func @attention_grad_bias
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = graph.attention_grad %{{.*}} mask %{{.*}} : tensor<1x1x6x6xi1> bias %{{.*}} : tensor<1x4x1x6xbf16> scale 1.250000e-01 softcap 5.000000e+01 : {{.*}} -> tensor<1x4x6x6xf32>
func.func @attention_grad_bias(%q: tensor<2x4x6x8xf32>, %l: tensor<2x2x4x6xf32>, %d: tensor<2x4x6xf32>, %m: tensor<1x1x6x6xi1>, %b: tensor<1x4x1x6xbf16>) -> tensor<1x4x6x6xf32> {
  %0:4 = graph.attention_grad %q, %q, %q, %q, %l, %d mask %m : tensor<1x1x6x6xi1> bias %b : tensor<1x4x1x6xbf16> scale 0.125 softcap 50.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x2x4x6xf32>, tensor<2x4x6xf32> -> tensor<1x4x6x6xf32>
  return %0#3 : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: func.func @attention_window
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 softcap 5.000000e+01 causal window 3 : tensor<2x4x6x8xf16>
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 softcap 5.000000e+01 : tensor<2x4x6x8xf16>
func.func @attention_window(%q: tensor<2x4x6x8xf16>) -> (tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>) {
  %0 = graph.attention %q, %q, %q scale 0.125 softcap 50.0 causal window 3 : tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16> -> tensor<2x4x6x8xf16>
  %1 = graph.attention %q, %q, %q scale 0.125 softcap 50.0 : tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16> -> tensor<2x4x6x8xf16>
  return %0, %1 : tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>
}

// CHECK-LABEL: func.func @group
// CHECK: graph.group rows "add+mul" {
// CHECK:   graph.add
// CHECK:   graph.yield %{{.*}} : tensor<4xf32>
// CHECK: } : tensor<4xf32>
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.group rows "add+mul" {
    %0 = graph.add %a, %a : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @losses
// CHECK: graph.cross_entropy %{{.*}}, %{{.*}} ignored -100 smoothing 1.000000e-01 : tensor<2x3x5xbf16>, tensor<2x3xi32> -> tensor<2x3xf32>
// CHECK: graph.cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}} ignored -100 smoothing 1.000000e-01 : tensor<2x3x5xbf16>, tensor<2x3xi32>, tensor<2x3xf32>
// CHECK: graph.cross_entropy %{{.*}}, %{{.*}} ignored 3 smoothing 0.000000e+00 : tensor<5xf32>, tensor<i64> -> tensor<f32>
func.func @losses(%x: tensor<2x3x5xbf16>, %t: tensor<2x3xi32>, %y: tensor<5xf32>, %u: tensor<i64>) -> (tensor<2x3x5xbf16>, tensor<f32>) {
  %0 = graph.cross_entropy %x, %t ignored -100 smoothing 0.1 : tensor<2x3x5xbf16>, tensor<2x3xi32> -> tensor<2x3xf32>
  %1 = graph.cross_entropy_grad %x, %t, %0 ignored -100 smoothing 0.1 : tensor<2x3x5xbf16>, tensor<2x3xi32>, tensor<2x3xf32>
  %2 = graph.cross_entropy %y, %u ignored 3 smoothing 0.0 : tensor<5xf32>, tensor<i64> -> tensor<f32>
  return %1, %2 : tensor<2x3x5xbf16>, tensor<f32>
}

// CHECK-LABEL: func.func @gradients
// CHECK: graph.embedding_grad %{{.*}}, %{{.*}} : tensor<2x3x8xf32>, tensor<2x3xi32> -> tensor<50x8xf32>
// CHECK: graph.silu_grad %{{.*}}, %{{.*}} : tensor<2x3x8xf32>
// CHECK: graph.gelu_grad erf %{{.*}}, %{{.*}} : tensor<2x3x8xf32>
// CHECK: graph.gelu_grad tanh %{{.*}}, %{{.*}} : tensor<2x3x8xf32>
// CHECK: graph.softmax_grad %{{.*}}, %{{.*}} : tensor<2x3x8xf32>
// CHECK: graph.like %{{.*}}, %{{.*}} : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gradients(%x: tensor<2x3x8xf32>, %g: tensor<2x3x8xf32>, %ids: tensor<2x3xi32>) -> (tensor<50x8xf32>, tensor<2x3x8xf32>) {
  %0 = graph.embedding_grad %g, %ids : tensor<2x3x8xf32>, tensor<2x3xi32> -> tensor<50x8xf32>
  %1 = graph.silu_grad %x, %g : tensor<2x3x8xf32>
  %2 = graph.gelu_grad erf %x, %1 : tensor<2x3x8xf32>
  %3 = graph.gelu_grad tanh %x, %2 : tensor<2x3x8xf32>
  %4 = graph.softmax_grad %x, %3 : tensor<2x3x8xf32>
  %5 = graph.like %4, %x : tensor<2x3x8xf32>, tensor<2x3x8xf32>
  return %0, %5 : tensor<50x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @state
// CHECK: %[[W:[0-9]+]] = graph.parameter [#graph.part<"w", [8], normal, 2.000000e-02 : f64>] : tensor<8xf32>
// CHECK: %[[M:[0-9]+]] = graph.state [#graph.part<"exp_avg.w", [8], constant, 0.000000e+00 : f64>] : tensor<8xf32>
// CHECK: %[[S:[0-9]+]] = graph.add %[[M]], %[[W]]
// CHECK: graph.assign %[[M]], %[[S]] : tensor<8xf32>
// CHECK: graph.assign %[[W]], %[[M]] : tensor<8xf32>
func.func @state() {
  %w = graph.parameter [#graph.part<"w", [8], normal, 0.02>] : tensor<8xf32>
  %m = graph.state [#graph.part<"exp_avg.w", [8], constant, 0.0>] : tensor<8xf32>
  %s = graph.add %m, %w : tensor<8xf32>
  graph.assign %m, %s : tensor<8xf32>
  graph.assign %w, %m : tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @dropout
// CHECK: graph.dropout %{{.*}}, %{{.*}}, %{{.*}} layer 3 probability 1.000000e-01 : tensor<4xbf16>
func.func @dropout(%x: tensor<4xbf16>, %index: tensor<4xi32>, %key: tensor<4xi64>) -> tensor<4xbf16> {
  %0 = graph.dropout %x, %index, %key layer 3 probability 0.1 : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
