// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a | FileCheck %s

// float32 alone moves four columns at a time; a warp has six vectors of a row of 768.
// CHECK-LABEL: kernel.func @f32_row
// CHECK-SAME: mapping = #kernel.mapping<threadsPerRow = 32, rowsPerBlock = 4, flat = false>
// CHECK: kernel.columns
// CHECK-SAME: vector = 4
// CHECK: kernel.load {{.*}}width = 4
// CHECK: kernel.store {{.*}}width = 1
kernel.func @f32_row(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 768 : index
  kernel.rows (%r) in (%rows) {
    %sum = kernel.columns %c in %n reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : f32
    kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}

// bf16 alone moves eight; a kernel of one loop that makes nothing but stores is flat.
// CHECK-LABEL: kernel.func @bf16_pointwise
// CHECK-SAME: mapping = #kernel.mapping<threadsPerRow = 256, rowsPerBlock = 1, flat = true>
// CHECK: vector = 8
// CHECK: kernel.load {{.*}}width = 8
// CHECK: kernel.store {{.*}}width = 8
kernel.func @bf16_pointwise(%x: !kernel.buffer<bf16>, %y: !kernel.buffer<bf16>, %rows: index) {
  %n = arith.constant 64 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 64 + c)>] (%r, %c) : !kernel.buffer<bf16>
      kernel.store %v, %y [affine_map<(r, c) -> (r * 64 + c)>] (%r, %c) : !kernel.buffer<bf16>
    }
  }
}

// bf16 with float32 moves eight: 16 bytes of the one, two times 16 of the other.
// CHECK-LABEL: kernel.func @mixed
// CHECK: vector = 8
// CHECK: kernel.load {{.*}}width = 8
// CHECK: kernel.store {{.*}}width = 8
kernel.func @mixed(%x: !kernel.buffer<f32>, %y: !kernel.buffer<bf16>, %n: index) {
  %w = arith.constant 64 : index
  %extent = arith.muli %n, %w : index
  kernel.rows () in () {
    kernel.columns %c in %extent {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      %h = arith.truncf %v : f32 to bf16
      kernel.store %h, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16>
    }
  }
}

