// A thread that adds thousands of terms adds them in parts: float32 in a part, float64 over the parts. A maximum needs none of it.
// RUN: heddle-opt %s --legalize-cuda --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | FileCheck %s

// 2^24 terms, 1024 threads with vectors of 4: parts of 16 vectors of each.
// CHECK-LABEL: void __launch_bounds__(1024) total(
// CHECK: float sum = 0.0f;
// CHECK-NEXT: float maximum = -INFINITY;
// CHECK-NEXT: double total_1 = 0.0;
// CHECK-NEXT: for (long long part = 0; part < 16777216; part += 65536) {
// CHECK-NEXT: const long long last = part + 65536 < 16777216 ? part + 65536 : 16777216;
// CHECK-NEXT: sum = 0.0f;
// CHECK-NEXT: #pragma unroll 4
// CHECK-NEXT: for (long long c = part + lane * 4; c < last; c += 4096) {
// CHECK: sum +=
// CHECK-NEXT: maximum = heddle::Max::apply(maximum,
// CHECK: total_1 += sum;
// CHECK-NEXT: }
// CHECK-NEXT: sum = (float)total_1;
// CHECK-NEXT: sum = heddle::block_reduce<heddle::Add>(sum, scratch);
kernel.func @total(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y"), %z: !kernel.buffer<f32> loc("z")) {
  %n = arith.constant 16777216 : index
  kernel.rows () in () {
    %sum, %most = kernel.columns %c loc("c") in %n reduce [add, max] {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("v")
      kernel.yield %v, %v : f32, f32
    } : f32, f32
    kernel.store %sum, %y [affine_map<() -> (0)>] () : !kernel.buffer<f32>
    kernel.store %most, %z [affine_map<() -> (0)>] () : !kernel.buffer<f32>
  }
}

// 256 terms of each thread are few.
// CHECK-LABEL: void __launch_bounds__(1024) few(
// CHECK-NOT: double
// CHECK: block_reduce
kernel.func @few(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y")) {
  %n = arith.constant 262144 : index
  kernel.rows () in () {
    %sum = kernel.columns %c loc("c") in %n reduce [add] {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("v")
      kernel.yield %v : f32
    } : f32
    kernel.store %sum, %y [affine_map<() -> (0)>] () : !kernel.buffer<f32>
  }
}
