//===- PlanOps.td - Ops of the plan dialect ----------------*- tablegen -*-===//
#ifndef HEDDLE_PLAN_OPS_TD
#define HEDDLE_PLAN_OPS_TD

include "dialects/Plan/PlanDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class Plan_Op<string opMnemonic, list<Trait> traits = []> : Op<Plan_Dialect, opMnemonic, traits>;
class Plan_Child<string opMnemonic, list<Trait> traits = []> : Plan_Op<opMnemonic, traits # [HasParent<"ProgramOp">]>;

def Plan_ProgramOp : Plan_Op<"program", [IsolatedFromAbove, SymbolTable, Symbol, SingleBlock, NoTerminator]> {
  let summary = "A plan";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$model, StrAttr:$device, StrAttr:$target, StrAttr:$pipeline,
                       StrAttr:$mode, StrAttr:$precision, DictionaryAttr:$symbols, DefaultValuedAttr<I64Attr, "0">:$arenaBytes,
                       DefaultValuedAttr<I64Attr, "0">:$workspaceBytes, DefaultValuedAttr<F64Attr, "0.0">:$matrixFlops);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def Plan_BufferOp : Plan_Child<"buffer", [Symbol]> {
  let summary = "Memory of a plan";
  let description = [{
    `type` gives shape and elements; contiguous, row-major. Example:
    `plan.buffer @x input tensor<4x512xi32> {location = "ids"}`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_RoleAttr:$role, TypeAttrOf<AnyRankedTensor>:$type,
                       OptionalAttr<TypedArrayAttrBase<Plan_PartAttr, "parts">>:$parts,
                       OptionalAttr<ElementsAttr>:$data, OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$firstStep,
                       OptionalAttr<I64Attr>:$lastStep, DefaultValuedAttr<StrAttr, "\"\"">:$location);
  let assemblyFormat = "$sym_name $role $type attr-dict";
  let hasVerifier = 1;
}

def Plan_KernelOp : Plan_Child<"kernel", [Symbol]> {
  let summary = "A compiled kernel, or its text";
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_LanguageAttr:$language, StrAttr:$target, StrAttr:$source,
                       OptionalAttr<DenseI8ArrayAttr>:$binary, DefaultValuedAttr<I64Attr, "0">:$threads,
                       DefaultValuedAttr<I64Attr, "0">:$sharedBytes);
  let assemblyFormat = "$sym_name $language $target attr-dict";
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Child<"launch"> {
  let summary = "Runs a kernel";
  let description = [{
    `kernel` names a `kernel.func` until the target phase, a `plan.kernel` after it; `grid` (CUDA) or `items` (CPU) are set
    by the target phase. Example: `plan.launch @add [#plan.ref<@a>, #plan.ref<@b>] counts [4, 512] phase forward`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, TypedArrayAttrBase<Plan_RefAttr, "references">:$buffers,
                       DenseI64ArrayAttr:$counts, Plan_PhaseAttr:$phase, OptionalAttr<DenseI64ArrayAttr>:$grid,
                       OptionalAttr<I64Attr>:$items, DefaultValuedAttr<StrAttr, "\"\"">:$label,
                       DefaultValuedAttr<StrAttr, "\"\"">:$location);
  let assemblyFormat = "$kernel $buffers `counts` $counts `phase` $phase attr-dict";
  let hasVerifier = 1;
}

def Plan_ProductOp : Plan_Child<"product"> {
  let summary = "d = epilogue(alpha a b + beta c)";
  let arguments = (ins I64Attr:$m, I64Attr:$n, I64Attr:$k, DefaultValuedAttr<I64Attr, "1">:$batch,
                       Plan_MatrixAttr:$a, Plan_MatrixAttr:$b, OptionalAttr<Plan_MatrixAttr>:$c, Plan_MatrixAttr:$d,
                       DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<F64Attr, "0.0">:$beta,
                       Plan_MathModeAttr:$math, Plan_EpilogueAttr:$epilogue, OptionalAttr<Plan_RefAttr>:$bias,
                       OptionalAttr<TypeAttr>:$biasType, OptionalAttr<DenseI8ArrayAttr>:$algorithm, Plan_PhaseAttr:$phase,
                       DefaultValuedAttr<StrAttr, "\"\"">:$label, DefaultValuedAttr<StrAttr, "\"\"">:$location);
  let assemblyFormat = "$m `x` $n `x` $k `math` $math `epilogue` $epilogue `phase` $phase attr-dict";
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_Child<"copy"> {
  let summary = "Copies bytes from one buffer to another";
  let arguments = (ins Plan_RefAttr:$source, Plan_RefAttr:$destination, I64Attr:$bytes, Plan_PhaseAttr:$phase,
                       DefaultValuedAttr<StrAttr, "\"\"">:$label, DefaultValuedAttr<StrAttr, "\"\"">:$location);
  let assemblyFormat = "$source `to` $destination `bytes` $bytes `phase` $phase attr-dict";
  let hasVerifier = 1;
}

#endif
