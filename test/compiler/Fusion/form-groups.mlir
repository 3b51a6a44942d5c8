// What becomes one group: rows, product and attention groups with what they take in.
// RUN: heddle-opt %s --split-input-file --form-groups --allow-unregistered-dialect | FileCheck %s

// Elementwise ops and a norm over one row form one group; the parameter stays outside.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[Y:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK: %[[G:[0-9]+]] = graph.group rows "add+rms_norm+silu" {
// CHECK-NEXT: %[[S:[0-9]+]] = graph.add %[[X]], %[[Y]]
// CHECK-NEXT: %[[N:[0-9]+]] = graph.rms_norm %[[S]], %[[W]]
// CHECK-NEXT: %[[A:[0-9]+]] = graph.silu %[[N]]
// CHECK-NEXT: graph.yield %[[A]]
// CHECK-NEXT: } : tensor<4x8xf32>
// CHECK-NEXT: return %[[G]]
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.parameter [#graph.part<"w", [8], normal, 0.02>] : tensor<8xf32>
  %0 = graph.add %x, %y : tensor<4x8xf32>
  %1 = graph.rms_norm %0, %w epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  %2 = graph.silu %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// What is read outside as well is a second result, and views between members go in.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G:[0-9]+]]:2 = graph.group rows "exp+relu" {
// CHECK-NEXT: %[[E:[0-9]+]] = graph.exp
// CHECK-NEXT: %[[V:[0-9]+]] = graph.reshape %[[E]]
// CHECK-NEXT: %[[R:[0-9]+]] = graph.relu %[[V]]
// CHECK-NEXT: graph.yield %[[E]], %[[R]]
// CHECK: return %[[G]]#0, %[[G]]#1
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x2x4xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.reshape %0 : tensor<4x8xf32> -> tensor<4x2x4xf32>
  %2 = graph.relu %1 : tensor<4x2x4xf32>
  return %0, %2 : tensor<4x8xf32>, tensor<4x2x4xf32>
}

// -----

