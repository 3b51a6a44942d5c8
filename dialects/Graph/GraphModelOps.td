//===- GraphModelOps.td - Products and named model ops -----*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_MODEL_OPS_TD
#define HEDDLE_GRAPH_MODEL_OPS_TD

include "dialects/Graph/GraphBase.td"

def Graph_MatmulOp : Graph_Pure<"matmul", [Graph_Differentiable, AllElementTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Matrix product over the last two dimensions";
  let description = [{
    [..., M, K] × [..., K, N] → [..., M, N] with equal leading dimensions, or a right-hand side of rank 2 for all of
    them. Sums are float32. The result has the operands' element type, or f32.
    Example: `%y = graph.matmul %x, %w : tensor<4x512x768xf32>, tensor<768x3072xf32> -> tensor<4x512x3072xf32>`.
  }];
  let arguments = (ins Graph_Float:$lhs, Graph_Float:$rhs);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_SoftmaxOp : Graph_Pure<"softmax", [Graph_Differentiable, SameOperandsAndResultType]> {
  let summary = "exp(x - max) / sum along the last dimension";
  let description = [{
    Computed in float32. A row of -inf alone gives NaN, as the formula does.
    Example: `%y = graph.softmax %x : tensor<4x12x512x512xf32>`.
  }];
  let arguments = (ins Graph_Float:$operand);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_LayerNormOp : Graph_Pure<"layer_norm", [Graph_Differentiable, AllTypesMatch<["operand", "result"]>]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * weight + bias, over the last dimension";
  let description = [{
    The variance is the biased one. Statistics in float32 (Ba, Kiros and Hinton, arXiv:1607.06450). Weight and bias have
    the extent of the last dimension.
    Example: `%y = graph.layer_norm %x, %w, %b epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>`.
  }];
  let arguments = (ins Graph_Float:$operand, Graph_Float:$weight, Optional<Graph_Float>:$bias, F64Attr:$epsilon);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = [{
    $operand `,` $weight (`,` $bias^)? `epsilon` $epsilon attr-dict `:` type($result) `,` type($weight) (`,` type($bias)^)?
  }];
  let hasVerifier = 1;
}

def Graph_RmsNormOp : Graph_Pure<"rms_norm", [Graph_Differentiable, AllTypesMatch<["operand", "result"]>]> {
  let summary = "x / sqrt(mean(x^2) + epsilon) * weight, over the last dimension";
  let description = [{
    Statistics in float32 (Zhang and Sennrich, arXiv:1910.07467). Weight has the extent of the last dimension. Written
    out by the importer, found again by raising.
    Example: `%y = graph.rms_norm %x, %w epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>`.
  }];
  let arguments = (ins Graph_Float:$operand, Graph_Float:$weight, F64Attr:$epsilon);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$operand `,` $weight `epsilon` $epsilon attr-dict `:` type($result) `,` type($weight)";
  let hasVerifier = 1;
}

def Graph_EmbeddingOp : Graph_Pure<"embedding", [Graph_Differentiable, AllElementTypesMatch<["table", "result"]>]> {
  let summary = "Rows of a table by index";
  let description = [{
    [V, D] and indices [...] → [..., D]. An index outside [0, V) is an error when the input is set.
    Example: `%y = graph.embedding %table, %ids : tensor<10000x768xf32>, tensor<4x512xi32> -> tensor<4x512x768xf32>`.
  }];
  let arguments = (ins Graph_Float:$table, Graph_Int:$indices);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$table `,` $indices attr-dict `:` type($table) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_AttentionOp : Graph_Pure<"attention", [
    AttrSizedOperandSegments, AttentionLike, DeclareOpInterfaceMethods<DifferentiableOp, ["keepForVjp"]>,
    AllElementTypesMatch<["query", "key", "value", "result"]>]> {
  let summary = "softmax(cap(scale * q kᵀ) + bias, where the mask allows) v";
  let description = [{
    query [B, H, Sq, D], key [B, G, Sk, D], value [B, G, Sk, E] → [B, H, Sq, E]; G divides H and head h reads group
    h / (H / G). `causal` is anchored at the last key: query i sees key j where j <= i + Sk - Sq. `window` narrows it: key j
    only where also j > i + Sk - Sq - window, so that a window of 1 is the query's own key alone (Mistral's
    sliding_window). `softcap` c takes each scaled score s to c * tanh(s / c), before bias and mask (Gemma 2). `mask` (i1,
    true where seen) and `bias` (added to the scaled and capped scores) have rank 4 and extents equal to [B, H, Sq, Sk] or
    a static 1. Scores, softmax and sums are float32. A query that sees no key gives zeros; a bias that is finite hides no
    key, however small. What frameworks offer as scaled_dot_product_attention; written out by the importer, found again by
    raising.

    `statistics`, f32 [2, B, H, Sq], are there where a gradient wants them: m, the largest of the scores that softmax sees or
    nearly so, and n = 1 / (the sum of exp(score - m) over them), so that exp(score - m) * n is a probability to one float32
    rounding or two, however large the scores are; one number, m - log(n), would lose 2^-24 of itself. Zeros for a query that
    sees no key. Only functions of m - log(n), the logarithm of the sum of the exponentials, are independent of how m is
    rounded, and only those have the gradient that they should.

    ```mlir
    %y = graph.attention %q, %k, %v scale 0.125 softcap 50.0 causal window 4096
        : tensor<4x12x512x64xf32>, tensor<4x12x512x64xf32>, tensor<4x12x512x64xf32> -> tensor<4x12x512x64xf32>
    %z, %l = graph.attention %q, %k, %v scale 0.125
        : tensor<4x12x512x64xf32>, tensor<4x12x512x64xf32>, tensor<4x12x512x64xf32> -> tensor<4x12x512x64xf32>, tensor<2x4x12x512xf32>
    ```
  }];
  let arguments = (ins Graph_Float:$query, Graph_Float:$key, Graph_Float:$value, Optional<Graph_Bool>:$mask,
                       Optional<Graph_Float>:$bias, F64Attr:$scale, OptionalAttr<F64Attr>:$softcap,
                       UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs Graph_Float:$result, Optional<Graph_Float>:$statistics);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^ `:` type($mask))? (`bias` $bias^ `:` type($bias))?
    `scale` $scale (`softcap` $softcap^)? (`causal` $causal^)? (`window` $window^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) `->` type($result) (`,` type($statistics)^)?
  }];
  let extraClassDeclaration = [{
    /// Soft caps lie between this and its reciprocal: float32 holds both.
    static constexpr double kLeastSoftcap = 1e-30;
    static unsigned numHeadOperands() { return 3; } // query, key, value
    static unsigned numHeadResults() { return 1; }
  }];
  let hasVerifier = 1;
}

def Graph_GroupOp : Graph_Op<"group", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "Ops that become one kernel or product";
  let description = [{
    Made by the fusion phase. The region reads values from outside directly; what others need is yielded. `rows` groups
    are generated whole, `attention` groups hold one `graph.attention` or `graph.attention_grad`, `product` groups
    one `graph.matmul`, `row_sums` groups one `graph.embedding_grad`; each may hold views, casts and, for products, what
    the epilogue takes, for attention, what computes a padding mask. Attention's groups yield all results of the op, in
    order. A result that `graph.assign` takes is written over its leaf. `reasons` says why neighbours are not in the group.

    ```mlir
    %y = graph.group rows "add+mul" {
      %0 = graph.add %a, %b : tensor<4xf32>
      %1 = graph.mul %0, %b : tensor<4xf32>
      graph.yield %1 : tensor<4xf32>
    } : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_GroupKindAttr:$kind, StrAttr:$label, OptionalAttr<StrArrayAttr>:$reasons);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind $label $body attr-dict `:` type($results)";
  let hasRegionVerifier = 1;
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator, HasParent<"GroupOp">, ReturnLike]> {
  let summary = "The results of a group";
  let description = "Example: `graph.yield %1 : tensor<4xf32>`.";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif
