//===- Passes.td - Passes of the fusion phase --------------*- tablegen -*-===//
#ifndef HEDDLE_FUSION_PASSES_TD
#define HEDDLE_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def EagerGroups : Pass<"eager-groups", "::mlir::func::FuncOp"> {
  let summary = "One group for each op, as eager execution runs them";
  let description = [{
    Views stay outside: they move no data. Operands that their reader cannot take through views are copied first
    (`graph.copy`, a group of its own), as PyTorch makes them contiguous.
  }];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

def FormGroups : Pass<"form-groups", "::mlir::func::FuncOp"> {
  let summary = "Groups ops by kind: attention, product, rows";
  let description = [{
    First the groups that are formed from one op: attention takes the views that lead to its only reader, so that the result
    is written in the layout that is read; a product takes what the library's epilogues do. Then rows groups, greedily along
    edges of the graph, most bytes saved first, while the ops share an iteration space, no cycle appears and the resource
    model allows. Ops that depend on no input (masks, tables) stay apart from the others: they run once.
  }];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
  let options = [Option<"maxBuffers", "max-buffers", "int64_t", "16", "Buffers that a rows group may touch">,
                 Option<"maxOps", "max-ops", "int64_t", "256", "Ops that a rows group may hold">,
                 Option<"gatedProducts", "gated-products", "bool", "false",
                        "Products take silu(first half of their columns) * second half">];
  let statistics = [Statistic<"merged", "edges merged", "Producer and consumer groups that became one">,
                    Statistic<"refused", "edges refused", "Edges that stayed between two groups">];
}

#endif
