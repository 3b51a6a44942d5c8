// Gradients of products and named ops of models.
// RUN: heddle-opt %s --split-input-file --autodiff | FileCheck %s

// matmul: dy bᵀ and aᵀ dy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x5xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.transpose %[[B]] [1, 0] : tensor<6x5xf32> -> tensor<5x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.matmul %[[DY]], %[[G2]] : tensor<4x5xf32>, tensor<5x6xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.transpose %[[A]] [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.matmul %[[G4]], %[[DY]] : tensor<6x4xf32>, tensor<4x5xf32> -> tensor<6x5xf32>
// CHECK: return %{{.*}}, %[[G3]], %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [6, 5], normal, 0.5>] : tensor<6x5xf32>
  %y = graph.matmul %a, %b : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<4x5xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x5xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A matrix that all leading dimensions share: one product over all their rows.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1xf32> -> tensor<2x3x5xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.transpose %[[B]] [1, 0] : tensor<6x5xf32> -> tensor<5x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.matmul %[[DY]], %[[G2]] : tensor<2x3x5xf32>, tensor<5x6xf32> -> tensor<2x3x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.reshape %[[A]] : tensor<2x3x6xf32> -> tensor<6x6xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.reshape %[[DY]] : tensor<2x3x5xf32> -> tensor<6x5xf32>
// CHECK-DAG: %[[G6:[0-9]+]] = graph.transpose %[[G4]] [1, 0] : tensor<6x6xf32> -> tensor<6x6xf32>
// CHECK-DAG: %[[G7:[0-9]+]] = graph.matmul %[[G6]], %[[G5]] : tensor<6x6xf32>, tensor<6x5xf32> -> tensor<6x5xf32>
// CHECK: return %{{.*}}, %[[G3]], %[[G7]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [2, 3, 6], normal, 0.5>] : tensor<2x3x6xf32>
  %b = graph.parameter [#graph.part<"b", [6, 5], normal, 0.5>] : tensor<6x5xf32>
  %y = graph.matmul %a, %b : tensor<2x3x6xf32>, tensor<6x5xf32> -> tensor<2x3x5xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2] : tensor<2x3x5xf32> -> tensor<1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A transposed weight gets its gradient as it is stored, without a transpose of the result.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x5xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.transpose %[[DY]] [1, 0] : tensor<4x5xf32> -> tensor<5x4xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.matmul %[[G2]], %[[X]] : tensor<5x4xf32>, tensor<4x6xf32> -> tensor<5x6xf32>
// CHECK: return %{{.*}}, %[[G3]]
func.func @main(%x: tensor<4x6xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [5, 6], normal, 0.5>] : tensor<5x6xf32>
  %b = graph.transpose %w [1, 0] : tensor<5x6xf32> -> tensor<6x5xf32>
  %y = graph.matmul %x, %b : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<4x5xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x5xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Batched, both sides.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1x1xf32> -> tensor<2x3x4x5xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.transpose %[[B]] [0, 1, 3, 2] : tensor<2x3x6x5xf32> -> tensor<2x3x5x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.matmul %[[DY]], %[[G2]] : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.transpose %[[A]] [0, 1, 3, 2] : tensor<2x3x4x6xf32> -> tensor<2x3x6x4xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.matmul %[[G4]], %[[DY]] : tensor<2x3x6x4xf32>, tensor<2x3x4x5xf32> -> tensor<2x3x6x5xf32>
