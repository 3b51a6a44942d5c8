// What a policy gives the outputs is found before the graph is simplified, and holds afterwards.
// RUN: heddle-opt %s --split-input-file --output-types='policy=bf16' --canonicalize | FileCheck %s --check-prefix=FOUND
// RUN: heddle-opt %s --split-input-file --output-types='policy=bf16' --canonicalize --precision='policy=bf16' | FileCheck %s --check-prefix=BF16
// RUN: heddle-opt %s --split-input-file --output-types='policy=bf16-true' --canonicalize --precision='policy=bf16-true' | FileCheck %s --check-prefix=TRUE
// RUN: heddle-opt %s --split-input-file --output-types='policy=fp32' | FileCheck %s --check-prefix=SINGLE
// RUN: not heddle-opt %s --split-input-file --output-types='policy=fp16' 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: unknown precision policy 'fp16', wanted fp32, tf32, bf16 or bf16-true
// SINGLE-NOT: graph.element

// A square is what its operand is; a power is float32 under autocast, and nothing else in a model of bf16 weights.
// FOUND: -> (tensor<8x1xf32> {graph.element = f32, graph.name = "y"}, tensor<8x6xf32> {graph.element = f32})
// FOUND: graph.mul
// BF16: -> (tensor<8x1xf32> {graph.name = "y"}, tensor<8x6xf32>)
// BF16-NOT: graph.element
// TRUE: -> (tensor<8x1xbf16> {graph.name = "y"}, tensor<8x6xf32>)
func.func @main(%x: tensor<8x6xf32>) -> (tensor<8x1xf32> {graph.name = "y"}, tensor<8x6xf32>) {
  %w = graph.parameter [#graph.part<"w", [6, 1], normal, 0.5>] : tensor<6x1xf32>
  %a = graph.matmul %x, %w : tensor<8x6xf32>, tensor<6x1xf32> -> tensor<8x1xf32>
  %c = graph.constant dense<2.0> : tensor<8x1xf32>
  %y = graph.pow %a, %c : tensor<8x1xf32>
  return %y, %x : tensor<8x1xf32>, tensor<8x6xf32>
}

// -----

// A selection by a constant has both operands' type, though one of them alone is left of it.
// BF16: -> tensor<8x4xf32>
func.func @main(%x: tensor<8x6xf32>, %z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %w = graph.parameter [#graph.part<"w", [6, 4], normal, 0.5>] : tensor<6x4xf32>
  %a = graph.matmul %x, %w : tensor<8x6xf32>, tensor<6x4xf32> -> tensor<8x4xf32>
  %true = graph.constant dense<true> : tensor<8x4xi1>
  %y = graph.select %true, %a, %z : tensor<8x4xi1>, tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
