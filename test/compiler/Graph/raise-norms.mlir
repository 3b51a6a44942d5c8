// Norms and softmax in the forms that people write them in.
// RUN: heddle-opt %s --split-input-file --graph-canonicalize --raise-norms --graph-canonicalize | FileCheck %s

// x * rsqrt(mean(x^2) + eps) * w.
// CHECK-LABEL: func.func @importers_form
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.rms_norm %[[X]], %[[W]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @importers_form(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %n = graph.mul %x, %rb : tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %y = graph.mul %n, %wb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// w * (r * x), eps + mean, x * x, the mean as a sum times 1/8.
// CHECK-LABEL: func.func @weight_first
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.rms_norm %[[X]], %[[W]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @weight_first(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %sq = graph.mul %x, %x : tensor<4x8xf32>
  %s = graph.reduce sum %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %c = graph.constant dense<0.125> : tensor<4x1xf32>
  %m = graph.mul %c, %s : tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %eps, %m : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %n = graph.mul %rb, %x : tensor<4x8xf32>
  %y = graph.mul %wb, %n : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// x * (w * r).
// CHECK-LABEL: func.func @weight_times_root
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.rms_norm %[[X]], %[[W]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @weight_times_root(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %n = graph.mul %wb, %rb : tensor<4x8xf32>
  %y = graph.mul %x, %n : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// (x * w) * r.
// CHECK-LABEL: func.func @weight_times_x
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.rms_norm %[[X]], %[[W]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @weight_times_x(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %n = graph.mul %x, %wb : tensor<4x8xf32>
  %y = graph.mul %n, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// x / sqrt(sum / 8 + eps) * w.
// CHECK-LABEL: func.func @quotient
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.rms_norm %[[X]], %[[W]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @quotient(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %sq = graph.mul %x, %x : tensor<4x8xf32>
  %s = graph.reduce sum %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %c = graph.constant dense<8.0> : tensor<4x1xf32>
  %m = graph.div %s, %c : tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.sqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %n = graph.div %x, %rb : tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %y = graph.mul %n, %wb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// x * (1 / sqrt(...)) * w.
// CHECK-LABEL: func.func @reciprocal_of_root
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.rms_norm %[[X]], %[[W]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reciprocal_of_root(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %q = graph.sqrt %me : tensor<4x1xf32>
  %one = graph.constant dense<1.0> : tensor<4x1xf32>
  %r = graph.div %one, %q : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %n = graph.mul %x, %rb : tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %y = graph.mul %n, %wb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// x * (...)^-0.5 * w.
// CHECK-LABEL: func.func @power
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.rms_norm %[[X]], %[[W]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @power(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %h = graph.constant dense<-0.5> : tensor<4x1xf32>
  %r = graph.pow %me, %h : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %n = graph.mul %x, %rb : tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %y = graph.mul %n, %wb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// x * r * (1 + w): the weight is what is computed before the broadcast.
// CHECK-LABEL: func.func @weight_plus_one
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[W1:.*]] = graph.add
// CHECK: %[[WR:.*]] = graph.reshape %[[W1]] : tensor<1x8xf32> -> tensor<8xf32>
// CHECK: graph.rms_norm %[[X]], %[[WR]] epsilon
func.func @weight_plus_one(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %ones = graph.constant dense<1.0> : tensor<4x8xf32>
  %w1 = graph.add %wb, %ones : tensor<4x8xf32>
  %n = graph.mul %x, %rb : tensor<4x8xf32>
  %y = graph.mul %n, %w1 : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// No weight: ones.
// CHECK-LABEL: func.func @no_weight
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: graph.rms_norm %[[X]], %[[ONES]] epsilon 2.500000e-01
func.func @no_weight(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.mul %x, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The user rounds before the weight: the norm ends there.
// CHECK-LABEL: func.func @users_rounding
// CHECK: %[[N:.*]] = graph.rms_norm %{{.*}}, %{{.*}} epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
// CHECK: %[[H:.*]] = graph.cast %[[N]] : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: graph.mul %[[H]]
func.func @users_rounding(%h: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %x = graph.cast %h : tensor<4x8xbf16> -> tensor<4x8xf32>
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %n = graph.mul %x, %rb : tensor<4x8xf32>
  %nh = graph.cast %n : tensor<4x8xf32> -> tensor<4x8xbf16>
  %wr = graph.reshape %w : tensor<8xbf16> -> tensor<1x8xbf16>
  %wb = graph.broadcast %wr : tensor<1x8xbf16> -> tensor<4x8xbf16>
  %y = graph.mul %nh, %wb : tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// -----

// (x - mean) * rsqrt(var + eps) * w + b.
// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.layer_norm %[[X]], %[[W]], %[[B]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %mu = graph.reduce mean %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mub = graph.broadcast %mu : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = graph.sub %x, %mub : tensor<4x8xf32>
  %sq = graph.mul %d, %d : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %n = graph.mul %d, %rb : tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %br = graph.reshape %b : tensor<8xf32> -> tensor<1x8xf32>
  %bb = graph.broadcast %br : tensor<1x8xf32> -> tensor<4x8xf32>
  %nw = graph.mul %n, %wb : tensor<4x8xf32>
  %y = graph.add %bb, %nw : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The variance as mean(x^2) - mean(x)^2.
// CHECK-LABEL: func.func @layer_norm_of_squares
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.layer_norm %[[X]], %[[W]], %[[B]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm_of_squares(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %mu = graph.reduce mean %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mub = graph.broadcast %mu : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = graph.sub %x, %mub : tensor<4x8xf32>
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %sq = graph.pow %x, %two : tensor<4x8xf32>
  %ms = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mu2 = graph.mul %mu, %mu : tensor<4x1xf32>
  %m = graph.sub %ms, %mu2 : tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.rsqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %n = graph.mul %d, %rb : tensor<4x8xf32>
  %wr = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
  %wb = graph.broadcast %wr : tensor<1x8xf32> -> tensor<4x8xf32>
  %br = graph.reshape %b : tensor<8xf32> -> tensor<1x8xf32>
  %bb = graph.broadcast %br : tensor<1x8xf32> -> tensor<4x8xf32>
  %nw = graph.mul %n, %wb : tensor<4x8xf32>
  %y = graph.add %nw, %bb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Without weight and bias.
// CHECK-LABEL: func.func @layer_norm_without_weight
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: graph.layer_norm %[[X]], %[[ONES]] epsilon 2.500000e-01 : tensor<4x8xf32>, tensor<8xf32>
func.func @layer_norm_without_weight(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %mu = graph.reduce mean %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mub = graph.broadcast %mu : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = graph.sub %x, %mub : tensor<4x8xf32>
  %sq = graph.mul %d, %d : tensor<4x8xf32>
  %m = graph.reduce mean %sq axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %eps = graph.constant dense<0.25> : tensor<4x1xf32>
  %me = graph.add %m, %eps : tensor<4x1xf32>
  %r = graph.sqrt %me : tensor<4x1xf32>
  %rb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.div %d, %rb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// exp(x - max) / sum, and the sum's reciprocal.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.softmax %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @softmax(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %mx = graph.reduce max %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mxb = graph.broadcast %mx : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = graph.sub %x, %mxb : tensor<4x8xf32>
  %e = graph.exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %r = graph.reciprocal %s : tensor<4x1xf32>
  %sb = graph.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = graph.mul %sb, %e : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
