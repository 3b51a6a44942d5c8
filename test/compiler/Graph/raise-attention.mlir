// Attention in the forms that people write it in. What is matched is structure: no name or order of the importer's.
// RUN: heddle-opt %s --split-input-file --graph-canonicalize --raise-norms --raise-attention --graph-canonicalize | FileCheck %s

// The least: no scale, no mask.
// CHECK-LABEL: func.func @plain
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @plain(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %p = graph.softmax %s : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Causal, written as query >= key.
// CHECK-LABEL: func.func @causal_i_ge_j
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_i_ge_j(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// key <= query.
// CHECK-LABEL: func.func @causal_j_le_i
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_j_le_i(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare le %j, %i : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// not (key > query).
// CHECK-LABEL: func.func @causal_not_j_gt_i
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_not_j_gt_i(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare gt %j, %i : tensor<6x6xi32> -> tensor<6x6xi1>
  %n = graph.not %c : tensor<6x6xi1>
  %m4 = graph.reshape %n : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Hidden where query < key: masked_fill.
// CHECK-LABEL: func.func @causal_hide_i_lt_j
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_hide_i_lt_j(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare lt %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %inf, %s : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// query - key > -1.
// CHECK-LABEL: func.func @causal_difference
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_difference(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %d = graph.sub %i, %j : tensor<6x6xi32>
  %m1 = graph.constant dense<-1> : tensor<6x6xi32>
  %c = graph.compare gt %d, %m1 : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// 2 query + 1 >= 2 key: floors to query >= key.
// CHECK-LABEL: func.func @causal_doubled
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_doubled(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %t = graph.constant dense<2> : tensor<6x6xi32>
  %o = graph.constant dense<1> : tensor<6x6xi32>
  %i2 = graph.mul %i, %t : tensor<6x6xi32>
  %i3 = graph.add %i2, %o : tensor<6x6xi32>
  %j2 = graph.mul %j, %t : tensor<6x6xi32>
  %c = graph.compare ge %i3, %j2 : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Indices as vectors that are stretched, compared as floating numbers.
// CHECK-LABEL: func.func @causal_vectors
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_vectors(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %iv = graph.iota 0 : tensor<6xi32>
  %fv = graph.cast %iv : tensor<6xi32> -> tensor<6xf32>
  %ir = graph.reshape %fv : tensor<6xf32> -> tensor<6x1xf32>
  %jr = graph.reshape %fv : tensor<6xf32> -> tensor<1x6xf32>
  %i = graph.broadcast %ir : tensor<6x1xf32> -> tensor<6x6xf32>
  %j = graph.broadcast %jr : tensor<1x6xf32> -> tensor<6x6xf32>
  %c = graph.compare le %j, %i : tensor<6x6xf32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A mask of 0 and -inf that is added.
// CHECK-LABEL: func.func @causal_added
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_added(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %z = graph.constant dense<0.0> : tensor<6x6xf32>
  %n = graph.constant dense<0xFF800000> : tensor<6x6xf32>
  %a = graph.select %c, %z, %n : tensor<6x6xi1>, tensor<6x6xf32>
  %a4 = graph.reshape %a : tensor<6x6xf32> -> tensor<1x1x6x6xf32>
  %ab = graph.broadcast %a4 : tensor<1x1x6x6xf32> -> tensor<2x4x6x6xf32>
  %ms = graph.add %ab, %s : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// (1 - mask) * the type's least value, added: what code without infinities writes.
// CHECK-LABEL: func.func @causal_flag_times_least
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_flag_times_least(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %f = graph.cast %c : tensor<6x6xi1> -> tensor<6x6xf32>
  %one = graph.constant dense<1.0> : tensor<6x6xf32>
  %n = graph.sub %one, %f : tensor<6x6xf32>
  %l = graph.constant dense<-3.40282347E+38> : tensor<6x6xf32>
  %a = graph.mul %n, %l : tensor<6x6xf32>
  %a4 = graph.reshape %a : tensor<6x6xf32> -> tensor<1x1x6x6xf32>
  %ab = graph.broadcast %a4 : tensor<1x1x6x6xf32> -> tensor<2x4x6x6xf32>
  %ms = graph.add %s, %ab : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// -1e30 in place of -inf: every row sees a key, so that the result is the same.
// CHECK-LABEL: func.func @causal_finite
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_finite(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<-1.0e30> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Scales of the query, of the key before its transpose, and of the scores; one of them a division.
// CHECK-LABEL: func.func @scale_everywhere
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 2.000000e+00 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @scale_everywhere(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %c3 = graph.constant dense<3.0> : tensor<2x4x6x8xf32>
  %c2 = graph.constant dense<2.0> : tensor<2x4x6x8xf32>
  %c5 = graph.constant dense<3.0> : tensor<2x4x6x6xf32>
  %qs = graph.mul %q, %c3 : tensor<2x4x6x8xf32>
  %ks = graph.mul %c2, %k : tensor<2x4x6x8xf32>
  %kt = graph.transpose %ks [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %qs, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %ms = graph.div %s, %c5 : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// exp(x - max) / sum.
// CHECK-LABEL: func.func @softmax_written_out
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 5.000000e-01 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @softmax_written_out(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %h = graph.constant dense<0.5> : tensor<2x4x6x6xf32>
  %ms = graph.mul %s, %h : tensor<2x4x6x6xf32>
  %mx = graph.reduce max %ms axes [3] : tensor<2x4x6x6xf32> -> tensor<2x4x6x1xf32>
  %mxb = graph.broadcast %mx : tensor<2x4x6x1xf32> -> tensor<2x4x6x6xf32>
  %d = graph.sub %ms, %mxb : tensor<2x4x6x6xf32>
  %e = graph.exp %d : tensor<2x4x6x6xf32>
  %sum = graph.reduce sum %e axes [3] : tensor<2x4x6x6xf32> -> tensor<2x4x6x1xf32>
  %sb = graph.broadcast %sum : tensor<2x4x6x1xf32> -> tensor<2x4x6x6xf32>
  %p = graph.div %e, %sb : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// The division after the second product, by the reciprocal of the sum.
// CHECK-LABEL: func.func @softmax_divides_last
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 5.000000e-01 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @softmax_divides_last(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %h = graph.constant dense<0.5> : tensor<2x4x6x6xf32>
  %ms = graph.mul %s, %h : tensor<2x4x6x6xf32>
  %mx = graph.reduce max %ms axes [3] : tensor<2x4x6x6xf32> -> tensor<2x4x6x1xf32>
  %mxb = graph.broadcast %mx : tensor<2x4x6x1xf32> -> tensor<2x4x6x6xf32>
  %d = graph.sub %ms, %mxb : tensor<2x4x6x6xf32>
  %e = graph.exp %d : tensor<2x4x6x6xf32>
  %sum = graph.reduce sum %e axes [3] : tensor<2x4x6x6xf32> -> tensor<2x4x6x1xf32>
  %o = graph.matmul %e, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  %r = graph.reciprocal %sum : tensor<2x4x6x1xf32>
  %rb = graph.broadcast %r : tensor<2x4x6x1xf32> -> tensor<2x4x6x8xf32>
  %y = graph.mul %rb, %o : tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// exp(x) / sum(exp(x)): the same, but for overflow.
// CHECK-LABEL: func.func @softmax_without_maximum
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @softmax_without_maximum(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %e = graph.exp %s : tensor<2x4x6x6xf32>
  %sum = graph.reduce sum %e axes [3] : tensor<2x4x6x6xf32> -> tensor<2x4x6x1xf32>
  %sb = graph.broadcast %sum : tensor<2x4x6x1xf32> -> tensor<2x4x6x6xf32>
  %p = graph.div %e, %sb : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A bias over heads is added before a causal mask.
// CHECK-LABEL: func.func @bias_and_causal
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>, %[[B:.*]]: tensor<1x4x6x6xf32>, %[[M:.*]]: tensor<2x6xi1>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] bias %[[B]] : tensor<1x4x6x6xf32> scale 5.000000e-01 causal
// CHECK-NOT: graph.matmul
func.func @bias_and_causal(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %b: tensor<1x4x6x6xf32>, %m: tensor<2x6xi1>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %h = graph.constant dense<0.5> : tensor<2x4x6x6xf32>
  %ms = graph.mul %s, %h : tensor<2x4x6x6xf32>
  %bb = graph.broadcast %b : tensor<1x4x6x6xf32> -> tensor<2x4x6x6xf32>
  %bs = graph.add %ms, %bb : tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %x = graph.select %mb, %bs, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %x : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A scale above a bias scales the bias too.
// CHECK-LABEL: func.func @bias_is_scaled
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>, %[[B:.*]]: tensor<1x4x6x6xf32>, %[[M:.*]]: tensor<2x6xi1>
// CHECK: %[[C:.*]] = graph.constant dense<-5.000000e-01> : tensor<1x4x6x6xf32>
// CHECK: %[[BS:.*]] = graph.mul %[[B]], %[[C]]
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] bias %[[BS]] : tensor<1x4x6x6xf32> scale 5.000000e-01 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @bias_is_scaled(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %b: tensor<1x4x6x6xf32>, %m: tensor<2x6xi1>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %bb = graph.broadcast %b : tensor<1x4x6x6xf32> -> tensor<2x4x6x6xf32>
  %bs = graph.sub %s, %bb : tensor<2x4x6x6xf32>
  %h = graph.constant dense<0.5> : tensor<2x4x6x6xf32>
  %ms = graph.mul %bs, %h : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Another condition, and the causal one: a mask operand as small as it was, and causal.
// CHECK-LABEL: func.func @padding_and_causal
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>, %[[B:.*]]: tensor<1x4x6x6xf32>, %[[M:.*]]: tensor<2x6xi1>
// CHECK: %[[MR:.*]] = graph.reshape %[[M]] : tensor<2x6xi1> -> tensor<2x1x1x6xi1>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] mask %[[MR]] : tensor<2x1x1x6xi1> scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @padding_and_causal(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %b: tensor<1x4x6x6xf32>, %m: tensor<2x6xi1>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %m2 = graph.reshape %m : tensor<2x6xi1> -> tensor<2x1x1x6xi1>
  %pb = graph.broadcast %m2 : tensor<2x1x1x6xi1> -> tensor<2x4x6x6xi1>
  %both = graph.and %pb, %mb : tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %both, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A finite fill and rows that may see no key: equal weights there, which only a bias says.
// CHECK-LABEL: func.func @padding_finite
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>, %[[B:.*]]: tensor<1x4x6x6xf32>, %[[M:.*]]: tensor<2x6xi1>
// CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<2x1x1x6xf32>
// CHECK-DAG: %[[LOW:.*]] = graph.constant dense<-1.000000e+30> : tensor<2x1x1x6xf32>
// CHECK: %[[BI:.*]] = graph.select %{{.*}}, %[[ZERO]], %[[LOW]] : tensor<2x1x1x6xi1>, tensor<2x1x1x6xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] bias %[[BI]] : tensor<2x1x1x6xf32> scale
// CHECK-NOT: graph.matmul
func.func @padding_finite(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %b: tensor<1x4x6x6xf32>, %m: tensor<2x6xi1>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %m2 = graph.reshape %m : tensor<2x6xi1> -> tensor<2x1x1x6xi1>
  %pb = graph.broadcast %m2 : tensor<2x1x1x6xi1> -> tensor<2x4x6x6xi1>
  %low = graph.constant dense<-1.0e30> : tensor<2x4x6x6xf32>
  %ms = graph.select %pb, %s, %low : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Queries that see no key have equal weights under a finite fill: a bias.
// CHECK-LABEL: func.func @diagonal_hidden_finite
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] bias %{{.*}} : tensor<1x1x6x6xf32> scale 1.000000e+00 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @diagonal_hidden_finite(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare gt %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<-1.0e30> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A sliding window; its other forms are in raise-attention-bands.mlir.
// CHECK-LABEL: func.func @window
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal window 3
// CHECK-NOT: graph.matmul
func.func @window(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %d = graph.sub %i, %j : tensor<6x6xi32>
  %w = graph.constant dense<3> : tensor<6x6xi32>
  %near = graph.compare lt %d, %w : tensor<6x6xi32> -> tensor<6x6xi1>
  %both = graph.and %c, %near : tensor<6x6xi1>
  %m4 = graph.reshape %both : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// query + 1 >= key shows one key more: a mask, not causal.
// CHECK-LABEL: func.func @not_causal_by_one
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] mask %{{.*}} : tensor<1x1x6x6xi1> scale 1.000000e+00 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @not_causal_by_one(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %o = graph.constant dense<1> : tensor<6x6xi32>
  %i1 = graph.add %i, %o : tensor<6x6xi32>
  %c = graph.compare ge %i1, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// key >= query: the other triangle.
// CHECK-LABEL: func.func @not_causal_but_transposed
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x4x6x8xf32>, %[[V:.*]]: tensor<2x4x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] mask %{{.*}} : tensor<1x1x6x6xi1> scale 1.000000e+00 : tensor<2x4x6x8xf32>
// CHECK-NOT: graph.matmul
func.func @not_causal_but_transposed(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %j, %i : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Fewer queries than keys: causal is anchored at the last key.
// CHECK-LABEL: func.func @causal_last_query
// CHECK-SAME: %[[Q:.*]]: tensor<1x2x3x8xf32>, %[[K:.*]]: tensor<1x2x5x8xf32>, %[[V:.*]]: tensor<1x2x5x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 causal
// CHECK-NOT: graph.matmul
func.func @causal_last_query(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<1x2x5x8xf32> -> tensor<1x2x8x5xf32>
  %s = graph.matmul %q, %kt : tensor<1x2x3x8xf32>, tensor<1x2x8x5xf32> -> tensor<1x2x3x5xf32>
  %i = graph.iota 0 : tensor<3x5xi32>
  %j = graph.iota 1 : tensor<3x5xi32>
  %two = graph.constant dense<2> : tensor<3x5xi32>
  %i2 = graph.add %i, %two : tensor<3x5xi32>
  %c = graph.compare ge %i2, %j : tensor<3x5xi32> -> tensor<3x5xi1>
  %c4 = graph.reshape %c : tensor<3x5xi1> -> tensor<1x1x3x5xi1>
  %cb = graph.broadcast %c4 : tensor<1x1x3x5xi1> -> tensor<1x2x3x5xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<1x2x3x5xf32>
  %ms = graph.select %cb, %s, %inf : tensor<1x2x3x5xi1>, tensor<1x2x3x5xf32>
  %p = graph.softmax %ms : tensor<1x2x3x5xf32>
  %y = graph.matmul %p, %v : tensor<1x2x3x5xf32>, tensor<1x2x5x8xf32> -> tensor<1x2x3x8xf32>
  return %y : tensor<1x2x3x8xf32>
}

// -----

// Sequence and head are 8 wide: the right-hand side is the key's transpose, whatever its extents.
// CHECK-LABEL: func.func @key_not_transposed
// CHECK-SAME: %[[Q:.*]]: tensor<1x2x8x8xf32>, %[[K:.*]]: tensor<1x2x8x8xf32>, %[[V:.*]]: tensor<1x2x8x8xf32>
// CHECK: %[[KT:.*]] = graph.transpose %[[K]] [0, 1, 3, 2]
// CHECK: graph.attention %[[Q]], %[[KT]], %[[V]] scale
func.func @key_not_transposed(%q: tensor<1x2x8x8xf32>, %k: tensor<1x2x8x8xf32>, %v: tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %s = graph.matmul %q, %k : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32> -> tensor<1x2x8x8xf32>
  %p = graph.softmax %s : tensor<1x2x8x8xf32>
  %y = graph.matmul %p, %v : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32> -> tensor<1x2x8x8xf32>
  return %y : tensor<1x2x8x8xf32>
}

// -----

// The same extents, transposed.
// CHECK-LABEL: func.func @key_transposed
// CHECK-SAME: %[[Q:.*]]: tensor<1x2x8x8xf32>, %[[K:.*]]: tensor<1x2x8x8xf32>, %[[V:.*]]: tensor<1x2x8x8xf32>
// CHECK-NOT: graph.transpose
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale
func.func @key_transposed(%q: tensor<1x2x8x8xf32>, %k: tensor<1x2x8x8xf32>, %v: tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<1x2x8x8xf32> -> tensor<1x2x8x8xf32>
  %s = graph.matmul %q, %kt : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32> -> tensor<1x2x8x8xf32>
  %p = graph.softmax %s : tensor<1x2x8x8xf32>
  %y = graph.matmul %p, %v : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32> -> tensor<1x2x8x8xf32>
  return %y : tensor<1x2x8x8xf32>
}

// -----

// Repeated heads are read unrepeated.
// CHECK-LABEL: func.func @grouped
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x2x6x8xf32>, %[[V:.*]]: tensor<2x2x6x8xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 : tensor<2x4x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32> -> tensor<2x4x6x8xf32>
func.func @grouped(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kr0 = graph.reshape %k : tensor<2x2x6x8xf32> -> tensor<2x2x1x6x8xf32>
  %kr1 = graph.broadcast %kr0 : tensor<2x2x1x6x8xf32> -> tensor<2x2x2x6x8xf32>
  %kr = graph.reshape %kr1 : tensor<2x2x2x6x8xf32> -> tensor<2x4x6x8xf32>
  %vr0 = graph.reshape %v : tensor<2x2x6x8xf32> -> tensor<2x2x1x6x8xf32>
  %vr1 = graph.broadcast %vr0 : tensor<2x2x1x6x8xf32> -> tensor<2x2x2x6x8xf32>
  %vr = graph.reshape %vr1 : tensor<2x2x2x6x8xf32> -> tensor<2x4x6x8xf32>
  %kt = graph.transpose %kr [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %p = graph.softmax %s : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %vr : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Heads in the order 0 1 0 1 are no groups: read as they were made.
// CHECK-LABEL: func.func @tiled
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xf32>, %[[K:.*]]: tensor<2x2x6x8xf32>, %[[V:.*]]: tensor<2x2x6x8xf32>
// CHECK: graph.attention %[[Q]], %{{.*}}, %{{.*}} scale 1.000000e+00 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
func.func @tiled(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kr0 = graph.reshape %k : tensor<2x2x6x8xf32> -> tensor<2x1x2x6x8xf32>
  %kr1 = graph.broadcast %kr0 : tensor<2x1x2x6x8xf32> -> tensor<2x2x2x6x8xf32>
  %kr = graph.reshape %kr1 : tensor<2x2x2x6x8xf32> -> tensor<2x4x6x8xf32>
  %vr0 = graph.reshape %v : tensor<2x2x6x8xf32> -> tensor<2x1x2x6x8xf32>
  %vr1 = graph.broadcast %vr0 : tensor<2x1x2x6x8xf32> -> tensor<2x2x2x6x8xf32>
  %vr = graph.reshape %vr1 : tensor<2x2x2x6x8xf32> -> tensor<2x4x6x8xf32>
  %kt = graph.transpose %kr [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %p = graph.softmax %s : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %vr : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Rank 3, one key head for all query heads, cut from one packed tensor.
// CHECK-LABEL: func.func @one_head_for_all
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 : tensor<1x4x5x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32> -> tensor<1x4x5x4xf32>
// CHECK-NOT: graph.matmul
func.func @one_head_for_all(%x: tensor<5x6x4xf32>) -> tensor<4x5x4xf32> {
  %q0 = graph.slice %x offsets [0, 0, 0] strides [1, 1, 1] : tensor<5x6x4xf32> -> tensor<5x4x4xf32>
  %k0 = graph.slice %x offsets [0, 4, 0] strides [1, 1, 1] : tensor<5x6x4xf32> -> tensor<5x1x4xf32>
  %v0 = graph.slice %x offsets [0, 5, 0] strides [1, 1, 1] : tensor<5x6x4xf32> -> tensor<5x1x4xf32>
  %q = graph.transpose %q0 [1, 0, 2] : tensor<5x4x4xf32> -> tensor<4x5x4xf32>
  %kb = graph.broadcast %k0 : tensor<5x1x4xf32> -> tensor<5x4x4xf32>
  %vb = graph.broadcast %v0 : tensor<5x1x4xf32> -> tensor<5x4x4xf32>
  %kt = graph.transpose %kb [1, 2, 0] : tensor<5x4x4xf32> -> tensor<4x4x5xf32>
  %v = graph.transpose %vb [1, 0, 2] : tensor<5x4x4xf32> -> tensor<4x5x4xf32>
  %s = graph.matmul %q, %kt : tensor<4x5x4xf32>, tensor<4x4x5xf32> -> tensor<4x5x5xf32>
  %p = graph.softmax %s : tensor<4x5x5xf32>
  %y = graph.matmul %p, %v : tensor<4x5x5xf32>, tensor<4x5x4xf32> -> tensor<4x5x4xf32>
  return %y : tensor<4x5x4xf32>
}

// -----

// Rank 3: a batch of one head.
// CHECK-LABEL: func.func @one_head
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 : tensor<8x1x6x4xf32>, tensor<8x1x6x4xf32>, tensor<8x1x6x4xf32> -> tensor<8x1x6x4xf32>
// CHECK-NOT: graph.matmul
func.func @one_head(%q: tensor<8x6x4xf32>, %k: tensor<8x6x4xf32>, %v: tensor<8x6x4xf32>) -> tensor<8x6x4xf32> {
  %kt = graph.transpose %k [0, 2, 1] : tensor<8x6x4xf32> -> tensor<8x4x6xf32>
  %s = graph.matmul %q, %kt : tensor<8x6x4xf32>, tensor<8x4x6xf32> -> tensor<8x6x6xf32>
  %p = graph.softmax %s : tensor<8x6x6xf32>
  %y = graph.matmul %p, %v : tensor<8x6x6xf32>, tensor<8x6x4xf32> -> tensor<8x6x4xf32>
  return %y : tensor<8x6x4xf32>
}

// -----

// Rank 2, with a mask.
// CHECK-LABEL: func.func @no_batch
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x1x6x6xi1> scale 1.000000e+00 : tensor<1x1x6x4xf32>
// CHECK-NOT: graph.matmul
func.func @no_batch(%q: tensor<6x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>, %m: tensor<6x6xi1>) -> tensor<6x4xf32> {
  %kt = graph.transpose %k [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %s = graph.matmul %q, %kt : tensor<6x4xf32>, tensor<4x6xf32> -> tensor<6x6xf32>
  %inf = graph.constant dense<0xFF800000> : tensor<6x6xf32>
  %ms = graph.select %m, %s, %inf : tensor<6x6xi1>, tensor<6x6xf32>
  %p = graph.softmax %ms : tensor<6x6xf32>
  %y = graph.matmul %p, %v : tensor<6x6xf32>, tensor<6x4xf32> -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// bf16 operands, softmax in float32: widening is exact, and the narrowing is the second product's.
// CHECK-LABEL: func.func @low_precision
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x6x8xbf16>, %[[K:.*]]: tensor<2x4x6x8xbf16>, %[[V:.*]]: tensor<2x4x6x8xbf16>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] scale 1.000000e+00 : tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16> -> tensor<2x4x6x8xbf16>
// CHECK-NOT: graph.matmul
func.func @low_precision(%q: tensor<2x4x6x8xbf16>, %k: tensor<2x4x6x8xbf16>, %v: tensor<2x4x6x8xbf16>) -> tensor<2x4x6x8xbf16> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xbf16> -> tensor<2x4x8x6xbf16>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xbf16>, tensor<2x4x8x6xbf16> -> tensor<2x4x6x6xbf16>
  %w = graph.cast %s : tensor<2x4x6x6xbf16> -> tensor<2x4x6x6xf32>
  %pw = graph.softmax %w : tensor<2x4x6x6xf32>
  %p = graph.cast %pw : tensor<2x4x6x6xf32> -> tensor<2x4x6x6xbf16>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xbf16>, tensor<2x4x6x8xbf16> -> tensor<2x4x6x8xbf16>
  return %y : tensor<2x4x6x8xbf16>
}
