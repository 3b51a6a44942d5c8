// Near misses: which weight stopped the merge, and why.
// RUN: heddle-opt %s --split-input-file --merge-products=remarks -verify-diagnostics

// A weight that an embedding reads, too.
func.func @shared(%x: tensor<3x8xf32>, %ids: tensor<3xi32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x8xf32>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %at = graph.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // expected-remark-re@below {{merge-products: not raised: 'graph.parameter' at {{.*}} of "a" is read by others as well}}
  %0 = graph.matmul %x, %at : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bt = graph.transpose %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = graph.matmul %x, %bt : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %2 = graph.embedding %a, %ids : tensor<4x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
  return %0, %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x8xf32>
}

// -----

// One weight is cast, the other is as it is.
func.func @cast_and_not(%x: tensor<3x8xbf16>) -> (tensor<3x4xbf16>, tensor<3x4xbf16>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xbf16>
  %at = graph.transpose %a [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %0 = graph.matmul %x, %at : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bc = graph.cast %b : tensor<4x8xf32> -> tensor<4x8xbf16>
  %bt = graph.transpose %bc [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  // expected-remark-re@below {{merge-products: not raised: 'graph.parameter' at {{.*}} has other elements than the first weight's}}
  %1 = graph.matmul %x, %bt : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  return %0, %1 : tensor<3x4xbf16>, tensor<3x4xbf16>
}

// -----

// One cast is the user's, the other the policy's.
func.func @casts_differ(%x: tensor<3x8xbf16>) -> (tensor<3x4xbf16>, tensor<3x4xbf16>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %ac = graph.cast %a implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %at = graph.transpose %ac [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %0 = graph.matmul %x, %at : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bc = graph.cast %b : tensor<4x8xf32> -> tensor<4x8xbf16>
  %bt = graph.transpose %bc [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  // expected-remark-re@below {{merge-products: not raised: 'graph.transpose' at {{.*}} is cast otherwise than the first weight}}
  %1 = graph.matmul %x, %bt : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  return %0, %1 : tensor<3x4xbf16>, tensor<3x4xbf16>
}

// -----

// One result is wider.
func.func @results_differ(%x: tensor<3x8xbf16>) -> (tensor<3x4xbf16>, tensor<3x4xf32>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xbf16>
  %at = graph.transpose %a [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %0 = graph.matmul %x, %at : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xbf16>
  %bt = graph.transpose %b [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  // expected-remark@below {{merge-products: not raised: has a result of other elements than the first product's}}
  %1 = graph.matmul %x, %bt : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xbf16>, tensor<3x4xf32>
}

// -----

// Both casts at once, where apart they are held one after the other.
func.func @casts_too_large(%x: tensor<3x8xbf16>) -> (tensor<3x4xbf16>, tensor<3x4xbf16>) {
  %a = graph.parameter [#graph.part<"a", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %ac = graph.cast %a implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %at = graph.transpose %ac [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  // expected-remark-re@below {{merge-products: not raised: 'graph.transpose' at {{.*}} would be cast with the others: 128 bytes for 8 columns at once, where the largest weight of the model takes 64 for 4}}
  %0 = graph.matmul %x, %at : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  %b = graph.parameter [#graph.part<"b", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %bc = graph.cast %b implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  %bt = graph.transpose %bc [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  %1 = graph.matmul %x, %bt : tensor<3x8xbf16>, tensor<8x4xbf16> -> tensor<3x4xbf16>
  return %0, %1 : tensor<3x4xbf16>, tensor<3x4xbf16>
}
