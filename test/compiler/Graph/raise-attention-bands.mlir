// Windows, soft caps and padding masks, in the forms that people write them in: what is matched is their meaning.
// RUN: heddle-opt %s --split-input-file --graph-canonicalize --raise-norms --raise-attention --graph-canonicalize | FileCheck %s

// A window of 3 keys, the query's own among them: key > query - 3 (Mistral's sliding_window).
// CHECK-LABEL: func.func @window_j_gt_i_minus_w
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal window 3
// CHECK-NOT: graph.matmul
func.func @window_j_gt_i_minus_w(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %w = graph.constant dense<3> : tensor<6x6xi32>
  %l = graph.sub %i, %w : tensor<6x6xi32>
  %c0 = graph.compare le %j, %i : tensor<6x6xi32> -> tensor<6x6xi1>
  %c1 = graph.compare gt %j, %l : tensor<6x6xi32> -> tensor<6x6xi1>
  %c = graph.and %c0, %c1 : tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// The same by the distance, in the other order.
// CHECK-LABEL: func.func @window_distance
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal window 3
// CHECK-NOT: graph.matmul
func.func @window_distance(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %d = graph.sub %i, %j : tensor<6x6xi32>
  %w = graph.constant dense<3> : tensor<6x6xi32>
  %z = graph.constant dense<0> : tensor<6x6xi32>
  %c0 = graph.compare lt %d, %w : tensor<6x6xi32> -> tensor<6x6xi1>
  %c1 = graph.compare ge %d, %z : tensor<6x6xi32> -> tensor<6x6xi1>
  %c = graph.and %c0, %c1 : tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Hidden where query < key or key + 2 < query: not of an or.
// CHECK-LABEL: func.func @window_hidden_by_or
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal window 3
// CHECK-NOT: graph.matmul
func.func @window_hidden_by_or(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %t = graph.constant dense<2> : tensor<6x6xi32>
  %j2 = graph.add %j, %t : tensor<6x6xi32>
  %c0 = graph.compare lt %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %c1 = graph.compare lt %j2, %i : tensor<6x6xi32> -> tensor<6x6xi1>
  %h = graph.or %c0, %c1 : tensor<6x6xi1>
  %c = graph.not %h : tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Two windows and causality, re-associated: the narrower one counts.
// CHECK-LABEL: func.func @window_three_conditions
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal window 2
// CHECK-NOT: graph.matmul
func.func @window_three_conditions(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %d = graph.sub %i, %j : tensor<6x6xi32>
  %w4 = graph.constant dense<4> : tensor<6x6xi32>
  %w2 = graph.constant dense<2> : tensor<6x6xi32>
  %a = graph.compare lt %d, %w4 : tensor<6x6xi32> -> tensor<6x6xi1>
  %b = graph.compare le %j, %i : tensor<6x6xi32> -> tensor<6x6xi1>
  %e = graph.compare gt %w2, %d : tensor<6x6xi32> -> tensor<6x6xi1>
  %f = graph.and %b, %e : tensor<6x6xi1>
  %c = graph.and %a, %f : tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Anchored at the last key: six queries are the last of ten.
// CHECK-LABEL: func.func @window_more_keys
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal window 3
// CHECK-NOT: graph.matmul
func.func @window_more_keys(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x10x8xf32>, %v: tensor<2x4x10x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x10x8xf32> -> tensor<2x4x8x10xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x10xf32> -> tensor<2x4x6x10xf32>
  %i = graph.iota 0 : tensor<6x10xi32>
  %j = graph.iota 1 : tensor<6x10xi32>
  %o = graph.constant dense<4> : tensor<6x10xi32>
  %i4 = graph.add %i, %o : tensor<6x10xi32>
  %w = graph.constant dense<1> : tensor<6x10xi32>
  %l = graph.add %i, %w : tensor<6x10xi32>
  %c0 = graph.compare le %j, %i4 : tensor<6x10xi32> -> tensor<6x10xi1>
  %c1 = graph.compare gt %j, %l : tensor<6x10xi32> -> tensor<6x10xi1>
  %c = graph.and %c0, %c1 : tensor<6x10xi1>
  %m4 = graph.reshape %c : tensor<6x10xi1> -> tensor<1x1x6x10xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x10xi1> -> tensor<2x4x6x10xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x10xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x10xi1>, tensor<2x4x6x10xf32>
  %p = graph.softmax %ms : tensor<2x4x6x10xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x10xf32>, tensor<2x4x10x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Causality is selected, the window added; both with finite numbers, as every query sees its own key.
// CHECK-LABEL: func.func @window_two_masks
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal window 3
// CHECK-NOT: graph.matmul
func.func @window_two_masks(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 2 : tensor<2x4x6x6xi32>
  %j = graph.iota 3 : tensor<2x4x6x6xi32>
  %w = graph.constant dense<3> : tensor<2x4x6x6xi32>
  %d = graph.sub %i, %j : tensor<2x4x6x6xi32>
  %c0 = graph.compare ge %i, %j : tensor<2x4x6x6xi32> -> tensor<2x4x6x6xi1>
  %c1 = graph.compare ge %d, %w : tensor<2x4x6x6xi32> -> tensor<2x4x6x6xi1>
  %low = graph.constant dense<-1.0e30> : tensor<2x4x6x6xf32>
  %zero = graph.constant dense<0.0> : tensor<2x4x6x6xf32>
  %s0 = graph.select %c0, %s, %low : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %a = graph.select %c1, %low, %zero : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %ms = graph.add %s0, %a : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// As wide as the keys: no window.
// CHECK-LABEL: func.func @window_wide
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal : 
// CHECK-NOT: graph.matmul
func.func @window_wide(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %w = graph.constant dense<6> : tensor<6x6xi32>
  %l = graph.sub %i, %w : tensor<6x6xi32>
  %c0 = graph.compare le %j, %i : tensor<6x6xi32> -> tensor<6x6xi1>
  %c1 = graph.compare gt %j, %l : tensor<6x6xi32> -> tensor<6x6xi1>
  %c = graph.and %c0, %c1 : tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Not causal: a mask.
// CHECK-LABEL: func.func @window_alone
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x1x6x6xi1> scale 1.000000e+00 : 
// CHECK-NOT: graph.matmul
func.func @window_alone(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %w = graph.constant dense<3> : tensor<6x6xi32>
  %l = graph.sub %i, %w : tensor<6x6xi32>
  %c = graph.compare gt %j, %l : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// key > query - 3 of six queries and ten keys, and causal: a window of 7, by the last key.
// CHECK-LABEL: func.func @window_ahead
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.000000e+00 causal window 7
// CHECK-NOT: graph.matmul
func.func @window_ahead(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x10x8xf32>, %v: tensor<2x4x10x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x10x8xf32> -> tensor<2x4x8x10xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x10xf32> -> tensor<2x4x6x10xf32>
  %i = graph.iota 0 : tensor<6x10xi32>
  %j = graph.iota 1 : tensor<6x10xi32>
  %o = graph.constant dense<4> : tensor<6x10xi32>
  %i4 = graph.add %i, %o : tensor<6x10xi32>
  %w = graph.constant dense<3> : tensor<6x10xi32>
  %l = graph.sub %i, %w : tensor<6x10xi32>
  %c0 = graph.compare le %j, %i4 : tensor<6x10xi32> -> tensor<6x10xi1>
  %c1 = graph.compare gt %j, %l : tensor<6x10xi32> -> tensor<6x10xi1>
  %c = graph.and %c0, %c1 : tensor<6x10xi1>
  %m4 = graph.reshape %c : tensor<6x10xi1> -> tensor<1x1x6x10xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x10xi1> -> tensor<2x4x6x10xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x10xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x10xi1>, tensor<2x4x6x10xf32>
  %p = graph.softmax %ms : tensor<2x4x6x10xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x10xf32>, tensor<2x4x10x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A soft cap as Gemma 2 has it: 50 tanh(0.25 s / 50); after it the mask.
// CHECK-LABEL: func.func @softcap
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale 2.500000e-01 softcap 5.000000e+01 causal : 
// CHECK-NOT: graph.matmul
func.func @softcap(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %f = graph.constant dense<0.25> : tensor<2x4x6x6xf32>
  %s1 = graph.mul %s, %f : tensor<2x4x6x6xf32>
  %cap = graph.constant dense<50.0> : tensor<2x4x6x6xf32>
  %s2 = graph.div %s1, %cap : tensor<2x4x6x6xf32>
  %s3 = graph.tanh %s2 : tensor<2x4x6x6xf32>
  %s4 = graph.mul %cap, %s3 : tensor<2x4x6x6xf32>
  %i = graph.iota 0 : tensor<6x6xi32>
  %j = graph.iota 1 : tensor<6x6xi32>
  %c = graph.compare ge %i, %j : tensor<6x6xi32> -> tensor<6x6xi1>
  %m4 = graph.reshape %c : tensor<6x6xi1> -> tensor<1x1x6x6xi1>
  %mb = graph.broadcast %m4 : tensor<1x1x6x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s4, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// The cap as a product by its reciprocal, the scale on the query, a bias behind.
// CHECK-LABEL: func.func @softcap_reciprocal
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} : tensor<1x4x6x6xf32> scale 1.000000e+00 softcap 8.000000e+00 : 
// CHECK-NOT: graph.matmul
func.func @softcap_reciprocal(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %b: tensor<1x4x6x6xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %r = graph.constant dense<0.125> : tensor<2x4x6x6xf32>
  %cap = graph.constant dense<8.0> : tensor<2x4x6x6xf32>
  %s2 = graph.mul %r, %s : tensor<2x4x6x6xf32>
  %s3 = graph.tanh %s2 : tensor<2x4x6x6xf32>
  %s4 = graph.mul %s3, %cap : tensor<2x4x6x6xf32>
  %bb = graph.broadcast %b : tensor<1x4x6x6xf32> -> tensor<2x4x6x6xf32>
  %ms = graph.add %s4, %bb : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A tangent alone caps at 1; what multiplies it is another cap, and the sign of one is the product's.
// CHECK-LABEL: func.func @softcap_bare
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale -3.000000e+00 softcap 3.000000e+00 : 
// CHECK-NOT: graph.matmul
func.func @softcap_bare(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %cap = graph.constant dense<-3.0> : tensor<2x4x6x6xf32>
  %s3 = graph.tanh %s : tensor<2x4x6x6xf32>
  %ms = graph.mul %s3, %cap : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// Key padding, from integers [B, Sk]: a mask of [B, 1, 1, Sk].
// CHECK-LABEL: func.func @padding_selected
// CHECK: %[[C:.*]] = graph.compare ne %{{.*}}, %{{.*}} : tensor<2x6xi32> -> tensor<2x6xi1>
// CHECK: %[[M:.*]] = graph.reshape %[[C]] : tensor<2x6xi1> -> tensor<2x1x1x6xi1>
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[M]] : tensor<2x1x1x6xi1> scale 1.000000e+00 : 
// CHECK-NOT: graph.matmul
func.func @padding_selected(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %a: tensor<2x6xi32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %z = graph.constant dense<0> : tensor<2x6xi32>
  %c = graph.compare ne %a, %z : tensor<2x6xi32> -> tensor<2x6xi1>
  %m4 = graph.reshape %c : tensor<2x6xi1> -> tensor<2x1x1x6xi1>
  %mb = graph.broadcast %m4 : tensor<2x1x1x6xi1> -> tensor<2x4x6x6xi1>
  %inf = graph.constant dense<0xFF800000> : tensor<2x4x6x6xf32>
  %ms = graph.select %mb, %s, %inf : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// (1 - mask) times the least number, added (BERT): finite, so a bias of [B, 1, 1, Sk]: where all keys are padding, their average.
// CHECK-LABEL: func.func @padding_added
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} : tensor<2x1x1x6xf32> scale 1.000000e+00 : 
// CHECK-NOT: graph.matmul
func.func @padding_added(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>, %a: tensor<2x6xi32>) -> tensor<2x4x6x8xf32> {
  %kt = graph.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %s = graph.matmul %q, %kt : tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32> -> tensor<2x4x6x6xf32>
  %f = graph.cast %a : tensor<2x6xi32> -> tensor<2x6xf32>
  %f4 = graph.reshape %f : tensor<2x6xf32> -> tensor<2x1x1x6xf32>
  %one = graph.constant dense<1.0> : tensor<2x1x1x6xf32>
  %n = graph.sub %one, %f4 : tensor<2x1x1x6xf32>
  %least = graph.constant dense<-3.40282347E+38> : tensor<2x1x1x6xf32>
  %b = graph.mul %n, %least : tensor<2x1x1x6xf32>
  %bb = graph.broadcast %b : tensor<2x1x1x6xf32> -> tensor<2x4x6x6xf32>
  %ms = graph.add %s, %bb : tensor<2x4x6x6xf32>
  %p = graph.softmax %ms : tensor<2x4x6x6xf32>
  %y = graph.matmul %p, %v : tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}
