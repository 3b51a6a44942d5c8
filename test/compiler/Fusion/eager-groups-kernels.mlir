// Ops that are one kernel in PyTorch are one group; what each reader computes is in its readers' groups.
// RUN: heddle-opt %s --split-input-file --eager-groups --verify-diagnostics | FileCheck %s

// Two kernels compute the difference, each for itself, through a view too; the sum stands between ops of neither.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[Y:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK: %[[A:[0-9]+]] = graph.group rows "exp" {
// CHECK: %[[ONE:[0-9]+]] = graph.group rows "sub+mul+reduce" {
// CHECK-NEXT: %[[D:[0-9]+]] = graph.sub %[[X]], %[[Y]]
// CHECK-NEXT: %[[M:[0-9]+]] = graph.mul %[[D]], %[[D]]
// CHECK-NEXT: graph.reduce sum %[[M]] axes [1]
// CHECK: %[[TWO:[0-9]+]] = graph.group rows "sub+tanh" {
// CHECK-NEXT: %[[E:[0-9]+]] = graph.sub %[[X]], %[[Y]]
// CHECK-NEXT: %[[T:[0-9]+]] = graph.transpose %[[E]] [1, 0]
// CHECK-NEXT: graph.tanh %[[T]]
// CHECK-NOT: graph.group
// CHECK: return %[[ONE]], %[[TWO]], %[[A]]
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
  %d = graph.sub %x, %y {graph.kernel} : tensor<4x8xf32>
  %m = graph.mul %d, %d {graph.kernel = distinct[0]<>} : tensor<4x8xf32>
  %a = graph.exp %x : tensor<4x8xf32>
  %s = graph.reduce sum %m axes [1] {graph.kernel = distinct[0]<>} : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = graph.transpose %d [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %t = graph.tanh %v : tensor<8x4xf32>
  return %s, %t, %a : tensor<4x1xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}

// -----

// A product and a result read from memory what other readers would compute.
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[R:[0-9]+]] = graph.group rows "exp" {
// CHECK-DAG: graph.group product "matmul" {
// CHECK: return %{{[0-9]+}}, %{{[0-9]+}}
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = graph.exp %x {graph.kernel} : tensor<8x8xf32>
  %p = graph.matmul %e, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %p, %e : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A guarded update: what only matters where it happens reads the new value where it is kept, in one output less. The
// unguarded reader has the value itself.
// CHECK-LABEL: func.func @main(
// CHECK: %[[V:[0-9]+]] = graph.state
// CHECK: %[[NEW:[0-9]+]] = graph.group rows "add+select" {
// CHECK: graph.assign %[[V]], %[[NEW]]
// CHECK: graph.group rows "sqrt" {
// CHECK-NEXT: graph.sqrt %[[NEW]]
func.func @main(%x: tensor<4xf32>, %ok: tensor<1xi1>) {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  %v = graph.state [#graph.part<"v", [4], constant, 0.0>] : tensor<4xf32>
  %c = graph.broadcast %ok : tensor<1xi1> -> tensor<4xi1>
  %n = graph.add %v, %x {graph.kernel = distinct[0]<>} : tensor<4xf32>
  %r = graph.sqrt %n : tensor<4xf32>
  %nw = graph.select %c, %r, %w : tensor<4xi1>, tensor<4xf32>
  %kept = graph.select %c, %n, %v {graph.kernel = distinct[0]<>} : tensor<4xi1>, tensor<4xf32>
  graph.assign %v, %kept : tensor<4xf32>
  graph.assign %w, %nw : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK: %[[NEW:[0-9]+]]:2 = graph.group rows "add+select" {
// CHECK: graph.group rows "sqrt" {
// CHECK-NEXT: graph.sqrt %[[NEW]]#0
func.func @main(%x: tensor<4xf32>, %ok: tensor<1xi1>) -> tensor<4xf32> {
  %v = graph.state [#graph.part<"v", [4], constant, 0.0>] : tensor<4xf32>
  %c = graph.broadcast %ok : tensor<1xi1> -> tensor<4xi1>
  %n = graph.add %v, %x {graph.kernel = distinct[0]<>} : tensor<4xf32>
  %kept = graph.select %c, %n, %v {graph.kernel = distinct[0]<>} : tensor<4xi1>, tensor<4xf32>
  %r = graph.sqrt %n : tensor<4xf32>
  graph.assign %v, %kept : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// One condition for each element says nothing about what reads the others.
// CHECK-LABEL: func.func @main(
// CHECK: %[[NEW:[0-9]+]]:2 = graph.group rows "add+select" {
func.func @main(%x: tensor<4xf32>, %c: tensor<4xi1>) {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  %v = graph.state [#graph.part<"v", [4], constant, 0.0>] : tensor<4xf32>
  %n = graph.add %v, %x {graph.kernel = distinct[0]<>} : tensor<4xf32>
  %r = graph.softmax %n : tensor<4xf32>
  %nw = graph.select %c, %r, %w : tensor<4xi1>, tensor<4xf32>
  %kept = graph.select %c, %n, %v {graph.kernel = distinct[0]<>} : tensor<4xi1>, tensor<4xf32>
  graph.assign %v, %kept : tensor<4xf32>
  graph.assign %w, %nw : tensor<4xf32>
  return
}

// -----

// Heads put side by side again are copied once, for the product and for the gradient of its weight.
// CHECK-LABEL: func.func @main(
// CHECK: %[[T:[0-9]+]] = graph.transpose
// CHECK: %[[C:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[T]]
// CHECK-NOT: graph.copy
// CHECK: graph.group product "matmul" {
// CHECK-NOT: graph.copy
// CHECK: graph.group product "matmul" {
func.func @main(%x: tensor<2x3x5x4xf32>, %w: tensor<12x12xf32>, %g: tensor<10x12xf32>) -> (tensor<2x5x12xf32>, tensor<12x12xf32>) {
  %t = graph.transpose %x [0, 2, 1, 3] : tensor<2x3x5x4xf32> -> tensor<2x5x3x4xf32>
  %y = graph.reshape %t : tensor<2x5x3x4xf32> -> tensor<2x5x12xf32>
  %p = graph.matmul %y, %w : tensor<2x5x12xf32>, tensor<12x12xf32> -> tensor<2x5x12xf32>
  %rows = graph.reshape %y : tensor<2x5x12xf32> -> tensor<10x12xf32>
  %turned = graph.transpose %rows [1, 0] : tensor<10x12xf32> -> tensor<12x10xf32>
  %d = graph.matmul %turned, %g : tensor<12x10xf32>, tensor<10x12xf32> -> tensor<12x12xf32>
  return %p, %d : tensor<2x5x12xf32>, tensor<12x12xf32>
}

// -----

// expected-error @below {{kernels that ops are marked for depend on each other in a circle}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x {graph.kernel = distinct[0]<>} : tensor<4xf32>
  %b = graph.tanh %a : tensor<4xf32>
  %c = graph.add %a, %b {graph.kernel = distinct[0]<>} : tensor<4xf32>
  return %c : tensor<4xf32>
}
