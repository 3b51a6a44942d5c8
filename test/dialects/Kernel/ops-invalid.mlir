// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{buffer elements are 'f64', wanted f32, bf16, f16, i32, i64 or i1}}
kernel.func @element(%x: !kernel.buffer<f64>) {}

// -----

// expected-error@+1 {{row elements are 'i8', wanted f32, bf16, f16, i32, i64 or i1}}
func.func private @element() -> !kernel.row<i8>

// -----

// expected-error@+1 {{mapping of 3 rows of 8 threads: wanted a multiple of 32 threads, at most 1024}}
func.func private @threads() attributes {m = #kernel.mapping<threadsPerRow = 8, rowsPerBlock = 3, flat = false>}

// -----

// expected-error@+1 {{mapping of 48 threads to a row: wanted a power of two up to 32 or a multiple of 32}}
func.func private @threads() attributes {m = #kernel.mapping<threadsPerRow = 48, rowsPerBlock = 2, flat = false>}

// -----

// expected-error@+1 {{mapping of 3 rows of 64 threads: wanted a power of two up to 32 rows}}
func.func private @rows() attributes {m = #kernel.mapping<threadsPerRow = 64, rowsPerBlock = 3, flat = false>}

// -----

// expected-error@+1 {{argument 0 has type 'f32', wanted a buffer or an index}}
kernel.func @argument(%x: f32) {
  kernel.rows () in () {}
}

// -----

// expected-error@+1 {{argument 1: buffers come before counts}}
kernel.func @order(%n: index, %x: !kernel.buffer<f32>) {
  kernel.rows () in () {}
}

// -----

// expected-error@+1 {{wants one kernel.rows, kernel.row_sums or kernel.skeleton, found 2}}
kernel.func @nests() {
  kernel.rows () in () {}
  kernel.rows () in () {}
}

// -----

// expected-error@+1 {{argument 0 has kernel.divisor = 8 : i64, wanted a positive i64 on a count}}
kernel.func @divisor(%x: !kernel.buffer<f32> {kernel.divisor = 8 : i64}) {
  kernel.rows () in () {}
}

// -----

// expected-error@+1 {{argument 0 has kernel.alignment = 0 : i64, wanted a positive i64 on a buffer}}
kernel.func @alignment(%x: !kernel.buffer<f32> {kernel.alignment = 0 : i64}) {
  kernel.rows () in () {}
}

// -----

kernel.func @indices(%n: index) {
  // expected-error@+1 {{has 1 extents and 2 indices}}
  kernel.rows (%a, %b) in (%n) {}
}

// -----

kernel.func @reduction(%n: index) {
  kernel.rows () in () {
    // expected-error@+1 {{unknown reduction 'product', wanted add, max or min}}
    kernel.columns %c in %n reduce [product] {}
  }
}

// -----

kernel.func @results(%n: index) {
  kernel.rows () in () {
    // expected-error@+1 {{has 1 reductions and 0 results}}
    kernel.columns %c in %n reduce [add] {}
  }
}

// -----

kernel.func @yields(%n: index) {
  kernel.rows () in () {
    // expected-error@+1 {{yields 0 values, has 1 results}}
    %s = kernel.columns %c in %n reduce [add] {} : f32
  }
}

// -----

kernel.func @kept(%n: index) {
  %k = arith.constant 1.0 : f32
  kernel.rows () in () {
    // expected-error@+1 {{result 0 keeps 'f32' and has type '!kernel.row<i32>'}}
    %s = kernel.columns %c in %n {
      kernel.yield %k : f32
    } : !kernel.row<i32>
  }
}

// -----

kernel.func @reduced(%n: index) {
  %k = arith.constant 1 : i32
  kernel.rows () in () {
    // expected-error@+1 {{result 0 reduces 'i32' to 'i32', wanted f32 to f32}}
    %s = kernel.columns %c in %n reduce [add] {
      kernel.yield %k : i32
    } : i32
  }
}

// -----

kernel.func @map(%x: !kernel.buffer<f32>) {
  kernel.rows () in () {
    %k = arith.constant 0 : index
    // expected-error@+1 {{map has 2 dimensions, 0 symbols and 1 results, wanted 1, 0 and 1}}
    %v = kernel.load %x [affine_map<(a, b) -> (a + b)>] (%k) : !kernel.buffer<f32>
  }
}

// -----

kernel.func @skeleton(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{unknown skeleton "convolution", wanted attention_forward, attention_backward, attention_backward_keys, attention_backward_queries or attention_backward_bias}}
  kernel.skeleton "convolution"<f32, 64, 64> scale 1.0 (%q : !kernel.buffer<f32>) [%n] score {} mask {}
}

// -----

kernel.func @operands(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{wants at least 4 buffers and 17 counts, found 1 and 1}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0 (%q : !kernel.buffer<f32>) [%n] score {} mask {}
}

// -----

kernel.func @elements(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+1 {{buffer 0 has type '!kernel.buffer<bf16>'}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

kernel.func @mask_function(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{the mask function wants 4 arguments, found 1 or other types}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {
    ^bb0(%i: index):
      kernel.yield
    }
}

// -----

kernel.func @score_yield(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{the score function wants to yield one 'f32'}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      kernel.yield
    } mask {}
}

// -----

kernel.func @window_not_causal(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{window is 8 and not causal, wanted a causal one of 1 to 2147483647 keys, or 0}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0 window 8
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

kernel.func @window_negative(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{window is -1, wanted a causal one of 1 to 2147483647 keys, or 0}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0 causal window -1
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

kernel.func @window_wide(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{window is 2147483648, wanted a causal one}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0 causal window 2147483648
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

kernel.func @row_sums_width(%g: !kernel.buffer<f32>, %ids: !kernel.buffer<i32>, %n: index) {
  // expected-error@+1 {{width is 0, wanted at least 1}}
  kernel.row_sums 0 of %g[%n] by %ids[%n] into %g[%n] : <f32>, <i32>, <f32>
}

// -----

kernel.func @row_sums_source(%g: !kernel.buffer<i32>, %y: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{source has elements 'i32', wanted f32, bf16 or f16}}
  kernel.row_sums 8 of %g[%n] by %g[%n] into %y[%n] : <i32>, <i32>, <f32>
}

// -----

kernel.func @row_sums_out(%g: !kernel.buffer<f32>, %y: !kernel.buffer<i64>, %n: index) {
  // expected-error@+1 {{out has elements 'i64', wanted f32, bf16 or f16}}
  kernel.row_sums 8 of %g[%n] by %y[%n] into %y[%n] : <f32>, <i64>, <i64>
}

// -----

kernel.func @row_sums_indices(%g: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{indices are 'f32', wanted i32 or i64}}
  kernel.row_sums 8 of %g[%n] by %g[%n] into %g[%n] : <f32>, <f32>, <f32>
}

// -----

// expected-error@+1 {{has no results}}
"kernel.func"() <{function_type = (index) -> index, sym_name = "results"}> ({
^bb0(%n: index):
  kernel.rows () in () {}
}) : () -> ()

// -----

kernel.func @column(%n: index) {
  kernel.rows (%i) in (%n) {
    // expected-error@+1 {{wants one index argument, the column}}
    "kernel.columns"(%n) ({
      "kernel.yield"() : () -> ()
    }) : (index) -> ()
  }
}

// -----

kernel.func @slope_forward(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{the score function wants to yield one 'f32'}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      kernel.yield %s, %s : f32, f32
    } mask {}
}

// -----

kernel.func @statistics_buffer(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{wants at least 5 buffers and 17 counts, found 4 and 17}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {} {statistics}
}

// -----

kernel.func @statistics_of_gradient(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{is no attention_forward and gives the statistics}}
  kernel.skeleton "attention_backward_queries"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {} {statistics}
}

// -----

// Statistics and delta are float32 whatever the heads are.
kernel.func @statistics(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+1 {{buffer 4 has type '!kernel.buffer<bf16>', wanted elements 'f32'}}
  kernel.skeleton "attention_backward_queries"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

// Turns are integers.
kernel.func @turns(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{buffer 9 has type '!kernel.buffer<f32>', wanted elements 'i32'}}
  kernel.skeleton "attention_backward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q, %q, %q, %q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

// Six tensors with strides.
kernel.func @keys_counts(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{wants at least 8 buffers and 23 counts, found 8 and 22}}
  kernel.skeleton "attention_backward_keys"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q, %q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

// Four tensors with strides, and the batches and heads of the bias.
kernel.func @bias_counts(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{wants at least 7 buffers and 19 counts, found 7 and 17}}
  kernel.skeleton "attention_backward_bias"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

kernel.func @parts(%n: index) {
  // expected-error@+1 {{has 0 parts, wanted at least 1}}
  kernel.rows (%r) in (%n) attributes {parts = 0 : i64} {
  }
}

// -----

kernel.func @no_parts(%sums: !kernel.buffer<f32>, %n: index) {
  %v = arith.constant 1.0 : f32
  kernel.rows (%r) in (%n) {
    kernel.columns %c in %n {
      // expected-error@+1 {{is in rows without parts}}
      kernel.accumulate %v, %sums : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @low_sums(%sums: !kernel.buffer<bf16>, %n: index) {
  %v = arith.constant 1.0 : f32
  kernel.rows (%r) in (%n) attributes {parts = 2 : i64} {
    kernel.columns %c in %n {
      // expected-error@+1 {{sums are 'bf16', wanted f32}}
      kernel.accumulate %v, %sums : !kernel.buffer<bf16>
    }
  }
}

// -----

kernel.func @shared_sums(%sums: !kernel.buffer<f32>, %n: index) {
  kernel.rows (%r) in (%n) attributes {parts = 2 : i64} {
    kernel.columns %c in %n {
      %v = kernel.load %sums [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      // expected-error@+1 {{sums to a buffer that the kernel also uses otherwise}}
      kernel.accumulate %v, %sums : !kernel.buffer<f32>
    }
  }
}

// -----

// Only rows know what an instance is.
// expected-error@+1 {{is batched, wanted kernel.rows in it}}
kernel.func @batched_skeleton(%q: !kernel.buffer<f32>, %n: index) attributes {batched} {
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}
