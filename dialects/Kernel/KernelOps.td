//===- KernelOps.td - Ops of the kernel dialect ------------*- tablegen -*-===//
#ifndef HEDDLE_KERNEL_OPS_TD
#define HEDDLE_KERNEL_OPS_TD

include "dialects/Kernel/KernelDialect.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Kernel_Op<string opMnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, opMnemonic, traits>;

def Kernel_FuncOp : Kernel_Op<"func", [IsolatedFromAbove, FunctionOpInterface, SingleBlock, NoTerminator,
                                       OpAsmOpInterface]> {
  let summary = "One kernel";
  let description = [{
    Arguments are buffers, then index counts. Names of arguments and values are taken from `loc("name")`.
    `mapping` is set by legalisation for a GPU. An argument may promise what all launches keep: a count
    `{kernel.divisor = 8 : i64}`, that it is a multiple of 8; a buffer `{kernel.alignment = 4 : i64}`, that its address is
    only a multiple of 4 bytes, and not of 256.

    `batched`: a launch runs it on several instances, each with buffers and counts of its own (`plan.launch`). The body is
    that of one instance.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<Kernel_MappingAttr>:$mapping, UnitAttr:$batched);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The leading arguments that are buffers.
    ::llvm::SmallVector<::mlir::BlockArgument> getBuffers();
    /// The arguments after them: counts.
    ::llvm::SmallVector<::mlir::BlockArgument> getCounts();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_RowsOp : Kernel_Op<"rows", [SingleBlock, NoTerminator, RecursiveMemoryEffects, HasParent<"FuncOp">]> {
  let summary = "Independent rows";
  let description = [{
    Iterates over the product of `extents`, slowest first; the region's arguments are the indices. Rows run in any order
    and at the same time. With no extents there is one row.

    With `parts` the rows, in their order, are cut into so many runs of one length, ceil(rows / parts); the last ones may be
    shorter or empty. Rows of one part run one after the other, for `kernel.accumulate`; parts run in any order.

    Example: `kernel.rows (%b, %s) in (%batch, %seq) { … }`.
  }];
  let arguments = (ins Variadic<Index>:$extents, OptionalAttr<I64Attr>:$parts);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    /// One columns loop that neither reduces nor keeps, no parts, and nothing that is stored once a row: rows and columns
    /// are one space, whose elements know nothing of each other.
    bool isFlat();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_ColumnsOp : Kernel_Op<"columns", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
                                             HasParent<"RowsOp">]> {
  let summary = "A loop over the columns of the current row";
  let description = [{
    Yields first the kept values (results of type `!kernel.row`), then the reduced ones (scalars), one for each entry of
    `reductions`. Sums are float32; the order of a reduction is the target's but fixed. Reductions over no column give 0,
    -inf or +inf. All columns loops of a rows op that read or write the same row value have the same extent.
    `vector`, set by legalisation, is the number of neighbouring columns that one thread or one vector takes at a time;
    it divides the extent on a GPU.
  }];
  let arguments = (ins Index:$extent, OptionalAttr<TypedArrayAttrBase<Kernel_ReduceKindAttr, "reductions">>:$reductions,
                       OptionalAttr<I64Attr>:$vector);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::Value":$extent, "::mlir::TypeRange":$results,
                                 "::llvm::ArrayRef<ReduceKind>":$reductions)>];
  let extraClassDeclaration = [{
    int64_t getNumReductions() { return getReductions() ? getReductions()->size() : 0; }
    int64_t getNumKept() { return getNumResults() - getNumReductions(); }
    ReduceKind getReduction(int64_t index);
    ::mlir::Value getIndex() { return getBody().front().getArgument(0); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ColumnsOp", "SkeletonOp"]>]> {
  let summary = "The values of one column, or of a generated function";
  let description = "Example: `kernel.yield %v, %sum : f32, f32`.";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Kernel_GetOp : Kernel_Op<"get", [Pure, HasParent<"ColumnsOp">,
    TypesMatchWith<"the result is the row's element", "row", "result",
                   "::llvm::cast<RowType>($_self).getElementType()">]> {
  let summary = "What an earlier loop kept for this column";
  let description = "Example: `%v = kernel.get %kept : !kernel.row<f32>`.";
  let arguments = (ins Kernel_RowType:$row);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$row attr-dict `:` type($row)";
}

def Kernel_LoadOp : Kernel_Op<"load", [MemoryEffects<[MemRead]>, AttrSizedOperandSegments,
    TypesMatchWith<"the result is the buffer's element", "buffer", "result",
                   "::llvm::cast<BufferType>($_self).getElementType()">]> {
  let summary = "One element of a buffer";
  let description = [{
    The element at map(indices)[symbols], in elements from the buffer's start. The map has one result. `width`, set by
    legalisation, is the number of elements that the target may read with one access that covers a whole column vector
    (the vector's width times the column's stride), 1 for one element at a time.

    Example: `%v = kernel.load %x [affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>] (%r, %c)[%stride] : !kernel.buffer<f32>`.
  }];
  let arguments = (ins Kernel_BufferType:$buffer, AffineMapAttr:$map, Variadic<Index>:$indices,
                       Variadic<Index>:$symbols, OptionalAttr<I64Attr>:$width);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $buffer `[` $map `]` ` ` `(` $indices `)` (`[` $symbols^ `]`)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Kernel_StoreOp : Kernel_Op<"store", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments,
    TypesMatchWith<"the value is the buffer's element", "buffer", "value",
                   "::llvm::cast<BufferType>($_self).getElementType()">]> {
  let summary = "Writes one element of a buffer";
  let description = [{
    As `kernel.load`. No two iterations write the same element.
    Example: `kernel.store %v, %y [affine_map<(d0, d1) -> (d0 * 768 + d1)>] (%r, %c) : !kernel.buffer<f32>`.
  }];
  let arguments = (ins AnyType:$value, Kernel_BufferType:$buffer, AffineMapAttr:$map, Variadic<Index>:$indices,
                       Variadic<Index>:$symbols, OptionalAttr<I64Attr>:$width);
  let assemblyFormat = [{
    $value `,` $buffer `[` $map `]` ` ` `(` $indices `)` (`[` $symbols^ `]`)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Kernel_AccumulateOp : Kernel_Op<"accumulate", [MemoryEffects<[MemRead, MemWrite]>, HasParent<"ColumnsOp">]> {
  let summary = "Sums down the columns of a part of the rows";
  let description = [{
    Row p of `sums`, which are as many rows as the kernel's rows have parts, one behind the other, each as long as the columns
    loop, is the sum over the rows of part p of `value`, from +0, in the order of the rows: float32, or float64 rounded once at
    the end. Parts without a row give zeros. Nothing else in the kernel touches `sums`. On a GPU the number of columns must be a constant.

    Example: `kernel.accumulate %v, %partial_sums : <f32>`.
  }];
  let arguments = (ins F32:$value, Kernel_BufferType:$sums);
  let assemblyFormat = "$value `,` $sums attr-dict `:` type($sums)";
  let hasVerifier = 1;
}

def Kernel_RowSumsOp : Kernel_Op<"row_sums", [MemoryEffects<[MemRead, MemWrite]>, HasParent<"FuncOp">]> {
  let summary = "Sums of rows by index";
  let description = [{
    Row v of `out`, of `rows` rows, is the sum of those rows of `source` whose index is v, in the order of the `count`
    indices: float32 sums from +0, rounded once to out's type. An index outside of the rows adds to none. Rows have `width`
    columns; those of `source` lie `stride` elements apart, those of `out` one behind the other.

    Set by legalisation for a GPU, zero before: `vector`, the neighbouring columns that a thread takes at a time; `threads`
    of a block; `rowThreads` of them share a row.

    Example: `kernel.row_sums 768 of %g[%stride] by %ids[%count] into %y[%rows] : <bf16>, <i32>, <f32>`.
  }];
  let arguments = (ins I64Attr:$width, Kernel_BufferType:$source, Index:$stride, Kernel_BufferType:$indices, Index:$count,
                       Kernel_BufferType:$out, Index:$rows, DefaultValuedAttr<I64Attr, "0">:$vector,
                       DefaultValuedAttr<I64Attr, "0">:$threads, DefaultValuedAttr<I64Attr, "0">:$rowThreads);
  let assemblyFormat = [{
    $width `of` $source `[` $stride `]` `by` $indices `[` $count `]` `into` $out `[` $rows `]` attr-dict
    `:` type($source) `,` type($indices) `,` type($out)
  }];
  let hasVerifier = 1;
}

def Kernel_SkeletonOp : Kernel_Op<"skeleton", [RecursiveMemoryEffects, AttrSizedOperandSegments, HasParent<"FuncOp">]> {
  let summary = "A hand-written kernel structure with generated functions";
  let description = [{
    Fused attention and its gradient (`graph.attention`, `graph.attention_grad`), memory linear in the sequence. Buffers:

    | name | buffers |
    | --- | --- |
    | `attention_forward` | query, key, value, out; with `statistics` also statistics |
    | `attention_backward` | query, key, value, gradient, statistics, delta, dquery, dkey, dvalue, turns |
    | `attention_backward_keys` | query, key, value, gradient, statistics, delta, dkey, dvalue |
    | `attention_backward_queries` | query, key, value, gradient, statistics, delta, dquery |
    | `attention_backward_bias` | query, key, value, gradient, statistics, delta, dbias |

    then what the score and mask functions read. statistics, those of `graph.attention`, are
    f32 [2, batch, heads, query_length], delta is f32 [batch, heads, query_length], dbias is f32 [bias_batch, bias_heads, query_length, key_length], contiguous. Counts, in this order: batch, heads, key_heads,
    query_length, key_length, then for each other buffer, in order, its strides over batch, head and sequence, in elements
    (the head dimension is contiguous; not for turns); for `attention_backward_bias` then bias_batch and bias_heads, which are batch and
    heads or 1, where the gradient is the sum over them. A skeleton writes all of out, statistics, dkey, dvalue, dquery or
    dbias. `attention_backward` is keys and queries in one pass: blocks add to dquery, in an order that turns, i32
    [batch, heads, query_length, 2], keep; both hold zeros before. `scale` multiplies the products before `score` sees them. With `causal` query i sees key j where
    j <= i + key_length - query_length, and with a `window` (0: none) only where also
    j > i + key_length - query_length - window.

    The score region takes (f32 score, index batch, head, query, key) and yields f32; of dquery, dkey and dvalue it yields,
    where it is not the score plus something, as a second f32 its derivative by the score. The mask region takes the four indices and
    yields i1, true where the query sees the key. An empty region leaves the step out. Loads in them read the kernel's own
    buffers.

    `broadcast`: a buffer that is read repeats itself along batch, heads or sequence, a stride of it is 0.

    Tile sizes, threads, `minBlocks` (blocks that share a multiprocessor, which caps registers) and `aligned` (the operands
    with strides and their strides keep to multiples of 16 bytes) are set by legalisation for a GPU; zero before. So are
    `version`, which of the device library's kernels for attention it is, `stages`, tiles of what streams past a block that
    it has buffers for where the version leaves the number open, and `reason`, why it is not the fastest of the target's versions.
  }];
  let arguments = (ins StrAttr:$name, TypeAttr:$elementType, I64Attr:$headDim, I64Attr:$valueDim, F64Attr:$scale,
                       UnitAttr:$causal, DefaultValuedAttr<I64Attr, "0">:$window,
                       Variadic<Kernel_BufferType>:$buffers, Variadic<Index>:$counts,
                       DefaultValuedAttr<I64Attr, "0">:$tileM, DefaultValuedAttr<I64Attr, "0">:$tileN,
                       DefaultValuedAttr<I64Attr, "0">:$threads, DefaultValuedAttr<I64Attr, "0">:$sharedBytes,
                       DefaultValuedAttr<I64Attr, "0">:$minBlocks, DefaultValuedAttr<I64Attr, "0">:$stages,
                       UnitAttr:$broadcast, UnitAttr:$aligned, UnitAttr:$statistics,
                       OptionalAttr<StrAttr>:$version, OptionalAttr<StrAttr>:$reason);
  let regions = (region AnyRegion:$score, AnyRegion:$mask);
  let assemblyFormat = [{
    $name `<` $elementType `,` $headDim `,` $valueDim `>` `scale` $scale (`causal` $causal^)? (`window` $window^)?
    `(` $buffers `:` type($buffers) `)` `[` $counts `]` `score` $score `mask` $mask attr-dict
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<SkeletonOperand, 10> getOperandList() { return skeletonOperands(getName(), getStatistics()); }
    /// Counts that such a skeleton has.
    int64_t getNumWantedCounts();
    /// Strides over batch, head and sequence of a buffer of heads, by its position.
    ::mlir::OperandRange getStrides(int64_t operand);
    /// bias_batch and bias_heads of an attention_backward_bias.
    ::mlir::OperandRange getBiasCounts();
  }];
  let hasVerifier = 1;
}

#endif
