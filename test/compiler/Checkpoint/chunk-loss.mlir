// The logits of one chunk of rows at a time: product, loss, gradient and the gradient's products.
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(chunk-loss{max-bytes=16384}))' | FileCheck %s

// 300 rows of 40 columns are 48,000 bytes: chunks of 128, 128 and 44 rows. The mean's factor comes first, the sum of the weight's gradients
// grows chunk by chunk.
// CHECK-LABEL: func.func @mean(
// CHECK: %[[VALID:[0-9]+]] = graph.reduce sum {{.*}} {graph.chunk = -1 : i64}
// CHECK: %[[X0:[0-9]+]] = graph.slice %arg0 offsets [0, 0] {{.*}} -> tensor<128x8xf32>
// CHECK: %[[L0:[0-9]+]] = graph.matmul %[[X0]], %arg1 {graph.chunk = 0 : i64}
// CHECK: %[[E0:[0-9]+]] = graph.cross_entropy %[[L0]]
// CHECK: %[[D0:[0-9]+]] = graph.cross_entropy_grad %[[L0]]
// CHECK-DAG: %[[DX0:[0-9]+]] = graph.matmul %[[D0]]
// CHECK-DAG: %[[DW0:[0-9]+]] = graph.matmul %{{.*}}, %[[D0]] {graph.chunk = 0 : i64}
// CHECK: %[[L1:[0-9]+]] = graph.matmul {{.*}} {graph.chunk = 1 : i64} : tensor<128x8xf32>
// CHECK: %[[E1:[0-9]+]] = graph.cross_entropy %[[L1]]
// CHECK: %[[D1:[0-9]+]] = graph.cross_entropy_grad %[[L1]]
// CHECK-DAG: %[[DX1:[0-9]+]] = graph.matmul %[[D1]]
// CHECK-DAG: %[[DW1:[0-9]+]] = graph.matmul %{{.*}}, %[[D1]] {graph.chunk = 1 : i64}
// CHECK-DAG: %[[S1:[0-9]+]] = graph.add %[[DW1]], %[[DW0]] {graph.chunk = 1 : i64}
// CHECK: %[[L2:[0-9]+]] = graph.matmul {{.*}} {graph.chunk = 2 : i64} : tensor<44x8xf32>
// CHECK: %[[E2:[0-9]+]] = graph.cross_entropy %[[L2]]
// CHECK: %[[S2:[0-9]+]] = graph.add %{{[0-9]+}}, %[[S1]] {graph.chunk = 2 : i64}
// CHECK: graph.concat %[[E0]], %[[E1]], %[[E2]] axis 0
// CHECK: graph.concat %[[DX0]], %[[DX1]], %{{[0-9]+}} axis 0
// CHECK-NOT: tensor<300x40xf32>
// CHECK: return
func.func @mean(%x: tensor<300x8xf32> {graph.name = "x"}, %w: tensor<8x40xf32> {graph.name = "w"}, %t: tensor<300xi32> {graph.name = "t"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<300x8xf32> {graph.name = "dx", graph.gradient = []}, tensor<8x40xf32> {graph.name = "dw", graph.gradient = []}) {
  %logits = graph.matmul %x, %w : tensor<300x8xf32>, tensor<8x40xf32> -> tensor<300x40xf32>
  %each = graph.cross_entropy %logits, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %sum = graph.reduce sum %each axes [0] : tensor<300xf32> -> tensor<1xf32>
  %ignored = graph.constant dense<-100> : tensor<300xi32>
  %isvalid = graph.compare ne %t, %ignored : tensor<300xi32> -> tensor<300xi1>
  %ones = graph.cast %isvalid : tensor<300xi1> -> tensor<300xf32>
  %valid = graph.reduce sum %ones axes [0] : tensor<300xf32> -> tensor<1xf32>
  %mean = graph.div %sum, %valid : tensor<1xf32>
  %loss = graph.reshape %mean : tensor<1xf32> -> tensor<f32>
  %share = graph.reciprocal %valid : tensor<1xf32>
  %g = graph.broadcast %share : tensor<1xf32> -> tensor<300xf32>
  %d = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %wt = graph.transpose %w [1, 0] : tensor<8x40xf32> -> tensor<40x8xf32>
  %dx = graph.matmul %d, %wt : tensor<300x40xf32>, tensor<40x8xf32> -> tensor<300x8xf32>
  %xt = graph.transpose %x [1, 0] : tensor<300x8xf32> -> tensor<8x300xf32>
  %dw = graph.matmul %xt, %d : tensor<8x300xf32>, tensor<300x40xf32> -> tensor<8x40xf32>
  return %loss, %dx, %dw : tensor<f32>, tensor<300x8xf32>, tensor<8x40xf32>
}

// -----

// The gradient of a square depends on the losses: all logits are needed before the first of it.
// CHECK-LABEL: func.func @square(
// CHECK-NOT: graph.chunk
// CHECK: return
func.func @square(%x: tensor<300x8xf32> {graph.name = "x"}, %w: tensor<8x40xf32> {graph.name = "w"}, %t: tensor<300xi32> {graph.name = "t"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<300x8xf32> {graph.name = "dx", graph.gradient = []}) {
  %logits = graph.matmul %x, %w : tensor<300x8xf32>, tensor<8x40xf32> -> tensor<300x40xf32>
  %each = graph.cross_entropy %logits, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %squares = graph.mul %each, %each : tensor<300xf32>
  %sum = graph.reduce sum %squares axes [0] : tensor<300xf32> -> tensor<1xf32>
  %loss = graph.reshape %sum : tensor<1xf32> -> tensor<f32>
  %g = graph.add %each, %each : tensor<300xf32>
  %d = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %wt = graph.transpose %w [1, 0] : tensor<8x40xf32> -> tensor<40x8xf32>
  %dx = graph.matmul %d, %wt : tensor<300x40xf32>, tensor<40x8xf32> -> tensor<300x8xf32>
  return %loss, %dx : tensor<f32>, tensor<300x8xf32>
}

// -----

// Logits that are given out are kept anyway.
// CHECK-LABEL: func.func @given(
// CHECK-NOT: graph.chunk
// CHECK: return
func.func @given(%x: tensor<300x8xf32> {graph.name = "x"}, %w: tensor<8x40xf32> {graph.name = "w"}, %t: tensor<300xi32> {graph.name = "t"}, %g: tensor<300xf32> {graph.name = "g"})
    -> (tensor<300x40xf32> {graph.name = "logits"}, tensor<300xf32> {graph.name = "each"}, tensor<300x8xf32> {graph.name = "dx", graph.gradient = []}) {
  %logits = graph.matmul %x, %w : tensor<300x8xf32>, tensor<8x40xf32> -> tensor<300x40xf32>
  %each = graph.cross_entropy %logits, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %d = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %wt = graph.transpose %w [1, 0] : tensor<8x40xf32> -> tensor<40x8xf32>
  %dx = graph.matmul %d, %wt : tensor<300x40xf32>, tensor<40x8xf32> -> tensor<300x8xf32>
  return %logits, %each, %dx : tensor<300x40xf32>, tensor<300xf32>, tensor<300x8xf32>
}

// -----

// 300 rows of bf16: two chunks would save the logits and gradients of 44 rows; the weight's float32 sum takes 320,000 bytes more than its bf16 product.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: graph.chunk
// CHECK: return
func.func @few(%x: tensor<300x4000xbf16> {graph.name = "x"}, %w: tensor<4000x40xbf16> {graph.name = "w"}, %t: tensor<300xi32> {graph.name = "t"}, %g: tensor<300xf32> {graph.name = "g"})
    -> (tensor<300xf32> {graph.name = "each"}, tensor<4000x40xbf16> {graph.name = "dw", graph.gradient = []}) {
  %product = graph.matmul %x, %w : tensor<300x4000xbf16>, tensor<4000x40xbf16> -> tensor<300x40xbf16>
  %logits = graph.cast %product implicit : tensor<300x40xbf16> -> tensor<300x40xf32>
  %each = graph.cross_entropy %logits, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %wide = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %d = graph.cast %wide implicit : tensor<300x40xf32> -> tensor<300x40xbf16>
  %xt = graph.transpose %x [1, 0] : tensor<300x4000xbf16> -> tensor<4000x300xbf16>
  %dw = graph.matmul %xt, %d : tensor<4000x300xbf16>, tensor<300x40xbf16> -> tensor<4000x40xbf16>
  return %each, %dw : tensor<300xf32>, tensor<4000x40xbf16>
}

// -----

// A bias between product and loss, in the types of autocast (24,000 bytes: chunks of 256 and 44 rows): each chunk adds it, and
// the sum of its gradient's rows grows chunk by chunk. The product's gradients read the cast, the bias's sum the gradient itself.
// CHECK-LABEL: func.func @biased(
// CHECK: %[[B:[0-9]+]] = graph.reshape %arg2 {{.*}}: tensor<1x1x40xf32> -> tensor<1x40xf32>
// CHECK: %[[P0:[0-9]+]] = graph.matmul {{.*}} {graph.chunk = 0 : i64} : tensor<256x8xbf16>
// CHECK-NEXT: %[[W0:[0-9]+]] = graph.cast %[[P0]] implicit
// CHECK-NEXT: %[[R0:[0-9]+]] = graph.broadcast %[[B]] {graph.chunk = 0 : i64} : tensor<1x40xf32> -> tensor<256x40xf32>
// CHECK-NEXT: %[[A0:[0-9]+]] = graph.add %[[W0]], %[[R0]] {graph.chunk = 0 : i64}
// CHECK-NEXT: %[[N0:[0-9]+]] = graph.cast %[[A0]] implicit
// CHECK-NEXT: %[[L0:[0-9]+]] = graph.cast %[[N0]] implicit
// CHECK: %[[E0:[0-9]+]] = graph.cross_entropy %[[L0]]
// CHECK: %[[D0:[0-9]+]] = graph.cross_entropy_grad %[[L0]]
// CHECK-NEXT: %[[C0:[0-9]+]] = graph.cast %[[D0]] implicit {graph.chunk = 0 : i64} : tensor<256x40xf32> -> tensor<256x40xbf16>
// CHECK-DAG: %[[DX0:[0-9]+]] = graph.matmul %[[C0]]
// CHECK-DAG: %[[DB0:[0-9]+]] = graph.reduce sum %[[D0]] axes [0] {graph.chunk = 0 : i64} : tensor<256x40xf32> -> tensor<1x40xf32>
// CHECK-DAG: graph.matmul %{{.*}}, %[[C0]] {graph.chunk = 0 : i64} : {{.*}} -> tensor<8x40xf32>
// CHECK: %[[D1:[0-9]+]] = graph.cross_entropy_grad
// CHECK-DAG: %[[DB1:[0-9]+]] = graph.reduce sum %[[D1]] axes [0] {graph.chunk = 1 : i64} : tensor<44x40xf32> -> tensor<1x40xf32>
// CHECK-DAG: %[[S1:[0-9]+]] = graph.add %[[DB1]], %[[DB0]] {graph.chunk = 1 : i64} : tensor<1x40xf32>
// CHECK-NOT: 3x100x40
// CHECK: %[[DB:[0-9]+]] = graph.reshape %[[S1]] : tensor<1x40xf32> -> tensor<1x1x40xf32>
// CHECK: return {{.*}}, %[[DB]] :
func.func @biased(%x: tensor<3x100x8xbf16> {graph.name = "x"}, %w: tensor<8x40xbf16> {graph.name = "w"}, %b: tensor<1x1x40xf32> {graph.name = "b"}, %t: tensor<3x100xi32> {graph.name = "t"}, %g: tensor<3x100xf32> {graph.name = "g"})
    -> (tensor<3x100xf32> {graph.name = "each"}, tensor<3x100x8xbf16> {graph.name = "dx", graph.gradient = []}, tensor<8x40xbf16> {graph.name = "dw", graph.gradient = []}, tensor<1x1x40xf32> {graph.name = "db", graph.gradient = []}) {
  %product = graph.matmul %x, %w : tensor<3x100x8xbf16>, tensor<8x40xbf16> -> tensor<3x100x40xbf16>
  %wide = graph.cast %product implicit : tensor<3x100x40xbf16> -> tensor<3x100x40xf32>
  %bias = graph.broadcast %b : tensor<1x1x40xf32> -> tensor<3x100x40xf32>
  %sum = graph.add %wide, %bias : tensor<3x100x40xf32>
  %narrow = graph.cast %sum implicit : tensor<3x100x40xf32> -> tensor<3x100x40xbf16>
  %logits = graph.cast %narrow implicit : tensor<3x100x40xbf16> -> tensor<3x100x40xf32>
  %each = graph.cross_entropy %logits, %t ignored -100 smoothing 0.0 : tensor<3x100x40xf32>, tensor<3x100xi32> -> tensor<3x100xf32>
  %dl = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<3x100x40xf32>, tensor<3x100xi32>, tensor<3x100xf32>
  %d = graph.cast %dl implicit : tensor<3x100x40xf32> -> tensor<3x100x40xbf16>
  %db = graph.reduce sum %dl axes [0, 1] : tensor<3x100x40xf32> -> tensor<1x1x40xf32>
  %wt = graph.transpose %w [1, 0] : tensor<8x40xbf16> -> tensor<40x8xbf16>
  %dx = graph.matmul %d, %wt : tensor<3x100x40xbf16>, tensor<40x8xbf16> -> tensor<3x100x8xbf16>
  %xf = graph.reshape %x : tensor<3x100x8xbf16> -> tensor<300x8xbf16>
  %xt = graph.transpose %xf [1, 0] : tensor<300x8xbf16> -> tensor<8x300xbf16>
  %df = graph.reshape %d : tensor<3x100x40xbf16> -> tensor<300x40xbf16>
  %dw = graph.matmul %xt, %df : tensor<8x300xbf16>, tensor<300x40xbf16> -> tensor<8x40xbf16>
  return %each, %dx, %dw, %db : tensor<3x100xf32>, tensor<3x100x8xbf16>, tensor<8x40xbf16>, tensor<1x1x40xf32>
}

// -----

// What is added has rows of its own: they would have to be cut, too.
// CHECK-LABEL: func.func @added(
// CHECK-NOT: graph.chunk
// CHECK: return
func.func @added(%x: tensor<300x8xf32> {graph.name = "x"}, %w: tensor<8x40xf32> {graph.name = "w"}, %b: tensor<300x1xf32> {graph.name = "b"}, %t: tensor<300xi32> {graph.name = "t"}, %g: tensor<300xf32> {graph.name = "g"})
    -> (tensor<300xf32> {graph.name = "each"}, tensor<300x8xf32> {graph.name = "dx", graph.gradient = []}) {
  %product = graph.matmul %x, %w : tensor<300x8xf32>, tensor<8x40xf32> -> tensor<300x40xf32>
  %columns = graph.broadcast %b : tensor<300x1xf32> -> tensor<300x40xf32>
  %logits = graph.add %product, %columns : tensor<300x40xf32>
  %each = graph.cross_entropy %logits, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %d = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %wt = graph.transpose %w [1, 0] : tensor<8x40xf32> -> tensor<40x8xf32>
  %dx = graph.matmul %d, %wt : tensor<300x40xf32>, tensor<40x8xf32> -> tensor<300x8xf32>
  return %each, %dx : tensor<300xf32>, tensor<300x8xf32>
}

// -----

// The loss reads other logits than the gradient: another bias.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: graph.chunk
// CHECK: return
func.func @others(%x: tensor<300x8xf32> {graph.name = "x"}, %w: tensor<8x40xf32> {graph.name = "w"}, %b: tensor<1x40xf32> {graph.name = "b"}, %c: tensor<1x40xf32> {graph.name = "c"}, %t: tensor<300xi32> {graph.name = "t"}, %g: tensor<300xf32> {graph.name = "g"})
    -> (tensor<300xf32> {graph.name = "each"}, tensor<300x8xf32> {graph.name = "dx", graph.gradient = []}) {
  %product = graph.matmul %x, %w : tensor<300x8xf32>, tensor<8x40xf32> -> tensor<300x40xf32>
  %one = graph.broadcast %b : tensor<1x40xf32> -> tensor<300x40xf32>
  %other = graph.broadcast %c : tensor<1x40xf32> -> tensor<300x40xf32>
  %logits = graph.add %product, %one : tensor<300x40xf32>
  %read = graph.add %product, %other : tensor<300x40xf32>
  %each = graph.cross_entropy %read, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %d = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %wt = graph.transpose %w [1, 0] : tensor<8x40xf32> -> tensor<40x8xf32>
  %dx = graph.matmul %d, %wt : tensor<300x40xf32>, tensor<40x8xf32> -> tensor<300x8xf32>
  return %each, %dx : tensor<300xf32>, tensor<300x8xf32>
}

// -----

// 2,000 rows of 9 columns are 72,000 bytes, and those of their width of 40 are 320,000: the input's gradient, in parts and side by side, would take
// more than the logits do.
// CHECK-LABEL: func.func @wide(
// CHECK-NOT: graph.chunk
// CHECK: return
func.func @wide(%x: tensor<2000x40xf32> {graph.name = "x"}, %w: tensor<40x9xf32> {graph.name = "w"}, %t: tensor<2000xi32> {graph.name = "t"}, %g: tensor<2000xf32> {graph.name = "g"})
    -> (tensor<2000xf32> {graph.name = "each"}, tensor<2000x40xf32> {graph.name = "dx", graph.gradient = []}) {
  %logits = graph.matmul %x, %w : tensor<2000x40xf32>, tensor<40x9xf32> -> tensor<2000x9xf32>
  %each = graph.cross_entropy %logits, %t ignored -100 smoothing 0.0 : tensor<2000x9xf32>, tensor<2000xi32> -> tensor<2000xf32>
  %d = graph.cross_entropy_grad %logits, %t, %g ignored -100 smoothing 0.0 : tensor<2000x9xf32>, tensor<2000xi32>, tensor<2000xf32>
  %wt = graph.transpose %w [1, 0] : tensor<40x9xf32> -> tensor<9x40xf32>
  %dx = graph.matmul %d, %wt : tensor<2000x9xf32>, tensor<9x40xf32> -> tensor<2000x40xf32>
  return %each, %dx : tensor<2000xf32>, tensor<2000x40xf32>
}

// -----

// Rows of one element are rows: the first of two losses, whose chunks are numbered on.
// CHECK-LABEL: func.func @narrow(
// CHECK: graph.slice %arg0 {{.*}} {graph.chunk = 0 : i64} : tensor<300x1xf32> -> tensor<128x1xf32>
// CHECK: graph.matmul {{.*}} {graph.chunk = 2 : i64} : tensor<44x1xf32>
// CHECK: graph.matmul {{.*}} {graph.chunk = 5 : i64} : tensor<44x1xf32>
// CHECK: return
func.func @narrow(%x: tensor<300x1xf32> {graph.name = "x"}, %w: tensor<1x40xf32> {graph.name = "w"}, %v: tensor<40x1xf32> {graph.name = "v"}, %t: tensor<300xi32> {graph.name = "t"}, %g: tensor<300xf32> {graph.name = "g"})
    -> (tensor<300xf32> {graph.name = "a"}, tensor<300xf32> {graph.name = "b"}, tensor<1x40xf32> {graph.name = "dw", graph.gradient = []}, tensor<40x1xf32> {graph.name = "dv", graph.gradient = []}) {
  %xt = graph.transpose %x [1, 0] : tensor<300x1xf32> -> tensor<1x300xf32>
  %first = graph.matmul %x, %w : tensor<300x1xf32>, tensor<1x40xf32> -> tensor<300x40xf32>
  %a = graph.cross_entropy %first, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %da = graph.cross_entropy_grad %first, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %dw = graph.matmul %xt, %da : tensor<1x300xf32>, tensor<300x40xf32> -> tensor<1x40xf32>
  %vt = graph.transpose %v [1, 0] : tensor<40x1xf32> -> tensor<1x40xf32>
  %second = graph.matmul %x, %vt : tensor<300x1xf32>, tensor<1x40xf32> -> tensor<300x40xf32>
  %b = graph.cross_entropy %second, %t ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32> -> tensor<300xf32>
  %db = graph.cross_entropy_grad %second, %t, %g ignored -100 smoothing 0.0 : tensor<300x40xf32>, tensor<300xi32>, tensor<300xf32>
  %dbt = graph.transpose %db [1, 0] : tensor<300x40xf32> -> tensor<40x300xf32>
  %dv = graph.matmul %dbt, %x : tensor<40x300xf32>, tensor<300x1xf32> -> tensor<40x1xf32>
  return %a, %b, %dw, %dv : tensor<300xf32>, tensor<300xf32>, tensor<1x40xf32>, tensor<40x1xf32>
}
