//===- Passes.td - Passes of the fusion phase --------------*- tablegen -*-===//
#ifndef HEDDLE_FUSION_PASSES_TD
#define HEDDLE_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def EagerGroups : Pass<"eager-groups", "::mlir::func::FuncOp"> {
  let summary = "One group for each op of PyTorch's, as eager execution runs them";
  let description = [{
    Views stay outside: they move no data. Operands that their reader cannot take through views are copied first
    (`graph.copy`, a group of its own), as PyTorch makes them contiguous: once for all products that read them. An op that
    computes what `graph.assign` takes writes it over the leaf, or a copy at the end does where the leaf is still read.

    Ops that gradients and the optimizer mark as one kernel of PyTorch's are one group; what they mark as computed by each
    reader is in the groups of its readers (dialects/Graph/OneKernel.h). Where a leaf takes a new value under a condition, what
    matters under that condition alone reads the new value from the leaf.
  }];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

def FormGroups : Pass<"form-groups", "::mlir::func::FuncOp"> {
  let summary = "Groups ops by kind: attention, row sums, product, rows";
  let description = [{
    First the groups that are formed from one op: attention and its gradient take the views that lead to the only reader of
    a result, so that it is written in the layout that is read; row sums (`graph.embedding_grad`) take the casts next to
    them; a product takes what the library's epilogues do. Then rows groups, greedily along edges of the graph, most bytes
    saved first, while the ops share an iteration space, no cycle appears and the resource model allows. Ops that depend on
    no input (masks, tables) stay apart from the others: they run once.

    With `sum-parts` a sum over the rows of what a group computes or reads is split (`graph.partial_sums`): that group sums
    its rows in parts, which the reduction adds up, where this saves bytes: the sum's operand is not read again, nor written
    where nobody else reads it, but partial sums are written and read.

    An op that computes what `graph.assign` takes writes it over the leaf where all other readers of the leaf run before
    and it reads the leaf element by element; else a copy at the end does. A rows group that writes over a leaf reads it
    only where it writes it.
  }];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
  let options = [Option<"maxBuffers", "max-buffers", "int64_t", "16", "Buffers that a rows group may touch">,
                 Option<"maxOps", "max-ops", "int64_t", "256", "Ops that a rows group may hold">,
                 Option<"sumParts", "sum-parts", "int64_t", "0",
                  "Parts in which a rows group sums rows of usual length on its way; 0: sums over rows stay whole">,
           Option<"ownEpilogues", "own-epilogues", "bool", "false",
                        "Products end in Heddle's own epilogues, which have SwiGLU's gate and a tanh as exact as float32">];
  let statistics = [Statistic<"merged", "edges merged", "Producer and consumer groups that became one">,
                    Statistic<"sums", "sums split", "Sums over rows that a kernel of the rows takes in parts">,
                    Statistic<"refused", "edges refused", "Edges that stayed between two groups">];
}

def VerifyFusion : Pass<"verify-fusion", "::mlir::func::FuncOp"> {
  let summary = "What the fusion phase leaves: groups that can run one after the other";
  let description = [{
    Every op that computes is in a group. Groups of kinds attention, product and row_sums hold one op that gives them their
    kind. A result of @main is a group's, each another. What `graph.assign` takes is a group's, which can write it over the
    leaf: all others have read that before, and it reads it at most where it writes it.
  }];
}

#endif
