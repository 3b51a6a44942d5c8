// RUN: heddle-opt %s --verify-cuda-kernel=arch=sm_90a --split-input-file --verify-diagnostics

// expected-error@+1 {{has no mapping}}
kernel.func @unmapped(%n: index) {
  kernel.rows () in () {}
}

// -----

kernel.func @no_vector(%n: index) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  kernel.rows () in () {
    // expected-error@+1 {{has no vector}}
    kernel.columns %c in %n {}
  }
}

// -----

kernel.func @undivided(%n: index) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  kernel.rows () in () {
    // expected-error@+1 {{has vectors of 4 columns, which do not divide their number}}
    kernel.columns %c in %n attributes {vector = 4 : i64} {}
  }
}

// -----

kernel.func @no_width(%x: !kernel.buffer<f32>) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  %n = arith.constant 64 : index
  kernel.rows () in () {
    kernel.columns %c in %n attributes {vector = 4 : i64} {
      // expected-error@+1 {{has no width}}
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @wrong_width(%x: !kernel.buffer<f32>) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  %n = arith.constant 64 : index
  kernel.rows () in () {
    kernel.columns %c in %n attributes {vector = 4 : i64} {
      // expected-error@+1 {{has width 8 in vectors of 4 columns, wanted 1 or the vector's width times a stride of 1 or 2}}
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) {width = 8 : i64} : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @unaligned(%x: !kernel.buffer<f32>) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  %n = arith.constant 64 : index
  kernel.rows () in () {
    kernel.columns %c in %n attributes {vector = 4 : i64} {
      // expected-error@+1 {{has width 4 and starts at no multiple of it}}
      %v = kernel.load %x [affine_map<(c) -> (c + 1)>] (%c) {width = 4 : i64} : !kernel.buffer<f32>
    }
  }
}

// -----

// expected-error@+1 {{has a flat mapping and 0 columns loops, wanted one}}
kernel.func @flat_without_columns(%n: index) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  kernel.rows () in () {}
}

// -----

kernel.func @flat_reduction(%x: !kernel.buffer<f32>) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  %n = arith.constant 64 : index
  kernel.rows () in () {
    // expected-error@+1 {{has results, and a flat mapping has no rows of threads to make them}}
    %sum = kernel.columns %c in %n reduce [add] attributes {vector = 1 : i64} {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) {width = 1 : i64} : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : f32
  }
}

// -----

// expected-error@+1 {{keeps rows in 64 registers of a thread, more than 32}}
kernel.func @too_many_registers(%x: !kernel.buffer<f32>) attributes {mapping = #kernel.mapping<threadsPerRow = 32, rowsPerBlock = 4, flat = false>} {
  %n = arith.constant 2048 : index
  kernel.rows () in () {
    %kept = kernel.columns %c in %n attributes {vector = 4 : i64} {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) {width = 4 : i64} : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : !kernel.row<f32>
  }
}

// -----

kernel.func @untiled(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+1 {{has no tile}}
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
}

// -----

kernel.func @no_version(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+1 {{has no version}}
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
    {tileM = 128 : i64, tileN = 64 : i64, threads = 128 : i64, minBlocks = 1 : i64, sharedBytes = 4096 : i64}
}

// -----

kernel.func @too_much_shared(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+1 {{needs 300000 bytes of shared memory; a block of sm_90a has at most 232448}}
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
    {tileM = 128 : i64, tileN = 64 : i64, threads = 128 : i64, minBlocks = 1 : i64, sharedBytes = 300000 : i64, version = "mma"}
}

// -----

