//===- Passes.td - Precision policies ----------------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_PRECISION_PASSES_TD
#define HEDDLE_COMPILER_PRECISION_PASSES_TD

include "mlir/Pass/PassBase.td"

def OutputTypes : Pass<"output-types", "::mlir::ModuleOp"> {
  let summary = "Says which types a precision policy gives the outputs";
  let description = [{
    Floating results of @main get `graph.element`: the type that `precision` with `rounding=eager` gives them in the graph as
    it is. Run before the graph is simplified: `x` to the power of 2 is float32 under autocast, `x * x`, which it becomes,
    is what `x` is. Outputs of eager and compiled execution so have the same types. Nothing under `fp32` and `tf32`.
  }];
  let options = [Option<"policy", "policy", "std::string", "\"fp32\"", "fp32, tf32, bf16 or bf16-true">];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

def Precision : Pass<"precision", "::mlir::ModuleOp"> {
  let summary = "Casts by a precision policy";
  let description = [{
    `fp32` and `tf32` leave the graph as it is: tf32 is a matter of the products' mode. `bf16` casts as torch.autocast
    does, by the table in PolicyTable.cpp; outputs get the type that autocast gives them, or that `output-types` has found. Casts that are in the graph stay.

    `bf16-true` is a model that was converted as a whole, as `model.to(torch.bfloat16)` does: parameters are bf16, and an
    op has the widest of its operands' types; none but a loss asks for float32. Its kernels compute in float32 and round
    once all the same. Compiled, sums that several ops read (the residual stream) are bf16 in memory, too. Gradients have
    their parameters' type, their norm is float32.

    What `graph.assign` takes is cast to the type of its leaf; states stay as they are.

    `prepare-weights`, under `bf16`: a parameter that is only read through casts to bf16 becomes bf16 itself, and @main gets
    `graph.prepared`, by which steps that depend on parameters alone run once. The same bits as without it.

    `rounding=fused`, where @main changes its parameters: the cast of one that products read is `kept` from run to run, and
    written together with the parameter.

    `rounding=eager`: the types of torch.autocast, op by op. Parameters are cast once, activations at each use. A cast
    that is a kernel of its own in PyTorch is a plain cast; one that a kernel does while it reads (a mixed-type sum) or
    writes (a bf16 tensor times a constant) is `implicit`, and belongs to the kernel of the op that reads the wide value
    or makes it.

    `rounding=fused`: every cast is `implicit`, made once for all its uses. Elementwise ops between products compute in
    float32 and are rounded once, where a product or an output reads them. The sum of a product and its bias is rounded
    as well: that is the type to store it in, where it is stored.
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"fp32\"", "fp32, tf32, bf16 or bf16-true">,
    Option<"prepareWeights", "prepare-weights", "bool", "false", "Keep weights in the type that they are read in">,
    Option<"rounding", "rounding", "std::string", "\"fused\"", "eager or fused">];
  let statistics = [Statistic<"numCasts", "casts", "Casts put in">,
                    Statistic<"numPrepared", "prepared weights", "Parameters that became bf16">,
                    Statistic<"numKept", "kept copies", "Casts of parameters that live from run to run">];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

#endif
