// Biases of merged products are one parameter, never put together at run time.
// RUN: heddle-opt %s --split-input-file --merge-products | FileCheck %s

// CHECK-LABEL: func.func @biases
// CHECK-SAME: (%[[X:.*]]: tensor<3x8xf32>)
// CHECK: %[[W:.*]] = graph.parameter [#graph.part<"q", [4, 8], {{.*}}>, #graph.part<"k", [2, 8], {{.*}}>] : tensor<6x8xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[W]] [1, 0]
// CHECK: %[[Y:.*]] = graph.matmul %[[X]], %[[T]]
// CHECK: %[[B:.*]] = graph.parameter [#graph.part<"qb", [4], {{.*}}>, #graph.part<"kb", [2], {{.*}}>] : tensor<6xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[B]]
// CHECK: %[[S:.*]] = graph.broadcast %[[R]]
// CHECK: %[[SUM:.*]] = graph.add %[[Y]], %[[S]] : tensor<3x6xf32>
// CHECK: %[[Q:.*]] = graph.slice %[[SUM]] offsets [0, 0] strides [1, 1] : tensor<3x6xf32> -> tensor<3x4xf32>
// CHECK: %[[K:.*]] = graph.slice %[[SUM]] offsets [0, 4] strides [1, 1] : tensor<3x6xf32> -> tensor<3x2xf32>
// CHECK-NOT: graph.add
// CHECK: return %[[Q]], %[[K]]
func.func @biases(%x: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %q = graph.parameter [#graph.part<"q", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %qt = graph.transpose %q [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %qt : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %qb = graph.parameter [#graph.part<"qb", [4], normal, 0.02>] : tensor<4xf32>
  %qr = graph.reshape %qb : tensor<4xf32> -> tensor<1x4xf32>
  %qs = graph.broadcast %qr : tensor<1x4xf32> -> tensor<3x4xf32>
  %1 = graph.add %0, %qs : tensor<3x4xf32>
  %k = graph.parameter [#graph.part<"k", [2, 8], normal, 0.02>] : tensor<2x8xf32>
  %kt = graph.transpose %k [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %2 = graph.matmul %x, %kt : tensor<3x8xf32>, tensor<8x2xf32> -> tensor<3x2xf32>
  %kb = graph.parameter [#graph.part<"kb", [2], normal, 0.02>] : tensor<2xf32>
  %kr = graph.reshape %kb : tensor<2xf32> -> tensor<1x2xf32>
  %ks = graph.broadcast %kr : tensor<1x2xf32> -> tensor<3x2xf32>
  %3 = graph.add %ks, %2 : tensor<3x2xf32>
  return %1, %3 : tensor<3x4xf32>, tensor<3x2xf32>
}

// -----

// Where one product has no bias, the other's is added to its slice.
// CHECK-LABEL: func.func @one_bias
// CHECK: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<3x8xf32>
// CHECK: %[[A:.*]] = graph.slice %[[Y]] offsets [0, 0]
// CHECK: %[[B:.*]] = graph.slice %[[Y]] offsets [0, 4]
// CHECK: %[[SUM:.*]] = graph.add %[[A]], %{{.*}} : tensor<3x4xf32>
// CHECK: return %[[SUM]], %[[B]]
func.func @one_bias(%x: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %at = graph.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %at : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %ab = graph.parameter [#graph.part<"ab", [4], normal, 0.02>] : tensor<4xf32>
  %ar = graph.reshape %ab : tensor<4xf32> -> tensor<1x4xf32>
  %as = graph.broadcast %ar : tensor<1x4xf32> -> tensor<3x4xf32>
  %1 = graph.add %0, %as : tensor<3x4xf32>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bt = graph.transpose %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = graph.matmul %x, %bt : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// A product that is read without its bias, too: the bias stays where it is.
// CHECK-LABEL: func.func @product_read_twice
// CHECK: graph.matmul {{.*}} -> tensor<3x8xf32>
// CHECK: graph.add {{.*}} : tensor<3x4xf32>
// CHECK: graph.add {{.*}} : tensor<3x4xf32>
func.func @product_read_twice(%x: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %at = graph.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %at : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %ab = graph.parameter [#graph.part<"ab", [4], normal, 0.02>] : tensor<4xf32>
  %ar = graph.reshape %ab : tensor<4xf32> -> tensor<1x4xf32>
  %as = graph.broadcast %ar : tensor<1x4xf32> -> tensor<3x4xf32>
  %1 = graph.add %0, %as : tensor<3x4xf32>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bt = graph.transpose %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = graph.matmul %x, %bt : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %bb = graph.parameter [#graph.part<"bb", [4], normal, 0.02>] : tensor<4xf32>
  %br = graph.reshape %bb : tensor<4xf32> -> tensor<1x4xf32>
  %bs = graph.broadcast %br : tensor<1x4xf32> -> tensor<3x4xf32>
  %3 = graph.add %2, %bs : tensor<3x4xf32>
  return %1, %3, %2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
