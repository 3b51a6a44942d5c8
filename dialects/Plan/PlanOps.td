//===- PlanOps.td - Ops of the plan dialect ----------------*- tablegen -*-===//
#ifndef HEDDLE_PLAN_OPS_TD
#define HEDDLE_PLAN_OPS_TD

include "dialects/Plan/PlanDialect.td"
include "dialects/Plan/PlanInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class Plan_Op<string opMnemonic, list<Trait> traits = []> : Op<Plan_Dialect, opMnemonic, traits>;
class Plan_Child<string opMnemonic, list<Trait> traits = []> : Plan_Op<opMnemonic, traits # [HasParent<"ProgramOp">]>;
class Plan_Step<string opMnemonic> : Plan_Child<opMnemonic, [
    DeclareOpInterfaceMethods<Plan_StepInterface, ["getRefs"]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Plan_ProgramOp : Plan_Op<"program", [IsolatedFromAbove, SymbolTable, Symbol, SingleBlock, NoTerminator]> {
  let summary = "A plan";
  let description = [{
    Holds buffers, kernels (`plan.kernel`, or `kernel.func` until the target phase) and steps, and nothing else. `symbols`
    gives the value that each symbolic dimension of the model has in this plan, as i64. The artifact does not keep the
    program's name.

    ```mlir
    plan.program @plan attributes {model = "study:small", device = "cuda", target = "sm_90a", pipeline = "compiled",
                                   mode = "forward", precision = "bf16", symbols = {batch = 4 : i64}} {
      plan.buffer @x input tensor<4x768xf32>
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$model, StrAttr:$device, StrAttr:$target, StrAttr:$pipeline,
                       StrAttr:$mode, StrAttr:$precision, DictionaryAttr:$symbols, DefaultValuedAttr<I64Attr, "0">:$arenaBytes,
                       DefaultValuedAttr<I64Attr, "0">:$workspaceBytes, DefaultValuedAttr<F64Attr, "0.0">:$matrixFlops);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// The steps in order.
    ::llvm::SmallVector<StepInterface> getSteps();
    /// The buffers in order.
    auto getBuffers() { return getBody().getOps<BufferOp>(); }
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Plan_BufferOp : Plan_Child<"buffer", [Symbol]> {
  let summary = "Memory of a plan";
  let description = [{
    `type` gives shape and elements (f32, bf16, f16, i32, i64, i1 in a byte each, ui8); contiguous, row-major. `bytes` is
    set where the buffer is larger than that. `parts` are the tensors of the state dict in a parameter; `data` are the
    values of a constant that no step computes. `indexLimit` is set on integer inputs whose values index something (token
    ids): every value must be in [0, indexLimit), or `ignoredIndex`, where that is set (targets that count for nothing).
    `panel` is set on a parameter that tiled products alone read: so many of its rows are stored together, transposed
    (runtime/plan/Panels.h). `pitch` is set on an output whose rows, of the last dimension, lie so many elements apart.
    `firstStep`, `lastStep` and `offset` are set by memory planning; a buffer without an offset has an allocation of its
    own.

    Example: `plan.buffer @x input tensor<4x512xi32> {location = "ids"}`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_RoleAttr:$role, TypeAttrOf<AnyRankedTensor>:$type,
                       OptionalAttr<TypedArrayAttrBase<Plan_PartAttr, "parts">>:$parts,
                       OptionalAttr<ElementsAttr>:$data, OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$firstStep,
                       OptionalAttr<I64Attr>:$lastStep, OptionalAttr<I64Attr>:$ignoredIndex,
                       DefaultValuedAttr<StrAttr, "\"\"">:$location,
                       DefaultValuedAttr<I64Attr, "0">:$bytes, DefaultValuedAttr<I64Attr, "0">:$indexLimit,
                       DefaultValuedAttr<I64Attr, "0">:$panel, DefaultValuedAttr<I64Attr, "0">:$pitch);
  let assemblyFormat = "$sym_name `` $role $type attr-dict";
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    ::mlir::Type getElementType() { return getTensorType().getElementType(); }
    /// `bytes`, or what shape and elements take where that is 0.
    int64_t getByteSize();
  }];
  let hasVerifier = 1;
}

def Plan_KernelOp : Plan_Child<"kernel", [Symbol]> {
  let summary = "A compiled kernel, or its text";
  let description = [{
    For CUDA: `source` is CUDA C++ and `binary` a cubin, or absent: then the source is compiled at load; `threads` is the
    block's size and `sharedBytes` its dynamic shared memory. For the CPU: `binary` is a relocatable object. `target` is
    what the kernel was made for ("sm_90a", "x86-64-v3").

    Example: `plan.kernel @add cuda "sm_90a" {source = "…", threads = 128 : i64}`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_LanguageAttr:$language, StrAttr:$target, StrAttr:$source,
                       OptionalAttr<DenseI8ArrayAttr>:$binary, DefaultValuedAttr<I64Attr, "0">:$threads,
                       DefaultValuedAttr<I64Attr, "0">:$sharedBytes);
  let assemblyFormat = "$sym_name `` $language $target attr-dict";
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Step<"launch"> {
  let summary = "Runs a kernel";
  let description = [{
    `kernel` names a `kernel.func` until the target phase, a `plan.kernel` after it; `grid` (CUDA) or `items` (CPU) are set
    by the target phase. Buffers and counts are those of the kernel, in its order; `maps` are further arguments, set by
    the target phase where the kernel's copies are made by the tensor unit.

    A batched kernel runs on `instances` instances in one launch: `buffers` and `counts` are those of the first, then those
    of the second, and so on. Instances run in any order and at the same time. `shares`, set by the target phase with grid or
    items, is how many blocks or items each has; the grid is along x.

    Example: `plan.launch @add [#plan.ref<@a>, #plan.ref<@b>] counts [4, 512] phase forward`, and of two instances
    `plan.launch @cast_batch [#plan.ref<@a>, #plan.ref<@b>, #plan.ref<@c>, #plan.ref<@d>] counts [512, 64] phase forward
    {instances = 2 : i64}`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, TypedArrayAttrBase<Plan_RefAttr, "references">:$buffers,
                       DenseI64ArrayAttr:$counts, Plan_PhaseAttr:$phase, OptionalAttr<DenseI64ArrayAttr>:$grid,
                       OptionalAttr<I64Attr>:$items,
                       OptionalAttr<TypedArrayAttrBase<Plan_TensorMapAttr, "tensor maps">>:$maps,
                       DefaultValuedAttr<StrAttr, "\"\"">:$label, DefaultValuedAttr<StrAttr, "\"\"">:$location,
                       OptionalAttr<DenseI64ArrayAttr>:$shares, DefaultValuedAttr<I64Attr, "1">:$instances);
  let extraClassDeclaration = [{
    /// One instance's counts.
    ::llvm::ArrayRef<int64_t> getCountsOf(int64_t instance);
    /// One instance's buffers.
    ::llvm::SmallVector<RefAttr> getBuffersOf(int64_t instance);
  }];
  let assemblyFormat = "$kernel $buffers `counts` $counts `phase` `` $phase attr-dict";
  let hasVerifier = 1;
}

def Plan_ProductOp : Plan_Step<"product"> {
  let summary = "d = epilogue(alpha a b + beta c)";
  let description = [{
    For each of `batch` matrices: a is m x k, b is k x n, c and d are m x n and not transposed; bias has n elements. With
    math f32 and tf32, a and b are f32; with math low, both are bf16 or both f16. `algorithm`: on CUDA the library's own
    choice, opaque; on the CPU `tiled` for Heddle's own, `tiled:32` where b is a parameter in panels of 32 rows
    (runtime/plan/CpuAlgorithm.h); without it the device's library and
    its heuristic decide. With epilogue silu_mul, which the tiled products alone have, d is m x (n / 2): the silu of the first half
    of the columns times the second, without c.

    ```mlir
    plan.product 4 x 8 x 16 math f32 epilogue none phase forward {
      a = #plan.matrix<ref = <@a>, elementType = f32, ld = 16, batchStride = 0, transposed = false>,
      b = #plan.matrix<ref = <@b>, elementType = f32, ld = 8, batchStride = 0, transposed = false>,
      d = #plan.matrix<ref = <@d>, elementType = f32, ld = 8, batchStride = 0, transposed = false>}
    ```
  }];
  let arguments = (ins I64Attr:$m, I64Attr:$n, I64Attr:$k, DefaultValuedAttr<I64Attr, "1">:$batch,
                       Plan_MatrixAttr:$a, Plan_MatrixAttr:$b, OptionalAttr<Plan_MatrixAttr>:$c, Plan_MatrixAttr:$d,
                       DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<F64Attr, "0.0">:$beta,
                       Plan_MathModeAttr:$math, Plan_EpilogueAttr:$epilogue, OptionalAttr<Plan_RefAttr>:$bias,
                       OptionalAttr<TypeAttr>:$biasType, OptionalAttr<DenseI8ArrayAttr>:$algorithm, Plan_PhaseAttr:$phase,
                       DefaultValuedAttr<StrAttr, "\"\"">:$label, DefaultValuedAttr<StrAttr, "\"\"">:$location);
  let assemblyFormat = "$m `x` $n `x` $k `math` `` $math `epilogue` `` $epilogue `phase` `` $phase attr-dict";
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_Step<"copy"> {
  let summary = "Copies bytes from one buffer to another";
  let description = [{
    The two ranges may be in one buffer, but must not overlap. Example:
    `plan.copy <@a> to <@b + 256> bytes 64 phase forward`.
  }];
  let arguments = (ins Plan_RefAttr:$source, Plan_RefAttr:$destination, I64Attr:$bytes, Plan_PhaseAttr:$phase,
                       DefaultValuedAttr<StrAttr, "\"\"">:$label, DefaultValuedAttr<StrAttr, "\"\"">:$location);
  let assemblyFormat = "$source `to` $destination `bytes` $bytes `phase` `` $phase attr-dict";
  let hasVerifier = 1;
}

#endif
