//===- PlanInterfaces.td - Interfaces of the plan dialect --*- tablegen -*-===//
#ifndef HEDDLE_PLAN_INTERFACES_TD
#define HEDDLE_PLAN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Plan_StepInterface : OpInterface<"StepInterface"> {
  let cppNamespace = "::heddle::plan";
  let description = [{
    What a plan runs in order: launches, products and copies. The steps of a program are numbered by their order in its
    block, from 0.
  }];
  let methods = [
    InterfaceMethod<"When the step runs.", "::heddle::plan::Phase", "getPhase">,
    InterfaceMethod<"What a profile shows.", "::llvm::StringRef", "getLabel">,
    InterfaceMethod<"Every reference that is present, read or written, in the order of the operands.",
                    "::llvm::SmallVector<::heddle::plan::RefAttr>", "getRefs">,
  ];
}

#endif
