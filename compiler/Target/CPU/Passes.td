//===- Passes.td - Passes of the CPU target ----------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_PASSES_TD
#define HEDDLE_COMPILER_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TargetCpu : Pass<"target-cpu", "::heddle::plan::ProgramOp"> {
  let summary = "Compiles the kernels of a program to x86-64 objects";
  let description = [{
    Every `kernel.func` becomes a `plan.kernel` of the same symbol that holds an object, and every launch gets its
    `items`. Kernels compile in parallel. Kernels that differ in name alone are compiled once: the later ones go, and
    their launches name the first.
  }];
  let options = [Option<"target", "target", "std::string", "", "x86-64-v3 or x86-64-v4; empty: the program's target">];
  let statistics = [
    Statistic<"numCompiled", "compiled", "kernels compiled">,
    Statistic<"numShared", "shared", "kernels equal to an earlier one">,
    Statistic<"numRecomputed", "recomputed", "kernels whose kept rows do not fit on the stack and are recomputed">,
    Statistic<"numAliased", "aliased", "kernels that some launch gives one buffer twice, to read and to write">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def LowerKernelsCpu : Pass<"lower-kernels-cpu"> {
  let summary = "The first half of target-cpu alone: kernels to scf, vector and LLVM functions";
  let description = [{
    For looking at the loops and for tests. Each `kernel.func` is replaced by its exported and its internal function.
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v4\"", "x86-64-v3 or x86-64-v4">,
                 Option<"keepRows", "keep-rows", "bool", "true", "stack buffers for kept rows; else recompute">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif
