// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @result_rank(%g: tensor<2x8xf32>, %ids: tensor<2xi32>) {
  // expected-error@+1 {{result has rank 3, wanted 2}}
  %0 = graph.embedding_grad %g, %ids : tensor<2x8xf32>, tensor<2xi32> -> tensor<1x3x8xf32>
  return
}

// -----

func.func @gradient_shape(%g: tensor<2x8xf32>, %ids: tensor<3xi32>) {
  // expected-error@+1 {{gradient has shape [2, 8], wanted [3, 8]}}
  %0 = graph.embedding_grad %g, %ids : tensor<2x8xf32>, tensor<3xi32> -> tensor<5x8xf32>
  return
}

// -----

func.func @element_types(%g: tensor<2x8xbf16>, %ids: tensor<2xi32>) {
  // expected-error@+1 {{failed to verify that all of {gradient, result} have same element type}}
  %0 = graph.embedding_grad %g, %ids : tensor<2x8xbf16>, tensor<2xi32> -> tensor<5x8xf32>
  return
}

// -----

func.func @indices(%g: tensor<2x8xf32>, %ids: tensor<2xf32>) {
  // expected-error@+1 {{operand #1 must be tensor of static extents of at least 1, rank at most 6, at most 1e15 elements of i32 or i64, but got 'tensor<2xf32>'}}
  %0 = graph.embedding_grad %g, %ids : tensor<2x8xf32>, tensor<2xf32> -> tensor<5x8xf32>
  return
}
