// Near misses of attention: the remark names the op that stopped the match, and why.
// RUN: heddle-opt %s --split-input-file --graph-canonicalize --raise-attention=remarks -verify-diagnostics

// The weights are an output too.
func.func @probabilities_returned(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x6x6xf32>) {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: has probabilities that 2 ops read, wanted one product}}
  %p = graph.softmax %s : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y, %p : tensor<2x4x6x8xf32>, tensor<2x4x6x6xf32>
}

// -----

// The scores are an output too.
func.func @scores_returned(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x6x6xf32>) {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.matmul' at {{.*}} has scores that others read as well}}
  %p = graph.softmax %s : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y, %s : tensor<2x4x6x8xf32>, tensor<2x4x6x6xf32>
}

// -----

// The user rounds the scores: a barrier.
func.func @users_rounding(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %n = graph.cast %s : tensor<2x4x6x6xf32> -> tensor<2x4x6x6xbf16>
  %w = graph.cast %n : tensor<2x4x6x6xbf16> -> tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.cast' at {{.*}} rounds the scores, as the user wrote}}
  %p = graph.softmax %w : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A scale that is a tensor.
func.func @no_constant_scale(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %t: tensor<2x4x6x6xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %ts = graph.mul %s, %t : tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.mul' at {{.*}} scales the scores by no constant}}
  %p = graph.softmax %ts : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Something else than a scale stands between.
func.func @another_function(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %ts = graph.sigmoid %s : tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.sigmoid' at {{.*}} is no scale, soft cap, mask, bias or cast of a product}}
  %p = graph.softmax %ts : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// -10000 hides nothing for sure.
func.func @weak_mask(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %m: tensor<2x4x6x6xi1>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %low = graph.constant dense<-1.0e4> : tensor<2x4x6x6xf32>
  %ms = graph.select %m, %s, %low : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.select' at {{.*}} puts -10000.000000 in place of hidden scores, wanted -inf or at most -1e30}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A choice between two tensors.
func.func @two_scores(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %m: tensor<2x4x6x6xi1>, %t: tensor<2x4x6x6xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %ms = graph.select %m, %s, %t : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.select' at {{.*}} chooses between two tensors of scores}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// More queries than keys: the first see none, and the formula gives NaN there.
func.func @rows_without_keys(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x3x8xf32>, %v: tensor<1x2x3x8xf32>) -> tensor<1x2x5x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<1x2x3x8xf32> -> tensor<1x2x8x3xf32>
  %s = graph.matmul %q, %kt : tensor<1x2x5x8xf32>, tensor<1x2x8x3xf32> -> tensor<1x2x5x3xf32>
  %i = graph.iota 2 : tensor<1x2x5x3xi32>
  %j = graph.iota 3 : tensor<1x2x5x3xi32>
  %two = graph.constant dense<2> : tensor<1x2x5x3xi32>
  %j2 = graph.add %j, %two : tensor<1x2x5x3xi32>
  %c = graph.compare ge %i, %j2 : tensor<1x2x5x3xi32> -> tensor<1x2x5x3xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<1x2x5x3xf32>
  %ms = graph.select %c, %s, %inf : tensor<1x2x5x3xi1>, tensor<1x2x5x3xf32>
  // expected-remark-re@below {{not raised: 'graph.compare' at {{.*}} hides all keys from some queries}}
  %p = graph.softmax %ms : tensor<1x2x5x3xf32>
  %y = graph.matmul %p, %v : tensor<1x2x5x3xf32>, tensor<1x2x3x8xf32> -> tensor<1x2x5x8xf32>
  return %y : tensor<1x2x5x8xf32>
}

// -----

// query > key hides the diagonal too: the first query sees none.
func.func @diagonal_hidden(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare gt %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.compare' at {{.*}} hides all keys from some queries}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Values of rank 2 for all heads.
func.func @shared_value(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.matmul' at {{.*}} has a right-hand side that all leading dimensions share}}
  %p = graph.softmax %s : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// The scores come from outside.
func.func @argument(%s: tensor<2x4x6x6xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  // expected-remark-re@below {{not raised: the scores are an argument}}
  %p = graph.softmax %s : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A softmax that weighs nothing.
func.func @classifier(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark-re@below {{not raised: 'graph.log' at {{.*}} reads the probabilities and is no product with values on its right}}
  %p = graph.softmax %x : tensor<4x6xf32>
  %y = graph.log %p : tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// Five dimensions.
func.func @rank_five(%q: tensor<1x2x3x6x8xf32>, %k: tensor<1x2x3x8x6xf32>, %v: tensor<1x2x3x6x8xf32>) -> tensor<1x2x3x6x8xf32> {
  %s = graph.matmul %q, %k : tensor<1x2x3x6x8xf32>, tensor<1x2x3x8x6xf32> -> tensor<1x2x3x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.matmul' at {{.*}} has rank 5, wanted at most 4}}
  %p = graph.softmax %s : tensor<1x2x3x6x6xf32>
  %y = graph.matmul %p, %v : tensor<1x2x3x6x6xf32>, tensor<1x2x3x6x8xf32> -> tensor<1x2x3x6x8xf32>
  return %y : tensor<1x2x3x6x8xf32>
}

// -----

// A product that is wider than its operands.
func.func @wide_result(%q: tensor<2x4x6x8xbf16>, %k: tensor<2x4x6x8xbf16>, %v: tensor<2x4x6x8xbf16>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xbf16> -> tensor<2x4x8x6xbf16>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xbf16>, tensor<2x4x8x6xbf16> -> tensor<2x4x6x6xbf16>
  // expected-remark-re@below {{not raised: 'graph.matmul' at {{.*}} has values or a result of other elements than the query}}
  %p = graph.softmax %s : tensor<2x4x6x6xbf16>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xbf16>, tensor<2x4x6x8xbf16> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A bias before the soft cap is capped, too: graph.attention adds its own after it.
func.func @bias_before_cap(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %b: tensor<2x4x6x6xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %b1 = graph.add %s, %b : tensor<2x4x6x6xf32>
  %t = graph.tanh %b1 : tensor<2x4x6x6xf32>
  %cap = graph.constant dense<30.0> : tensor<2x4x6x6xf32>
  %ms = graph.mul %t, %cap : tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.add' at {{.*}} adds to the scores before their soft cap, wanted after it}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// The cap of minus infinity is minus the cap: nothing is hidden.
func.func @mask_before_cap(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %m: tensor<2x4x6x6xi1>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %h = graph.select %m, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %t = graph.tanh %h : tensor<2x4x6x6xf32>
  %cap = graph.constant dense<30.0> : tensor<2x4x6x6xf32>
  %ms = graph.mul %t, %cap : tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.select' at {{.*}} chooses scores before their soft cap, which leaves none hidden}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A cap whose reciprocal float32 does not hold.
func.func @tiny_cap(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %t = graph.tanh %s : tensor<2x4x6x6xf32>
  %cap = graph.constant dense<1.0e-35> : tensor<2x4x6x6xf32>
  %ms = graph.mul %t, %cap : tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.tanh' at {{.*}} is multiplied by a number that is no soft cap, wanted 1e-30 to 1e30}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Capped twice.
func.func @two_caps(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %t = graph.tanh %s : tensor<2x4x6x6xf32>
  %ms = graph.tanh %t : tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.tanh' at {{.*}} caps scores that are capped again}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A window before the first key of some queries.
func.func @window_of_nothing(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare lt %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  // expected-remark-re@below {{not raised: 'graph.compare' at {{.*}} hides all keys from some queries}}
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}
