// Gradients of views, concatenation and reductions.
// RUN: heddle-opt %s --split-input-file --autodiff | FileCheck %s

// reshape: the other way.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<2x12xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.reshape %[[DY]] : tensor<2x12xf32> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.reshape %p : tensor<4x6xf32> -> tensor<2x12xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<2x12xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// transpose: the inverse permutation, which is not the same one.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1xf32> -> tensor<3x4x2xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.transpose %[[DY]] [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [2, 3, 4], normal, 0.5>] : tensor<2x3x4xf32>
  %y = graph.transpose %p [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2] : tensor<3x4x2xf32> -> tensor<1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// broadcast: the sum over what was repeated; an extent that was 1 and stays so is none.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1xf32> -> tensor<4x6x1xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.reduce sum %[[DY]] axes [0] : tensor<4x6x1xf32> -> tensor<1x6x1xf32>
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [1, 6, 1], normal, 0.5>] : tensor<1x6x1xf32>
  %y = graph.broadcast %p : tensor<1x6x1xf32> -> tensor<4x6x1xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2] : tensor<4x6x1xf32> -> tensor<1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// slice: zeros around it, along each dimension that was cut.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<2x5xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<1x5xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<1x5xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.concat %[[G2]], %[[DY]], %[[G3]] axis 0 : tensor<1x5xf32>, tensor<2x5xf32>, tensor<1x5xf32> -> tensor<4x5xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x1xf32>
// CHECK-DAG: %[[G6:[0-9]+]] = graph.concat %[[G4]], %[[G5]] axis 1 : tensor<4x5xf32>, tensor<4x1xf32> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[G6]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.slice %p offsets [1, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<2x5xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<2x5xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// slice with a stride: one column of [elements, stride], joined again.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x3xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.reshape %[[DY]] : tensor<4x3xf32> -> tensor<4x3x1xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x3x1xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.concat %[[G3]], %[[G2]] axis 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32> -> tensor<4x3x2xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.reshape %[[G4]] : tensor<4x3x2xf32> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.slice %p offsets [0, 1] strides [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x3xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// slice with a stride that reaches past the end: what lies there is cut off; an offset above the stride puts whole
// columns in front.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1xf32> -> tensor<2xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.reshape %[[DY]] : tensor<2xf32> -> tensor<2x1xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<2x1xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<2x1xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.concat %[[G3]], %[[G2]], %[[G4]] axis 1 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
// CHECK-DAG: %[[G6:[0-9]+]] = graph.reshape %[[G5]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-DAG: %[[G7:[0-9]+]] = graph.slice %[[G6]] offsets [0] strides [1] : tensor<6xf32> -> tensor<5xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-DAG: %[[G9:[0-9]+]] = graph.concat %[[G8]], %[[G7]] axis 0 : tensor<3xf32>, tensor<5xf32> -> tensor<8xf32>
// CHECK: return %{{.*}}, %[[G9]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [8], normal, 0.5>] : tensor<8xf32>
  %y = graph.slice %p offsets [4] strides [3] : tensor<8xf32> -> tensor<2xf32>
  %sum = graph.reduce sum %y axes [0] : tensor<2xf32> -> tensor<1xf32>
  %loss = graph.reshape %sum : tensor<1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The same at the highest rank, where there is no room for a dimension more: the others are joined to two around it.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1x1x1x1x1xf32> -> tensor<2x3x2x2x2x4xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.reshape %[[DY]] : tensor<2x3x2x2x2x4xf32> -> tensor<2x3x1x32xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<2x3x1x32xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.concat %[[G3]], %[[G2]] axis 2 : tensor<2x3x1x32xf32>, tensor<2x3x1x32xf32> -> tensor<2x3x2x32xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.reshape %[[G4]] : tensor<2x3x2x32xf32> -> tensor<2x6x2x2x2x4xf32>
// CHECK: return %{{.*}}, %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [2, 6, 2, 2, 2, 4], normal, 0.5>] : tensor<2x6x2x2x2x4xf32>
  %y = graph.slice %p offsets [0, 1, 0, 0, 0, 0] strides [1, 2, 1, 1, 1, 1] : tensor<2x6x2x2x2x4xf32> -> tensor<2x3x2x2x2x4xf32>
  %sum = graph.reduce sum %y axes [0, 1, 2, 3, 4, 5] : tensor<2x3x2x2x2x4xf32> -> tensor<1x1x1x1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1x1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// slice of one element with a stride: the stride says nothing.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G1:[0-9]+]] = graph.reshape %{{.*}} : tensor<f32> -> tensor<1xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<5xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.concat %[[G2]], %[[G1]], %[[G3]] axis 0 : tensor<5xf32>, tensor<1xf32>, tensor<2xf32> -> tensor<8xf32>