// Two groups that read one tensor and write as much merge: the rotary positions of queries and keys share the table.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G:[0-9]+]]:2 = graph.group rows "mul" {
// CHECK-NEXT: %[[A:[0-9]+]] = graph.mul
// CHECK-NEXT: %[[B:[0-9]+]] = graph.mul
// CHECK-NEXT: graph.yield %[[A]], %[[B]]
// CHECK: return %[[G]]#0, %[[G]]#1
func.func @main(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %t: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = graph.mul %q, %t : tensor<2x4x8xf32>
  %1 = graph.mul %k, %t : tensor<2x4x8xf32>
  return %0, %1 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// -----

// A product takes the residual that is added to its result, whichever operand it is.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x8xf32>, %[[R:[a-z0-9]+]]: tensor<4x2xf32>
// CHECK: graph.group product "matmul+add" {
// CHECK-NEXT: %[[M:[0-9]+]] = graph.matmul
// CHECK-NEXT: %[[S:[0-9]+]] = graph.add %[[R]], %[[M]]
// CHECK-NEXT: graph.yield %[[S]]
func.func @main(%x: tensor<4x8xf32>, %r: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = graph.parameter [#graph.part<"w", [8, 2], normal, 0.02>] : tensor<8x2xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %1 = graph.add %r, %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// No residual: a result that is read twice, one that is added to itself. (A view along the columns is a bias.)
// CHECK-LABEL: func.func @main(
// CHECK: graph.group product "matmul+add" {
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["add: several read the result; an epilogue serves one"]}
// CHECK: graph.group product "matmul" {
// CHECK: } {reasons = ["add: several read the result; an epilogue serves one"]}
// CHECK-NOT: graph.group product
func.func @main(%x: tensor<4x8xf32>, %r: tensor<2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = graph.parameter [#graph.part<"w", [8, 2], normal, 0.02>] : tensor<8x2xf32>
  %v = graph.reshape %r : tensor<2xf32> -> tensor<1x2xf32>
  %b = graph.broadcast %v : tensor<1x2xf32> -> tensor<4x2xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %1 = graph.add %0, %b : tensor<4x2xf32>
  %y = graph.exp %x : tensor<4x8xf32>
  %2 = graph.matmul %y, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %3 = graph.add %2, %1 : tensor<4x2xf32>
  %z = graph.sin %x : tensor<4x8xf32>
  %4 = graph.matmul %z, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %5 = graph.add %4, %4 : tensor<4x2xf32>
  return %1, %2, %3, %5 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Attention takes the views that lead to its only reader, so that the result is written as that reads it.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G:[0-9]+]] = graph.group attention "attention" {
// CHECK-NEXT: %[[A:[a-z0-9]+]] = graph.attention
// CHECK-NEXT: %[[T:[0-9]+]] = graph.transpose %[[A]] [0, 2, 1, 3]
// CHECK-NEXT: %[[R:[0-9]+]] = graph.reshape %[[T]]
// CHECK-NEXT: graph.yield %[[R]] : tensor<2x4x24xf32>
// CHECK: graph.group product "matmul" {
// CHECK-NEXT: graph.matmul %[[G]]
func.func @main(%q: tensor<2x3x4x8xf32>) -> tensor<2x4x5xf32> {
  %w = graph.parameter [#graph.part<"w", [24, 5], normal, 0.02>] : tensor<24x5xf32>
  %0 = graph.attention %q, %q, %q scale 0.5 : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  %1 = graph.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = graph.reshape %1 : tensor<2x4x3x8xf32> -> tensor<2x4x24xf32>
  %3 = graph.matmul %2, %w : tensor<2x4x24xf32>, tensor<24x5xf32> -> tensor<2x4x5xf32>
  return %3 : tensor<2x4x5xf32>
}

// -----

// Views that attention cannot write through stay outside: the head's width would not be contiguous.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G:[0-9]+]] = graph.group attention "attention" {
// CHECK-NEXT: %[[A:[a-z0-9]+]] = graph.attention
// CHECK-NEXT: graph.yield %[[A]] : tensor<2x3x4x8xf32>
// CHECK: %[[T:[0-9]+]] = graph.transpose %[[G]] [0, 1, 3, 2]
// CHECK: graph.group rows "exp" {
// CHECK-NEXT: graph.exp %[[T]]
func.func @main(%q: tensor<2x3x4x8xf32>) -> tensor<2x3x8x4xf32> {
  %0 = graph.attention %q, %q, %q scale 0.5 : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  %1 = graph.transpose %0 [0, 1, 3, 2] : tensor<2x3x4x8xf32> -> tensor<2x3x8x4xf32>
  %2 = graph.exp %1 : tensor<2x3x8x4xf32>
  return %2 : tensor<2x3x8x4xf32>
}

// -----

// Ops that nothing uses are in no group.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: graph.exp
// CHECK: graph.group rows "relu" {
// CHECK-NOT: graph.exp
// CHECK: return
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.relu %x : tensor<4x8xf32>
  %1 = graph.exp %x : tensor<4x8xf32>
  %2 = graph.reshape %1 : tensor<4x8xf32> -> tensor<32xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Every output has an op of its own: inputs, parameters, constants, views and values given twice are copied.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK-DAG: %[[W:[0-9]+]] = graph.parameter
// CHECK-DAG: graph.copy %[[X]]
// CHECK-DAG: graph.copy %[[W]]
// CHECK-DAG: graph.copy %{{[0-9]+}} : tensor<8x4xf32>
// CHECK-DAG: graph.copy %{{[a-z0-9]+}} : tensor<3xf32>
// CHECK-DAG: graph.copy %{{[a-z0-9#]+}} : tensor<5xf32>
// CHECK: return
func.func @main(%x: tensor<4x8xf32>, %y: tensor<5xf32>) -> (tensor<4x8xf32>, tensor<2xf32>, tensor<8x4xf32>, tensor<3xf32>, tensor<5xf32>, tensor<5xf32>) {
  %w = graph.parameter [#graph.part<"w", [2], normal, 0.02>] : tensor<2xf32>
  %c = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %t = graph.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %e = graph.exp %y : tensor<5xf32>
  return %x, %w, %t, %c, %e, %e : tensor<4x8xf32>, tensor<2xf32>, tensor<8x4xf32>, tensor<3xf32>, tensor<5xf32>, tensor<5xf32>
}

// -----

// Padding told by integers is compared in each attention that reads it, in rank 4 and by no op of its own; a mask that
// differs among queries, and a bias of floating numbers, are computed once.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x3x4x8xf32>, %[[IDS:[a-z0-9]+]]: tensor<2x4xi32>
// CHECK: graph.group attention "attention" {
// CHECK-NEXT: %[[C:[0-9]+]] = graph.compare ne %{{.*}}, %{{.*}} : tensor<2x1x1x4xi32> -> tensor<2x1x1x4xi1>
// CHECK-NEXT: %[[N:[0-9]+]] = graph.not %[[C]] : tensor<2x1x1x4xi1>
// CHECK-NEXT: graph.attention %[[Q]], %[[Q]], %[[Q]] mask %[[N]]
// CHECK: graph.group attention "attention" {
// CHECK-NEXT: %[[C2:[0-9]+]] = graph.compare ne
// CHECK-NEXT: %[[N2:[0-9]+]] = graph.not %[[C2]]
// CHECK-NEXT: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[N2]]
// CHECK: graph.group rows "compare"
// CHECK: graph.group rows "mul"
// CHECK: graph.group attention "attention" {
// CHECK-NEXT: graph.attention
func.func @main(%q: tensor<2x3x4x8xf32>, %ids: tensor<2x4xi32>, %square: tensor<4x4xi32>, %slopes: tensor<1x3x1x4xf32>) -> tensor<2x3x4x8xf32> {
  %z = graph.constant dense<0> : tensor<2x4xi32>
  %c = graph.compare ne %ids, %z : tensor<2x4xi32> -> tensor<2x4xi1>
  %n = graph.not %c : tensor<2x4xi1>
  %m = graph.reshape %n : tensor<2x4xi1> -> tensor<2x1x1x4xi1>
  %0 = graph.attention %q, %q, %q mask %m : tensor<2x1x1x4xi1> scale 0.5 : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  %1 = graph.attention %0, %0, %0 mask %m : tensor<2x1x1x4xi1> scale 0.5 : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  %z2 = graph.constant dense<0> : tensor<4x4xi32>
  %c2 = graph.compare gt %square, %z2 : tensor<4x4xi32> -> tensor<4x4xi1>
  %m2 = graph.reshape %c2 : tensor<4x4xi1> -> tensor<1x1x4x4xi1>
  %half = graph.constant dense<0.5> : tensor<1x3x1x4xf32>
  %b = graph.mul %slopes, %half : tensor<1x3x1x4xf32>
  %2 = graph.attention %1, %1, %1 mask %m2 : tensor<1x1x4x4xi1> bias %b : tensor<1x3x1x4xf32> scale 0.5 : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  return %2 : tensor<2x3x4x8xf32>
}
