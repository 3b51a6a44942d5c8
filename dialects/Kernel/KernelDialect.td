//===- KernelDialect.td - The kernel dialect ---------------*- tablegen -*-===//
#ifndef HEDDLE_KERNEL_DIALECT_TD
#define HEDDLE_KERNEL_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::heddle::kernel";
  let summary = "Stages of one kernel: loops over rows and columns, reductions, memory";
  let description = [{
    A `kernel.func` is one kernel of the plan. Its arguments are buffers (flat memory) and then counts (index values: the
    values of symbols such as batch and sequence, or strides). Its body is index arithmetic and one `kernel.rows` nest, one
    `kernel.skeleton` or one `kernel.row_sums`.

    `kernel.rows` iterates over independent rows; the stages in it run one after the other for each row: scalar code, and
    `kernel.columns` loops. A columns loop can reduce over the columns and can *keep* a value for each column, to be read
    again by a later loop of the same row: in registers on a GPU, in a stack buffer on a CPU. Bodies are scalar arith and
    math ops on f32, i32, i64, i1 and index; bf16 and f16 exist only next to loads and stores, as operands of
    `arith.extf` and results of `arith.truncf`, where a user's cast rounds.

    CPU and CUDA share the stages. Legalisation for a target decides vector widths and the mapping to threads and writes
    them as attributes (`vector`, `width`, `mapping`); what prints or lowers the stages decides nothing.

    ```mlir
    kernel.func @rms_norm(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index) {
      %width = arith.constant 768 : index
      kernel.rows (%r) in (%rows) {
        %kept, %sum = kernel.columns %c in %width reduce [add] {
          %v = kernel.load %x [affine_map<(r, c) -> (r * 768 + c)>] (%r, %c) : !kernel.buffer<f32>
          %s = arith.mulf %v, %v : f32
          kernel.yield %v, %s : f32, f32
        } : !kernel.row<f32>, f32
        ...
      }
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Kernel_Type<string name, string typeMnemonic> : TypeDef<Kernel_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Kernel_BufferType : Kernel_Type<"Buffer", "buffer"> {
  let summary = "Flat memory of one element type";
  let description = [{
    Element types f32, bf16, f16, i32, i64 and i1 (one byte, 0 or 1). Indices are in elements and 64-bit.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Kernel_RowType : Kernel_Type<"Row", "row"> {
  let summary = "One value for each column of the current row";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

class Kernel_Enum<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::heddle::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_ReduceKind : Kernel_Enum<"ReduceKind", "reduction over columns", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;
def Kernel_ReduceKindAttr : EnumAttr<Kernel_Dialect, Kernel_ReduceKind, "reduce"> { let assemblyFormat = "$value"; }

def Kernel_MappingAttr : AttrDef<Kernel_Dialect, "Mapping"> {
  let mnemonic = "mapping";
  let summary = "How rows and columns are laid over a block's threads";
  let description = [{
    `threadsPerRow` threads share a row and `rowsPerBlock` rows share a block; threads a block is their product, a
    multiple of 32. Up to 32 threads a row reduce by shuffles (a power of two) and are neighbours; more reduce by shared
    memory, and where several such rows share a block (a power of two up to 32), neighbouring threads have
    neighbouring rows: for reads that are contiguous from row to row. With `flat` there are
    no rows of threads: the rows and the column vectors form one index, one vector a thread; only for kernels of one
    columns loop that neither reduces nor keeps.
  }];
  let parameters = (ins "int64_t":$threadsPerRow, "int64_t":$rowsPerBlock, "bool":$flat);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
