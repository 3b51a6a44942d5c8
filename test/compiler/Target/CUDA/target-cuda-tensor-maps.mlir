// RUN: heddle-opt %s --target-cuda=arch=sm_90a | FileCheck %s
// RUN: heddle-opt %s --target-cuda=arch=sm_80 | FileCheck %s --check-prefix=SM80

// On sm_90a the tensor unit copies queries, keys and values: a launch describes them, and the kernel takes the maps after its
// counts. Packed as [batch, sequence, 3, heads, 64]; lengths are in the launches alone, which share the text. 2 * 12 heads
// have 4 tiles of 128 queries each: a block a tile. With 8 times as many, and up to 2,048 keys, a block a multiprocessor.
// CHECK-LABEL: plan.program @p
// CHECK: plan.kernel @attention cuda "sm_90a"
// CHECK-SAME: sharedBytes = 82016
// CHECK-SAME: const __grid_constant__ heddle::TensorMap q_map
// CHECK-SAME: attention_forward<heddle::bf16, 64, 64, 128, 128, 12, 2, Score>(params, score, q_map, k_map, v_map)
// CHECK-SAME: threads = 384
// CHECK: plan.launch @attention [#plan.ref<@x>, #plan.ref<@x + 1536>, #plan.ref<@x + 3072>, #plan.ref<@y>]
// CHECK-SAME: grid = array<i64: 96, 1, 1>
// CHECK-SAME: maps = [#plan.tensor_map<operand = 0, elementType = bf16, extents = [64, 512, 12, 2], strides = [4608, 128, 2359296], box = [64, 64, 1, 1], swizzle = bytes128>,
// CHECK-SAME: #plan.tensor_map<operand = 1, elementType = bf16, extents = [64, 512, 12, 2], strides = [4608, 128, 2359296], box = [64, 128, 1, 1], swizzle = bytes128>,
// CHECK-SAME: #plan.tensor_map<operand = 2, elementType = bf16, extents = [64, 512, 12, 2], strides = [4608, 128, 2359296], box = [64, 128, 1, 1], swizzle = bytes128>]
// CHECK: plan.launch @attention
// CHECK-SAME: grid = array<i64: 132, 1, 1>
// CHECK: plan.launch @attention
// CHECK-SAME: grid = array<i64: 3072, 1, 1>
// One head and one batch: their strides are not used, and may be nothing that a map takes.
// CHECK: plan.launch @attention
// CHECK-SAME: grid = array<i64: 4, 1, 1>
// CHECK-SAME: extents = [64, 512, 1, 1], strides = [4608, 16, 16]

// Elsewhere nothing of it.
// SM80: attention_forward<heddle::bf16, 64, 64, 128, 64, 4, Score, true>(params, score)
// SM80-NOT: tensor_map
plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "bf16", symbols = {}} {
  plan.buffer @x input tensor<16x4096x2304xbf16>
  plan.buffer @y output tensor<16x4096x768xbf16>
  kernel.func @attention(%q: !kernel.buffer<bf16>, %k: !kernel.buffer<bf16>, %v: !kernel.buffer<bf16>, %o: !kernel.buffer<bf16>,
                         %b: index, %h: index, %n: index, %sb: index, %sh: index, %sn: index, %ob: index, %oh: index, %on: index) {
    kernel.skeleton "attention_forward"<bf16, 64, 64> scale 0.125 causal
      (%q, %k, %v, %o : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %h, %n, %n, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn, %ob, %oh, %on] score {} mask {}
  }
  plan.launch @attention [#plan.ref<@x>, #plan.ref<@x + 1536>, #plan.ref<@x + 3072>, #plan.ref<@y>]
    counts [2, 12, 512, 1179648, 64, 2304, 393216, 64, 768] phase forward
  plan.launch @attention [#plan.ref<@x>, #plan.ref<@x + 1536>, #plan.ref<@x + 3072>, #plan.ref<@y>]
    counts [16, 12, 512, 1179648, 64, 2304, 393216, 64, 768] phase forward
  plan.launch @attention [#plan.ref<@x>, #plan.ref<@x + 1536>, #plan.ref<@x + 3072>, #plan.ref<@y>]
    counts [8, 12, 4096, 9437184, 64, 2304, 3145728, 64, 768] phase forward
  plan.launch @attention [#plan.ref<@x>, #plan.ref<@x + 1536>, #plan.ref<@x + 3072>, #plan.ref<@y>]
    counts [1, 1, 512, 0, 0, 2304, 0, 0, 768] phase forward
}

// What wgmma does not serve says why in the text: rows off 16 bytes, operands that repeat themselves, large heads.
// CHECK-LABEL: plan.program @others
// CHECK: plan.kernel @unaligned
// CHECK-SAME: // no wgmma: rows do not keep to multiples of 16 bytes
// CHECK-SAME: attention_forward<heddle::bf16, 64, 64, 128, 64, 4, Score, false>(params, score)
// CHECK: plan.kernel @repeated
// CHECK-SAME: // no wgmma: an operand is repeated, which a tensor map does not describe
// CHECK-SAME: attention_forward<heddle::bf16, 64, 64, 128, 64, 4, Score, true>(params, score)
// CHECK: plan.kernel @large
// CHECK-SAME: // no wgmma: heads of more than 128 elements
// CHECK-SAME: attention_forward<heddle::bf16, 64, 192, 64, 32, 4, Score, true>(params, score)
// CHECK: plan.launch @unaligned
// CHECK-NOT: maps
plan.program @others attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "bf16", symbols = {}} {
  plan.buffer @x input tensor<4x4096x2304xbf16>
  plan.buffer @y output tensor<4x4096x2304xbf16>
  kernel.func @unaligned(%q: !kernel.buffer<bf16>, %o: !kernel.buffer<bf16>, %b: index, %h: index, %n: index, %sb: index, %sh: index, %sn: index) {
    kernel.skeleton "attention_forward"<bf16, 64, 64> scale 0.125
      (%q, %q, %q, %o : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %h, %n, %n, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn] score {} mask {}
  }
  kernel.func @repeated(%q: !kernel.buffer<bf16>, %o: !kernel.buffer<bf16>, %b: index, %h: index, %n: index, %sb: index, %sh: index, %sn: index) {
    kernel.skeleton "attention_forward"<bf16, 64, 64> scale 0.125
      (%q, %q, %q, %o : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %h, %n, %n, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn] score {} mask {} {broadcast}
  }
  kernel.func @large(%q: !kernel.buffer<bf16>, %o: !kernel.buffer<bf16>, %b: index, %h: index, %n: index, %sb: index, %sh: index, %sn: index) {
    kernel.skeleton "attention_forward"<bf16, 64, 192> scale 0.125
      (%q, %q, %q, %o : !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>, !kernel.buffer<bf16>)
      [%b, %h, %h, %n, %n, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn, %sb, %sh, %sn] score {} mask {}
  }
  plan.launch @unaligned [#plan.ref<@x + 2>, #plan.ref<@y>] counts [2, 12, 511, 393216, 64, 768] phase forward
  plan.launch @repeated [#plan.ref<@x>, #plan.ref<@y>] counts [2, 12, 512, 0, 64, 768] phase forward
  plan.launch @large [#plan.ref<@x>, #plan.ref<@y>] counts [2, 12, 512, 1179648, 192, 2304] phase forward
}
