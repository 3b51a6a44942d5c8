// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// Every op parses from what it prints.
// CHECK-LABEL: kernel.func @rows(%{{.*}}: !kernel.buffer<f32>, %{{.*}}: !kernel.buffer<i1> {kernel.alignment = 4 : i64}, %{{.*}}: index {kernel.divisor = 8 : i64})
// CHECK: kernel.rows (%[[A:.*]], %[[B:.*]]) in (%{{.*}}, %{{.*}}) {
// CHECK: %[[R:.*]]:3 = kernel.columns %[[C:.*]] in %{{.*}} reduce [add, max] attributes {vector = 4 : i64} {
// CHECK: kernel.load %{{.*}}[#{{.*}}] (%[[A]], %[[C]]) [%{{.*}}] {width = 4 : i64} : <f32>
// CHECK: kernel.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32
// CHECK: } : !kernel.row<f32>, f32, f32
// CHECK: kernel.get %[[R]]#0 : <f32>
// CHECK: kernel.store %{{.*}}, %{{.*}}[#{{.*}}] (%[[A]], %{{.*}}) {width = 1 : i64} : <i1>
kernel.func @rows(%x: !kernel.buffer<f32>, %y: !kernel.buffer<i1> {kernel.alignment = 4 : i64}, %n: index {kernel.divisor = 8 : i64})
    attributes {mapping = #kernel.mapping<threadsPerRow = 32, rowsPerBlock = 4, flat = false>} {
  kernel.rows (%a, %b) in (%n, %n) {
    %kept, %sum, %max = kernel.columns %c in %n reduce [add, max] attributes {vector = 4 : i64} {
      %v = kernel.load %x [affine_map<(a, c)[s] -> (a * s + c)>] (%a, %c)[%n] {width = 4 : i64} : !kernel.buffer<f32>
      kernel.yield %v, %v, %v : f32, f32, f32
    } : !kernel.row<f32>, f32, f32
    kernel.columns %c in %n {
      %v = kernel.get %kept : !kernel.row<f32>
      %p = arith.cmpf ogt, %v, %max : f32
      kernel.store %p, %y [affine_map<(a, c) -> (a * 8 + c)>] (%a, %c) {width = 1 : i64} : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: kernel.func @window
// CHECK: kernel.skeleton "attention_forward"<f16, 64, 32> scale 1.250000e-01 causal window 4096
kernel.func @window(%q: !kernel.buffer<f16>, %n: index) {
  kernel.skeleton "attention_forward"<f16, 64, 32> scale 0.125 causal window 4096
    (%q, %q, %q, %q : !kernel.buffer<f16>, !kernel.buffer<f16>, !kernel.buffer<f16>, !kernel.buffer<f16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// Functions left out are empty regions.
// CHECK-LABEL: kernel.func @attention
// CHECK: kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.250000e-01 causal
// CHECK: score {
// CHECK: mask {
kernel.func @attention(%q: !kernel.buffer<f32>, %n: index) {
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 0.125 causal
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      kernel.yield %s : f32
    } mask {}
}

// CHECK-LABEL: kernel.func @row_sums
// CHECK: kernel.row_sums 768 of %{{.*}}[%{{.*}}] by %{{.*}}[%{{.*}}] into %{{.*}}[%{{.*}}] {rowThreads = 96 : i64, threads = 192 : i64, vector = 8 : i64} : <bf16>, <i64>, <f32>
kernel.func @row_sums(%g: !kernel.buffer<bf16>, %ids: !kernel.buffer<i64>, %y: !kernel.buffer<f32>, %n: index, %stride: index) {
  kernel.row_sums 768 of %g[%stride] by %ids[%n] into %y[%n] {vector = 8 : i64, threads = 192 : i64, rowThreads = 96 : i64}
    : <bf16>, <i64>, <f32>
}

// With its statistics forward has a fifth buffer of its own.
// CHECK-LABEL: kernel.func @statistics
// CHECK: kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.250000e-01(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}, !kernel.buffer<f32>)
// CHECK: statistics
kernel.func @statistics(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %n: index) {
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 0.125
    (%q, %q, %q, %q, %l : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {} {statistics}
}

// A gradient's score function gives its derivative, too.
// CHECK-LABEL: kernel.func @backward_keys
// CHECK: kernel.skeleton "attention_backward_keys"<bf16, 64, 32> scale 1.250000e-01 causal
// CHECK: kernel.yield %{{.*}}, %{{.*}} : f32, f32
kernel.func @backward_keys(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %n: index) {
  kernel.skeleton "attention_backward_keys"<bf16, 64, 32> scale 0.125 causal
    (%q, %q, %q, %q, %l, %l, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %c = arith.constant 1.0 : f32
      kernel.yield %s, %c : f32, f32
    } mask {}
}

// CHECK-LABEL: kernel.func @backward
// CHECK: kernel.skeleton "attention_backward"<f32, 64, 64>
kernel.func @backward(%q: !kernel.buffer<f32>, %t: !kernel.buffer<i32>, %n: index) {
  kernel.skeleton "attention_backward"<f32, 64, 64> scale 0.125
    (%q, %q, %q, %q, %q, %q, %q, %q, %q, %t : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<i32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// CHECK-LABEL: kernel.func @backward_queries
// CHECK: kernel.skeleton "attention_backward_queries"<f32, 64, 64>
kernel.func @backward_queries(%q: !kernel.buffer<f32>, %n: index) {
  kernel.skeleton "attention_backward_queries"<f32, 64, 64> scale 0.125
    (%q, %q, %q, %q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// CHECK-LABEL: kernel.func @backward_bias
// CHECK: kernel.skeleton "attention_backward_bias"<f32, 64, 64>
kernel.func @backward_bias(%q: !kernel.buffer<f32>, %n: index) {
  kernel.skeleton "attention_backward_bias"<f32, 64, 64> scale 0.125
    (%q, %q, %q, %q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// Rows in parts, and sums down their columns.
// CHECK-LABEL: kernel.func @parts
// CHECK: kernel.rows (%{{.*}}) in (%{{.*}}) attributes {parts = 512 : i64} {
// CHECK: kernel.accumulate %{{.*}}, %{{.*}} : <f32>
kernel.func @parts(%x: !kernel.buffer<f32>, %sums: !kernel.buffer<f32>, %n: index) {
  kernel.rows (%r) in (%n) attributes {parts = 512 : i64} {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c)[s] -> (r * s + c)>] (%r, %c)[%n] : !kernel.buffer<f32>
      kernel.accumulate %v, %sums : !kernel.buffer<f32>
    }
  }
}
