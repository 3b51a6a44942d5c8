// RUN: heddle-opt %s --target-cuda=arch=sm_80 | FileCheck %s

// A kernel of the plan becomes text that needs nothing else, under the same symbol; launches get their grids. Flat: 4 * 512 *
// 768 elements in vectors of 4, 256 threads a block. Rows: 2,048 rows, four to a block. Attention: 2 * 12 heads, 512
// queries in tiles of 128.
// CHECK-LABEL: plan.program @p
// CHECK: plan.kernel @scale cuda "sm_80"
// CHECK-SAME: source = "{{.*}}#define HEDDLE_DEVICE_ROW_CUH{{.*}}__launch_bounds__(256) scale(
// CHECK-SAME: threads = 256
// CHECK: plan.kernel @total cuda "sm_80"
// CHECK-SAME: threads = 128
// CHECK: plan.kernel @attention cuda "sm_80"
// CHECK-SAME: sharedBytes = 55328
// CHECK-SAME: attention_forward<heddle::bf16, 64, 64, 128, 64, 4, Score, true>
// CHECK-SAME: threads = 128
// CHECK: plan.kernel @unaligned cuda "sm_80"
// CHECK-SAME: attention_forward<heddle::bf16, 64, 64, 128, 64, 4, Score, false>
// CHECK: plan.launch @scale
// CHECK-SAME: grid = array<i64: 1536, 1, 1>
// CHECK: plan.launch @total
// CHECK-SAME: grid = array<i64: 512, 1, 1>
// CHECK: plan.launch @attention
// CHECK-SAME: grid = array<i64: 96, 1, 1>
plan.program @p attributes {model = "m", device = "cuda", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4x512x768xf32>
  plan.buffer @y output tensor<4x512x768xf32>
  plan.buffer @s output tensor<2048xf32>
  plan.buffer @q input tensor<2x512x12x64xbf16>
  plan.buffer @z output tensor<2x512x12x64xbf16>
  kernel.func @scale(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %batch: index, %sequence: index) {
    %n = arith.constant 768 : index
    %k = arith.constant 2.0 : f32
    kernel.rows (%b, %s) in (%batch, %sequence) {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(b, s, c)[n] -> ((b * n + s) * 768 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<f32>
        %w = arith.mulf %v, %k : f32
        kernel.store %w, %y [affine_map<(b, s, c)[n] -> ((b * n + s) * 768 + c)>] (%b, %s, %c)[%sequence] : !kernel.buffer<f32>
      }
    }
  }
  kernel.func @total(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
    %n = arith.constant 768 : index
    kernel.rows (%r) in (%rows) {
      %sum = kernel.columns %c in %n reduce [add] {
        %v = kernel.load %x [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32>
        kernel.yield %v : f32
      } : f32
      kernel.store %sum, %y [affine_map<(r) -> (r)>] (%r) : !kernel.buffer<f32>
    }
  }
  kernel.func @attention(%q: !kernel.buffer<bf16>, %o: !kernel.buffer<bf16>, %b: index, %h: index, %n: index, %sb: index, %sh: index, %sn: index) {
    kernel.skeleton "attention_forward"<bf16, 64, 64> scale 0.125
      (%q, %q, %q, %o : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %h, %n, %n, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn] score {} mask {}
  }
  kernel.func @unaligned(%q: !kernel.buffer<bf16>, %o: !kernel.buffer<bf16>, %b: index, %h: index, %n: index, %sb: index, %sh: index, %sn: index) {
    kernel.skeleton "attention_forward"<bf16, 64, 64> scale 0.125
      (%q, %q, %q, %o : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %h, %n, %n, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn] score {} mask {}
  }
  plan.launch @scale [#plan.ref<@x>, #plan.ref<@y>] counts [4, 512] phase forward
  plan.launch @total [#plan.ref<@x>, #plan.ref<@s>] counts [2048] phase forward
  plan.launch @attention [#plan.ref<@q>, #plan.ref<@z>] counts [2, 12, 512, 393216, 64, 768] phase forward
  plan.launch @unaligned [#plan.ref<@q + 2>, #plan.ref<@z>] counts [2, 12, 511, 393216, 64, 768] phase forward
}

// An operand at an offset of 8 bytes takes accesses of 8.
// CHECK-LABEL: plan.program @offset
// CHECK: plan.kernel @copy
// CHECK-SAME: float x_lanes[2]
plan.program @offset attributes {model = "m", device = "cuda", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<1024xf32>
  plan.buffer @y output tensor<1024xf32>
  kernel.func @copy(%x: !kernel.buffer<f32> loc("x"), %y: !kernel.buffer<f32>) {
    %n = arith.constant 512 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @copy [#plan.ref<@x + 8>, #plan.ref<@y>] counts [] phase forward
}

// A batched kernel takes the table of its instances; a launch gets the blocks of each, and all of them along x. The second
// of the buffers keeps to 8 bytes in one instance: vectors of two for all.
// CHECK-LABEL: plan.program @batch
// CHECK: plan.kernel @add cuda "sm_80"
// CHECK-SAME: HEDDLE_DEVICE_BATCH_CUH
// CHECK-SAME: add(const long long *__restrict__ table
// CHECK-SAME: instance_of(table, instances, 3)
// CHECK-SAME: >= buffer_2 / 2
// CHECK: plan.launch @add
// CHECK-SAME: grid = array<i64: 4, 1, 1>
// CHECK-SAME: instances = 3 : i64
// CHECK-SAME: shares = array<i64: 2, 1, 1>
plan.program @batch attributes {model = "m", device = "cuda", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<1024xf32>
  plan.buffer @y output tensor<2048xf32>
  kernel.func @add(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index {kernel.divisor = 16 : i64} loc("buffer_2")) attributes {batched} {
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        %w = arith.addf %v, %v : f32
        kernel.store %w, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @add [#plan.ref<@x>, #plan.ref<@y>, #plan.ref<@x>, #plan.ref<@y + 4096>, #plan.ref<@x + 1024>, #plan.ref<@y + 4168>] counts [1024, 16, 496] phase forward {instances = 3 : i64}
}
