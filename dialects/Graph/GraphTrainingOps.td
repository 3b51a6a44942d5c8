//===- GraphTrainingOps.td - Losses and gradients ----------*- tablegen -*-===//
//
// The loss, and the gradients that frameworks compute as one step. All other gradients are built of the ops that
// forward passes are built of.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_GRAPH_TRAINING_OPS_TD
#define HEDDLE_GRAPH_TRAINING_OPS_TD

include "dialects/Graph/GraphBase.td"

def Graph_CrossEntropyOp : Graph_Pure<"cross_entropy", [Graph_Differentiable]> {
  let summary = "Cross-entropy of each row of logits with its target";
  let description = [{
    logits [..., V] and targets [...] → [...], float32: logsumexp(x) - (1 - s) x_target - s mean(x), with label smoothing s
    (Szegedy et al., arXiv:1512.00567; PyTorch's formula). A target equal to `ignored` gives 0, and no gradient. Any other
    target outside [0, V) is an error when the input is set. The mean over the valid ones is written out by who builds the
    loss.

    Example: `%l = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<4x512x10000xf32>, tensor<4x512xi32> -> tensor<4x512xf32>`.
  }];
  let arguments = (ins Graph_Float:$logits, Graph_Int:$targets, I64Attr:$ignored, F64Attr:$smoothing);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = [{
    $logits `,` $targets `ignored` $ignored `smoothing` $smoothing attr-dict `:` type($logits) `,` type($targets) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_CrossEntropyGradOp : Graph_Pure<"cross_entropy_grad", [AllTypesMatch<["logits", "result"]>]> {
  let summary = "Gradient of cross_entropy by the logits";
  let description = [{
    gradient [...] is that of the result. (softmax(x) - (1 - s) [j = target] - s / V) gradient; rows whose target is
    `ignored` are exactly 0, whatever the gradient.

    Example: `%d = graph.cross_entropy_grad %x, %t, %g ignored -100 smoothing 0.0 : tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>`.
  }];
  let arguments = (ins Graph_Float:$logits, Graph_Int:$targets, Graph_Float:$gradient, I64Attr:$ignored,
                       F64Attr:$smoothing);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = [{
    $logits `,` $targets `,` $gradient `ignored` $ignored `smoothing` $smoothing attr-dict
    `:` type($result) `,` type($targets) `,` type($gradient)
  }];
  let hasVerifier = 1;
}

def Graph_EmbeddingGradOp : Graph_Pure<"embedding_grad", [AllElementTypesMatch<["gradient", "result"]>]> {
  let summary = "Sums of rows by index: the adjoint of embedding";
  let description = [{
    gradient [..., D] and indices [...] → [V, D]: row v is the sum of the gradient's rows whose index is v, in the order of
    the indices, in float32, rounded once. The same bits in every run.

    Example: `%d = graph.embedding_grad %g, %ids : tensor<4x512x768xf32>, tensor<4x512xi32> -> tensor<10000x768xf32>`.
  }];
  let arguments = (ins Graph_Float:$gradient, Graph_Int:$indices);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$gradient `,` $indices attr-dict `:` type($gradient) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_AttentionGradOp : Graph_Pure<"attention_grad", [
    AttrSizedOperandSegments, AttentionLike,
    AllElementTypesMatch<["query", "key", "value", "gradient", "dquery", "dkey", "dvalue"]>,
    AllTypesMatch<["query", "dquery"]>, AllTypesMatch<["key", "dkey"]>, AllTypesMatch<["value", "dvalue"]>]> {
  let summary = "Gradients of attention by query, key, value and bias";
  let description = [{
    Operands and attributes are those of `graph.attention` (which see for B, H, G, Sq, Sk, D, E), with `gradient`
    [B, H, Sq, E] of its result, `statistics` f32 [2, B, H, Sq] as it gave them, m and n, and `delta` f32 [B, H, Sq], the sum of
    gradient * result over E. The scores are computed again, so that memory is linear in Sq and Sk (Dao,
    arXiv:2307.08691). For each score s = cap(t) + bias of a key that is seen, t being the scaled product:

        p = exp(s - m) * n
        g = p * (sum over E of gradient * value - delta)
        dquery = scale * sum over keys of g * cap'(t) * key
        dkey   = scale * sum over queries of g * cap'(t) * query, of all heads that read the key
        dvalue = sum over queries of p * gradient, of all heads that read the value
        dbias  = g, 0 where the key is not seen

    A query that sees no key and a key that no query sees have gradients of zero. `dbias` is there where it is wanted: f32
    [B or 1, H or 1, Sq, Sk], 1 where the bias has one batch or one head, over which it is the sum. All sums are float32.

    ```mlir
    %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %g, %l, %d scale 0.125 causal
        : tensor<4x12x512x64xf32>, tensor<4x12x512x64xf32>, tensor<4x12x512x64xf32>, tensor<4x12x512x64xf32>,
          tensor<2x4x12x512xf32>, tensor<4x12x512xf32>
    ```
  }];
  let arguments = (ins Graph_Float:$query, Graph_Float:$key, Graph_Float:$value, Graph_Float:$gradient,
                       Graph_Float:$statistics, Graph_Float:$delta, Optional<Graph_Bool>:$mask, Optional<Graph_Float>:$bias,
                       F64Attr:$scale, OptionalAttr<F64Attr>:$softcap, UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs Graph_Float:$dquery, Graph_Float:$dkey, Graph_Float:$dvalue, Optional<Graph_Float>:$dbias);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $gradient `,` $statistics `,` $delta (`mask` $mask^ `:` type($mask))?
    (`bias` $bias^ `:` type($bias))? `scale` $scale (`softcap` $softcap^)? (`causal` $causal^)? (`window` $window^)?
    attr-dict `:` type($query) `,` type($key) `,` type($value) `,` type($gradient) `,` type($statistics) `,` type($delta)
    (`->` type($dbias)^)?
  }];
  let extraClassDeclaration = [{
    static unsigned numHeadOperands() { return 4; } // query, key, value, gradient
    static unsigned numHeadResults() { return 3; }
  }];
  let hasVerifier = 1;
}

def Graph_LikeOp : Graph_Pure<"like", [AllTypesMatch<["gradient", "result"]>, AllShapesMatch<["gradient", "value"]>]> {
  let summary = "A gradient in the elements of what it is the gradient of";
  let description = [{
    Where a value is rounded by a precision policy, its gradient is to be so, too: eager execution casts it, once for all
    readers, as PyTorch does. Autodiff puts one on each gradient that a reader gives, for eager execution alone; the
    precision phase makes a cast of it, or nothing.

    Example: `%h = graph.like %g, %x : tensor<4x8xf32>, tensor<4x8xf32>`.
  }];
  let arguments = (ins Graph_Float:$gradient, Graph_Float:$value);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$gradient `,` $value attr-dict `:` type($result) `,` type($value)";
}

def Graph_StateOp : Graph_Pure<"state"> {
  let summary = "A value that lives from run to run";
  let description = [{
    What an optimizer keeps: moments, its scalars. Its parts are named and shaped as those of graph.parameter are, and begin
    as constants; no file of weights gives them. `graph.assign` says what it is in the next run.

    `accumulates`: what is assigned to it belongs to backward, not to the optimizer, whose steps a run may leave out.

    Example: `%m = graph.state [#graph.part<"exp_avg.w", [8, 8], constant, 0.0>] : tensor<8x8xf32>`.
  }];
  let arguments = (ins UnitAttr:$accumulates, TypedArrayAttrBase<Graph_PartAttr, "parts">:$parts);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "(`accumulates` $accumulates^)? $parts attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_AssignOp : Graph_Op<"assign", [AllTypesMatch<["leaf", "value"]>]> {
  let summary = "What a leaf is from the next run on";
  let description = [{
    `leaf` is the result of graph.parameter, graph.state or a kept graph.cast, which is assigned once at most. In this run every reader,
    another assign too, sees the old value; the new one is written in place, after them.
    Example: `graph.assign %w, %updated : tensor<8x8xf32>`.
  }];
  let arguments = (ins Graph_Float:$leaf, Graph_Float:$value);
  let assemblyFormat = "$leaf `,` $value attr-dict `:` type($leaf)";
  let hasVerifier = 1;
}

def Graph_DropoutOp : Graph_Pure<"dropout", [
    AllTypesMatch<["operand", "result"]>, Graph_Elementwise, Graph_Differentiable,
    TypesMatchWith<"the index is i32, of the result's extents", "result", "index",
                   "::heddle::graph::withElementType(::llvm::cast<::mlir::RankedTensorType>($_self), ::mlir::IntegerType::get($_self.getContext(), 32))">,
    TypesMatchWith<"the key is i64, of the result's extents", "result", "key",
                   "::heddle::graph::withElementType(::llvm::cast<::mlir::RankedTensorType>($_self), ::mlir::IntegerType::get($_self.getContext(), 64))">]> {
  let summary = "x / (1 - probability) where a counter-based draw keeps the element, else 0";
  let description = [{
    Srivastava et al., JMLR 15 (2014), scaled as in PyTorch. Whether an element is kept is a function of `key`, `layer` and
    `index` alone, written down in runtime/base/Dropout.h: the same bits wherever and how often it is computed. Dropouts of
    one model have different layers. `key` says which run it is, one number of an input i64 [1] in [0, 2^53), stretched
    over all elements. `index` is the element's number in row-major order; it is an operand, so that the op computes
    each element from what is at its place and means the same through any view. Of `probability` 0 nothing is dropped, of 1
    everything, NaN too. The gradient is the dropout of the gradient.

    ```mlir
    %flat = graph.iota 0 : tensor<32xi32>
    %index = graph.reshape %flat : tensor<32xi32> -> tensor<4x8xi32>
    %ones = graph.reshape %dropout_key : tensor<1xi64> -> tensor<1x1xi64>
    %key = graph.broadcast %ones : tensor<1x1xi64> -> tensor<4x8xi64>
    %y = graph.dropout %x, %index, %key layer 3 probability 1.0e-1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Float:$operand, Graph_Int:$index, Graph_Int:$key, I64Attr:$layer, F64Attr:$probability);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$operand `,` $index `,` $key `layer` $layer `probability` $probability attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

class Graph_ActivationGrad<string opMnemonic, string text>
    : Graph_Pure<opMnemonic, [SameOperandsAndResultType, Graph_Elementwise]> {
  let summary = text;
  let arguments = (ins Graph_Float:$operand, Graph_Float:$gradient);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$operand `,` $gradient attr-dict `:` type($result)";
}

def Graph_SiluGradOp : Graph_ActivationGrad<"silu_grad", "gradient * s (1 + x (1 - s)), where s = sigmoid(x)"> {
  let description = "The gradient of silu at x. Example: `%d = graph.silu_grad %x, %g : tensor<4xf32>`.";
}

def Graph_GeluGradOp : Graph_ActivationGrad<"gelu_grad", "gradient * the derivative of gelu at x"> {
  let description = [{
    `erf`: Φ(x) + x φ(x), the normal distribution and its density; `tanh`: the derivative of the approximation.
    Example: `%d = graph.gelu_grad tanh %x, %g : tensor<4xf32>`.
  }];
  let arguments = (ins Graph_GeluAttr:$form, Graph_Float:$operand, Graph_Float:$gradient);
  let assemblyFormat = "$form $operand `,` $gradient attr-dict `:` type($result)";
}

def Graph_SoftmaxGradOp : Graph_Pure<"softmax_grad", [SameOperandsAndResultType]> {
  let summary = "p - y * sum(p) along the last dimension, where y is what softmax gave and p is gradient * y";
  let description = [{
    The product is an op of its own, as it is a kernel of its own in PyTorch. Computed in float32.
    Example: `%d = graph.softmax_grad %y, %p : tensor<4x12x512x512xf32>`.
  }];
  let arguments = (ins Graph_Float:$softmax, Graph_Float:$product);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$softmax `,` $product attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
