//===- KernelDialect.h - The kernel dialect ---------------------*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_H
#define HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Kernel/KernelDialect.h.inc"
#include "dialects/Kernel/KernelEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace heddle::kernel {

/// Counts of the attention_forward skeleton before the strides: batch, heads, key_heads, query_length,
/// key_length.
constexpr int64_t kAttentionLengths = 5;
/// Strides: batch, head, sequence for each of query, key, value and out.
constexpr int64_t kAttentionStrides = 12;
/// Buffers of attention_forward before those of the generated functions: query, key, value, out.
constexpr int64_t kAttentionBuffers = 4;

/// Attribute of a count (i64): every launch gives a multiple of it.
constexpr llvm::StringLiteral kDivisorAttr = "kernel.divisor";
/// Attribute of a buffer (i64): bytes that its address is a multiple of, where that is less than a plan's
/// 256.
constexpr llvm::StringLiteral kAlignmentAttr = "kernel.alignment";

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_H
