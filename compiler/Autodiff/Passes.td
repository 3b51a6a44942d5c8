//===- Passes.td - Gradients -------------------------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_AUTODIFF_PASSES_TD
#define HEDDLE_COMPILER_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def Autodiff : Pass<"autodiff", "::mlir::ModuleOp"> {
  let summary = "Gradients of the loss by every parameter, as further results of @main";
  let description = [{
    @main has a result called `loss`: one float32. In reverse order each op on a way from a parameter to it is asked for its
    vector-Jacobian product (DifferentiableOp); what several readers give a value is added up, in the order of the readers
    from the last on. Gradients of slices that do not overlap are put side by side instead. Each parameter has a name of its
    own: the importer makes one of those that are tied.

    Each gradient is a result `NAME.grad` with the attribute `graph.gradient`, the parameter's parts; results that were
    there stay. A parameter that the loss does not depend on gets none, and a remark. An op without a gradient on such a way
    is an error that names it and the parameter.

    With `optimizer`, gradients are no results: AdamW (AdamW.h) assigns each parameter its next value, its moments are
    states, and the norm of all gradients is the result `grad_norm`. With `accumulate` as well, the optimizer takes the sum of
    the gradients of several runs (GradientSums.h).

    With `eager`, marks say which of the ops that it makes are one kernel in PyTorch (dialects/Graph/OneKernel.h), and
    gradients are rounded as their values are (`graph.like`).
  }];
  let options = [Option<"optimizer", "optimizer", "bool", "false",
                        "Update the parameters by AdamW instead of giving the gradients out">,
                 Option<"accumulate", "accumulate", "bool", "false", "Add gradients up over runs; with optimizer">,
                 Option<"eager", "eager", "bool", "false", "Say what PyTorch's kernels and roundings are">];
  let statistics = [Statistic<"numGradients", "gradients", "Parameters with a gradient">];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

#endif
