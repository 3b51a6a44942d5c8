// The bf16 policy: as torch.autocast op by op (EAGER), and with one rounding between kernels (FUSED).
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16 rounding=eager' | FileCheck %s --check-prefix=EAGER
// RUN: heddle-opt %s --split-input-file --precision='policy=bf16 rounding=fused' | FileCheck %s --check-prefix=FUSED
// RUN: heddle-opt %s --split-input-file --precision='policy=fp32' | FileCheck %s --check-prefix=F32
// RUN: heddle-opt %s --split-input-file --precision='policy=tf32' | FileCheck %s --check-prefix=F32

// fp32 and tf32 put no cast in.
// F32-NOT: implicit
// F32-LABEL: func.func @main
// F32-SAME: -> tensor<3x4xf32>

// A weight that two products read is cast once, below the transpose; the activation at each use, by eager execution.
// EAGER-LABEL: func.func @main
// EAGER-SAME: (%[[X:.*]]: tensor<3x8xf32>) -> tensor<3x4xbf16>
// EAGER: %[[W:.*]] = graph.parameter
// EAGER-NEXT: %[[WC:.*]] = graph.cast %[[W]] : tensor<4x8xf32> -> tensor<4x8xbf16>
// EAGER-NEXT: %[[WT:.*]] = graph.transpose %[[WC]] [1, 0]
// EAGER-NEXT: %[[X0:.*]] = graph.cast %[[X]] : tensor<3x8xf32> -> tensor<3x8xbf16>
// EAGER-NEXT: %[[A:.*]] = graph.matmul %[[X0]], %[[WT]] : {{.*}} -> tensor<3x4xbf16>
// EAGER-NEXT: %[[X1:.*]] = graph.cast %[[X]] : tensor<3x8xf32> -> tensor<3x8xbf16>
// EAGER-NEXT: %[[B:.*]] = graph.matmul %[[X1]], %[[WT]] : {{.*}} -> tensor<3x4xbf16>
// EAGER-NEXT: graph.add %[[A]], %[[B]] : tensor<3x4xbf16>
// The compiled form casts each once, and adds in float32. Neither product is written in float32: both are products.
// FUSED-LABEL: func.func @main
// FUSED-SAME: (%[[X:.*]]: tensor<3x8xf32>) -> tensor<3x4xbf16>
// FUSED-DAG: %[[XC:.*]] = graph.cast %[[X]] implicit : tensor<3x8xf32> -> tensor<3x8xbf16>
// FUSED-DAG: %[[WC:.*]] = graph.cast %{{.*}} implicit : tensor<4x8xf32> -> tensor<4x8xbf16>
// FUSED: %[[WT:.*]] = graph.transpose %[[WC]] [1, 0]
// FUSED: %[[A:.*]] = graph.matmul %[[XC]], %[[WT]] : {{.*}} -> tensor<3x4xbf16>
// FUSED: graph.cast %[[A]] implicit : tensor<3x4xbf16> -> tensor<3x4xf32>
// FUSED: graph.matmul %[[XC]], %[[WT]] : {{.*}} -> tensor<3x4xbf16>
// FUSED: %[[S:.*]] = graph.add %{{.*}}, %{{.*}} : tensor<3x4xf32>
// FUSED: %[[R:.*]] = graph.cast %[[S]] implicit : tensor<3x4xf32> -> tensor<3x4xbf16>
// FUSED: return %[[R]]
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x4xf32> {
  %w = graph.parameter [#graph.part<"w", [4, 8], normal, 0.02>] : tensor<4x8xf32>
  %t = graph.transpose %w [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = graph.matmul %x, %t : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %1 = graph.matmul %x, %t : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %2 = graph.add %0, %1 : tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// -----

// A product that is added to a float32 residual. Eager: the sum reads bf16 and computes in float32, one kernel.
// EAGER-LABEL: func.func @main
// EAGER-SAME: -> tensor<3x8xf32>
// EAGER: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<3x8xbf16>
// EAGER: %[[W:.*]] = graph.cast %[[Y]] implicit : tensor<3x8xbf16> -> tensor<3x8xf32>
// EAGER: graph.add %{{.*}}, %[[W]] : tensor<3x8xf32>
// Compiled: the same; fusion writes the product in the residual's type where it takes the sum.
// FUSED-LABEL: func.func @main
// FUSED: %[[Y:.*]] = graph.matmul %{{.*}}, %{{.*}} : tensor<3x8xbf16>, tensor<8x8xbf16> -> tensor<3x8xbf16>
// FUSED-NEXT: %[[W:.*]] = graph.cast %[[Y]] implicit
// FUSED-NEXT: graph.add %{{.*}}, %[[W]] : tensor<3x8xf32>
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %w = graph.parameter [#graph.part<"w", [8, 8], normal, 0.02>] : tensor<8x8xf32>
  %t = graph.transpose %w [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %0 = graph.matmul %x, %t : tensor<3x8xf32>, tensor<8x8xf32> -> tensor<3x8xf32>
  %1 = graph.add %x, %0 : tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// -----

// Constants take the other operand's type where they are exact in it; else the kernel computes in float32 and rounds.
// EAGER-LABEL: func.func @main
// EAGER-DAG: %[[HALF:.*]] = graph.constant dense<5.000000e-01> : tensor<3x3xbf16>
// EAGER-DAG: %[[TENTH:.*]] = graph.constant dense<1.000000e-01> : tensor<3x3xf32>
// EAGER: %[[H:.*]] = graph.mul %{{.*}}, %[[HALF]] : tensor<3x3xbf16>
// EAGER: %[[WIDE:.*]] = graph.cast %[[H]] implicit : tensor<3x3xbf16> -> tensor<3x3xf32>
// EAGER: %[[M:.*]] = graph.mul %[[WIDE]], %[[TENTH]] : tensor<3x3xf32>
// EAGER: %[[N:.*]] = graph.cast %[[M]] implicit : tensor<3x3xf32> -> tensor<3x3xbf16>
// Softmax is float32 with a cast of its own before it.
// EAGER: %[[S:.*]] = graph.cast %[[N]] : tensor<3x3xbf16> -> tensor<3x3xf32>
// EAGER: graph.softmax %[[S]] : tensor<3x3xf32>
// FUSED-LABEL: func.func @main
// FUSED: %[[W:.*]] = graph.cast %{{.*}} implicit : tensor<3x3xbf16> -> tensor<3x3xf32>
// FUSED: %[[H:.*]] = graph.mul %[[W]], %{{.*}} : tensor<3x3xf32>
// FUSED: %[[M:.*]] = graph.mul %[[H]], %{{.*}} : tensor<3x3xf32>
// FUSED: graph.softmax %[[M]] : tensor<3x3xf32>
func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %half = graph.constant dense<0.5> : tensor<3x3xf32>
  %tenth = graph.constant dense<0.1> : tensor<3x3xf32>
  %0 = graph.matmul %x, %x : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = graph.mul %0, %half : tensor<3x3xf32>
  %2 = graph.mul %1, %tenth : tensor<3x3xf32>
  %3 = graph.softmax %2 : tensor<3x3xf32>
  return %3 : tensor<3x3xf32>
}

// -----

// SwiGLU: eager rounds after each op; compiled once, before the next product reads it.
// EAGER-LABEL: func.func @main
// EAGER: %[[S:.*]] = graph.silu %{{.*}} : tensor<3x3xbf16>
// EAGER: %[[P:.*]] = graph.mul %[[S]], %{{.*}} : tensor<3x3xbf16>
// EAGER: graph.matmul %[[P]], %{{.*}} : tensor<3x3xbf16>, tensor<3x3xbf16> -> tensor<3x3xbf16>
// FUSED-LABEL: func.func @main
// FUSED: %[[S:.*]] = graph.silu %{{.*}} : tensor<3x3xf32>
// FUSED: %[[P:.*]] = graph.mul %[[S]], %{{.*}} : tensor<3x3xf32>
// FUSED: %[[R:.*]] = graph.cast %[[P]] implicit : tensor<3x3xf32> -> tensor<3x3xbf16>
// FUSED: graph.matmul %[[R]], %{{.*}} : tensor<3x3xbf16>, tensor<3x3xbf16> -> tensor<3x3xbf16>
func.func @main(%x: tensor<3x3xf32>, %a: tensor<3x3xf32>, %b: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = graph.matmul %x, %a : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = graph.silu %0 : tensor<3x3xf32>
  %2 = graph.matmul %x, %b : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %3 = graph.mul %1, %2 : tensor<3x3xf32>
  %4 = graph.matmul %3, %a : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  return %4 : tensor<3x3xf32>
}

// -----

// Casts that the user wrote stay, and round.
// EAGER-LABEL: func.func @main
// EAGER: %[[N:.*]] = graph.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
// EAGER: %[[W:.*]] = graph.cast %[[N]] : tensor<4xf16> -> tensor<4xf32>
// EAGER: graph.exp %[[W]]
// FUSED-LABEL: func.func @main
// FUSED: %[[N:.*]] = graph.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
// FUSED: %[[W:.*]] = graph.cast %[[N]] : tensor<4xf16> -> tensor<4xf32>
// FUSED: graph.exp %[[W]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.cast %x : tensor<4xf32> -> tensor<4xf16>
  %1 = graph.cast %0 : tensor<4xf16> -> tensor<4xf32>
  %2 = graph.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Attention's operands are low, its bias is not touched, and neither are masks.
// EAGER-LABEL: func.func @main
// EAGER-COUNT-3: graph.cast %{{.*}} : tensor<1x2x4x8xf32> -> tensor<1x2x4x8xbf16>
// EAGER: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x1x4x4xi1> bias %{{.*}} : tensor<1x1x4x4xf32> scale 5.000000e-01 : tensor<1x2x4x8xbf16>
// FUSED-LABEL: func.func @main
// FUSED: %[[C:.*]] = graph.cast %{{.*}} implicit : tensor<1x2x4x8xf32> -> tensor<1x2x4x8xbf16>
// FUSED: graph.attention %[[C]], %[[C]], %[[C]] mask %{{.*}} : tensor<1x1x4x4xi1> bias %{{.*}} : tensor<1x1x4x4xf32> scale 5.000000e-01 : tensor<1x2x4x8xbf16>
func.func @main(%q: tensor<1x2x4x8xf32>, %m: tensor<1x1x4x4xi1>, %b: tensor<1x1x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %0 = graph.attention %q, %q, %q mask %m : tensor<1x1x4x4xi1> bias %b : tensor<1x1x4x4xf32> scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}

// -----

// The bias of a linear layer is rounded with its product: PyTorch adds it in the same op.
// EAGER-LABEL: func.func @main
// EAGER-SAME: -> tensor<3x4xbf16>
// EAGER: %[[Y:.*]] = graph.matmul
// EAGER: %[[W:.*]] = graph.cast %[[Y]] implicit
// EAGER: %[[S:.*]] = graph.add %[[W]], %{{.*}} : tensor<3x4xf32>
// EAGER: graph.cast %[[S]] implicit : tensor<3x4xf32> -> tensor<3x4xbf16>
// FUSED-LABEL: func.func @main
// FUSED: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<3x4xbf16>
// FUSED: %[[W:.*]] = graph.cast %[[Y]] implicit
// FUSED: %[[S:.*]] = graph.add %[[W]], %{{.*}} : tensor<3x4xf32>
// FUSED: %[[D:.*]] = graph.cast %[[S]] implicit : tensor<3x4xf32> -> tensor<3x4xbf16>
// FUSED: return %[[D]]
func.func @main(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
  %b = graph.parameter [#graph.part<"b", [4], constant, 0.0>] : tensor<4xf32>
  %0 = graph.matmul %x, %w : tensor<3x4xf32>, tensor<4x4xf32> -> tensor<3x4xf32>
  %1 = graph.reshape %b : tensor<4xf32> -> tensor<1x4xf32>
  %2 = graph.broadcast %1 : tensor<1x4xf32> -> tensor<3x4xf32>
  %3 = graph.add %0, %2 : tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}

// -----

// Integers, indices and conditions are none of the policy's business; angles of positions stay float32.
// EAGER-LABEL: func.func @main
// EAGER-NOT: bf16
// EAGER: return
// FUSED-LABEL: func.func @main
// FUSED-NOT: bf16
// FUSED: return
func.func @main(%f: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xi1>) {
  %i = graph.iota 0 : tensor<6xi32>
  %c = graph.constant dense<3> : tensor<6xi32>
  %0 = graph.compare ge %i, %c : tensor<6xi32> -> tensor<6xi1>
  %1 = graph.cast %i : tensor<6xi32> -> tensor<6xf32>
  %2 = graph.mul %1, %f : tensor<6xf32>
  %3 = graph.cos %2 : tensor<6xf32>
  return %3, %0 : tensor<6xf32>, tensor<6xi1>
}

// -----

// Dropout follows its operand: eager drops bf16, a compiled kernel the float32 of the product's values.
// EAGER-LABEL: func.func @main
// EAGER: %[[P:.*]] = graph.matmul
// EAGER: graph.dropout %[[P]], %{{.*}} : tensor<3x4xbf16>
// FUSED-LABEL: func.func @main
// FUSED: %[[P:.*]] = graph.matmul
// FUSED: %[[W:.*]] = graph.cast %[[P]] implicit : tensor<3x4xbf16> -> tensor<3x4xf32>
// FUSED: graph.dropout %[[W]], %{{.*}} : tensor<3x4xf32>
// F32-LABEL: func.func @main
func.func @main(%x: tensor<3x8xf32> {graph.name = "x"}, %w: tensor<8x4xf32> {graph.name = "w"}, %i: tensor<3x4xi32> {graph.name = "i"},
                %k: tensor<3x4xi64> {graph.name = "k"}) -> (tensor<3x4xf32> {graph.name = "y"}) {
  %p = graph.matmul %x, %w : tensor<3x8xf32>, tensor<8x4xf32> -> tensor<3x4xf32>
  %y = graph.dropout %p, %i, %k layer 0 probability 0.5 : tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
