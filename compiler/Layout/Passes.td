//===- Passes.td - Placement of parameters -----------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_LAYOUT_PASSES_TD
#define HEDDLE_COMPILER_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def MergeProducts : Pass<"merge-products", "::mlir::ModuleOp"> {
  let summary = "Products of one left-hand side by several weights become one product";
  let description = [{
    Q, K and V; gate and up. The right-hand sides must be transposes of parameters [n_i, k], or of one cast of each, that
    nobody else reads. The merged parameter has their parts, one after the other: a placement, never a concatenation at
    run time. The products' results are slices of the merged one's. Where each result has a parameter added along its
    columns, those are merged alike, and what is sliced is the sum.

    A merged weight that is cast, by the graph or later by the precision phase (`cast-bytes`), is held as a whole, where products apart cast one weight after the other. Nothing is
    merged that is so larger or wider than the largest cast weight of the model, usually the head's, which sets the peak of
    a model that is not merged. (By widths alone: batch and sequence must not change which kernels there are.)

    Near misses are reported: a weight that others read, weights of other element types, a result of another type, a merge
    that would raise the peak.
  }];
  let options = [Option<"castBytes", "cast-bytes", "int64_t", "0",
                        "Bytes of the elements that float32 weights will be cast to for their products; 0: they will not be">,
                 Option<"remarks", "remarks", "bool", "false", "Emit each merge and each near miss as a remark">];
  let statistics = [Statistic<"numMerged", "merged", "Products that became part of another">,
                    Statistic<"numMissed", "missed", "Near misses, each reported with its reason">];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

#endif
