// RUN: heddle-opt %s -target-cpu | FileCheck %s

// Kernels become objects under their symbol, launches get their items: three pieces of 4096 columns.
// CHECK: plan.program @program
// CHECK-NOT: kernel.func
// CHECK: plan.kernel @copy cpu "x86-64-v3" {binary = array<i8: 127, 69, 76, 70, 2, 1, 1,
// CHECK: plan.launch @copy [#plan.ref<@x>, #plan.ref<@y>] counts [9000] phase forward {items = 3 : i64}
plan.program @program attributes {model = "test", device = "cpu", target = "x86-64-v3", pipeline = "compiled",
                                  mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x scratch tensor<9000xf32>
  plan.buffer @y scratch tensor<9000xf32>
  kernel.func @copy(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @copy [#plan.ref<@x>, #plan.ref<@y>] counts [9000] phase forward
}

// A batched kernel is the code of one instance; the launch gets the items of each and of all.
// CHECK: plan.program @batch
// CHECK: plan.launch @copy {{.*}} counts [9000, 100] phase forward {instances = 2 : i64, items = 4 : i64, shares = array<i64: 3, 1>}
plan.program @batch attributes {model = "test", device = "cpu", target = "x86-64-v3", pipeline = "compiled",
                                mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x scratch tensor<9000xf32>
  plan.buffer @y scratch tensor<9100xf32>
  kernel.func @copy(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) attributes {batched} {
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @copy [#plan.ref<@x>, #plan.ref<@y>, #plan.ref<@x>, #plan.ref<@y + 36000>] counts [9000, 100] phase forward {instances = 2 : i64}
}
