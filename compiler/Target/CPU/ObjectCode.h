//===- ObjectCode.h - From a lowered kernel to an object --------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_OBJECTCODE_H
#define HEDDLE_COMPILER_TARGET_CPU_OBJECTCODE_H

#include "compiler/Target/CPU/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::cpu {

/// What lowerKernel emitted, in a module of its own, to the LLVM dialect: expands math ops, then converts
/// everything.
llvm::LogicalResult convertToLLVM(mlir::ModuleOp module);

/// A relocatable ELF object of a module in the LLVM dialect: x86-64, position-independent, small code model,
/// relocations relative to the instruction only, no unwind tables, and nothing undefined: an op that LLVM
/// would turn into a library call is refused with a diagnostic. Same module, same bytes.
llvm::FailureOr<llvm::SmallVector<char, 0>> emitObject(mlir::ModuleOp module, const CpuTarget &target);

} // namespace heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_OBJECTCODE_H
