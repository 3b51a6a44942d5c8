// What cannot be lowered, each with its reason.
// RUN: heddle-opt %s --split-input-file --lower-to-plan --verify-diagnostics

// expected-error @below {{no function @main}}
module {
}

// -----

// expected-error @below {{symbol "batch" occurs in "batch*seq" alone, so that its value is not known}}
func.func @main(%x: tensor<6xf32, #graph.dims<["batch*seq"]>>) -> tensor<6xf32, #graph.dims<["batch*seq"]>> {
  %0 = graph.group rows "exp" {
    %1 = graph.exp %x : tensor<6xf32, #graph.dims<["batch*seq"]>>
    graph.yield %1 : tensor<6xf32, #graph.dims<["batch*seq"]>>
  } : tensor<6xf32, #graph.dims<["batch*seq"]>>
  return %0 : tensor<6xf32, #graph.dims<["batch*seq"]>>
}

// -----

// expected-error @below {{symbol "batch" is 3 here and 2 before}}
func.func @main(%x: tensor<2xf32, #graph.dims<["batch"]>>, %y: tensor<3xf32, #graph.dims<["batch"]>>) -> tensor<2xf32, #graph.dims<["batch"]>> {
  %0 = graph.group rows "exp" {
    %1 = graph.exp %x : tensor<2xf32, #graph.dims<["batch"]>>
    graph.yield %1 : tensor<2xf32, #graph.dims<["batch"]>>
  } : tensor<2xf32, #graph.dims<["batch"]>>
  return %0 : tensor<2xf32, #graph.dims<["batch"]>>
}

// -----

func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{cannot lower the group "matmul": a rows group cannot hold graph.matmul}}
  %0 = graph.group rows "matmul" {
    %1 = graph.matmul %x, %y : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @main(%x: tensor<6x4xf32>) -> tensor<3x8xf32> {
  %t = graph.transpose %x [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %r = graph.reshape %t : tensor<4x6xf32> -> tensor<3x8xf32>
  // expected-error @below {{cannot lower the group "exp": exp: extents 6 and 8 do not divide each other}}
  %0 = graph.group rows "exp" {
    %1 = graph.exp %r : tensor<3x8xf32>
    graph.yield %1 : tensor<3x8xf32>
  } : tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

func.func @main(%x: tensor<8x3xf32>) -> tensor<5xf32> {
  %s = graph.slice %x offsets [0, 1] strides [1, 1] : tensor<8x3xf32> -> tensor<8x2xf32>
  %r = graph.reshape %s : tensor<8x2xf32> -> tensor<16xf32>
  %p = graph.slice %r offsets [2] strides [1] : tensor<16xf32> -> tensor<5xf32>
  // expected-error @below {{exp: the reshape merges dimensions that a slice or broadcast has taken apart}}
  %0 = graph.group rows "exp" {
    %1 = graph.exp %p : tensor<5xf32>
    graph.yield %1 : tensor<5xf32>
  } : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @main(%x: tensor<1x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %b = graph.broadcast %x : tensor<1x4xf32> -> tensor<4x4xf32>
  // expected-error @below {{an operand of the product cannot be read in place}}
  %0 = graph.group product "matmul" {
    %1 = graph.matmul %b, %y : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @main(%q: tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>>) -> tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>> {
  // expected-error @below {{cannot lower the group "attention": head dimensions must be static}}
  %0 = graph.group attention "attention" {
    %1 = graph.attention %q, %q, %q scale 0.5 : tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>>, tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>>, tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>> -> tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>>
    graph.yield %1 : tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>>
  } : tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>>
  return %0 : tensor<1x2x4x8xf32, #graph.dims<["", "", "", "width"]>>
}

// -----

func.func @main(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>) -> tensor<1x2x4x8xf32> {
  %t = graph.transpose %k [0, 1, 3, 2] : tensor<1x2x8x4xf32> -> tensor<1x2x4x8xf32>
  // expected-error @below {{cannot lower the group "attention": key: heads do not lie evenly with contiguous vectors}}
  %0 = graph.group attention "attention" {
    %1 = graph.attention %q, %t, %q scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>
    graph.yield %1 : tensor<1x2x4x8xf32>
  } : tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}

// -----

func.func @main(%q: tensor<1x2x4x8xf32>, %m: tensor<2x2x4xi1>) -> tensor<1x2x4x8xf32> {
  %t = graph.transpose %m [1, 0, 2] : tensor<2x2x4xi1> -> tensor<2x2x4xi1>
  %r = graph.reshape %t : tensor<2x2x4xi1> -> tensor<1x1x4x4xi1>
  // expected-error @below {{cannot lower the group "attention": mask or bias does not lie evenly}}
  %0 = graph.group attention "attention" {
    %1 = graph.attention %q, %q, %q mask %r : tensor<1x1x4x4xi1> scale 0.5 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32> -> tensor<1x2x4x8xf32>
    graph.yield %1 : tensor<1x2x4x8xf32>
  } : tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}
