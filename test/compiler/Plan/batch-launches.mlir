// Alike launches become one launch of several instances.
// RUN: heddle-opt %s --batch-launches --split-input-file --mlir-print-local-scope | FileCheck %s

// Three flat kernels that differ in how many elements they have: one kernel, whose count is further. What comes between
// touches nothing of theirs. The batch is where the last launch was; the kernels that nothing launches any more are gone.
// CHECK-LABEL: plan.program @flat
// CHECK-NOT: kernel.func @scale(
// CHECK: kernel.func @scale_batch(%[[X:.*]]: !kernel.buffer<f32>, %[[Y:.*]]: !kernel.buffer<f32>, %[[N:.*]]: index {kernel.divisor = 16 : i64}) attributes {batched}
// CHECK: kernel.rows () in ()
// CHECK: kernel.columns %{{.*}} in %[[N]]
// CHECK-NOT: kernel.func @scale
// CHECK-NOT: plan.launch
// CHECK: plan.copy <@x> to <@other>
// CHECK-NEXT: plan.launch @scale_batch [#plan.ref<@x>, #plan.ref<@a>, #plan.ref<@x + 64>, #plan.ref<@b>, #plan.ref<@x>, #plan.ref<@c>] counts [64, 32, 16] phase forward {instances = 3 : i64, label = "first", location = "l"}
// CHECK-NOT: plan.launch
plan.program @flat attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<64xf32>
  plan.buffer @a output tensor<64xf32>
  plan.buffer @b output tensor<32xf32>
  plan.buffer @c output tensor<16xf32>
  plan.buffer @other output tensor<64xf32>
  kernel.func @scale(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 64 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        %w = arith.addf %v, %v : f32
        kernel.store %w, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  kernel.func @scale_1(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 32 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        %w = arith.addf %v, %v : f32
        kernel.store %w, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  kernel.func @scale_2(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 16 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        %w = arith.addf %v, %v : f32
        kernel.store %w, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @scale [#plan.ref<@x>, #plan.ref<@a>] counts [] phase forward {label = "first", location = "l"}
  plan.launch @scale_1 [#plan.ref<@x + 64>, #plan.ref<@b>] counts [] phase forward {label = "second"}
  plan.copy <@x> to <@other> bytes 256 phase forward
  plan.launch @scale_2 [#plan.ref<@x>, #plan.ref<@c>] counts [] phase forward {label = "third"}
}

// -----

// Parts of one tensor: where a part starts goes into the reference, and that each writes bytes of its own is seen. Three
// elements allow no vector, sixteen do: they are apart, so that one does not slow the other down.
// CHECK-LABEL: plan.program @parts
// CHECK: kernel.func @part_batch(%{{.*}}: !kernel.buffer<f32>, %{{.*}}: !kernel.buffer<f32>, %{{.*}}: index {kernel.divisor = 16 : i64})
// CHECK: kernel.store {{.*}}[affine_map<(d0) -> (d0)>]
// CHECK: kernel.func @part(
// CHECK: plan.launch @part [
// CHECK-NEXT: plan.launch @part_batch [#plan.ref<@x>, #plan.ref<@all>, #plan.ref<@x>, #plan.ref<@all + 64>] counts [16, 16]
plan.program @parts attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<64xf32>
  plan.buffer @all output tensor<35xf32>
  kernel.func @part_3(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 16 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  kernel.func @part(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 3 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c + 32)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  kernel.func @part_5(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 16 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c + 16)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @part_3 [#plan.ref<@x>, #plan.ref<@all>] counts [] phase forward
  plan.launch @part [#plan.ref<@x>, #plan.ref<@all>] counts [] phase forward
  plan.launch @part_5 [#plan.ref<@x>, #plan.ref<@all>] counts [] phase forward
}

// -----

// Sums along rows: the number of rows is a count, that of columns stays, since it decides in which order a row is summed
// up. What the first sums waited for, a chain of two launches each, is a batch in the next round.
// CHECK-LABEL: plan.program @sums
// CHECK: kernel.func @square_batch({{.*}}, %[[R:.*]]: index) attributes {batched}
// CHECK: %[[C:.*]] = arith.constant 8 : index
// CHECK: kernel.rows (%{{.*}}) in (%[[R]])
// CHECK: kernel.columns %{{.*}} in %[[C]] reduce [add]
// CHECK: plan.launch @twice_batch [#plan.ref<@x>, #plan.ref<@p>, #plan.ref<@x>, #plan.ref<@q>] counts [32, 32]
// CHECK-NEXT: plan.launch @square_batch [#plan.ref<@p>, #plan.ref<@r>, #plan.ref<@q>, #plan.ref<@s>] counts [4, 2]
// CHECK-NOT: plan.launch
plan.program @sums attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<32xf32>
  plan.buffer @p scratch tensor<32xf32>
  plan.buffer @q scratch tensor<32xf32>
  plan.buffer @r output tensor<4xf32>
  plan.buffer @s output tensor<2xf32>
  plan.buffer @large scratch tensor<1024xf32>
  plan.buffer @small output tensor<1xf32>
  kernel.func @twice(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 32 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        %w = arith.addf %v, %v : f32
        kernel.store %w, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  kernel.func @square(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 8 : index
    %rows = arith.constant 4 : index
    kernel.rows (%r) in (%rows) {
      %sum = kernel.columns %c in %n reduce [add] {
        %v = kernel.load %x [affine_map<(r, c) -> (r * 8 + c)>] (%r, %c) : !kernel.buffer<f32>
        %w = arith.mulf %v, %v : f32
        kernel.yield %w : f32
      } : f32
      kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    }
  }
  kernel.func @square_1(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 8 : index
    %rows = arith.constant 2 : index
    kernel.rows (%r) in (%rows) {
      %sum = kernel.columns %c in %n reduce [add] {
        %v = kernel.load %x [affine_map<(r, c) -> (r * 8 + c)>] (%r, %c) : !kernel.buffer<f32>
        %w = arith.mulf %v, %v : f32
        kernel.yield %w : f32
      } : f32
      kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    }
  }
  plan.copy <@x> to <@large> bytes 128 phase forward
  plan.copy <@large> to <@small> bytes 4 phase forward
  plan.launch @twice [#plan.ref<@x>, #plan.ref<@p>] counts [] phase forward
  plan.launch @square [#plan.ref<@p>, #plan.ref<@r>] counts [] phase forward
  plan.launch @twice [#plan.ref<@x>, #plan.ref<@q>] counts [] phase forward
  plan.launch @square_1 [#plan.ref<@q>, #plan.ref<@s>] counts [] phase forward
}
