// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(verify-fusion))' --verify-diagnostics

func.func @good(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  %y:2 = graph.group rows "add" {
    %0 = graph.add %w, %x : tensor<4xf32>
    %1 = graph.exp %0 : tensor<4xf32>
    graph.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  graph.assign %w, %y#0 : tensor<4xf32>
  return %y#1 : tensor<4xf32>
}

// -----

func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'graph.exp' op is in no group}}
  %y = graph.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @kept_beside(%x: tensor<4xbf16>) -> tensor<4xf32> {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // expected-error@below {{gives a kept cast, wanted nothing else in it}}
  %y:2 = graph.group rows "exp+cast" {
    %0 = graph.exp %w : tensor<4xf32>
    %1 = graph.cast %w kept : tensor<4xf32> -> tensor<4xbf16>
    graph.yield %0, %1 : tensor<4xf32>, tensor<4xbf16>
  } : tensor<4xf32>, tensor<4xbf16>
  graph.assign %y#1, %x : tensor<4xbf16>
  return %y#0 : tensor<4xf32>
}

// -----

func.func @no_product(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{of kind product wants one graph.matmul, found 0}}
  %y = graph.group product "exp" {
    %0 = graph.exp %x : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_row_sums(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{of kind row_sums wants one graph.embedding_grad, found 0}}
  %y = graph.group row_sums "exp" {
    %0 = graph.exp %x : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_attention(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{of kind attention wants one graph.attention or graph.attention_grad, found 0}}
  %y = graph.group attention "exp" {
    %0 = graph.exp %x : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{gives as result 0 what is no group's, or another result}}
  return %x : tensor<4xf32>
}

// -----

func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = graph.group rows "exp" {
    %0 = graph.exp %x : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } : tensor<4xf32>
  // expected-error@below {{gives as result 1 what is no group's, or another result}}
  return %y, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @assigned_input(%x: tensor<4xf32>) {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // expected-error@below {{takes what no group gives}}
  graph.assign %w, %x : tensor<4xf32>
  return
}

// -----

// Another group reads the old value later, through a view.
func.func @read_later(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %y = graph.group rows "exp" {
    %0 = graph.exp %x : tensor<4x4xf32>
    graph.yield %0 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  // expected-error@below {{takes what its group cannot write over the leaf, which is still read}}
  graph.assign %w, %y : tensor<4x4xf32>
  %t = graph.transpose %w [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %z = graph.group rows "exp" {
    %0 = graph.exp %t : tensor<4x4xf32>
    graph.yield %0 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

// The group reads other places than it writes.
func.func @read_elsewhere(%x: tensor<4x4xf32>) {
  %w = graph.parameter [#graph.part<"w", [4, 4], normal, 0.02>] : tensor<4x4xf32>
  %y = graph.group product "matmul+relu" {
    %0 = graph.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %1 = graph.relu %0 : tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  // expected-error@below {{takes what its group cannot write over the leaf, which is still read}}
  graph.assign %w, %y : tensor<4x4xf32>
  return
}
