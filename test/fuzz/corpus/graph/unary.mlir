func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.abs %0 : tensor<4xf32>
  %2 = graph.exp %1 : tensor<4xf32>
  %3 = graph.log %2 : tensor<4xf32>
  %4 = graph.sqrt %3 : tensor<4xf32>
  %5 = graph.rsqrt %4 : tensor<4xf32>
  %6 = graph.reciprocal %5 : tensor<4xf32>
  %7 = graph.tanh %6 : tensor<4xf32>
  %8 = graph.sigmoid %7 : tensor<4xf32>
  %9 = graph.erf %8 : tensor<4xf32>
  %10 = graph.sin %9 : tensor<4xf32>
  %11 = graph.cos %10 : tensor<4xf32>
  %12 = graph.relu %11 : tensor<4xf32>
  %13 = graph.silu %12 : tensor<4xf32>
  %14 = graph.gelu erf %13 : tensor<4xf32>
  %15 = graph.gelu tanh %14 : tensor<4xf32>
  %16 = graph.copy %15 : tensor<4xf32>
  return %16 : tensor<4xf32>
}
