// Inputs, parameters, constants, indices and lookups; what runs once, before the first run.
// RUN: heddle-opt %s --split-input-file --form-groups --lower-to-plan | FileCheck %s

// A merged parameter has its parts one after the other; a dense constant is a buffer, a splat is a literal.
// CHECK: plan.buffer @x input tensor<4xf32>
// CHECK: plan.buffer @output output tensor<4xf32>
// CHECK: kernel.func @[[K:[a-z_]+]](%{{[a-z0-9]+}}: !kernel.buffer<f32>, %{{[a-z0-9]+}}: !kernel.buffer<f32>, %{{[a-z0-9]+}}: !kernel.buffer<f32>, %{{[a-z0-9]+}}: !kernel.buffer<f32>)
// CHECK: arith.constant 2.500000e+00 : f32
// CHECK: plan.buffer @q.weight parameter tensor<4xf32> {{.*}}parts = [#plan.part<"q.weight", [3] at 0, normal, 2.000000e-02 : f64>, #plan.part<"k.weight", [1] at 3, constant, 1.000000e+00 : f64>]
// CHECK: plan.buffer @constant constant tensor<4xf32> {data = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK: plan.launch @[[K]] {{.*}} phase forward
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> tensor<4xf32> {
  %w = graph.parameter [#graph.part<"q.weight", [3], normal, 0.02>, #graph.part<"k.weight", [1], constant, 1.0>] : tensor<4xf32>
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = graph.constant dense<2.5> : tensor<4xf32>
  %0 = graph.mul %x, %w : tensor<4xf32>
  %1 = graph.add %0, %c : tensor<4xf32>
  %2 = graph.mul %1, %s : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A table of positions: an iota over a symbolic extent is the loop index, the kernel an init step, its result a constant
// that later steps read.
// CHECK: plan.buffer @cos constant tensor<5x4xf32>
// CHECK: kernel.func @iota_cos(
// CHECK: %[[I:.*]] = arith.index_cast %[[R:[a-z0-9]+]] : index to i64
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[I]] : i64 to f32
// CHECK-NEXT: math.cos %[[F]]
// CHECK: plan.launch @iota_cos [#plan.ref<@cos>] counts [5] phase init
// CHECK: plan.launch @mul [#plan.ref<@input>, #plan.ref<@cos>, #plan.ref<@output>] counts [5] phase forward
func.func @main(%x: tensor<5x4xf32, #graph.dims<["seq", ""]>>) -> tensor<5x4xf32, #graph.dims<["seq", ""]>> {
  %0 = graph.iota 0 : tensor<5x4xf32, #graph.dims<["seq", ""]>>
  %1 = graph.cos %0 : tensor<5x4xf32, #graph.dims<["seq", ""]>>
  %2 = graph.mul %x, %1 : tensor<5x4xf32, #graph.dims<["seq", ""]>>
  return %2 : tensor<5x4xf32, #graph.dims<["seq", ""]>>
}

// -----

// An output is written in every run, though nothing in it depends on an input; a table that others read as well is copied to
// it.
// CHECK-DAG: plan.buffer @[[A:[a-z0-9_]+]] output tensor<4xi32>
// CHECK-DAG: plan.buffer @[[TABLE:[a-z0-9_]+]] constant tensor<4xf32>
// CHECK: plan.launch @{{[a-z_]+}} [#plan.ref<@[[TABLE]]>] counts [] phase init
// CHECK: plan.launch @{{[a-z_]+}} [#plan.ref<@[[A]]>] counts [] phase forward
// CHECK: plan.launch @{{[a-z_]+}} [#plan.ref<@[[TABLE]]>, #plan.ref<@input>, #plan.ref<@output_2>, #plan.ref<@output_1>] counts [] phase forward
func.func @main(%x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.iota 0 : tensor<4xi32>
  %1 = graph.iota 0 : tensor<4xf32>
  %2 = graph.sin %1 : tensor<4xf32>
  %3 = graph.mul %2, %x : tensor<4xf32>
  return %0, %2, %3 : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A lookup reads the id, then a row of the table; the bound of the ids is that of the input.
// CHECK: #[[ROW:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 * 8 + d1)>
// CHECK: plan.buffer @ids input tensor<2x3xi32> {indexLimit = 100 : i64
// CHECK: kernel.func @embedding(
// CHECK: kernel.rows (%[[R:.*]]) in
// CHECK-NEXT: kernel.columns %[[C:[a-z0-9]+]] in
// CHECK-NEXT: %[[ID:.*]] = kernel.load %{{[a-z0-9]+}}[#{{[a-z0-9]+}}] (%[[R]]) : <i32>
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[ID]] : i32 to index
// CHECK-NEXT: %[[V:.*]] = kernel.load %{{[a-z0-9]+}}[#[[ROW]]] (%[[I]], %[[C]]) : <f32>
// CHECK-NEXT: kernel.store %[[V]], %{{[a-z0-9]+}}[#[[ROW]]] (%[[R]], %[[C]]) : <f32>
func.func @main(%ids: tensor<2x3xi32> {graph.name = "ids", graph.bound = 100 : i64}) -> tensor<2x3x8xf32> {
  %w = graph.parameter [#graph.part<"table", [100, 8], normal, 0.02>] : tensor<100x8xf32>
  %0 = graph.embedding %w, %ids : tensor<100x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}

// -----

// Two layers with one kernel: the text is the same, the parameters differ. Names of buffers are made unique.
// CHECK: kernel.func @relu_add(
// CHECK-NOT: kernel.func
// CHECK: plan.launch @relu_add [#plan.ref<@input>, #plan.ref<@a.0>, #plan.ref<@add>]
// CHECK-NOT: kernel.func
// CHECK: plan.launch @relu_add [#plan.ref<@matmul>, #plan.ref<@a.1>, #plan.ref<@output>]
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = graph.parameter [#graph.part<"a.0", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %b = graph.parameter [#graph.part<"a.1", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %0 = graph.relu %x : tensor<8x8xf32>
  %1 = graph.add %0, %a : tensor<8x8xf32>
  %2 = graph.matmul %1, %a : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = graph.relu %2 : tensor<8x8xf32>
  %4 = graph.add %3, %b : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// A table of one value is that value, whatever the id.
// CHECK: kernel.func @embedding(%{{[a-z0-9]+}}: !kernel.buffer<i32>, %{{[a-z0-9]+}}: !kernel.buffer<f32>) {
// CHECK: %[[V:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: kernel.store %[[V]],
func.func @main(%ids: tensor<3xi32> {graph.bound = 4 : i64}) -> tensor<3x8xf32> {
  %t = graph.constant dense<0.5> : tensor<4x8xf32>
  %0 = graph.embedding %t, %ids : tensor<4x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
