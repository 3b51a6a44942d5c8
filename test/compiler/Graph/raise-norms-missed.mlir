// Near misses of norms and softmax: the remark names the op that stopped the match, and why.
// RUN: heddle-opt %s --split-input-file --graph-canonicalize --raise-norms=remarks -verify-diagnostics

// x / (sqrt(mean) + eps).
func.func @epsilon_outside(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  // expected-remark-re@below {{norm: not raised: 'graph.add' at {{.*}} adds epsilon outside of the root}}
  %q = graph.sqrt %m : tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %qe = graph.add %q, %eps : tensor<4x1xf32>
  %qb = graph.broadcast %qe : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.div %x, %qb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The mean of columns.
func.func @other_dimension(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  // expected-remark-re@below {{norm: not raised: 'graph.reduce' at {{.*}} reduces other dimensions than the last}}
  %r = graph.rsqrt %m : tensor<1x8xf32>
  %rb = graph.broadcast %r : tensor<1x8xf32> -> tensor<4x8xf32>
  %y = graph.mul %x, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The sum over 7, of 8 elements.
func.func @other_divisor(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %sq = graph.mul %x, %x : tensor<4x8xf32>
  %s = graph.reduce sum %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %c = graph.constant dense<7.0> : tensor<4x1xf32>
  %m = graph.div %s, %c : tensor<4x1xf32>
  // expected-remark-re@below {{norm: not raised: 'graph.div' at {{.*}} does not divide the sum by the last dimension's extent 8}}
  %r = graph.rsqrt %m : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.mul %x, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The mean of products of two tensors.
func.func @no_square(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %p = graph.mul %x, %z : tensor<4x8xf32>
  %m = graph.reduce mean %p axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  // expected-remark-re@below {{norm: not raised: 'graph.mul' at {{.*}} is no square}}
  %r = graph.rsqrt %m : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.mul %x, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Another tensor is scaled than the one that was measured.
func.func @another_tensor(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  // expected-remark-re@below {{norm: not raised: 'graph.broadcast' at {{.*}} does not scale what the mean of squares was taken of}}
  %r = graph.rsqrt %m : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.mul %z, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A lower bound in place of epsilon.
func.func @clamped(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.maximum %m, %eps : tensor<4x1xf32>
  // expected-remark-re@below {{norm: not raised: 'graph.maximum' at {{.*}} is no mean of squares over the last dimension}}
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.mul %x, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Sums over columns.
func.func @softmax_of_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = graph.exp %x : tensor<4x8xf32>
  %s = graph.reduce sum %e axes [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  %sb = graph.broadcast %s : tensor<1x8xf32> -> tensor<4x8xf32>
  // expected-remark-re@below {{softmax: not raised: 'graph.reduce' at {{.*}} sums over other dimensions than the last}}
  %y = graph.div %e, %sb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The maximum over columns.
func.func @softmax_maximum_of_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %mx = graph.reduce max %x axes [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  %mxb = graph.broadcast %mx : tensor<1x8xf32> -> tensor<4x8xf32>
  %d = graph.sub %x, %mxb : tensor<4x8xf32>
  %e = graph.exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %sb = graph.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  // expected-remark-re@below {{softmax: not raised: 'graph.reduce' at {{.*}} takes the maximum over other dimensions than the last}}
  %y = graph.div %e, %sb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
