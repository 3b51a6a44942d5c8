// RUN: heddle-opt %s -split-input-file -lower-kernels-cpu=target=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: heddle-opt %s -split-input-file -lower-kernels-cpu=target=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3

// A width that blocks divide: blocks of four registers, no remainder; the kept row is on the stack, allocated once.
// 12 blocks are summed one after the other; of 24, 16 and 8 are, and in float64 the two sums.
// CHECK-LABEL: llvm.func internal @norm.items(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[Y:.*]]: !llvm.ptr {llvm.noalias}, %{{.*}}: i64,
// CHECK: %[[ROW:.*]] = llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
// CHECK: scf.for
// V4: %[[SUM:.*]] = scf.for {{.*}} -> (vector<64xf32>)
// V3: arith.extf {{.*}} vector<32xf32> to vector<32xf64>
// V3: %[[SUMS:.*]] = scf.for {{.*}} to %{{.*}} step %{{.*}} iter_args(%[[OUTER:.*]] = {{.*}}) -> (vector<32xf64>)
// V3: %[[INNER:.*]] = scf.for {{.*}} -> (vector<32xf32>)
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[X]]
// CHECK: %[[V:.*]] = llvm.load %[[AT]] {alignment = 4 : i64}
// CHECK: %[[KEPT:.*]] = llvm.getelementptr %[[ROW]]
// CHECK: llvm.store %[[V]], %[[KEPT]]
// V3: %[[WIDE:.*]] = arith.extf %[[INNER]]
// V3: arith.addf %[[OUTER]], %[[WIDE]] : vector<32xf64>
// V3: %[[SUM:.*]] = arith.truncf %[[SUMS]] : vector<32xf64> to vector<32xf32>
// CHECK: vector.shuffle %[[SUM]], %[[SUM]]
// CHECK: math.rsqrt
// CHECK: scf.for
// CHECK: llvm.getelementptr %[[ROW]]
// CHECK-NOT: masked
// CHECK-LABEL: llvm.func @norm(
// CHECK: llvm.call @norm.items
kernel.func @norm(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
  %width = arith.constant 768 : index
  kernel.rows (%r) in (%rows) {
    %kept, %sum = kernel.columns %c in %width reduce [add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32>
      %s = arith.mulf %v, %v : f32
      kernel.yield %v, %s : f32, f32
    } : !kernel.row<f32>, f32
    %inv = math.rsqrt %sum : f32
    kernel.columns %c in %width {
      %v = kernel.get %kept : !kernel.row<f32>
      %s = arith.mulf %v, %inv : f32
      kernel.store %s, %y [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// -----

// A run-time width: blocks of four registers, of one, and the rest under a mask. Items are pieces of 4096 columns.
// CHECK-LABEL: llvm.func internal @copy.items(
// CHECK: arith.constant 4096 : index
// CHECK: arith.minsi
// V4: llvm.load {{.*}} -> vector<64xf32>
// V4: llvm.load {{.*}} -> vector<16xf32>
// V3: llvm.load {{.*}} -> vector<32xf32>
// V3: llvm.load {{.*}} -> vector<8xf32>
// CHECK: scf.if
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
kernel.func @copy(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
  kernel.rows () in () {
    kernel.columns %c in %n {
      %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
      kernel.store %v, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// -----

// Pairs: two loads that a shuffle takes the even elements of, and two stores that become contiguous ones.
// CHECK-LABEL: llvm.func internal @pairs.items(
// CHECK-NOT: llvm.intr.masked
// CHECK: %[[LOW:.*]] = llvm.load
// CHECK: %[[HIGH:.*]] = llvm.load
// CHECK: %[[EVEN:.*]] = vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4,
// CHECK: %[[ODD:.*]] = arith.negf %[[EVEN]]
// CHECK: vector.shuffle %[[EVEN]], %[[ODD]] [0, {{32|64}}, 1, {{33|65}},
// CHECK: llvm.store
// CHECK: vector.shuffle %[[EVEN]], %[[ODD]]
// CHECK: llvm.store
// CHECK-NOT: llvm.intr.masked
// CHECK: llvm.return
kernel.func @pairs(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
  %n = arith.constant 128 : index
  kernel.rows () in () {
    kernel.columns %c in %n {
      %a = kernel.load %x [affine_map<(d0) -> (d0 * 2)>] (%c) : !kernel.buffer<f32>
      %b = arith.negf %a : f32
      kernel.store %a, %y [affine_map<(d0) -> (d0 * 2)>] (%c) : !kernel.buffer<f32>
      kernel.store %b, %y [affine_map<(d0) -> (d0 * 2 + 1)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// -----

// bf16 goes by integers: no conversion of the processor, which would flush denormals.
// CHECK-LABEL: llvm.func internal @low.items(
// CHECK-NOT: bf16
// CHECK: arith.extui {{.*}}xi16> to
// CHECK: arith.shli
// CHECK: arith.cmpf uno
// CHECK: arith.trunci {{.*}}xi16>
// CHECK-NOT: bf16
// CHECK-LABEL: llvm.func @low(
kernel.func @low(%x: !kernel.buffer<bf16>) {
  %n = arith.constant 64 : index
  kernel.rows () in () {
    kernel.columns %c in %n {
      %a = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<bf16>
      %f = arith.extf %a : bf16 to f32
      %g = arith.addf %f, %f : f32
      %r = arith.truncf %g : f32 to bf16
      kernel.store %r, %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<bf16>
    }
  }
}

// -----

// A remainder by a multiple of the block stays contiguous, any other is gathered.
// CHECK-LABEL: llvm.func internal @divided.items(
// CHECK: llvm.load {{.*}} -> vector<{{.*}}xf32>
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.return
kernel.func @divided(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
  %n = arith.constant 256 : index
  kernel.rows () in () {
    kernel.columns %c in %n {
      %a = kernel.load %x [affine_map<(d0) -> ((d0 floordiv 64) * 100 + d0 mod 64)>] (%c) : !kernel.buffer<f32>
      %b = kernel.load %x [affine_map<(d0) -> (d0 mod 60)>] (%c) : !kernel.buffer<f32>
      %s = arith.addf %a, %b : f32
      kernel.store %s, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
    }
  }
}
