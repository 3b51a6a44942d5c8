//===- Passes.td - Canonical form and raising --------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_GRAPH_PASSES_TD
#define HEDDLE_COMPILER_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

class Graph_Raising<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let options = [Option<"remarks", "remarks", "bool", "false", "Emit each match and each near miss as a remark">];
  let statistics = [Statistic<"numMatched", "matched", "Subgraphs raised">,
                    Statistic<"numMissed", "missed", "Near misses, each reported with its reason">];
}

def GraphCanonicalize : Pass<"graph-canonicalize", "::mlir::ModuleOp"> {
  let summary = "Exact folds and one form of what can be written in several";
  let description = [{
    The patterns of the dialect's ops, common subexpressions, and what spans ops: an elementwise op whose operands are
    broadcasts from one shape (or constants) is computed before the broadcast. Everything here keeps the bits of every
    result. Structural matching works on this form alone.
  }];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

def RaiseActivations : Graph_Raising<"raise-activations"> {
  let summary = "gelu and silu from written-out ops";
  let description = [{
    By algebra, on canonical form: what goes into tanh, erf or sigmoid is read as a polynomial in x, what is made of the
    function's value f as P(x) + Q(x) f, so that factors, halves and sums may come in any order, and cubes as pow or
    products. gelu tanh: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), or x times the sigmoid of twice that argument.
    gelu erf: x/2 (1 + erf(x / sqrt 2)). silu: x sigmoid(x). Constants may be off by 2^-22 of their size, which is two
    roundings to float32. A cast that the user wrote ends the match.

    Near misses are reported where the argument is GELU's: a value in between that others read, an op that is no product
    and no sum.
  }];
}

def RaiseNorms : Graph_Raising<"raise-norms"> {
  let summary = "rms_norm, layer_norm and softmax from written-out ops";
  let description = [{
    By structure, on canonical form, in any order of factors:
    rms_norm: x times the reciprocal root of mean(x*x) + epsilon, with or without a weight. layer_norm: the same of
    x - mean(x), or with the variance as mean(x*x) - mean(x)^2, with or without weight and bias. softmax: exp(x), of x
    less its row maximum or not, over its row sum. Statistics of the raised op are float32, as are most written-out
    ones. A cast that narrows between the root and the weight is the user's rounding and stays: the norm ends there.
  }];
}

def RaiseAttention : Graph_Raising<"raise-attention"> {
  let summary = "graph.attention from products, masks and softmax";
  let description = [{
    By structure, on canonical form: a product of softmax probabilities and values, where the softmax's operand comes
    from a product by constant factors, added biases, selects of -inf (or of at most -1e30) and casts that do not
    narrow. The softmax may be normalised after the second product. A mask is causal when its condition is, by the
    arithmetic of its indices, key <= query + Sk - Sq; other conditions become the mask operand. Key and value heads
    that are repeated for groups of query heads are read unrepeated. Operands of rank 2 and 3 get extents of 1.

    Not raised, and reported: probabilities or scores that others read, a narrowing cast of the scores that the user
    wrote, products whose result is wider than the operands, masks that hide every key from some queries by the
    arithmetic of their indices (NaN as written, zeros in graph.attention; where the data alone can tell, it is raised).
  }];
}

def VerifyGraph : Pass<"verify-graph", "::mlir::ModuleOp"> {
  let summary = "What the graph phase leaves: one @main of named graph values, no groups";
  let description = [{
    The module holds exactly one function, @main, of graph ops and a return; arguments and results are named; nothing is
    grouped yet.
  }];
}

#endif
