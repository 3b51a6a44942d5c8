// Stages of a kernel: column loops with what follows from their reductions between them. What a later loop needs again is
// kept where the width is static, and computed again where it is not.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// Softmax of a static width: the row is kept, then its exponentials.
// CHECK-LABEL: kernel.func @softmax(
// CHECK: %[[ONE:.*]]:2 = kernel.columns %{{.*}} in %[[WIDTH:.*]] reduce [max] {
// CHECK-NEXT: %[[X:.*]] = kernel.load
// CHECK-NEXT: kernel.yield %[[X]], %[[X]] : f32, f32
// CHECK-NEXT: } : !kernel.row<f32>, f32
// CHECK-NEXT: %[[TWO:.*]]:2 = kernel.columns %{{.*}} in %[[WIDTH]] reduce [add] {
// CHECK-NEXT: %[[K:.*]] = kernel.get %[[ONE]]#0
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[K]], %[[ONE]]#1 : f32
// CHECK-NEXT: %[[E:.*]] = math.exp %[[D]] : f32
// CHECK-NEXT: kernel.yield %[[E]], %[[E]] : f32, f32
// CHECK-NEXT: } : !kernel.row<f32>, f32
// CHECK-NEXT: kernel.columns %{{.*}} in %[[WIDTH]] {
// CHECK-NEXT: %[[KE:.*]] = kernel.get %[[TWO]]#0
// CHECK-NEXT: %[[Y:.*]] = arith.divf %[[KE]], %[[TWO]]#1 : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Softmax of a symbolic width: read again, and the exponentials computed again.
// CHECK-LABEL: kernel.func @softmax(
// CHECK: %[[MAX:.*]] = kernel.columns %{{.*}} in %[[SEQ:.*]] reduce [max] {
// CHECK-NEXT: %[[X:.*]] = kernel.load
// CHECK-NEXT: kernel.yield %[[X]] : f32
// CHECK-NEXT: } : f32
// CHECK-NEXT: %[[SUM:.*]] = kernel.columns %{{.*}} in %[[SEQ]] reduce [add] {
// CHECK-NEXT: %[[AGAIN:.*]] = kernel.load
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[AGAIN]], %[[MAX]] : f32
// CHECK-NEXT: %[[E:.*]] = math.exp %[[D]] : f32
// CHECK-NEXT: kernel.yield %[[E]] : f32
// CHECK-NEXT: } : f32
// CHECK-NEXT: kernel.columns %{{.*}} in %[[SEQ]] {
// CHECK-NEXT: %[[THIRD:.*]] = kernel.load
// CHECK-NEXT: %[[D2:.*]] = arith.subf %[[THIRD]], %[[MAX]] : f32
// CHECK-NEXT: %[[E2:.*]] = math.exp %[[D2]] : f32
// CHECK-NEXT: %[[Y:.*]] = arith.divf %[[E2]], %[[SUM]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32, #graph.dims<["", "seq"]>>) -> tensor<4x8xf32, #graph.dims<["", "seq"]>> {
  %0 = graph.softmax %x : tensor<4x8xf32, #graph.dims<["", "seq"]>>
  return %0 : tensor<4x8xf32, #graph.dims<["", "seq"]>>
}

// -----

// RMSNorm of what the group computes: the sum is kept. The scale stands between the loops, once a row.
// CHECK-LABEL: kernel.func @add_rms_norm(
// CHECK: %[[ONE:.*]]:2 = kernel.columns %{{.*}} in %{{.*}} reduce [add] {
// CHECK-NEXT: %[[A:.*]] = kernel.load
// CHECK-NEXT: %[[B:.*]] = kernel.load
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[S]], %[[S]] : f32
// CHECK-NEXT: kernel.yield %[[S]], %[[Q]] : f32, f32
// CHECK-NEXT: } : !kernel.row<f32>, f32
// CHECK-NEXT: %[[COUNT:.*]] = arith.constant 8.000000e+00 : f32
// CHECK-NEXT: %[[MEAN:.*]] = arith.divf %[[ONE]]#1, %[[COUNT]] : f32
// CHECK-NEXT: %[[EPS:.*]] = arith.constant 9.99999974E-6 : f32
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.addf %[[MEAN]], %[[EPS]] : f32
// CHECK-NEXT: %[[SCALE:.*]] = math.rsqrt %[[SHIFTED]] : f32
// CHECK-NEXT: kernel.columns %[[C:.*]] in
// CHECK-NEXT: %[[K:.*]] = kernel.get %[[ONE]]#0
// CHECK-NEXT: %[[N:.*]] = arith.mulf %[[K]], %[[SCALE]] : f32
// CHECK-NEXT: %[[W:.*]] = kernel.load %{{.*}} (%[[C]])
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[N]], %[[W]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.parameter [#graph.part<"w", [8], normal, 0.02>] : tensor<8xf32>
  %0 = graph.add %x, %y : tensor<4x8xf32>
  %1 = graph.rms_norm %0, %w epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// LayerNorm: the mean, then the variance of what is centred, then weight and bias, which only the last loop reads; a bf16 row
// is widened once.
// CHECK-LABEL: kernel.func @layer_norm(
// CHECK: %[[ONE:.*]]:2 = kernel.columns %{{.*}} in %{{.*}} reduce [add] {
// CHECK-NEXT: %[[L:.*]] = kernel.load
// CHECK-NEXT: %[[X:.*]] = arith.extf %[[L]] : bf16 to f32
// CHECK-NEXT: kernel.yield %[[X]], %[[X]] : f32, f32
// CHECK: %[[MEAN:.*]] = arith.divf %[[ONE]]#1,
// CHECK-NEXT: %[[TWO:.*]]:2 = kernel.columns %{{.*}} in %{{.*}} reduce [add] {
// CHECK-NEXT: %[[K:.*]] = kernel.get %[[ONE]]#0
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[K]], %[[MEAN]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[D]], %[[D]] : f32
// CHECK-NEXT: kernel.yield %[[D]], %[[Q]] : f32, f32
// CHECK: %[[SCALE:.*]] = math.rsqrt
// CHECK-NEXT: kernel.columns
// CHECK-NEXT: %[[KD:.*]] = kernel.get %[[TWO]]#0
// CHECK-NEXT: %[[N:.*]] = arith.mulf %[[KD]], %[[SCALE]] : f32
// CHECK-NEXT: %[[WL:.*]] = kernel.load
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[WL]] : bf16 to f32
// CHECK-NEXT: %[[NW:.*]] = arith.mulf %[[N]], %[[W]] : f32
// CHECK-NEXT: %[[BL:.*]] = kernel.load
// CHECK-NEXT: %[[B:.*]] = arith.extf %[[BL]] : bf16 to f32
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[NW]], %[[B]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[Y]] : f32 to bf16
// CHECK-NEXT: kernel.store %[[R]],
func.func @main(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %w = graph.parameter [#graph.part<"w", [8], constant, 1.0>] : tensor<8xbf16>
  %b = graph.parameter [#graph.part<"b", [8], constant, 0.0>] : tensor<8xbf16>
  %0 = graph.layer_norm %x, %w, %b epsilon 1.0e-5 : tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// A reduction beside what it reduces, both of them outputs: one store a column, one a row.
// CHECK-LABEL: kernel.func @exp_reduce_sqrt(
// CHECK: %[[SUM:.*]] = kernel.columns %{{.*}} in %{{.*}} reduce [add] {
// CHECK: %[[E:.*]] = math.exp
// CHECK-NEXT: kernel.store %[[E]],
// CHECK-NEXT: kernel.yield %[[E]] : f32
// CHECK-NEXT: } : f32
// CHECK-NEXT: %[[S:.*]] = math.sqrt %[[SUM]] : f32
// CHECK-NEXT: kernel.store %[[S]],
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.reduce sum %0 axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.sqrt %1 : tensor<4x1xf32>
  return %0, %2 : tensor<4x8xf32>, tensor<4x1xf32>
}
