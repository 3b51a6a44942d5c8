// What each elementwise op becomes for one element: arith and math on f32 for all floating types, on the element type else.
// Eager groups hold one op each, so that every kernel shows one rule.
// RUN: heddle-opt %s --split-input-file --eager-groups --lower-to-plan | FileCheck %s

// One op of math or arith.
// CHECK-LABEL: kernel.func @neg(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.negf %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.neg %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @exp_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.exp %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @log_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.log %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.log %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @sqrt_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.sqrt %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.sqrt %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @rsqrt_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.rsqrt %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.rsqrt %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @tanh_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.tanh %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.tanh %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @erf_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.erf %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.erf %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @sin_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.sin %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.sin %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @cos_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.cos %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.cos %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @abs_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.absf %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.abs %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Formulas.
// CHECK-LABEL: kernel.func @reciprocal(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[ONE:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.divf %[[ONE]], %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.reciprocal %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @sigmoid(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[TOP:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[ONE:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[N:[0-9]+]] = arith.negf %[[X]] : f32
// CHECK-NEXT: %[[E:[0-9]+]] = math.exp %[[N]] : f32
// CHECK-NEXT: %[[D:[0-9]+]] = arith.addf %[[E]], %[[ONE]] : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.divf %[[TOP]], %[[D]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.sigmoid %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @silu(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[ONE:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[N:[0-9]+]] = arith.negf %[[X]] : f32
// CHECK-NEXT: %[[E:[0-9]+]] = math.exp %[[N]] : f32
// CHECK-NEXT: %[[D:[0-9]+]] = arith.addf %[[E]], %[[ONE]] : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.divf %[[X]], %[[D]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.silu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// NaN stays NaN: maximumf, and not maxnumf.
// CHECK-LABEL: kernel.func @relu(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[ZERO:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.maximumf %[[X]], %[[ZERO]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.relu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @gelu(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[ROOT:[a-z0-9_]+]] = arith.constant 0.707106769 : f32
// CHECK-NEXT: %[[I:[0-9]+]] = arith.mulf %[[X]], %[[ROOT]] : f32
// CHECK-NEXT: %[[F:[0-9]+]] = math.erf %[[I]] : f32
// CHECK-NEXT: %[[HALF:[a-z0-9_]+]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %[[HX:[0-9]+]] = arith.mulf %[[X]], %[[HALF]] : f32
// CHECK-NEXT: %[[ONE:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[S:[0-9]+]] = arith.addf %[[F]], %[[ONE]] : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.mulf %[[HX]], %[[S]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.gelu erf %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @gelu(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[SQUARE:[0-9]+]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-NEXT: %[[CUBE:[0-9]+]] = arith.mulf %[[SQUARE]], %[[X]] : f32
// CHECK-NEXT: %[[A:[a-z0-9_]+]] = arith.constant 4.471500e-02 : f32
// CHECK-NEXT: %[[AC:[0-9]+]] = arith.mulf %[[CUBE]], %[[A]] : f32
// CHECK-NEXT: %[[P:[0-9]+]] = arith.addf %[[X]], %[[AC]] : f32
// CHECK-NEXT: %[[B:[a-z0-9_]+]] = arith.constant 0.797884583 : f32
// CHECK-NEXT: %[[I:[0-9]+]] = arith.mulf %[[P]], %[[B]] : f32
// CHECK-NEXT: %[[F:[0-9]+]] = math.tanh %[[I]] : f32
// CHECK-NEXT: %[[HALF:[a-z0-9_]+]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %[[HX:[0-9]+]] = arith.mulf %[[X]], %[[HALF]] : f32
// CHECK-NEXT: %[[ONE:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[S:[0-9]+]] = arith.addf %[[F]], %[[ONE]] : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.mulf %[[HX]], %[[S]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.gelu tanh %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Two operands; integers have their own ops.
// CHECK-LABEL: kernel.func @add(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.addf %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.add %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @sub(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.subf %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.sub %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @mul(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.mulf %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.mul %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @div_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.divf %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.div %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @pow_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.powf %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.pow %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @maximum(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.maximumf %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.maximum %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @minimum(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.minimumf %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.minimum %x, %y : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @add(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.addi %[[X]], %[[Z]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.add %x, %y : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @sub(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.subi %[[X]], %[[Z]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.sub %x, %y : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @mul(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.muli %[[X]], %[[Z]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.mul %x, %y : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @maximum(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.maxsi %[[X]], %[[Z]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.maximum %x, %y : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @minimum(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.minsi %[[X]], %[[Z]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.minimum %x, %y : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @add(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.addi %[[X]], %[[Z]] : i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>, %y: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %0 = graph.add %x, %y : tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// -----