kernel.func @misaligned_buffer(%x: !kernel.buffer<f32> {kernel.alignment = 4 : i64}) attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  %n = arith.constant 64 : index
  kernel.rows () in () {
    kernel.columns %c in %n attributes {vector = 4 : i64} {
      // expected-error@+1 {{moves 16 bytes at a time of a buffer that is aligned to 4}}
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) {width = 4 : i64} : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @kept_at_run_time(%x: !kernel.buffer<f32>, %n: index) attributes {mapping = #kernel.mapping<threadsPerRow = 32, rowsPerBlock = 4, flat = false>} {
  kernel.rows () in () {
    // expected-error@+1 {{keeps a row whose number of columns is known only at run time}}
    %kept = kernel.columns %c in %n attributes {vector = 1 : i64} {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) {width = 1 : i64} : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : !kernel.row<f32>
  }
}

// -----

// A version that the target has, but not for rows that nothing is known of.
kernel.func @wgmma_of_unaligned_rows(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+2 {{has version 'wgmma', which sm_90a does not have for it, wanted 'mma'}}
  // expected-note@+1 {{no wgmma: rows do not keep to multiples of 16 bytes}}
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
    {tileM = 128 : i64, tileN = 64 : i64, threads = 384 : i64, minBlocks = 1 : i64, sharedBytes = 4096 : i64, version = "wgmma"}
}

// -----

// Aligned rows for the tensor unit that the kernel's text would not take for aligned.
kernel.func @wgmma_not_marked(%q: !kernel.buffer<bf16>, %n: index {kernel.divisor = 8 : i64}) {
  // expected-error@+1 {{is not marked as aligned, and all rows start at multiples of 16 bytes}}
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
    {tileM = 128 : i64, tileN = 64 : i64, threads = 384 : i64, minBlocks = 1 : i64, sharedBytes = 4096 : i64, version = "wgmma"}
}

// -----

kernel.func @marked_as_aligned(%q: !kernel.buffer<bf16>, %n: index) {
  // expected-error@+1 {{is marked as aligned, and not all rows start at multiples of 16 bytes}}
  kernel.skeleton "attention_forward"<bf16, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
    {aligned, tileM = 128 : i64, tileN = 64 : i64, threads = 128 : i64, minBlocks = 1 : i64, sharedBytes = 4096 : i64, version = "mma"}
}

// -----

kernel.func @mma_of_float32(%q: !kernel.buffer<f32>, %n: index) {
  // expected-error@+1 {{has version 'mma', which sm_90a does not have for it, wanted 'simt'}}
  kernel.skeleton "attention_forward"<f32, 64, 64> scale 1.0
    (%q, %q, %q, %q : !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>, !kernel.buffer<f32>)
    [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] score {} mask {}
    {tileM = 128 : i64, tileN = 64 : i64, threads = 128 : i64, minBlocks = 1 : i64, sharedBytes = 4096 : i64, version = "mma"}
}

// -----

kernel.func @row_sums_threads(%g: !kernel.buffer<f32>, %ids: !kernel.buffer<i32>, %n: index) {
  // expected-error@+1 {{has 0 threads, 0 of them to a row, wanted a multiple of 32 up to 256}}
  kernel.row_sums 8 of %g[%n] by %ids[%n] into %g[%n] : <f32>, <i32>, <f32>
}

// -----

kernel.func @row_sums_vector(%g: !kernel.buffer<f32>, %ids: !kernel.buffer<i32>, %n: index) {
  // expected-error@+1 {{has vectors of 4 columns, which do not divide all rows}}
  kernel.row_sums 8 of %g[%n] by %ids[%n] into %g[%n] {vector = 4 : i64, threads = 32 : i64, rowThreads = 2 : i64} : <f32>, <i32>, <f32>
}

// -----

kernel.func @row_sums_alignment(%g: !kernel.buffer<f32> {kernel.alignment = 8 : i64}, %ids: !kernel.buffer<i32>, %y: !kernel.buffer<f32>, %n: index {kernel.divisor = 4 : i64}) {
  // expected-error@+1 {{moves 16 bytes at a time of a buffer that is aligned to 8}}
  kernel.row_sums 8 of %g[%n] by %ids[%n] into %y[%n] {vector = 4 : i64, threads = 32 : i64, rowThreads = 2 : i64} : <f32>, <i32>, <f32>
}

// -----

kernel.func @sums_alignment(%sums: !kernel.buffer<f32> {kernel.alignment = 8 : i64}, %rows: index)
    attributes {mapping = #kernel.mapping<threadsPerRow = 32, rowsPerBlock = 1, flat = false>} {
  %n = arith.constant 128 : index
  %v = arith.constant 1.0 : f32
  kernel.rows (%r) in (%rows) attributes {parts = 8 : i64} {
    kernel.columns %c in %n attributes {vector = 4 : i64} {
      // expected-error@+1 {{moves 16 bytes at a time of a buffer that is aligned to 8}}
      kernel.accumulate %v, %sums : !kernel.buffer<f32>
    }
  }
}

// -----

kernel.func @flat_sums(%sums: !kernel.buffer<f32>, %rows: index)
    attributes {mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>} {
  %n = arith.constant 128 : index
  %v = arith.constant 1.0 : f32
  kernel.rows (%r) in (%rows) attributes {parts = 8 : i64} {
    // expected-error@+1 {{has results, and a flat mapping has no rows of threads to make them}}
    kernel.columns %c in %n attributes {vector = 4 : i64} {
      kernel.accumulate %v, %sums : !kernel.buffer<f32>
    }
  }
}
