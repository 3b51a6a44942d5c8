// Near misses: two groups stay two, and both say why.
// RUN: heddle-opt %s --split-input-file --form-groups | FileCheck %s
// RUN: heddle-opt %s --split-input-file --form-groups=max-buffers=2 | FileCheck %s --check-prefix=FEW

// x + transpose(x) of a computed x would run over a diagonal.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "exp" {
// CHECK: } {reasons = ["add: exp: runs over one dimension in two ways"]} : tensor<4x4xf32>
// CHECK: graph.group rows "add" {
// CHECK: } {reasons = ["exp: exp: runs over one dimension in two ways"]} : tensor<4x4xf32>
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.exp %x : tensor<4x4xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = graph.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// A slice of a computed value: the group would compute less than its reader's neighbours need.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "exp" {
// CHECK: } {reasons = ["relu: slice: takes a part of a computed value"]} : tensor<4x8xf32>
// CHECK: graph.group rows "relu" {
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.slice %0 offsets [0, 2] strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
  %2 = graph.relu %1 : tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// Reductions over rows of different lengths.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["reduce: reduce: reduces over 4 elements, another op of the group reduces over 8"]
// CHECK: reasons = ["reduce: reduce: reduces over 4 elements, another op of the group reduces over 8"]
func.func @main(%x: tensor<4x8xf32>) -> tensor<1x1xf32> {
  %0 = graph.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.reduce max %0 axes [0] : tensor<4x1xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// -----

// A square: both reductions have the same length, but what one reduces is what the other keeps.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "reduce" {
// CHECK: reasons = ["reduce: reduce: reads along one dimension in two ways"]
// CHECK: graph.group rows "reduce" {
// CHECK: reasons = ["reduce: reduce: reads along one dimension in two ways"]
func.func @main(%x: tensor<8x8xf32>) -> tensor<1x1xf32> {
  %0 = graph.reduce sum %x axes [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %1 = graph.reduce max %0 axes [0] : tensor<8x1xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// -----

// The table of an embedding must be there as a whole; what reads a concatenation cannot run with it, for that is written in
// parts.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["embedding: embedding: looks up a table that the group computes"]
// CHECK: reasons = ["exp: embedding: looks up a table that the group computes"]
func.func @main(%t: tensor<7x8xf32>, %i: tensor<4xi32> {graph.bound = 7 : i64}) -> tensor<4x8xf32> {
  %0 = graph.exp %t : tensor<7x8xf32>
  %1 = graph.embedding %0, %i : tensor<7x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["softmax: softmax: reads a concatenation, which is written in parts"]
// CHECK: reasons = ["concat: softmax: reads a concatenation, which is written in parts"]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = graph.concat %x, %x axis 1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  %1 = graph.softmax %0 : tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// Parts of different extents run over different rows: the concatenation stays alone.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["concat: concat: runs over fewer rows than another output"]
// CHECK: graph.group rows "concat" {
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x3xf32>) -> tensor<4x11xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.concat %0, %y axis 1 : tensor<4x8xf32>, tensor<4x3xf32> -> tensor<4x11xf32>
  return %1 : tensor<4x11xf32>
}

// -----

// A result for the rows alone beside one for all of another extent.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["add: exp: runs over fewer rows than another output"]
// CHECK: reasons = ["exp: exp: runs over fewer rows than another output"]
func.func @main(%x: tensor<4x1xf32>, %y: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x8xf32>) {
  %0 = graph.exp %x : tensor<4x1xf32>
  %1 = graph.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = graph.add %1, %y : tensor<4x8xf32>
  return %0, %2 : tensor<4x1xf32>, tensor<4x8xf32>
}

// -----

// Extents that do not divide: inside a kernel a reshape has to split one row-major index in two ways.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["relu: reshape: extents 4 and 6 do not divide each other"]
// CHECK: reasons = ["exp: reshape: extents 4 and 6 do not divide each other"]
func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = graph.exp %x : tensor<4x6xf32>
  %1 = graph.reshape %0 : tensor<4x6xf32> -> tensor<6x4xf32>
  %2 = graph.relu %1 : tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

// What each op can read alone it may not be able to read in a group: there the rows are split as another op needs them.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "exp+add" {
// CHECK: reasons = ["relu: add: extents 4 and 6 do not divide each other"]
// CHECK: graph.group rows "relu" {
func.func @main(%x: tensor<2x6x4xf32>, %y: tensor<24x2xf32>) -> (tensor<24x2xf32>, tensor<4x6x2xf32>) {
  %0 = graph.transpose %x [1, 2, 0] : tensor<2x6x4xf32> -> tensor<6x4x2xf32>
  %1 = graph.reshape %0 : tensor<6x4x2xf32> -> tensor<24x2xf32>
  %2 = graph.exp %y : tensor<24x2xf32>
  %3 = graph.add %2, %1 : tensor<24x2xf32>
  %4 = graph.reshape %3 : tensor<24x2xf32> -> tensor<4x6x2xf32>
  %5 = graph.relu %4 : tensor<4x6x2xf32>
  return %3, %5 : tensor<24x2xf32>, tensor<4x6x2xf32>
}

// -----

// A result that has one of two reduced dimensions.
// CHECK-LABEL: func.func @main(
// CHECK: reasons = ["reduce: exp: runs over a part of the reduced dimensions"]
// CHECK: reasons = ["exp: exp: runs over a part of the reduced dimensions"]
func.func @main(%x: tensor<4x2x1xf32>) -> (tensor<4x2x1xf32>, tensor<4x1x1xf32>) {
  %0 = graph.exp %x : tensor<4x2x1xf32>
  %1 = graph.broadcast %0 : tensor<4x2x1xf32> -> tensor<4x2x3xf32>
  %2 = graph.reduce sum %1 axes [1, 2] : tensor<4x2x3xf32> -> tensor<4x1x1xf32>
  return %0, %2 : tensor<4x2x1xf32>, tensor<4x1x1xf32>
}

// -----

// A table is computed once, before the first run, and stays apart from what depends on inputs.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "iota+cos" {
// CHECK: reasons = ["mul: one of the two is computed before the first run"]
// CHECK: graph.group rows "mul" {
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.iota 0 : tensor<8xf32>
  %1 = graph.cos %0 : tensor<8xf32>
  %2 = graph.mul %1, %x : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A product between two ops, which would be a circle.
// CHECK-LABEL: func.func @main(
// CHECK: graph.group rows "exp" {
// CHECK: reasons = ["mul: another group lies between the two"]
// CHECK: graph.group product "matmul" {
// CHECK: graph.group rows "mul" {
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.exp %x : tensor<8x8xf32>
  %1 = graph.matmul %0, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = graph.mul %1, %0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// The resource model: x, y and the result are three buffers.
// FEW-LABEL: func.func @main(%{{[a-z0-9]+}}: tensor<9xf32>
// FEW: graph.group rows "exp" {
// FEW: reasons = ["add: the kernel would touch more than 2 buffers"]
// FEW: graph.group rows "add" {
func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %0 = graph.exp %x : tensor<9xf32>
  %1 = graph.add %0, %y : tensor<9xf32>
  return %1 : tensor<9xf32>
}

// -----

// Every pair says so, also where one like it was refused before.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: reasons = ["relu: slice: takes a part of a computed value"]
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.slice %0 offsets [0, 2] strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
  %2 = graph.relu %1 : tensor<4x3xf32>
  %3 = graph.exp %y : tensor<4x8xf32>
  %4 = graph.slice %3 offsets [0, 2] strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
  %5 = graph.relu %4 : tensor<4x3xf32>
  return %2, %5 : tensor<4x3xf32>, tensor<4x3xf32>
}
