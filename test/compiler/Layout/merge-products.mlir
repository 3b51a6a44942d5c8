// Products of one left-hand side by weights that nobody else reads.
// RUN: heddle-opt %s --split-input-file --merge-products | FileCheck %s

// Parts in the order of use; slices of the one result.
// CHECK-LABEL: func.func @three
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x8xf32>)
// CHECK: %[[W:.*]] = graph.parameter [#graph.part<"q", [4, 8], normal, {{.*}}>, #graph.part<"k", [2, 8], normal, {{.*}}>, #graph.part<"v", [6, 8], normal, {{.*}}>] : tensor<12x8xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[W]] [1, 0]
// CHECK: %[[Y:.*]] = graph.matmul %[[X]], %[[T]] : tensor<2x3x8xf32>, tensor<8x12xf32> -> tensor<2x3x12xf32>
// CHECK: %[[Q:.*]] = graph.slice %[[Y]] offsets [0, 0, 0] strides [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK: %[[K:.*]] = graph.slice %[[Y]] offsets [0, 0, 4] strides [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x2xf32>
// CHECK: %[[V:.*]] = graph.slice %[[Y]] offsets [0, 0, 6] strides [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
// CHECK-NOT: graph.matmul
// CHECK: return %[[Q]], %[[K]], %[[V]]
func.func @three(%x: tensor<2x3x8xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x2xf32>, tensor<2x3x6xf32>) {
  %q = graph.parameter [#graph.part<"q", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %qt = graph.transpose %q [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %qt : tensor<2x3x8xf32>, tensor<8x4xf32> -> tensor<2x3x4xf32>
  %k = graph.parameter [#graph.part<"k", [2, 8], normal, 0.02>] : tensor<2x8xf32>
  %kt = graph.transpose %k [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %1 = graph.matmul %x, %kt : tensor<2x3x8xf32>, tensor<8x2xf32> -> tensor<2x3x2xf32>
  %v = graph.parameter [#graph.part<"v", [6, 8], normal, 0.02>] : tensor<6x8xf32>
  %vt = graph.transpose %v [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
  %2 = graph.matmul %x, %vt : tensor<2x3x8xf32>, tensor<8x6xf32> -> tensor<2x3x6xf32>
  return %0, %1, %2 : tensor<2x3x4xf32>, tensor<2x3x2xf32>, tensor<2x3x6xf32>
}

// -----

// One cast for the merged weight, as implicit as theirs were; the last product's weight is larger than both.
// CHECK-LABEL: func.func @casts
// CHECK: %[[W:.*]] = graph.parameter {{.*}} : tensor<8x8xf32>
// CHECK: %[[C:.*]] = graph.cast %[[W]] implicit : tensor<8x8xf32> -> tensor<8x8xbf16>
// CHECK: %[[T:.*]] = graph.transpose %[[C]] [1, 0]
// CHECK: graph.matmul %{{.*}}, %[[T]] : tensor<3x8xbf16>, tensor<8x8xbf16> -> tensor<3x8xbf16>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<3x8xbf16>, tensor<8x20xbf16>
// CHECK-NOT: graph.matmul
func.func @casts(%x: tensor<3x8xbf16>, %z: tensor<3x8xbf16>)
    -> (tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x20xbf16>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %ac = graph.cast %a implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %at = graph.transpose %ac [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %0 = graph.matmul %x, %at : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bc = graph.cast %b implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %bt = graph.transpose %bc [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %1 = graph.matmul %x, %bt : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %c = graph.parameter [#graph.part<"c", [20, 8], normal, 0.02>] : tensor<20x8xf32>
  %cc = graph.cast %c implicit : tensor<20x8xf32> -> tensor<20x8xbf16>
  %ct = graph.transpose %cc [1, 0] : tensor<20x8xbf16> -> tensor<8x20xbf16>
  %2 = graph.matmul %z, %ct : tensor<3x8xbf16>, tensor<8x20xbf16> -> tensor<3x20xbf16>
  return %0, %1, %2 : tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x20xbf16>
}

// -----

// Products of two left-hand sides stay two.
// CHECK-LABEL: func.func @two_operands
// CHECK-COUNT-2: graph.matmul
func.func @two_operands(%x: tensor<3x8xf32>, %z: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %at = graph.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %at : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bt = graph.transpose %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = graph.matmul %z, %bt : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// Biases beside each other like the weights, added before the result is cut; one cast for all.
// CHECK-LABEL: func.func @biases
// CHECK: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<3x6xf32>
// CHECK: %[[B:.*]] = graph.parameter [#graph.part<"qb", [4], {{.*}}>, #graph.part<"kb", [2], {{.*}}>] : tensor<6xf32>
// CHECK: %[[S:.*]] = graph.add %[[Y]], %{{.*}} : tensor<3x6xf32>
// CHECK: %[[C:.*]] = graph.cast %[[S]] implicit : tensor<3x6xf32> -> tensor<3x6xbf16>
// CHECK: %[[Q:.*]] = graph.slice %[[C]] offsets [0, 0]
// CHECK: %[[K:.*]] = graph.slice %[[C]] offsets [0, 4]
// CHECK: return %[[Q]], %[[K]]
func.func @biases(%x: tensor<3x8xbf16>) -> (tensor<3x4xbf16>, tensor<3x2xbf16>) {
  %q = graph.parameter [#graph.part<"q", [4, 8], normal, 0.02>] : tensor<4x8xbf16>
  %qt = graph.transpose %q [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %qb = graph.parameter [#graph.part<"qb", [4], normal, 0.02>] : tensor<4xf32>
  %qr = graph.reshape %qb : tensor<4xf32> -> tensor<1x4xf32>
  %qv = graph.broadcast %qr : tensor<1x4xf32> -> tensor<3x4xf32>
  %0 = graph.matmul %x, %qt : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xf32>
  %1 = graph.add %0, %qv : tensor<3x4xf32>
  %2 = graph.cast %1 implicit : tensor<3x4xf32> -> tensor<3x4xbf16>
  %k = graph.parameter [#graph.part<"k", [2, 8], normal, 0.02>] : tensor<2x8xbf16>
  %kt = graph.transpose %k [1, 0] : tensor<2x8xbf16> -> tensor<8x2xbf16>
  %kb = graph.parameter [#graph.part<"kb", [2], normal, 0.02>] : tensor<2xf32>
  %kr = graph.reshape %kb : tensor<2xf32> -> tensor<1x2xf32>
  %kv = graph.broadcast %kr : tensor<1x2xf32> -> tensor<3x2xf32>
  %3 = graph.matmul %x, %kt : tensor<3x8xbf16>, tensor<8x2xbf16> -> tensor<3x2xf32>
  %4 = graph.add %kv, %3 : tensor<3x2xf32>
  %5 = graph.cast %4 implicit : tensor<3x2xf32> -> tensor<3x2xbf16>
  return %2, %5 : tensor<3x4xbf16>, tensor<3x2xbf16>
}

// -----

// One without a bias: the products are merged, the bias is added to its slice.
// CHECK-LABEL: func.func @one_bias
// CHECK: graph.matmul {{.*}} -> tensor<3x6xf32>
// CHECK: %[[Q:.*]] = graph.slice {{.*}} -> tensor<3x4xf32>
// CHECK: graph.slice {{.*}} -> tensor<3x2xf32>
// CHECK: graph.add %[[Q]], %{{.*}} : tensor<3x4xf32>
func.func @one_bias(%x: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %q = graph.parameter [#graph.part<"q", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %qt = graph.transpose %q [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %qb = graph.parameter [#graph.part<"qb", [4], normal, 0.02>] : tensor<4xf32>
  %qr = graph.reshape %qb : tensor<4xf32> -> tensor<1x4xf32>
  %qv = graph.broadcast %qr : tensor<1x4xf32> -> tensor<3x4xf32>
  %0 = graph.matmul %x, %qt : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %1 = graph.add %0, %qv : tensor<3x4xf32>
  %k = graph.parameter [#graph.part<"k", [2, 8], normal, 0.02>] : tensor<2x8xf32>
  %kt = graph.transpose %k [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %3 = graph.matmul %x, %kt : tensor<3x8xf32>, tensor<8x2xf32> -> tensor<3x2xf32>
  return %1, %3 : tensor<3x4xf32>, tensor<3x2xf32>
}

// -----

// A tied head is cast as a whole, so that merged weights that are no larger raise no peak.
// CHECK-LABEL: func.func @tied
// CHECK: graph.matmul {{.*}} -> tensor<3x8xbf16>
// CHECK: graph.matmul {{.*}} -> tensor<3x9xbf16>
// CHECK-NOT: graph.matmul
func.func @tied(%x: tensor<3x8xbf16>, %i: tensor<3xi32> {graph.bound = 9 : i64}) -> (tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x9xbf16>, tensor<3x8xf32>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %ac = graph.cast %a implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %at = graph.transpose %ac [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %0 = graph.matmul %x, %at : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bc = graph.cast %b implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %bt = graph.transpose %bc [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %1 = graph.matmul %x, %bt : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %t = graph.parameter [#graph.part<"embed", [9, 8], normal, 0.02>] : tensor<9x8xf32>
  %tc = graph.cast %t implicit : tensor<9x8xf32> -> tensor<9x8xbf16>
  %tt = graph.transpose %tc [1, 0] : tensor<9x8xbf16> -> tensor<8x9xbf16>
  %2 = graph.matmul %x, %tt : tensor<3x8xbf16>, tensor<8x9xbf16> -> tensor<3x9xbf16>
  %e = graph.embedding %t, %i : tensor<9x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
  return %0, %1, %2, %e : tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x9xbf16>, tensor<3x8xf32>
}
