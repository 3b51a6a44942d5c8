//===- Passes.td - Passes of the lowering phase ------------*- tablegen -*-===//
#ifndef HEDDLE_LOWERING_PASSES_TD
#define HEDDLE_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToPlan : Pass<"lower-to-plan", "::mlir::ModuleOp"> {
  let summary = "Groups become kernels and products, the function a plan.program";
  let description = [{
    Every value that a group gives, and every input, parameter, state and constant, becomes a buffer; a value that
    `graph.assign` takes is in its leaf's. Groups become launches of `kernel.func` ops (the same text once) or products.
    Views vanish: they are in the accesses.

    Groups that depend on no input and no leaf become steps of phase init; where @main has `graph.prepared`, those that
    depend on parameters alone, too, and kept casts in any case, which are states without parts. What results that are no gradients depend on is phase forward; of the rest, what
    depends on a state is phase optimizer, and what does not is phase backward.
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect", "::heddle::plan::PlanDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [
    Option<"model", "model", "std::string", "\"model\"", "Name of the model">,
    Option<"device", "device", "std::string", "\"cpu\"", "cpu or cuda">,
    Option<"target", "target", "std::string", "\"\"", "sm_80, sm_90a, x86-64-v3 or x86-64-v4">,
    Option<"pipeline", "pipeline", "std::string", "\"compiled\"", "compiled or eager">,
    Option<"mode", "mode", "std::string", "\"forward\"", "forward, backward, step or accumulate">,
    Option<"precision", "precision", "std::string", "\"fp32\"", "fp32, tf32, bf16 or bf16-true">
  ];
}

#endif
