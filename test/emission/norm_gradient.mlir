// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/norm_gradient.cu -
// RMSNorm's gradient: a block takes the rows of one of 12 parts, one after the other, and its threads sum the weight's gradient in
// registers on the way.
kernel.func @norm_gradient(%x: !kernel.buffer<f32> loc("x"), %dy: !kernel.buffer<f32> loc("dy"), %w: !kernel.buffer<f32> loc("weight"),
    %dx: !kernel.buffer<f32> loc("dx"), %dw: !kernel.buffer<f32> loc("dweight"), %rows: index loc("count")) {
  %width = arith.constant 768 : index
  kernel.rows (%r loc("row")) in (%rows) attributes {parts = 12 : i64} {
    %kx, %kg, %squares, %dots = kernel.columns %c loc("col") in %width reduce [add, add] {
      %v = kernel.load %x [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32> loc("x_value")
      %d = kernel.load %dy [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32> loc("dy_value")
      %g = kernel.load %w [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("weight_value")
      %square = arith.mulf %v, %v : f32 loc("square")
      %dg = arith.mulf %d, %g : f32 loc("scaled")
      %dot = arith.mulf %dg, %v : f32 loc("dot")
      kernel.yield %v, %d, %square, %dot : f32, f32, f32, f32
    } : !kernel.row<f32>, !kernel.row<f32>, f32, f32 loc(fused["x_row", "dy_row", "squares", "dots"])
    %number = arith.constant 768.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %squares, %number : f32 loc("mean")
    %moved = arith.addf %mean, %epsilon : f32 loc("moved")
    %scale = math.rsqrt %moved : f32 loc("scale")
    %inner = arith.divf %dots, %number : f32 loc("inner")
    kernel.columns %c loc("col") in %width {
      %v = kernel.get %kx : !kernel.row<f32> loc("x_value")
      %d = kernel.get %kg : !kernel.row<f32> loc("dy_value")
      %g = kernel.load %w [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("weight_value")
      %normal = arith.mulf %v, %scale : f32 loc("normal")
      %term = arith.mulf %d, %normal : f32 loc("term")
      kernel.accumulate %term, %dw : !kernel.buffer<f32>
      %dg = arith.mulf %d, %g : f32 loc("scaled")
      %a = arith.mulf %scale, %inner : f32 loc("part_of_row")
      %b = arith.mulf %normal, %a : f32 loc("along")
      %e = arith.subf %dg, %b : f32 loc("across")
      %f = arith.mulf %e, %scale : f32 loc("gradient")
      kernel.store %f, %dx [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32>
    }
  }
}
