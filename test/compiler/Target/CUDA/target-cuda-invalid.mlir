// RUN: heddle-opt %s --target-cuda=arch=sm_90a --split-input-file --verify-diagnostics

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4xf32>
  kernel.func @k(%x: !kernel.buffer<f32>, %n: index, %m: index) {
    %w = arith.constant 4 : index
    kernel.rows (%r, %q) in (%n, %m) {
      kernel.columns %c in %w {
        %v = kernel.load %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
        kernel.store %v, %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
      }
    }
  }
  // expected-error@+1 {{kernel 'k' has nothing to do: an extent is 0}}
  plan.launch @k [#plan.ref<@x>] counts [0, 1] phase forward
}

// -----

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4xf32>
  kernel.func @k(%x: !kernel.buffer<f32>, %n: index, %m: index) {
    %w = arith.constant 4 : index
    kernel.rows (%r, %q) in (%n, %m) {
      kernel.columns %c in %w {
        %v = kernel.load %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
        kernel.store %v, %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
      }
    }
  }
  // expected-error@+1 {{kernel 'k' needs 4398046511104 blocks; a grid has at most 2147483647}}
  plan.launch @k [#plan.ref<@x>] counts [1048576, 268435456] phase forward
}

// -----

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4xf32>
  kernel.func @k(%x: !kernel.buffer<f32>, %n: index, %m: index) {
    %w = arith.constant 4 : index
    kernel.rows (%r, %q) in (%n, %m) {
      kernel.columns %c in %w {
        %v = kernel.load %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
        kernel.store %v, %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
      }
    }
  }
  // expected-error@+1 {{kernel 'k' has more items than 2^63}}
  plan.launch @k [#plan.ref<@x>] counts [1099511627776, 1099511627776] phase forward
}

// -----

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4xf32>
  // expected-error@+1 {{'double' cannot be the name of a CUDA function}}
  kernel.func @double(%x: !kernel.buffer<f32>, %n: index, %m: index) {
    %w = arith.constant 4 : index
    kernel.rows (%r, %q) in (%n, %m) {
      kernel.columns %c in %w {
        %v = kernel.load %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
        kernel.store %v, %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
      }
    }
  }
}

// -----

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4xf32>
  kernel.func @k(%x: !kernel.buffer<f32>, %n: index, %m: index) {
    %u = arith.andi %n, %m : index
    %w = arith.constant 4 : index
    kernel.rows (%r, %q) in (%u, %m) {
      kernel.columns %c in %w {
        %v = kernel.load %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
        kernel.store %v, %x [affine_map<(r, q, c) -> (r * 4 + q + c)>] (%r, %q, %c) : !kernel.buffer<f32>
      }
    }
  }
  // expected-error@+1 {{kernel 'k' has an extent that is no arithmetic on constants and counts}}
  plan.launch @k [#plan.ref<@x>] counts [0, 1] phase forward
}

// -----

plan.program @p attributes {model = "m", device = "cuda", target = "sm_90a", pipeline = "compiled", mode = "forward", precision = "fp32", symbols = {}} {
  plan.buffer @x input tensor<4xf32>
  kernel.func @k(%x: !kernel.buffer<f32>, %n: index) attributes {batched} {
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
        kernel.store %v, %x [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      }
    }
  }
  // expected-error@+1 {{kernel 'k' needs 2147483648 blocks for 2 instances; a grid has at most 2147483647}}
  plan.launch @k [#plan.ref<@x>, #plan.ref<@x>] counts [274877906944, 274877906944] phase forward {instances = 2 : i64}
}
