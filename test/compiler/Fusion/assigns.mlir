// Assigned values: written over the old one by what computes them where that is safe, else by a copy at the end.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s
// RUN: heddle-opt %s --split-input-file --eager-groups | FileCheck %s --check-prefix=EAGER

// An elementwise update reads the old value where it writes the new one: no copy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK: %[[G:[0-9]+]]:2 = graph.group rows "mul+sub" {
// CHECK: graph.assign %[[W]], %[[G]]#1
// CHECK-NEXT: return %[[G]]#0
// EAGER-LABEL: func.func @main(
// EAGER-NOT: graph.copy
// EAGER: return
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.parameter [#graph.part<"w", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %0 = graph.mul %w, %x : tensor<4x8xf32>
  %1 = graph.sub %w, %0 : tensor<4x8xf32>
  graph.assign %w, %1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Two states of one kernel, one of which goes into the other's update: what reads the old values stays in step.
// CHECK-LABEL: func.func @main(
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK: %[[M:[0-9]+]] = graph.state
// CHECK: %[[G:[0-9]+]]:2 = graph.group rows
// CHECK-NOT: graph.group
// CHECK-NOT: graph.copy
// CHECK: graph.assign %[[M]], %[[G]]#0
// CHECK: graph.assign %[[W]], %[[G]]#1
// EAGER-LABEL: func.func @main(
// EAGER-NOT: graph.copy
// EAGER: return
func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) {
  %w = graph.parameter [#graph.part<"w", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %m = graph.state [#graph.part<"m", [4, 8], constant, 0.0>] : tensor<4x8xf32>
  %0 = graph.add %m, %x : tensor<4x8xf32>
  %1 = graph.mul %0, %w : tensor<4x8xf32>
  %2 = graph.sub %w, %1 : tensor<4x8xf32>
  graph.assign %m, %0 : tensor<4x8xf32>
  graph.assign %w, %2 : tensor<4x8xf32>
  return
}

// -----

// A later reader sees the old value: a copy behind it writes the new one. The reader reads a parameter alone, and
// still does not sink behind the copy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK: %[[S:[0-9]+]] = graph.group rows "softmax" {
// CHECK-NEXT: graph.softmax %[[W]]
// CHECK: %[[G:[0-9]+]] = graph.group rows "sub+copy" {
// CHECK: graph.assign %[[W]], %[[G]]
// CHECK-NEXT: return %[[S]]
// EAGER-LABEL: func.func @main(
// EAGER: graph.group rows "sub"
// EAGER: graph.group rows "softmax"
// EAGER: %[[C:[0-9]+]] = graph.group rows "copy"
// EAGER: graph.assign %{{[0-9]+}}, %[[C]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.parameter [#graph.part<"w", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %1 = graph.sub %w, %x : tensor<4x8xf32>
  graph.assign %w, %1 : tensor<4x8xf32>
  %2 = graph.softmax %w : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Read through a view: another element than the one that is written. The copy is a kernel of its own.
// CHECK-LABEL: func.func @main(
// CHECK: %[[W:[0-9]+]] = graph.parameter
// CHECK: %[[G:[0-9]+]] = graph.group rows "sub" {
// CHECK: %[[C:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[G]]
// CHECK: reasons = ["sub: the kernel would read a leaf at other places than it writes it"]
// CHECK: graph.assign %[[W]], %[[C]]
// EAGER-LABEL: func.func @main(
// EAGER: graph.group rows "sub"
// EAGER: %[[C:[0-9]+]] = graph.group rows "copy"
// EAGER: graph.assign %{{[0-9]+}}, %[[C]]
func.func @main(%x: tensor<4x4xf32>) {
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %t = graph.transpose %w [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.sub %x, %t : tensor<4x4xf32>
  graph.assign %w, %1 : tensor<4x4xf32>
  return
}

// -----

// The same with the view behind an op that reads in step.
// CHECK-LABEL: func.func @main(
// CHECK: %[[E:[0-9]+]] = graph.group rows "exp" {
// CHECK: %[[C:[0-9]+]] = graph.group rows "sub"
// CHECK: graph.assign %{{[0-9]+}}, %[[C]]
// EAGER-LABEL: func.func @main(
func.func @main(%x: tensor<4x4xf32>) {
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %e = graph.exp %w : tensor<4x4xf32>
  %t = graph.transpose %e [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.sub %x, %t : tensor<4x4xf32>
  graph.assign %w, %1 : tensor<4x4xf32>
  return
}

// -----

// A row's sum reads elements that were written before it would be done: two kernels.
// CHECK-LABEL: func.func @main(
// CHECK: %[[S:[0-9]+]] = graph.group rows "softmax" {
// CHECK: %[[C:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[S]]
// CHECK: graph.assign %{{[0-9]+}}, %[[C]]
// EAGER-LABEL: func.func @main(
func.func @main() {
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %1 = graph.softmax %w : tensor<4x4xf32>
  graph.assign %w, %1 : tensor<4x4xf32>
  return
}

// -----

// An output and a leaf cannot share memory, nor two leaves, nor a leaf and an input.
// CHECK-LABEL: func.func @main(
// CHECK: %[[V:[0-9]+]] = graph.parameter [#graph.part<"v"
// CHECK: %[[W:[0-9]+]] = graph.parameter [#graph.part<"w"
// CHECK: %[[U:[0-9]+]] = graph.parameter [#graph.part<"u"
// CHECK: %[[G:[0-9]+]]:4 = graph.group rows "sub+copy" {
// CHECK-COUNT-3: graph.copy
// CHECK-DAG: graph.assign %[[W]], %[[G]]#{{[0-3]}}
// CHECK-DAG: graph.assign %[[V]], %[[G]]#{{[0-3]}}
// CHECK-DAG: graph.assign %[[U]], %[[G]]#{{[0-3]}}
// EAGER-LABEL: func.func @main(
// EAGER-COUNT-3: graph.copy
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %v = graph.parameter [#graph.part<"v", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %u = graph.parameter [#graph.part<"u", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %1 = graph.sub %x, %x : tensor<4x4xf32>
  graph.assign %w, %1 : tensor<4x4xf32>
  graph.assign %v, %1 : tensor<4x4xf32>
  graph.assign %u, %x : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Two leaves that change places: one is kept before the other is written over it.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.state [#graph.part<"a"
// CHECK: %[[KEPT:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[A]]
// CHECK: %[[B:[0-9]+]] = graph.state [#graph.part<"b"
// CHECK: %[[NEW_A:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[B]]
// CHECK: graph.assign %[[A]], %[[NEW_A]]
// CHECK: %[[NEW_B:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[KEPT]]
// CHECK: graph.assign %[[B]], %[[NEW_B]]
// EAGER-LABEL: func.func @main(
// EAGER-COUNT-3: graph.copy
// EAGER-NOT: graph.copy
func.func @main() {
  %a = graph.state [#graph.part<"a", [4, 4], constant, 1.0>] : tensor<4x4xf32>
  %b = graph.state [#graph.part<"b", [4, 4], constant, 2.0>] : tensor<4x4xf32>
  graph.assign %a, %b : tensor<4x4xf32>
  graph.assign %b, %a : tensor<4x4xf32>
  return
}

// -----

// A view of a leaf that an op could write over before the view is read.
// CHECK-LABEL: func.func @main(
// CHECK: %[[W:[0-9]+]] = graph.parameter [#graph.part<"w"
// CHECK: %[[V:[0-9]+]] = graph.parameter [#graph.part<"v"
// CHECK: %[[T:[0-9]+]] = graph.transpose %[[W]]
// CHECK: %[[TURNED:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[T]]
// CHECK: graph.assign %[[V]], %[[TURNED]]
// CHECK: %[[NEW:[0-9]+]] = graph.group rows "sub+copy"
// CHECK: graph.assign %[[W]], %[[NEW]]
// EAGER-LABEL: func.func @main(
// EAGER: %[[W:[0-9]+]] = graph.parameter [#graph.part<"w"
// EAGER: %[[NEW:[0-9]+]] = graph.group rows "sub"
// EAGER: %[[T:[0-9]+]] = graph.transpose %[[W]]
// EAGER: graph.copy %[[T]]
// EAGER: graph.copy %[[NEW]]
func.func @main(%x: tensor<4x4xf32>) {
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %v = graph.parameter [#graph.part<"v", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %1 = graph.sub %w, %x : tensor<4x4xf32>
  graph.assign %w, %1 : tensor<4x4xf32>
  %t = graph.transpose %w [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  graph.assign %v, %t : tensor<4x4xf32>
  return
}

// -----

// A product with its activation reads when the activation runs: the leaf is written over after that.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter
// CHECK: %[[NEW:[0-9]+]] = graph.group rows "add"
// CHECK: graph.group product "matmul+relu"
// CHECK: %[[COPY:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[NEW]]
// CHECK: graph.assign %[[A]], %[[COPY]]
// EAGER-LABEL: func.func @main(
// EAGER: %[[A:[0-9]+]] = graph.parameter
// EAGER: graph.group product "matmul"
// EAGER: %[[NEW:[0-9]+]] = graph.group rows "add"
// EAGER: graph.assign %[[A]], %[[NEW]]
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = graph.parameter [#graph.part<"a", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %m = graph.matmul %x, %a : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %n = graph.add %a, %x : tensor<8x8xf32>
  graph.assign %a, %n : tensor<8x8xf32>
  %y = graph.relu %m : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// The activation could write over the leaf, the product that takes it reads all of it; an addend is read where it is
// written.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[NEW:[0-9]+]] = graph.group product "matmul+relu"
// CHECK: %[[SUM:[0-9]+]] = graph.group product "matmul+add"
// CHECK-DAG: graph.assign %[[B]], %[[SUM]]
// CHECK: %[[COPY:[0-9]+]] = graph.group rows "copy" {
// CHECK-NEXT: graph.copy %[[NEW]]
// CHECK: graph.assign %[[A]], %[[COPY]]
// EAGER-LABEL: func.func @main(
func.func @main(%x: tensor<8x8xf32>) {
  %a = graph.parameter [#graph.part<"a", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %b = graph.parameter [#graph.part<"b", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %m = graph.matmul %x, %a : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %y = graph.relu %m : tensor<8x8xf32>
  graph.assign %a, %y : tensor<8x8xf32>
  %n = graph.matmul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %s = graph.add %n, %b : tensor<8x8xf32>
  graph.assign %b, %s : tensor<8x8xf32>
  return
}
