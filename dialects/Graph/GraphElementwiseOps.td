//===- GraphElementwiseOps.td - One element at a time ------*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_ELEMENTWISE_OPS_TD
#define HEDDLE_GRAPH_ELEMENTWISE_OPS_TD

include "dialects/Graph/GraphBase.td"

class Graph_Unary<string opMnemonic, Type type, string text, list<Trait> traits = []>
    : Graph_Pure<opMnemonic, traits # [SameOperandsAndResultType, Graph_Elementwise]> {
  let summary = text;
  let description = text # [{, element by element.}];
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Graph_NegOp : Graph_Unary<"neg", Graph_Number, "-x", [Graph_Differentiable]> { let hasFolder = 1; }
def Graph_AbsOp : Graph_Unary<"abs", Graph_Number, "|x|", [Graph_Differentiable]>;
def Graph_ExpOp : Graph_Unary<"exp", Graph_Float, "e to the x", [Graph_Differentiable]>;
def Graph_LogOp : Graph_Unary<"log", Graph_Float, "Natural logarithm", [Graph_Differentiable]>;
def Graph_SqrtOp : Graph_Unary<"sqrt", Graph_Float, "Square root", [Graph_Differentiable]>;
def Graph_RsqrtOp : Graph_Unary<"rsqrt", Graph_Float, "1 / sqrt(x)", [Graph_Differentiable]>;
def Graph_ReciprocalOp : Graph_Unary<"reciprocal", Graph_Float, "1 / x", [Graph_Differentiable]>;
def Graph_TanhOp : Graph_Unary<"tanh", Graph_Float, "Hyperbolic tangent", [Graph_Differentiable]>;
def Graph_SigmoidOp : Graph_Unary<"sigmoid", Graph_Float, "1 / (1 + exp(-x))", [Graph_Differentiable]>;
def Graph_ErfOp : Graph_Unary<"erf", Graph_Float, "Error function", [Graph_Differentiable]>;
def Graph_SinOp : Graph_Unary<"sin", Graph_Float, "Sine (radians)", [Graph_Differentiable]>;
def Graph_CosOp : Graph_Unary<"cos", Graph_Float, "Cosine (radians)", [Graph_Differentiable]>;
def Graph_ReluOp : Graph_Unary<"relu", Graph_Float, "max(x, 0)", [Graph_Differentiable]>;
def Graph_SiluOp : Graph_Unary<"silu", Graph_Float, "x * sigmoid(x)", [Graph_Differentiable]>;
def Graph_NotOp : Graph_Unary<"not", Graph_Bool, "Logical not"> { let hasFolder = 1; let hasCanonicalizer = 1; }

def Graph_GeluOp : Graph_Unary<"gelu", Graph_Float, "Gaussian error linear unit", [Graph_Differentiable]> {
  let description = [{
    `erf`: x/2 (1 + erf(x/sqrt 2)); `tanh`: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel,
    arXiv:1606.08415). Example: `%y = graph.gelu tanh %x : tensor<4xf32>`.
  }];
  let arguments = (ins Graph_GeluAttr:$form, Graph_Float:$operand);
  let assemblyFormat = "$form $operand attr-dict `:` type($result)";
}

class Graph_Binary<string opMnemonic, Type type, string text, list<Trait> traits = []>
    : Graph_Pure<opMnemonic, traits # [SameOperandsAndResultType, Graph_Elementwise]> {
  let summary = text;
  let description = text # [{, element by element; operands and result have one type.}];
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Graph_AddOp : Graph_Binary<"add", Graph_Number, "a + b", [Commutative, Graph_Differentiable]> { let hasFolder = 1; }
def Graph_SubOp : Graph_Binary<"sub", Graph_Number, "a - b", [Graph_Differentiable]> { let hasFolder = 1; }
def Graph_MulOp : Graph_Binary<"mul", Graph_Number, "a * b", [Commutative, Graph_Differentiable]> { let hasFolder = 1; }
def Graph_DivOp : Graph_Binary<"div", Graph_Float, "a / b", [Graph_Differentiable]> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Graph_PowOp : Graph_Binary<"pow", Graph_Float, "a to the power b", [Graph_Differentiable]> { let hasFolder = 1; let hasCanonicalizer = 1; }
def Graph_MaximumOp : Graph_Binary<"maximum", Graph_Number, "The larger; NaN when either is NaN", [Commutative, Graph_Differentiable]>;
def Graph_MinimumOp : Graph_Binary<"minimum", Graph_Number, "The smaller; NaN when either is NaN", [Commutative, Graph_Differentiable]>;
def Graph_AndOp : Graph_Binary<"and", Graph_Bool, "Logical and", [Commutative]> { let hasFolder = 1; }
def Graph_OrOp : Graph_Binary<"or", Graph_Bool, "Logical or", [Commutative]> { let hasFolder = 1; }

def Graph_CompareOp : Graph_Pure<"compare", [SameTypeOperands, SameOperandsAndResultShape, Graph_Elementwise]> {
  let summary = "Comparison, element by element";
  let description = [{
    Ordered: false when either operand is NaN, except `ne`, which is then true.
    Example: `%m = graph.compare ge %i, %j : tensor<4x4xi32> -> tensor<4x4xi1>`.
  }];
  let arguments = (ins Graph_PredicateAttr:$predicate, Graph_Number:$lhs, Graph_Number:$rhs);
  let results = (outs Graph_Bool:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_SelectOp : Graph_Pure<"select", [AllTypesMatch<["ifTrue", "ifFalse", "result"]>, Graph_Elementwise,
                                          SameOperandsAndResultShape, Graph_Differentiable]> {
  let summary = "The second operand where the first is true, else the third";
  let description = [{
    Example: `%y = graph.select %mask, %a, %b : tensor<4xi1>, tensor<4xf32>`.
  }];
  let arguments = (ins Graph_Bool:$condition, Graph_Tensor:$ifTrue, Graph_Tensor:$ifFalse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$condition `,` $ifTrue `,` $ifFalse attr-dict `:` type($condition) `,` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_CastOp : Graph_Pure<"cast", [SameOperandsAndResultShape, Graph_Elementwise, Graph_Differentiable]> {
  let summary = "Change of element type";
  let description = [{
    Floating to floating rounds to nearest even; floating to integer truncates; i1 becomes 0 or 1; to i1 is `!= 0`.
    A cast that the user wrote is a barrier: it rounds, also inside a fused kernel. One that the precision policy put in
    is marked `implicit`, and may be dropped between fused ops.

    `kept`: a parameter's copy in another floating type, which lives from run to run beside it. It is computed before the
    first run and where weights were given from outside, and is a leaf otherwise: where `graph.assign` changes the
    parameter, another changes the copy to the cast of the same value. The precision phase makes them. No file of weights
    has them, and a graph file that is read has plain casts.

    Example: `%y = graph.cast %x : tensor<4xf32> -> tensor<4xbf16>`.
  }];
  let arguments = (ins Graph_Tensor:$operand, UnitAttr:$implicit, UnitAttr:$kept);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand (`implicit` $implicit^)? (`kept` $kept^)? attr-dict `:` type($operand) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
