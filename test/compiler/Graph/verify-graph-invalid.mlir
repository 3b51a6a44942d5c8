// What the graph phase may not leave.
// RUN: heddle-opt %s --split-input-file --verify-graph -verify-diagnostics

// expected-error@below {{no function @main}}
module {
}

// -----

// expected-error@below {{wanted only func.func @main at module level, found 'func.func' @helper}}
func.func @helper() {
  return
}

// -----

// expected-error@below {{@main has no body}}
func.func private @main(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error@below {{@main returns nothing}}
func.func @main() {
  return
}

// -----

// expected-error@below {{argument 0 of @main has no graph.name}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {graph.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{result 0 of @main has no graph.name}}
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{argument 0 of @main has a graph.name that is empty}}
func.func @main(%x: tensor<4xf32> {graph.name = ""}) -> (tensor<4xf32> {graph.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{argument 1 of @main: the name "x" is taken by another argument}}
func.func @main(%x: tensor<4xf32> {graph.name = "x"}, %z: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{argument 0 of @main has type 'f32', wanted a tensor of static extents}}
func.func @main(%x: f32 {graph.name = "x"}) -> (f32 {graph.name = "y"}) {
  return %x : f32
}

// -----

func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  // expected-error@below {{'graph.group' is made by the fusion phase and may not stand here}}
  %y = graph.group rows "neg" {
    %0 = graph.neg %x : tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  // expected-error@below {{'arith.constant' is no op of the graph dialect}}
  %c = arith.constant 1 : i32
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %a = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // expected-error@below {{part "w" was described otherwise before: #graph.part<"w", [4], normal, 2.000000e-02 : f64>}}
  %b = graph.parameter [#graph.part<"w", [4], constant, 1.0>] : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// Kernels take a symbol as one count.
func.func @main(%x: tensor<4xf32, #graph.dims<["seq"]>> {graph.name = "x"}) -> (tensor<4xf32, #graph.dims<["seq"]>> {graph.name = "y"}) {
  // expected-error@below {{symbol "seq" is 5 here and 4 before}}
  %i = graph.iota 0 : tensor<5xi32, #graph.dims<["seq"]>>
  return %x : tensor<4xf32, #graph.dims<["seq"]>>
}

// -----

func.func @main(%x: tensor<4x3xf32, #graph.dims<["batch", "seq"]>> {graph.name = "x"}) -> (tensor<4x3xf32, #graph.dims<["batch", "seq"]>> {graph.name = "y"}) {
  // expected-error@below {{extent 13 is called "batch*seq", which is 12}}
  %i = graph.iota 0 : tensor<13xi32, #graph.dims<["batch*seq"]>>
  return %x : tensor<4x3xf32, #graph.dims<["batch", "seq"]>>
}

// -----

// The product of two symbols of which neither is known.
// expected-error@below {{symbol "batch" occurs in "batch*seq" alone, so that its value is not known}}
func.func @main(%x: tensor<12x5xf32, #graph.dims<["batch*seq", ""]>> {graph.name = "x"}) -> (tensor<12x5xf32, #graph.dims<["batch*seq", ""]>> {graph.name = "y"}) {
  return %x : tensor<12x5xf32, #graph.dims<["batch*seq", ""]>>
}

// -----

// expected-error@below {{result 0 of @main: the name "x" is taken by an argument}}
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "x"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{result 0 of @main has a graph.name that safetensors files have for themselves}}
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "__metadata__"}) {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  // expected-error@below {{has a part with a name that is empty}}
  %w = graph.parameter [#graph.part<"", [4], normal, 0.5>] : tensor<4xf32>
  %y = graph.add %x, %w : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error@below {{result 0 of @main has a graph.name that is no UTF-8}}
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "\FF"}) {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  // expected-error@below {{has a part with a name that is no UTF-8}}
  %w = graph.parameter [#graph.part<"w\FF", [4], normal, 0.5>] : tensor<4xf32>
  %y = graph.add %x, %w : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xbf16> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // expected-error@below {{is kept, wanted it assigned where its parameter is, found only the parameter assigned}}
  %c = graph.cast %w kept : tensor<4xf32> -> tensor<4xbf16>
  graph.assign %w, %x : tensor<4xf32>
  return %c : tensor<4xbf16>
}

// -----

func.func @main(%x: tensor<4xbf16> {graph.name = "x"}) -> (tensor<4xbf16> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // expected-error@below {{is kept, wanted it assigned where its parameter is, found only the copy assigned}}
  %c = graph.cast %w kept : tensor<4xf32> -> tensor<4xbf16>
  graph.assign %c, %x : tensor<4xbf16>
  return %c : tensor<4xbf16>
}

// -----

func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xbf16> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  %c = graph.cast %w kept : tensor<4xf32> -> tensor<4xbf16>
  graph.assign %w, %x : tensor<4xf32>
  // expected-error@below {{changes a kept cast, wanted the cast of what its parameter is assigned}}
  graph.assign %c, %c : tensor<4xbf16>
  return %c : tensor<4xbf16>
}
