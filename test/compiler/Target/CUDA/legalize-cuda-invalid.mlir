// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --split-input-file --verify-diagnostics

kernel.func @kept_at_run_time(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
  kernel.rows () in () {
    // expected-error@+1 {{keeps a row whose number of columns is known only at run time}}
    %kept = kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : !kernel.row<f32>
    kernel.columns %c in %n {
      %v = kernel.get %kept : !kernel.row<f32>
      kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// -----

// In place, a value cannot be made again once its operand is overwritten.
kernel.func @in_place_too_wide(%x: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 50257 : index
  kernel.rows (%r) in (%rows) {
    // expected-error@+1 {{keeps a row that does not fit in registers and cannot be computed again}}
    %kept, %sum = kernel.columns %c in %n reduce [add] {
      // expected-note@+1 {{read here}}
      %v = kernel.load %x [affine_map<(r, c) -> (r * 50257 + c)>] (%r, %c) : !kernel.buffer<f32>
      kernel.yield %v, %v : f32, f32
    } : !kernel.row<f32>, f32
    kernel.columns %c in %n {
      %v = kernel.get %kept : !kernel.row<f32>
      %q = arith.divf %v, %sum : f32
      kernel.store %q, %x [affine_map<(r, c) -> (r * 50257 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @read_after_write(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 64 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 64 + c)>] (%r, %c) : !kernel.buffer<f32>
      // expected-note@+1 {{written here}}
      kernel.store %v, %y [affine_map<(r, c) -> (r * 64 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
    kernel.columns %c in %n {
      // expected-error@+1 {{reads a buffer that the kernel has written before}}
      %v = kernel.load %y [affine_map<(r, c) -> (r * 64 - c + 63)>] (%r, %c) : !kernel.buffer<f32>
      kernel.store %v, %x [affine_map<(r, c) -> (r * 64 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @no_form(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
  kernel.rows () in () {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      // expected-error@+1 {{'math.sinh' has no CUDA form for its types}}
      %s = math.sinh %v : f32
      kernel.store %s, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// -----

// Arithmetic on bf16 would hide where values round.
kernel.func @bf16_arithmetic(%x: !kernel.buffer<bf16>, %y: !kernel.buffer<bf16>, %n: index) {
  kernel.rows () in () {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16>
      // expected-error@+1 {{'arith.addf' has no CUDA form for its types}}
      %s = arith.addf %v, %v : bf16
      kernel.store %s, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16>
    }
  }
}

// -----

kernel.func @no_tile(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+1 {{no tile for attention_forward over 'bf16' heads of 320 and 320 elements on sm_90a}}
  kernel.skeleton "attention_forward"<bf16, 320, 320> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

// Two passes are for tensor cores.
kernel.func @keys_f32(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{no tile for attention_backward_keys over 'f32' heads of 64 and 64 elements on sm_90a}}
  kernel.skeleton "attention_backward_keys"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q, %q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

// One pass is for float32.
kernel.func @backward_bf16(%q: !kernel.buffer<bf16>, %l: !kernel.buffer<f32>, %t: !kernel.buffer<i32>, %n: index) {
  // expected-error@+1 {{no tile for attention_backward over 'bf16' heads of 64 and 64 elements on sm_90a}}
  kernel.skeleton "attention_backward"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q, %l, %l, %q, %q, %q, %t : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<i32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

kernel.func @writing_function(%q: !kernel.buffer<f32>, %s: !kernel.buffer<f32>, %n: index) {
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q, %s : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {
    ^bb0(%v: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-error@+1 {{in a generated function, which may only read}}
      kernel.store %v, %s [affine_map<(i, j) -> (i + j)>] (%i, %j) : !kernel.buffer<f32>
      kernel.yield %v : f32
    } mask {}
}

// -----

// In place is right where each thread reads what it writes; the first element of the row is everybody's.
kernel.func @others_still_read(%x: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 64 : index
  kernel.rows (%r) in (%rows) {
    // expected-note@+1 {{read here}}
    %first = kernel.load %x [affine_map<(r) -> (r * 64)>] (%r) : !kernel.buffer<f32>
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 64 + c)>] (%r, %c) : !kernel.buffer<f32>
      %d = arith.subf %v, %first : f32
      // expected-error@+1 {{writes a buffer that other threads of the row may still read}}
      kernel.store %d, %x [affine_map<(r, c) -> (r * 64 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @sums_at_run_time(%x: !kernel.buffer<f32>, %sums: !kernel.buffer<f32>, %rows: index, %n: index) {
  kernel.rows (%r) in (%rows) attributes {parts = 8 : i64} {
    // expected-error@+1 {{sums rows whose number of columns is known only at run time}}
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c)[s] -> (r * s + c)>] (%r, %c)[%n] : !kernel.buffer<f32>
      kernel.accumulate %v, %sums : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @sums_too_wide(%x: !kernel.buffer<f32>, %sums: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 50257 : index
  // expected-error@+1 {{sums its columns in 50 registers of a thread, more than 32}}
  kernel.rows (%r) in (%rows) attributes {parts = 8 : i64} {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 50257 + c)>] (%r, %c) : !kernel.buffer<f32>
      kernel.accumulate %v, %sums : !kernel.buffer<f32>
    }
  }
}
