// Gradients of elementwise ops: dy is the broadcast of the loss's own gradient, 1.
// RUN: heddle-opt %s --split-input-file --autodiff | FileCheck %s

// neg: -dy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.neg %[[DY]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.neg %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// exp: dy e^x, which is the result.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.exp %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[DY]], %[[Y]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.exp %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// log: dy / x.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.div %[[DY]], %[[P]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.log %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// sqrt: dy / 2 / sqrt(x).
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.sqrt %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<5.000000e-01> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.mul %[[DY]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.div %[[G3]], %[[Y]]
// CHECK: return %{{.*}}, %[[G4]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.sqrt %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// rsqrt: -dy / 2 times the result's cube.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.rsqrt %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[Y]], %[[Y]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.mul %[[Y]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.constant dense<-5.000000e-01> : tensor<4x6xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[DY]], %[[G4]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.mul %[[G5]], %[[G3]]
// CHECK: return %{{.*}}, %[[G6]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.rsqrt %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// reciprocal: -dy / x^2.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.reciprocal %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[Y]], %[[Y]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.neg %[[DY]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.mul %[[G3]], %[[G2]]
// CHECK: return %{{.*}}, %[[G4]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.reciprocal %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// tanh: dy (1 - tanh^2).
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.tanh %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[Y]], %[[Y]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<1.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.sub %[[G3]], %[[G2]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[DY]], %[[G4]]
// CHECK: return %{{.*}}, %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.tanh %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// sigmoid: dy s (1 - s).
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.sigmoid %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<1.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.sub %[[G2]], %[[Y]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.mul %[[Y]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[DY]], %[[G4]]
// CHECK: return %{{.*}}, %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.sigmoid %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// sin: dy cos x.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.cos %[[P]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.mul %[[DY]], %[[G2]]
// CHECK: return %{{.*}}, %[[G3]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.sin %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// cos: -dy sin x.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.sin %[[P]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.neg %[[DY]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.mul %[[G3]], %[[G2]]
// CHECK: return %{{.*}}, %[[G4]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.cos %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// erf: dy 2 / sqrt(pi) e^(-x^2).
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[P]], %[[P]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.neg %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.exp %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.constant dense<1.12837923> : tensor<4x6xf32>
// CHECK-DAG: %[[G6:[0-9]+]] = graph.mul %[[DY]], %[[G5]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.mul %[[G6]], %[[G4]]
// CHECK: return %{{.*}}, %[[G7]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.erf %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// relu: dy where the result is positive: 0 at 0.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:[0-9]+]] = graph.relu %{{.*}}
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.compare gt %[[Y]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.select %[[G3]], %[[DY]], %[[G4]]
// CHECK: return %{{.*}}, %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.relu %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// abs: dy times the sign of x, 0 at 0.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.compare gt %[[P]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.select %[[G3]], %[[DY]], %[[G4]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.neg %[[DY]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.compare lt %[[P]], %[[G7]]
// CHECK-DAG: %[[G9:[0-9]+]] = graph.select %[[G8]], %[[G6]], %[[G5]]
// CHECK: return %{{.*}}, %[[G9]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.abs %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// silu: An op of its own, of the operand.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.silu_grad %[[P]], %[[DY]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.silu %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// gelu erf: The form stays.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.gelu_grad erf %[[P]], %[[DY]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.gelu erf %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// gelu tanh, as above.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.gelu_grad tanh %[[P]], %[[DY]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.gelu tanh %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// copy: A copy's gradient is no copy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[DY]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.copy %p : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// add: Both get dy itself.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[DY]], %[[DY]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.add %a, %b : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// sub: The second gets -dy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.neg %[[DY]]
// CHECK: return %{{.*}}, %[[DY]], %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.sub %a, %b : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// mul: Each gets dy times the other.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[DY]], %[[B]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.mul %[[DY]], %[[A]]
// CHECK: return %{{.*}}, %[[G2]], %[[G3]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.mul %a, %b : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// div: dy / b, and -dy y / b.
// CHECK-LABEL: func.func @main(
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[Y:[0-9]+]] = graph.div %{{.*}}, %[[B]]
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.div %[[DY]], %[[B]]
// CHECK-DAG: %[[G3:[0-9]+]] = graph.div %[[Y]], %[[B]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.neg %[[DY]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[G4]], %[[G3]]
// CHECK: return %{{.*}}, %[[G2]], %[[G5]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.div %a, %b : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// pow: dy b a^(b-1), 0 where b is 0; dy y ln a, 0 where a is 0.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[Y:[0-9]+]] = graph.pow %[[A]], %[[B]]
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<1.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.sub %[[B]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.pow %[[A]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[B]], %[[G4]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.mul %[[DY]], %[[G5]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G8:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G9:[0-9]+]] = graph.compare eq %[[B]], %[[G8]]
// CHECK-DAG: %[[G10:[0-9]+]] = graph.select %[[G9]], %[[G7]], %[[G6]]
// CHECK-DAG: %[[G11:[0-9]+]] = graph.log %[[A]]
// CHECK-DAG: %[[G12:[0-9]+]] = graph.mul %[[Y]], %[[G11]]
// CHECK-DAG: %[[G13:[0-9]+]] = graph.mul %[[DY]], %[[G12]]
// CHECK-DAG: %[[G14:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G15:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G16:[0-9]+]] = graph.compare eq %[[A]], %[[G15]]
// CHECK-DAG: %[[G17:[0-9]+]] = graph.select %[[G16]], %[[G14]], %[[G13]]
// CHECK: return %{{.*}}, %[[G10]], %[[G17]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.pow %a, %b : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// maximum: The larger gets dy, each half of it where both are equal.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<5.000000e-01> : tensor<4x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.mul %[[DY]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.compare eq %[[A]], %[[B]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.select %[[G5]], %[[G4]], %[[G2]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.compare gt %[[A]], %[[B]]
// CHECK-DAG: %[[G8:[0-9]+]] = graph.select %[[G7]], %[[DY]], %[[G6]]
// CHECK-DAG: %[[G9:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G10:[0-9]+]] = graph.constant dense<5.000000e-01> : tensor<4x6xf32>
// CHECK-DAG: %[[G11:[0-9]+]] = graph.mul %[[DY]], %[[G10]]
// CHECK-DAG: %[[G12:[0-9]+]] = graph.compare eq %[[B]], %[[A]]
// CHECK-DAG: %[[G13:[0-9]+]] = graph.select %[[G12]], %[[G11]], %[[G9]]
// CHECK-DAG: %[[G14:[0-9]+]] = graph.compare gt %[[B]], %[[A]]
// CHECK-DAG: %[[G15:[0-9]+]] = graph.select %[[G14]], %[[DY]], %[[G13]]
// CHECK: return %{{.*}}, %[[G8]], %[[G15]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.maximum %a, %b : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// minimum: The smaller gets dy.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:[0-9]+]] = graph.parameter [#graph.part<"a"
// CHECK: %[[B:[0-9]+]] = graph.parameter [#graph.part<"b"
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<5.000000e-01> : tensor<4x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.mul %[[DY]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.compare eq %[[A]], %[[B]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.select %[[G5]], %[[G4]], %[[G2]]
// CHECK-DAG: %[[G7:[0-9]+]] = graph.compare lt %[[A]], %[[B]]
// CHECK-DAG: %[[G8:[0-9]+]] = graph.select %[[G7]], %[[DY]], %[[G6]]
// CHECK-DAG: %[[G9:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G10:[0-9]+]] = graph.constant dense<5.000000e-01> : tensor<4x6xf32>
// CHECK-DAG: %[[G11:[0-9]+]] = graph.mul %[[DY]], %[[G10]]
// CHECK-DAG: %[[G12:[0-9]+]] = graph.compare eq %[[B]], %[[A]]
// CHECK-DAG: %[[G13:[0-9]+]] = graph.select %[[G12]], %[[G11]], %[[G9]]
// CHECK-DAG: %[[G14:[0-9]+]] = graph.compare lt %[[B]], %[[A]]
// CHECK-DAG: %[[G15:[0-9]+]] = graph.select %[[G14]], %[[DY]], %[[G13]]
// CHECK: return %{{.*}}, %[[G8]], %[[G15]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.minimum %a, %b : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// pow with a constant exponent: no choice at 0, and nothing for the exponent.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:[0-9]+]] = graph.parameter [#graph.part<"p"
// CHECK: %[[C:[0-9]+]] = graph.constant dense<3.000000e+00>
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.constant dense<2.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G4:[0-9]+]] = graph.pow %[[P]], %[[G3]]
// CHECK-DAG: %[[G5:[0-9]+]] = graph.mul %[[C]], %[[G4]]
// CHECK-DAG: %[[G6:[0-9]+]] = graph.mul %[[DY]], %[[G5]]
// CHECK: return %{{.*}}, %[[G6]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %c = graph.constant dense<3.0> : tensor<4x6xf32>
  %y = graph.pow %p, %c : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What an operand that is no parameter gets is not computed.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[DY]], %[[X]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main(%x: tensor<4x6xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.mul %p, %x : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// select: dy where it was chosen, else 0; the condition has no gradient.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[M:[a-z0-9]+]]:
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.select %[[M]], %[[DY]], %[[G2]]
// CHECK-DAG: %[[G4:[0-9]+]] = graph.constant dense<0.000000e+00> : tensor<4x6xf32>
// CHECK-DAG: %[[G5:[0-9]+]] = graph.select %[[M]], %[[G4]], %[[DY]]
// CHECK: return %{{.*}}, %[[G3]], %[[G5]]
func.func @main(%m: tensor<4x6xi1> {graph.name = "m"}) -> (tensor<f32> {graph.name = "loss"}) {
  %a = graph.parameter [#graph.part<"a", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %b = graph.parameter [#graph.part<"b", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.select %m, %a, %b : tensor<4x6xi1>, tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A cast's gradient is cast back; it rounds where the user's cast did.
// CHECK-LABEL: func.func @main(
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.cast %[[DY]] : tensor<4x6xf32> -> tensor<4x6xbf16>
// CHECK-DAG: %[[G3:[0-9]+]] = graph.cast %[[G2]] : tensor<4x6xbf16> -> tensor<4x6xf32>
// CHECK: return %{{.*}}, %[[G3]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.cast %p : tensor<4x6xf32> -> tensor<4x6xbf16>
  %wide = graph.cast %y : tensor<4x6xbf16> -> tensor<4x6xf32>
  %sum = graph.reduce sum %wide axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Integers carry no gradient: only the way that stays floating counts.
// CHECK-LABEL: func.func @main(
// CHECK: %[[F:[0-9]+]] = graph.cast %{{.*}} : tensor<4x6xi32> -> tensor<4x6xf32>
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[G2:[0-9]+]] = graph.mul %[[DY]], %[[F]]
// CHECK: return %{{.*}}, %[[G2]]
func.func @main() -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %i = graph.cast %p : tensor<4x6xf32> -> tensor<4x6xi32>
  %f = graph.cast %i : tensor<4x6xi32> -> tensor<4x6xf32>
  %y = graph.mul %p, %f : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The gradient is dropped where the value was: the same index, key, layer and probability.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[I:[a-z0-9]+]]: tensor<4x6xi32> {{.*}}, %[[K:[a-z0-9]+]]: tensor<4x6xi64>
// CHECK: %[[P:[0-9]+]] = graph.parameter
// CHECK: graph.dropout %[[P]], %[[I]], %[[K]] layer 7 probability 2.500000e-01
// CHECK: %[[DY:[0-9]+]] = graph.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x6xf32>
// CHECK: %[[DX:[0-9]+]] = graph.dropout %[[DY]], %[[I]], %[[K]] layer 7 probability 2.500000e-01
// CHECK: return %{{.*}}, %[[DX]]
func.func @main(%i: tensor<4x6xi32> {graph.name = "i"}, %k: tensor<4x6xi64> {graph.name = "k"}) -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.parameter [#graph.part<"p", [4, 6], normal, 0.5>] : tensor<4x6xf32>
  %y = graph.dropout %p, %i, %k layer 7 probability 0.25 : tensor<4x6xf32>
  %sum = graph.reduce sum %y axes [0, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