// CHECK-LABEL: kernel.func @and_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.andi %[[X]], %[[Z]] : i1
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi1>, %y: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %0 = graph.and %x, %y : tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @or_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.ori %[[X]], %[[Z]] : i1
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi1>, %y: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %0 = graph.or %x, %y : tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// Comparisons with NaN are false, except ne.
// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpf oeq, %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = graph.compare eq %x, %y : tensor<4x8xf32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpf une, %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = graph.compare ne %x, %y : tensor<4x8xf32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpf olt, %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = graph.compare lt %x, %y : tensor<4x8xf32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpf ole, %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = graph.compare le %x, %y : tensor<4x8xf32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpf ogt, %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = graph.compare gt %x, %y : tensor<4x8xf32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpf oge, %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = graph.compare ge %x, %y : tensor<4x8xf32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpi eq, %[[X]], %[[Z]] : i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>, %y: tensor<4x8xi64>) -> tensor<4x8xi1> {
  %0 = graph.compare eq %x, %y : tensor<4x8xi64> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpi ne, %[[X]], %[[Z]] : i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>, %y: tensor<4x8xi64>) -> tensor<4x8xi1> {
  %0 = graph.compare ne %x, %y : tensor<4x8xi64> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpi slt, %[[X]], %[[Z]] : i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>, %y: tensor<4x8xi64>) -> tensor<4x8xi1> {
  %0 = graph.compare lt %x, %y : tensor<4x8xi64> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpi sle, %[[X]], %[[Z]] : i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>, %y: tensor<4x8xi64>) -> tensor<4x8xi1> {
  %0 = graph.compare le %x, %y : tensor<4x8xi64> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpi sgt, %[[X]], %[[Z]] : i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>, %y: tensor<4x8xi64>) -> tensor<4x8xi1> {
  %0 = graph.compare gt %x, %y : tensor<4x8xi64> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @compare(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpi sge, %[[X]], %[[Z]] : i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>, %y: tensor<4x8xi64>) -> tensor<4x8xi1> {
  %0 = graph.compare ge %x, %y : tensor<4x8xi64> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// Integer and logical forms of ops with one operand.
// CHECK-LABEL: kernel.func @neg(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[ZERO:[a-z0-9_]+]] = arith.constant 0 : i32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.subi %[[ZERO]], %[[X]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.neg %x : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @abs_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = math.absi %[[X]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.abs %x : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @not_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[T:[a-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.xori %[[X]], %[[T]] : i1
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %0 = graph.not %x : tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @select(
// CHECK: %[[C:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.select %[[C]], %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%c: tensor<4x8xi1>, %x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.select %c, %x, %y : tensor<4x8xi1>, tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @copy(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: kernel.store %[[X]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.copy %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Casts. Floating values are f32 in the kernel and rounded where they are stored.
// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.extf %[[X]] : bf16 to f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xbf16>) -> tensor<4x8xf32> {
  %0 = graph.cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A cast of the user rounds, also where a store follows; one of the precision policy leaves it to the store.
// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[R:[0-9]+]] = arith.truncf %[[X]] : f32 to bf16
// CHECK-NEXT: %[[W:[0-9]+]] = arith.extf %[[R]] : bf16 to f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.truncf %[[W]] : f32 to bf16
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xbf16> {
  %0 = graph.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.truncf %[[X]] : f32 to bf16
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xbf16> {
  %0 = graph.cast %x implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// From and to integers and i1.
// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.fptosi %[[X]] : f32 to i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xi32> {
  %0 = graph.cast %x : tensor<4x8xf32> -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.sitofp %[[X]] : i64 to f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>) -> tensor<4x8xf32> {
  %0 = graph.cast %x : tensor<4x8xi64> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.uitofp %[[X]] : i1 to f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %0 = graph.cast %x : tensor<4x8xi1> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpf une, %[[X]], %[[Z]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = graph.cast %x : tensor<4x8xf32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Z:[a-z0-9_]+]] = arith.constant 0 : i32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.cmpi ne, %[[X]], %[[Z]] : i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>) -> tensor<4x8xi1> {
  %0 = graph.cast %x : tensor<4x8xi32> -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.extui %[[X]] : i1 to i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi1>) -> tensor<4x8xi32> {
  %0 = graph.cast %x : tensor<4x8xi1> -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.extsi %[[X]] : i32 to i64
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>) -> tensor<4x8xi64> {
  %0 = graph.cast %x : tensor<4x8xi32> -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.trunci %[[X]] : i64 to i32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi64>) -> tensor<4x8xi32> {
  %0 = graph.cast %x : tensor<4x8xi64> -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: kernel.func @cast(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[F:[0-9]+]] = arith.sitofp %[[X]] : i32 to f32
// CHECK-NEXT: %[[R:[0-9]+]] = arith.truncf %[[F]] : f32 to bf16
// CHECK-NEXT: %[[W:[0-9]+]] = arith.extf %[[R]] : bf16 to f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.truncf %[[W]] : f32 to bf16
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xi32>) -> tensor<4x8xbf16> {
  %0 = graph.cast %x : tensor<4x8xi32> -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// Half precision is computed in f32 and rounded once.
// CHECK-LABEL: kernel.func @add(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[XW:[0-9]+]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT: %[[Z:[0-9]+]] = kernel.load
// CHECK-NEXT: %[[ZW:[0-9]+]] = arith.extf %[[Z]] : f16 to f32
// CHECK-NEXT: %[[S:[0-9]+]] = arith.addf %[[XW]], %[[ZW]] : f32
// CHECK-NEXT: %[[Y:[0-9]+]] = arith.truncf %[[S]] : f32 to f16
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf16>, %y: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = graph.add %x, %y : tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

// A square is a product, which is exact where a power need not be; other powers are powers.
// CHECK-LABEL: kernel.func @pow_rows(
// CHECK: %[[X:[0-9]+]] = kernel.load
// CHECK: %[[Y:[0-9]+]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-NEXT: kernel.store %[[Y]],
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<4x8xf32>
  %0 = graph.pow %x, %two : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// The bits of runtime/base/Dropout.h, from the index, the key's two halves and the layer, which is a number of the launch.
// CHECK-LABEL: kernel.func @dropout(
// CHECK-SAME: %[[LAYER:[a-z0-9]+]]: index)
// CHECK-DAG: %[[X:[0-9]+]] = kernel.load {{.*}} : <f32>
// CHECK-DAG: %[[I:[0-9]+]] = kernel.load {{.*}} : <i32>
// CHECK-DAG: %[[K:[0-9]+]] = kernel.load {{.*}} : <i64>
// CHECK: %[[L:[0-9]+]] = arith.index_cast %[[LAYER]] : index to i32
// CHECK: %[[STRIDE:.*]] = arith.constant -1640531527 : i32
// CHECK: %[[START:[0-9]+]] = arith.muli %[[L]], %[[STRIDE]]
// CHECK: %[[LOW:[0-9]+]] = arith.trunci %[[K]] : i64 to i32
// CHECK: %[[SUM:[0-9]+]] = arith.addi %[[LOW]], %[[START]]
// CHECK: arith.shrui %[[SUM]], %{{.*}} : i32
// CHECK: arith.shrui %[[K]], %{{.*}} : i64
// CHECK: arith.xori %[[I]], %{{.*}} : i32
// CHECK: %[[LAST:.*]] = arith.constant 1073741823 : i32
// CHECK: %[[KEPT:[0-9]+]] = arith.cmpi sgt, %{{.*}}, %[[LAST]] : i32
// CHECK: %[[SCALED:[0-9]+]] = arith.mulf %[[X]], %{{.*}} : f32
// CHECK: arith.select %[[KEPT]], %[[SCALED]], %{{.*}} : f32
// CHECK: plan.launch @dropout [{{.*}}] counts [5]
// Another layer is another launch of the same kernel.
// CHECK-NOT: kernel.func
// CHECK: plan.launch @dropout [{{.*}}] counts [6]
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %k: tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.dropout %x, %i, %k layer 5 probability 0.5 : tensor<4x8xf32>
  %1 = graph.dropout %x, %i, %k layer 6 probability 0.5 : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Of probability 1 no 31 bits are above the last; the scale is no infinity.
// CHECK-LABEL: kernel.func @dropout(
// CHECK: %[[LAST:.*]] = arith.constant 2147483647 : i32
// CHECK: arith.cmpi sgt, %{{.*}}, %[[LAST]] : i32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: arith.mulf %{{.*}}, %[[ZERO]] : f32
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %k: tensor<4x8xi64>) -> tensor<4x8xf32> {
  %0 = graph.dropout %x, %i, %k layer 0 probability 1.0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