// CHECK: return %{{.*}}, %[[G3]], %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [2, 3, 4, 6], normal, 0.5>] : tensor<2x3x4x6xf32>
  %b = graph.parameter [#graph.part<"b", [2, 3, 6, 5], normal, 0.5>] : tensor<2x3x6x5xf32>
  %y = graph.matmul %a, %b : tensor<2x3x4x6xf32>, tensor<2x3x6x5xf32> -> tensor<2x3x4x5xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2, 3] : tensor<2x3x4x5xf32> -> tensor<1x1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Batched with a transposed key: its gradient as it is stored.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Q:[0-9]+]] = graph.parameter [#graph.part<"q"
// CHECK: %[[B:[0-9]+]] = graph.transpose %{{.*}} [0, 2, 1]
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1xf32> -> tensor<2x4x4xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.transpose %[[B]] [0, 2, 1] : tensor<2x6x4xf32> -> tensor<2x4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.matmul %[[DY]], %[[G2]] : tensor<2x4x4xf32>, tensor<2x4x6xf32> -> tensor<2x4x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.transpose %[[DY]] [0, 2, 1] : tensor<2x4x4xf32> -> tensor<2x4x4xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.matmul %[[G4]], %[[Q]] : tensor<2x4x4xf32>, tensor<2x4x6xf32> -> tensor<2x4x6xf32>
// CHECK: return %{{.*}}, %[[G3]], %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %q = graph.parameter [#graph.part<"q", [2, 4, 6], normal, 0.5>] : tensor<2x4x6xf32>
  %k = graph.parameter [#graph.part<"k", [2, 4, 6], normal, 0.5>] : tensor<2x4x6xf32>
  %b = graph.transpose %k [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
  %y = graph.matmul %q, %b : tensor<2x4x6xf32>, tensor<2x6x4xf32> -> tensor<2x4x4xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2] : tensor<2x4x4xf32> -> tensor<1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// softmax: of its result.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.softmax %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK: %[[P:[0-9]+]] = graph.mul %[[DY]], %[[Y]]
// CHECK-DAG: %[[G2:[0-9]+]] = graph.softmax_grad %[[Y]], %[[P]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.softmax %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// rms_norm: both gradients share the normalised rows; the weight's is a sum over all rows.
// CHECK-LABEL: func.func @main(
// CHECK: %[[X:[0-9]+]] = graph.parameter [#graph.part<"x"
// CHECK: %[[W:[0-9]+]] = graph.parameter [#graph.part<"w"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1xf32> -> tensor<2x3x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[X]], %[[X]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.reduce mean %[[G2]] axes [2] : tensor<2x3x6xf32> -> tensor<2x3x1xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.constant dense<9.99999974E-6> : tensor<2x3x1xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.add %[[G3]], %[[G4]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.rsqrt %[[G5]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.broadcast %[[G6]] : tensor<2x3x1xf32> -> tensor<2x3x6xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.mul %[[X]], %[[G7]]
// CHECK-DAG: %[[G9:[0-9]+]] = graph.reshape %[[W]] : tensor<6xf32> -> tensor<1x1x6xf32>
// CHECK-DAG: %[[G10:[0-9]+]] = graph.broadcast %[[G9]] : tensor<1x1x6xf32> -> tensor<2x3x6xf32>
// CHECK-DAG: %[[G11:[0-9]+]] = graph.mul %[[DY]], %[[G10]]
// CHECK-DAG: %[[G12:[0-9]+]] = graph.mul %[[G11]], %[[G8]]
// CHECK-DAG: %[[G13:[0-9]+]] = graph.reduce mean %[[G12]] axes [2] : tensor<2x3x6xf32> -> tensor<2x3x1xf32>
// CHECK-DAG: %[[G14:[0-9]+]] = graph.broadcast %[[G13]] : tensor<2x3x1xf32> -> tensor<2x3x6xf32>
// CHECK-DAG: %[[G15:[0-9]+]] = graph.mul %[[G8]], %[[G14]]
// CHECK-DAG: %[[G16:[0-9]+]] = graph.sub %[[G11]], %[[G15]]
// CHECK-DAG: %[[G17:[0-9]+]] = graph.broadcast %[[G6]] : tensor<2x3x1xf32> -> tensor<2x3x6xf32>
// CHECK-DAG: %[[G18:[0-9]+]] = graph.mul %[[G17]], %[[G16]]
// CHECK-DAG: %[[G19:[0-9]+]] = graph.mul %[[DY]], %[[G8]]
// CHECK-DAG: %[[G20:[0-9]+]] = graph.reduce sum %[[G19]] axes [0, 1] : tensor<2x3x6xf32> -> tensor<1x1x6xf32>
// CHECK-DAG: %[[G21:[0-9]+]] = graph.reshape %[[G20]] : tensor<1x1x6xf32> -> tensor<6xf32>
// CHECK: return %{{.*}}, %[[G18]], %[[G21]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %x = graph.parameter [#graph.part<"x", [2, 3, 6], normal, 0.5>] : tensor<2x3x6xf32>
  %w = graph.parameter [#graph.part<"w", [6], normal, 0.5>] : tensor<6xf32>
  %y = graph.rms_norm %x, %w epsilon 1.0e-5 : tensor<2x3x6xf32>, tensor<6xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2] : tensor<2x3x6xf32> -> tensor<1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// layer_norm with a bias: centred, and the bias's gradient is the sum of dy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[X:[0-9]+]] = graph.parameter [#graph.part<"x"
// CHECK: %[[W:[0-9]+]] = graph.parameter [#graph.part<"w"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.reduce mean %[[X]] axes [1] : tensor<3x6xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.broadcast %[[G2]] : tensor<3x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.sub %[[X]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[G4]], %[[G4]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.reduce mean %[[G5]] axes [1] : tensor<3x6xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[G7:[0-9]+]] = graph.constant dense<9.99999974E-6> : tensor<3x1xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.add %[[G6]], %[[G7]]
// CHECK-DAG: %[[G9:[0-9]+]] = graph.rsqrt %[[G8]]
// CHECK-DAG: %[[G10:[0-9]+]] = graph.broadcast %[[G9]] : tensor<3x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G11:[0-9]+]] = graph.mul %[[G4]], %[[G10]]
// CHECK-DAG: %[[G12:[0-9]+]] = graph.reshape %[[W]] : tensor<6xf32> -> tensor<1x6xf32>
// CHECK-DAG: %[[G13:[0-9]+]] = graph.broadcast %[[G12]] : tensor<1x6xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G14:[0-9]+]] = graph.mul %[[DY]], %[[G13]]
// CHECK-DAG: %[[G15:[0-9]+]] = graph.mul %[[G14]], %[[G11]]
// CHECK-DAG: %[[G16:[0-9]+]] = graph.reduce mean %[[G15]] axes [1] : tensor<3x6xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[G17:[0-9]+]] = graph.broadcast %[[G16]] : tensor<3x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G18:[0-9]+]] = graph.mul %[[G11]], %[[G17]]
// CHECK-DAG: %[[G19:[0-9]+]] = graph.reduce mean %[[G14]] axes [1] : tensor<3x6xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[G20:[0-9]+]] = graph.broadcast %[[G19]] : tensor<3x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G21:[0-9]+]] = graph.sub %[[G14]], %[[G20]]
// CHECK-DAG: %[[G22:[0-9]+]] = graph.sub %[[G21]], %[[G18]]
// CHECK-DAG: %[[G23:[0-9]+]] = graph.broadcast %[[G9]] : tensor<3x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G24:[0-9]+]] = graph.mul %[[G23]], %[[G22]]
// CHECK-DAG: %[[G25:[0-9]+]] = graph.mul %[[DY]], %[[G11]]
// CHECK-DAG: %[[G26:[0-9]+]] = graph.reduce sum %[[G25]] axes [0] : tensor<3x6xf32> -> tensor<1x6xf32>
// CHECK-DAG: %[[G27:[0-9]+]] = graph.reshape %[[G26]] : tensor<1x6xf32> -> tensor<6xf32>
// CHECK-DAG: %[[G28:[0-9]+]] = graph.reduce sum %[[DY]] axes [0] : tensor<3x6xf32> -> tensor<1x6xf32>
// CHECK-DAG: %[[G29:[0-9]+]] = graph.reshape %[[G28]] : tensor<1x6xf32> -> tensor<6xf32>
// CHECK: return %{{.*}}, %[[G24]], %[[G27]], %[[G29]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %x = graph.parameter [#graph.part<"x", [3, 6], normal, 0.5>] : tensor<3x6xf32>
  %w = graph.parameter [#graph.part<"w", [6], normal, 0.5>] : tensor<6xf32>
  %b = graph.parameter [#graph.part<"b", [6], normal, 0.5>] : tensor<6xf32>
  %y = graph.layer_norm %x, %w, %b epsilon 1.0e-5 : tensor<3x6xf32>, tensor<6xf32>, tensor<6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<3x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// layer_norm of an input: the weight's gradient alone.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.reduce mean %[[X]] axes [1] : tensor<3x6xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.broadcast %[[G2]] : tensor<3x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.sub %[[X]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[G4]], %[[G4]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.reduce mean %[[G5]] axes [1] : tensor<3x6xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[G7:[0-9]+]] = graph.constant dense<9.99999974E-6> : tensor<3x1xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.add %[[G6]], %[[G7]]
// CHECK-DAG: %[[G9:[0-9]+]] = graph.rsqrt %[[G8]]
// CHECK-DAG: %[[G10:[0-9]+]] = graph.broadcast %[[G9]] : tensor<3x1xf32> -> tensor<3x6xf32>
// CHECK-DAG: %[[G11:[0-9]+]] = graph.mul %[[G4]], %[[G10]]
// CHECK-DAG: %[[G12:[0-9]+]] = graph.mul %[[DY]], %[[G11]]
// CHECK-DAG: %[[G13:[0-9]+]] = graph.reduce sum %[[G12]] axes [0] : tensor<3x6xf32> -> tensor<1x6xf32>
// CHECK-DAG: %[[G14:[0-9]+]] = graph.reshape %[[G13]] : tensor<1x6xf32> -> tensor<6xf32>
// CHECK: return %{{.*}}, %[[G14]]
func.func @main(%x: tensor<3x6xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [6], normal, 0.5>] : tensor<6xf32>
  %y = graph.layer_norm %x, %w epsilon 1.0e-5 : tensor<3x6xf32>, tensor<6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<3x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// embedding: the rows of dy summed by index.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[IDS:[a-z0-9]+]]:
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1xf32> -> tensor<2x3x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.embedding_grad %[[DY]], %[[IDS]] : tensor<2x3x6xf32>, tensor<2x3xi32> -> tensor<7x6xf32>
// CHECK: return %{{.*}}, %[[G2]]
func.func @main(%ids: tensor<2x3xi32> {graph.name = "ids"}) -> (tensor<f32> {graph.name = "loss"}) {
  %table = graph.parameter [#graph.part<"table", [7, 6], normal, 0.5>] : tensor<7x6xf32>
  %y = graph.embedding %table, %ids : tensor<7x6xf32>, tensor<2x3xi32> -> tensor<2x3x6xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2] : tensor<2x3x6xf32> -> tensor<1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// cross_entropy: an op of its own, with the same ignored target and smoothing.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[T:[a-z0-9]+]]:
// CHECK: %[[X:[0-9]+]] = graph.parameter [#graph.part<"x"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1xf32> -> tensor<4xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.cross_entropy_grad %[[X]], %[[T]], %[[DY]] ignored 2 smoothing 1.000000e-01
// CHECK: return %{{.*}}, %[[G2]]
func.func @main(%t: tensor<4xi32> {graph.name = "t"}) -> (tensor<f32> {graph.name = "loss"}) {
  %x = graph.parameter [#graph.part<"x", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.cross_entropy %x, %t ignored 2 smoothing 0.1 : tensor<4x6xf32>, tensor<4xi32> -> tensor<4xf32>
  %sum = graph.reduce sum %y axes [0] : tensor<4xf32> -> tensor<1xf32>
  %loss = graph.reshape %sum : tensor<1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