// CHECK: return %{{.*}}, %[[G4]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [8], normal, 0.5>] : tensor<8xf32>
  %y = graph.slice %p offsets [5] strides [3] : tensor<8xf32> -> tensor<1xf32>
  %sum = graph.reduce sum %y axes [0] : tensor<1xf32> -> tensor<1xf32>
  %loss = graph.reshape %sum : tensor<1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// concat: a slice for each parameter; what is no parameter gets none.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.slice %[[DY]] offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.slice %[[DY]] offsets [0, 5] strides [1, 1] : tensor<4x6xf32> -> tensor<4x1xf32>
// CHECK: return %{{.*}}, %[[G2]], %[[G3]]
func.func @main(%x: tensor<4x3xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 2], normal, 0.5>] : tensor<4x2xf32>
  %b = graph.parameter [#graph.part<"b", [4, 1], normal, 0.5>] : tensor<4x1xf32>
  %y = graph.concat %a, %x, %b axis 1 : tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32> -> tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// reduce sum: broadcast.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.broadcast %[[DY]] : tensor<4x1xf32> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.reduce sum %p axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x1xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// reduce mean: divided by the count first, on the small side.
// CHECK-LABEL: func.func @main(
// CHECK: %[[G1:[0-9]+]] = graph.reshape %{{.*}} : tensor<f32> -> tensor<1x1xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<2.400000e+01> : tensor<1x1xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.div %[[G1]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.broadcast %[[G3]] : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[G4]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.reduce mean %p axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<1x1xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// reduce mean over a symbolic extent: the count is computed, so that no kernel depends on its value.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<1x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<1.000000e+00> : tensor<4x6xf32, #dimsbatch_>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.reduce sum %[[G2]] axes [0] : tensor<4x6xf32, #dimsbatch_> -> tensor<1x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.div %[[DY]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.broadcast %[[G4]] : tensor<1x6xf32> -> tensor<4x6xf32, #dimsbatch_>
// CHECK-DAG: %[[G6:[0-9]+]] = graph.reduce sum %[[G5]] axes [0] : tensor<4x6xf32, #dimsbatch_> -> tensor<1x6xf32>
// CHECK-DAG: %[[G7:[0-9]+]] = graph.reshape %[[G6]] : tensor<1x6xf32> -> tensor<6xf32>
// CHECK: return %{{.*}}, %[[G7]]
#d = #graph.dims<["batch", ""]>
func.func @main(%x: tensor<4x6xf32, #d> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [6], normal, 0.5>] : tensor<6xf32>
  %r = graph.reshape %p : tensor<6xf32> -> tensor<1x6xf32>
  %b = graph.broadcast %r : tensor<1x6xf32> -> tensor<4x6xf32, #d>
  %y = graph.reduce mean %b axes [0] : tensor<4x6xf32, #d> -> tensor<1x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<1x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// reduce max: shared among those that are the maximum.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[Y:[0-9]+]] = graph.reduce max %[[P]] axes [1]
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.broadcast %[[Y]] : tensor<4x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.compare eq %[[P]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.cast %[[G3]] : tensor<4x6xi1> -> tensor<4x6xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.reduce sum %[[G4]] axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[G6:[0-9]+]] = graph.div %[[DY]], %[[G5]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.broadcast %[[G6]] : tensor<4x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.mul %[[G4]], %[[G7]]
// CHECK: return %{{.*}}, %[[G8]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.reduce max %p axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x1xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// reduce min: the same.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[Y:[0-9]+]] = graph.reduce min %[[P]] axes [0]
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<1x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.broadcast %[[Y]] : tensor<1x6xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.compare eq %[[P]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.cast %[[G3]] : tensor<4x6xi1> -> tensor<4x6xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.reduce sum %[[G4]] axes [0] : tensor<4x6xf32> -> tensor<1x6xf32>
// CHECK-DAG: %[[G6:[0-9]+]] = graph.div %[[DY]], %[[G5]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.broadcast %[[G6]] : tensor<1x6xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.mul %[[G4]], %[[G7]]
// CHECK: return %{{.*}}, %[[G8]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.reduce min %p axes [0] : tensor<4x6xf32> -> tensor<1x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<1x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
