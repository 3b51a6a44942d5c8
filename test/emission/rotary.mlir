// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/rotary.cu -
// Rotary positions on interleaved pairs of a head of 64: each thread reads and writes whole pairs, with the cosines and
// sines of the position from tables.
kernel.func @rotary(%x: !kernel.buffer<f32> loc("x"), %cosine: !kernel.buffer<f32> loc("cosine"),
                    %sine: !kernel.buffer<f32> loc("sine"), %y: !kernel.buffer<f32> loc("y"),
                    %batch: index loc("batch"), %sequence: index loc("sequence")) {
  %heads = arith.constant 12 : index
  %pairs = arith.constant 32 : index
  kernel.rows (%b loc("b"), %s loc("s"), %h loc("h")) in (%batch, %sequence, %heads) {
    kernel.columns %c loc("c") in %pairs {
      %e = kernel.load %x [affine_map<(b, s, h, c)[n] -> (((b * n + s) * 12 + h) * 64 + c * 2)>] (%b, %s, %h, %c)[%sequence] : !kernel.buffer<f32> loc("even")
      %o = kernel.load %x [affine_map<(b, s, h, c)[n] -> (((b * n + s) * 12 + h) * 64 + c * 2 + 1)>] (%b, %s, %h, %c)[%sequence] : !kernel.buffer<f32> loc("odd")
      %cos = kernel.load %cosine [affine_map<(s, c) -> (s * 32 + c)>] (%s, %c) : !kernel.buffer<f32> loc("cos_value")
      %sin = kernel.load %sine [affine_map<(s, c) -> (s * 32 + c)>] (%s, %c) : !kernel.buffer<f32> loc("sin_value")
      %ec = arith.mulf %e, %cos : f32
      %os = arith.mulf %o, %sin : f32
      %es = arith.mulf %e, %sin : f32
      %oc = arith.mulf %o, %cos : f32
      %first = arith.subf %ec, %os : f32
      %second = arith.addf %es, %oc : f32
      kernel.store %first, %y [affine_map<(b, s, h, c)[n] -> (((b * n + s) * 12 + h) * 64 + c * 2)>] (%b, %s, %h, %c)[%sequence] : !kernel.buffer<f32>
      kernel.store %second, %y [affine_map<(b, s, h, c)[n] -> (((b * n + s) * 12 + h) * 64 + c * 2 + 1)>] (%b, %s, %h, %c)[%sequence] : !kernel.buffer<f32>
    }
  }
}
