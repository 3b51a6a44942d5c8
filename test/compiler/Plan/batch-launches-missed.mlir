// Launches that stay apart, each with its reason.
// RUN: heddle-opt %s --batch-launches="remarks=true most-moved=512" --split-input-file -verify-diagnostics

// A step between needs what the first writes.
plan.program @reader attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<64xf32>
  plan.buffer @a output tensor<64xf32>
  plan.buffer @b output tensor<64xf32>
  plan.buffer @copy output tensor<64xf32>
  kernel.func @twice(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 64 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @twice [#plan.ref<@x>, #plan.ref<@a>] counts [] phase forward
  plan.copy <@a> to <@copy> bytes 256 phase forward {label = "reader"}
  // expected-remark@+1 {{batch-launches: apart from those before it: step 1, reader, comes between them for @a}}
  plan.launch @twice [#plan.ref<@x>, #plan.ref<@b>] counts [] phase forward
}

// -----

// A step between writes what the first reads; and one that is alike reads what the first writes.
plan.program @writer attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<64xf32>
  plan.buffer @state state tensor<64xf32> {parts = [#plan.part<"s", [64] at 0, constant, 0.0 : f64>]}
  plan.buffer @a output tensor<64xf32>
  plan.buffer @b output tensor<64xf32>
  plan.buffer @c output tensor<64xf32>
  kernel.func @twice(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 64 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @twice [#plan.ref<@state>, #plan.ref<@a>] counts [] phase forward
  plan.copy <@x> to <@state> bytes 256 phase forward {label = "writer"}
  // expected-remark@+1 {{apart from those before it: step 1, writer, comes between them for @state}}
  plan.launch @twice [#plan.ref<@state>, #plan.ref<@b>] counts [] phase forward {label = "second"}
  // expected-remark@+1 {{apart from those before it: step 3, third, comes between them for @b}}
  plan.launch @twice [#plan.ref<@b>, #plan.ref<@c>] counts [] phase forward {label = "third"}
}

// -----

// The bytes overlap by one element; were it not for that, they would be one launch.
plan.program @overlap attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<64xf32>
  plan.buffer @a output tensor<127xf32>
  kernel.func @twice(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 64 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @twice [#plan.ref<@x>, #plan.ref<@a + 4>] counts [] phase forward
  // expected-remark@+1 {{comes between them for @a}}
  plan.launch @twice [#plan.ref<@x>, #plan.ref<@a + 252>] counts [] phase forward
}

// -----

// Both results at once are more than one and the sum that it goes into.
plan.program @peak attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<64xf32>
  plan.buffer @g scratch tensor<64xf32>
  plan.buffer @h scratch tensor<64xf32>
  plan.buffer @s state tensor<64xf32> {parts = [#plan.part<"s", [64] at 0, constant, 0.0 : f64>]}
  plan.buffer @t state tensor<64xf32> {parts = [#plan.part<"t", [64] at 0, constant, 0.0 : f64>]}
  kernel.func @add(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 64 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        %s = kernel.load %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        %w = arith.addf %v, %s : f32
        kernel.store %w, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.copy <@x> to <@g> bytes 256 phase forward
  plan.launch @add [#plan.ref<@g>, #plan.ref<@s>] counts [] phase forward
  plan.copy <@x> to <@h> bytes 256 phase forward
  // expected-remark@+1 {{apart from those before it: what they touch would live until then, and more than 256 bytes at once}}
  plan.launch @add [#plan.ref<@h>, #plan.ref<@t>] counts [] phase forward
}

// -----

// The first reads 1,024 bytes that the step before has just written; other steps would come between.
plan.program @hot attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<256xf32>
  plan.buffer @written output tensor<256xf32>
  plan.buffer @a output tensor<256xf32>
  plan.buffer @b output tensor<256xf32>
  plan.buffer @other output tensor<256xf32>
  kernel.func @twice(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 256 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.copy <@x> to <@written> bytes 1024 phase forward
  plan.launch @twice [#plan.ref<@written>, #plan.ref<@a>] counts [] phase forward
  plan.copy <@x> to <@other> bytes 1024 phase forward
  // expected-remark@+1 {{apart from those before it: step 1 reads more than 512 bytes that have just been written}}
  plan.launch @twice [#plan.ref<@x>, #plan.ref<@b>] counts [] phase forward
}

// -----

// Side by side nothing moves away from what was written: one launch. Of another phase, another alignment and of init
// launches nothing is said; they are not alike.
plan.program @together attributes {device = "cuda", model = "m", target = "sm_80", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<256xf32>
  plan.buffer @c constant tensor<256xf32>
  plan.buffer @d constant tensor<256xf32>
  plan.buffer @written output tensor<256xf32>
  plan.buffer @a output tensor<256xf32>
  plan.buffer @b output tensor<256xf32>
  plan.buffer @e output tensor<256xf32>
  plan.buffer @f output tensor<257xf32>
  kernel.func @twice(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>) {
    %n = arith.constant 256 : index
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  plan.launch @twice [#plan.ref<@c>, #plan.ref<@d>] counts [] phase init
  plan.launch @twice [#plan.ref<@d>, #plan.ref<@c>] counts [] phase init
  plan.copy <@x> to <@written> bytes 1024 phase forward
  // expected-remark@+1 {{batch-launches: 2 launches of twice became one}}
  plan.launch @twice [#plan.ref<@written>, #plan.ref<@a>] counts [] phase forward {label = "twice"}
  plan.launch @twice [#plan.ref<@written>, #plan.ref<@b>] counts [] phase forward
  plan.launch @twice [#plan.ref<@written>, #plan.ref<@e>] counts [] phase backward
  plan.launch @twice [#plan.ref<@written>, #plan.ref<@f + 4>] counts [] phase forward
}