// A run-time number of columns has the divisor of the arithmetic that makes it: 6 lets two columns go together.
// CHECK-LABEL: kernel.func @runtime_coefficient
// CHECK: vector = 2
kernel.func @runtime_coefficient(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
  %w = arith.constant 6 : index
  %extent = arith.muli %n, %w : index
  kernel.rows () in () {
    kernel.columns %c in %extent {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// Near miss: rows of 50 elements start at even elements only, so that two columns go together and not four.
// CHECK-LABEL: kernel.func @misaligned_rows
// CHECK: vector = 2
// CHECK: kernel.load {{.*}}width = 2
kernel.func @misaligned_rows(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 48 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 50 + c)>] (%r, %c) : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(r, c) -> (r * 48 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// Near miss: a stride that is a count promises nothing, unless its argument says so.
// CHECK-LABEL: kernel.func @unknown_stride
// CHECK: vector = 1
// CHECK-LABEL: kernel.func @promised_stride
// CHECK: vector = 4
kernel.func @unknown_stride(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index, %stride: index) {
  %n = arith.constant 48 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c)[s] -> (r * s + c)>] (%r, %c)[%stride] : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(r, c) -> (r * 48 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}
kernel.func @promised_stride(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index, %stride: index {kernel.divisor = 8 : i64}) {
  %n = arith.constant 48 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c)[s] -> (r * s + c)>] (%r, %c)[%stride] : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(r, c) -> (r * 48 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// A buffer whose address is a multiple of 8 bytes alone takes accesses of 8.
// CHECK-LABEL: kernel.func @misaligned_buffer
// CHECK: vector = 2
kernel.func @misaligned_buffer(%x: !kernel.buffer<f32> {kernel.alignment = 8 : i64}, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 48 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 48 + c)>] (%r, %c) : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(r, c) -> (r * 48 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// Pairs are read and written whole, twice the vector's width.
// CHECK-LABEL: kernel.func @pairs
// CHECK: vector = 4
// CHECK-COUNT-2: kernel.load {{.*}}width = 8
// CHECK-COUNT-2: kernel.store {{.*}}width = 8
kernel.func @pairs(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 32 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %a = kernel.load %x [affine_map<(r, c) -> (r * 64 + c * 2)>] (%r, %c) : !kernel.buffer<f32>
      %b = kernel.load %x [affine_map<(r, c) -> (r * 64 + c * 2 + 1)>] (%r, %c) : !kernel.buffer<f32>
      kernel.store %b, %y [affine_map<(r, c) -> (r * 64 + c * 2)>] (%r, %c) : !kernel.buffer<f32>
      kernel.store %a, %y [affine_map<(r, c) -> (r * 64 + c * 2 + 1)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// Near miss: half of the pairs alone would read what nobody asked for, past the end perhaps.
// CHECK-LABEL: kernel.func @lone_half
// CHECK: kernel.load {{.*}}width = 1
kernel.func @lone_half(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 32 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %a = kernel.load %x [affine_map<(r, c) -> (r * 64 + c * 2)>] (%r, %c) : !kernel.buffer<f32>
      kernel.store %a, %y [affine_map<(r, c) -> (r * 32 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// Columns that are heads of 64 side by side, rows apart in memory: vectors stay within a head.
// CHECK-LABEL: kernel.func @split_heads
// CHECK: vector = 4
// CHECK: kernel.load {{.*}}width = 4
kernel.func @split_heads(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index, %sequence: index) {
  %n = arith.constant 768 : index
  kernel.rows (%r) in (%rows) {
    kernel.columns %c in %n {
      %a = kernel.load %x [affine_map<(r, c)[s] -> ((c floordiv 64) * (s * 64) + r * 64 + c mod 64)>] (%r, %c)[%sequence] : !kernel.buffer<f32>
      kernel.store %a, %y [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// Wide rows take more threads, so that a thread keeps no more than 32 values: here 128 threads, 32 each.
// CHECK-LABEL: kernel.func @wide_row
// CHECK-SAME: threadsPerRow = 128, rowsPerBlock = 1
kernel.func @wide_row(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 4096 : index
  kernel.rows (%r) in (%rows) {
    %kept, %sum = kernel.columns %c in %n reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 4096 + c)>] (%r, %c) : !kernel.buffer<f32>
      kernel.yield %v, %v : f32, f32
    } : !kernel.row<f32>, f32
    kernel.columns %c in %n {
      %v = kernel.get %kept : !kernel.row<f32>
      %q = arith.divf %v, %sum : f32
      kernel.store %q, %y [affine_map<(r, c) -> (r * 4096 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// Rows that no thread's registers hold are not kept: 131,072 columns are read again, and the same value is made again.
// CHECK-LABEL: kernel.func @recomputed
// CHECK-SAME: threadsPerRow = 1024, rowsPerBlock = 1
// CHECK-NOT: kernel.row<
// CHECK: kernel.columns
// CHECK: kernel.load
// CHECK: math.exp
// CHECK: kernel.columns
// CHECK: kernel.load
// CHECK: math.exp
// CHECK: arith.divf
kernel.func @recomputed(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %n = arith.constant 131072 : index
  kernel.rows (%r) in (%rows) {
    %kept, %sum = kernel.columns %c in %n reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 131072 + c)>] (%r, %c) : !kernel.buffer<f32>
      %e = math.exp %v : f32
      kernel.yield %e, %e : f32, f32
    } : !kernel.row<f32>, f32
    kernel.columns %c in %n {
      %e = kernel.get %kept : !kernel.row<f32>
      %q = arith.divf %e, %sum : f32
      kernel.store %q, %y [affine_map<(r, c) -> (r * 131072 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// Without columns a thread has a row.
// CHECK-LABEL: kernel.func @no_columns
// CHECK-SAME: threadsPerRow = 1, rowsPerBlock = 128, flat = false
kernel.func @no_columns(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  kernel.rows (%r) in (%rows) {
    %v = kernel.load %x [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    kernel.store %v, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}

// Two row indices that only number rows together become one.
// CHECK-LABEL: kernel.func @collapsed
// CHECK: %[[N:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: kernel.rows (%[[R:[^,]*]]) in (%[[N]])
// CHECK: kernel.load {{.*}} (%[[R]], %{{.*}})
kernel.func @collapsed(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %batch: index, %sequence: index) {
  %n = arith.constant 48 : index
  kernel.rows (%b, %s) in (%batch, %sequence) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(b, s, c)[n] -> ((b * n + s) * 48 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(b, s, c)[n] -> (b * n * 48 + s * 48 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<f32>
    }
  }
}

// Near miss: the second row of the table is at another distance; and an index that is used alone stays.
// CHECK-LABEL: kernel.func @not_collapsed
// CHECK: kernel.rows (%{{.*}}, %{{.*}}) in
// CHECK-LABEL: kernel.func @used_alone
// CHECK: kernel.rows (%{{.*}}, %{{.*}}) in
kernel.func @not_collapsed(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %batch: index) {
  %n = arith.constant 48 : index
  %rows = arith.constant 16 : index
  kernel.rows (%b, %s) in (%batch, %rows) {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(b, s, c) -> (b * 1024 + s * 48 + c)>] (%b, %s, %c) : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(b, s, c) -> (b * 768 + s * 48 + c)>] (%b, %s, %c) : !kernel.buffer<f32>
    }
  }
}
kernel.func @used_alone(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %batch: index, %sequence: index) {
  %n = arith.constant 48 : index
  kernel.rows (%b, %s) in (%batch, %sequence) {
    %position = arith.index_cast %s : index to i32
    %f = arith.sitofp %position : i32 to f32
    kernel.columns %c in %n {
      kernel.store %f, %y [affine_map<(b, s, c)[n] -> ((b * n + s) * 48 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<f32>
    }
  }
}

// In place: each thread reads its own elements, and a reduction stands between the others' reads and the writes.
// CHECK-LABEL: kernel.func @in_place
// CHECK-SAME: mapping
kernel.func @in_place(%x: !kernel.buffer<f32>, %length: index) {
  kernel.rows (%r) in (%length) {
    %first = kernel.load %x [affine_map<(r)[n] -> (r * n)>] (%r)[%length] : !kernel.buffer<f32>
    %max = kernel.columns %c in %length reduce [max] {
      %v = kernel.load %x [affine_map<(r, c)[n] -> (r * n + c)>] (%r, %c)[%length] : !kernel.buffer<f32>
      %d = arith.subf %v, %first : f32
      kernel.yield %d : f32
    } : f32
    kernel.columns %c in %length {
      %v = kernel.load %x [affine_map<(r, c)[n] -> (r * n + c)>] (%r, %c)[%length] : !kernel.buffer<f32>
      %d = arith.subf %v, %max : f32
      kernel.store %d, %x [affine_map<(r, c)[n] -> (r * n + c)>] (%r, %c)[%length] : !kernel.buffer<f32>
    }
  }
}

// A sum over the rows of a matrix: what one thread reads lies apart, what neighbouring rows read lies together. Eight
// float32, a sector, share a block.
// CHECK-LABEL: kernel.func @column_sums
// CHECK-SAME: mapping = #kernel.mapping<threadsPerRow = 128, rowsPerBlock = 8, flat = false>
// CHECK: kernel.load {{.*}}width = 1
kernel.func @column_sums(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %count: index) {
  %n = arith.constant 768 : index
  kernel.rows (%r) in (%n) {
    %sum = kernel.columns %c in %count reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r + c * 768)>] (%r, %c) : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : f32
    kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}

// Of bf16, of which a sector holds sixteen, eight as well: a block has no more threads.
// CHECK-LABEL: kernel.func @column_sums_bf16
// CHECK-SAME: threadsPerRow = 128, rowsPerBlock = 8
kernel.func @column_sums_bf16(%x: !kernel.buffer<bf16>, %y: !kernel.buffer<f32>, %count: index) {
  %n = arith.constant 770 : index
  kernel.rows (%r) in (%n) {
    %sum = kernel.columns %c in %count reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r + c * 770)>] (%r, %c) : !kernel.buffer<bf16>
      %w = arith.extf %v : bf16 to f32
      kernel.yield %w : f32
    } : f32
    kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}

// Neighbouring rows read every other element: nothing is shared. And a run-time stride between columns says nothing of rows.
// CHECK-LABEL: kernel.func @apart
// CHECK-SAME: threadsPerRow = 128, rowsPerBlock = 1
kernel.func @apart(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %count: index) {
  %n = arith.constant 768 : index
  kernel.rows (%r) in (%n) {
    %sum = kernel.columns %c in %count reduce [add] {
      %v = kernel.load %x [affine_map<(r, c)[s] -> (r * 2 + c * s)>] (%r, %c)[%count] : !kernel.buffer<f32>
      kernel.yield %v : f32
    } : f32
    kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}
