// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/batched_flat.cu -
// One instance of many, found by the block: addresses and the number of elements come from the table. That they are
// multiples of 8 is promised, so that vectors are whole; `table` is the name of an argument already.
kernel.func @batched_flat(%g: !kernel.buffer<bf16> loc("gradient"), %rate: !kernel.buffer<f32> loc("table"),
                          %w: !kernel.buffer<f32> loc("weight"), %y: !kernel.buffer<bf16> loc("copy"),
                          %n: index {kernel.divisor = 8 : i64} loc("elements")) attributes {batched} {
  kernel.rows () in () {
    kernel.columns %c loc("col") in %n {
      %low = kernel.load %g [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16> loc("low")
      %high = arith.extf %low : bf16 to f32
      %factor = kernel.load %rate [affine_map<() -> (0)>] () : !kernel.buffer<f32> loc("rate")
      %change = arith.mulf %high, %factor : f32 loc("change")
      %old = kernel.load %w [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("old")
      %new = arith.subf %old, %change : f32 loc("new")
      kernel.store %new, %w [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
      %rounded = arith.truncf %new : f32 to bf16
      kernel.store %rounded, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16>
    }
  }
}
