// More elements than int counts: literals are int in C++, so that literals alone, multiplied, would wrap. Where counts take part, which are
// long long, or all fits, nothing is said.
// RUN: heddle-opt %s --legalize-cuda --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | FileCheck %s

// Flat, one element a thread: 42733 * 50257 is 2^31 + 148733.
// CHECK-LABEL: void __launch_bounds__(256) flat(
// CHECK-NEXT: const long long index = (long long)blockIdx.x * 256 + threadIdx.x;
// CHECK-NEXT: if (index >= 42733LL * 50257)
// CHECK: y[r * 50257 + c] = expf(x[r * 50257 + c]);
kernel.func @flat(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y")) {
  %rows = arith.constant 42733 : index
  %width = arith.constant 50257 : index
  kernel.rows (%r loc("r")) in (%rows) {
    kernel.columns %c loc("c") in %width {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 50257 + c)>] (%r, %c) : !kernel.buffer<f32> loc("v")
      %e = math.exp %v : f32
      kernel.store %e, %y [affine_map<(r, c) -> (r * 50257 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// 2^31 - 1 fits.
// CHECK-LABEL: void __launch_bounds__(256) fits(
// CHECK: if (index >= 2147483647 * 1)
kernel.func @fits(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y")) {
  %rows = arith.constant 2147483647 : index
  %width = arith.constant 1 : index
  kernel.rows (%r loc("r")) in (%rows) {
    kernel.columns %c loc("c") in %width {
      %v = kernel.load %x [affine_map<(r, c) -> (r + c)>] (%r, %c) : !kernel.buffer<f32> loc("v")
      %e = math.exp %v : f32
      kernel.store %e, %y [affine_map<(r, c) -> (r + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}

// An offset that passes int by itself; counts stand first, where rows become one.
// CHECK-LABEL: void __launch_bounds__(256) offset(
// CHECK: if (index >= (n * 65536 * 65536) * 3)
// CHECK: y[row * 3 + c] = expf(x[row * 3 + c + 4294967296LL]);
kernel.func @offset(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  %many = arith.constant 65536 : index
  %width = arith.constant 3 : index
  kernel.rows (%a loc("a"), %b loc("b"), %d loc("d")) in (%many, %many, %n) {
    kernel.columns %c loc("c") in %width {
      %v = kernel.load %x [affine_map<(a, b, d, c)[n] -> (((a * 65536 + b) * n + d) * 3 + c + 4294967296)>] (%a, %b, %d, %c)[%n] : !kernel.buffer<f32> loc("v")
      %e = math.exp %v : f32
      kernel.store %e, %y [affine_map<(a, b, d, c)[n] -> (((a * 65536 + b) * n + d) * 3 + c)>] (%a, %b, %d, %c)[%n] : !kernel.buffer<f32>
    }
  }
}

// Rows that share a block and do not become one.
// CHECK-LABEL: void __launch_bounds__(128) turned(
// CHECK: const bool active = row < 65536LL * 65537;
// CHECK: const long long b = heddle::remainder(row_1, 65537);
// CHECK: sum += x[(b * 65536 + a) * 3 + c];
kernel.func @turned(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32> loc("y")) {
  %many = arith.constant 65536 : index
  %more = arith.constant 65537 : index
  %width = arith.constant 3 : index
  kernel.rows (%a loc("a"), %b loc("b")) in (%many, %more) {
    %sum = kernel.columns %c loc("c") in %width reduce [add] {
      %v = kernel.load %x [affine_map<(a, b, c) -> ((b * 65536 + a) * 3 + c)>] (%a, %b, %c) : !kernel.buffer<f32> loc("v")
      kernel.yield %v : f32
    } : f32
    kernel.store %sum, %y [affine_map<(a, b) -> (a * 65537 + b)>] (%a, %b) : !kernel.buffer<f32>
  }
}
