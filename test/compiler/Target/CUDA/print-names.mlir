// Names come from locations: made identifiers, never a reserved word, and each once.
// RUN: heddle-opt %s --legalize-cuda --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | FileCheck %s

// CHECK: void __launch_bounds__(128) names(const float *__restrict__ float_1,
// CHECK-NEXT: float *__restrict__ layer_0_y, float *both, long long v2nd, long long count)
// CHECK: const long long while_1 =
// CHECK: const float blockIdx_1 = both[while_1];
// CHECK: float total = 0.0f;
// CHECK: float maximum = -INFINITY;
// CHECK: const float total_1 = total * 2.0f;
// CHECK: layer_0_y[{{.*}}] = total_1 + maximum;
// CHECK: both[{{.*}}] = total_1;
// CHECK: void __launch_bounds__(128) twice(const float *__restrict__ buffer,
kernel.func @names(%x: !kernel.buffer<f32> loc("float"), %y: !kernel.buffer<f32> loc("layer.0.y"),
                   %z: !kernel.buffer<f32> loc("both"), %n: index loc("2nd"), %m: index) {
  %two = arith.constant 2.0 : f32
  kernel.rows (%r loc("while")) in (%n) {
    %old = kernel.load %z [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32> loc("blockIdx")
    %sum, %max = kernel.columns %c in %m reduce [add, max] {
      %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      kernel.yield %v, %v : f32, f32
    } : f32, f32 loc(fused["total", "maximum"])
    %a = arith.mulf %sum, %two : f32 loc("total")
    %b = arith.addf %a, %max : f32
    kernel.store %b, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    kernel.store %a, %z [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}
kernel.func @twice(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
  kernel.rows (%r) in (%n) {
    %v = kernel.load %x [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    kernel.store %v, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
  }
}
