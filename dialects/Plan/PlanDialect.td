//===- PlanDialect.td - The plan dialect -------------------*- tablegen -*-===//
#ifndef HEDDLE_PLAN_DIALECT_TD
#define HEDDLE_PLAN_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::heddle::plan";
  let summary = "Buffers, kernels and steps: the plan artifact in text";
  let description = [{
    A `plan.program` holds what runtime/plan/Plan.h holds, op for field: translation to the artifact and back is exact.
    Kernels start as `kernel.func` ops in the program and become `plan.kernel` ops, under the same symbol, in the target
    phase, which also fills the launches' `grid` or `items`. Buffers get their offsets in the memory planning of the plan
    phase; a program of the eager pipeline leaves scratch buffers unplaced.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Plan_Attr<string name, string attrMnemonic> : AttrDef<Plan_Dialect, name> { let mnemonic = attrMnemonic; }
class Plan_Enum<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::heddle::plan";
  let genSpecializedAttr = 0;
}
// Printed as a bare keyword in an op's text. It brings its own space: ops write `` before it.
class Plan_EnumAttr<EnumAttrInfo info, string attrMnemonic> : EnumAttr<Plan_Dialect, info, attrMnemonic> {
  let assemblyFormat = "$value";
}

// Cases and numbers as in runtime/plan/Plan.h.
def Plan_Role : Plan_Enum<"Role", "what a buffer is for", [
  I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Output", 1, "output">,
  I32EnumAttrCase<"Parameter", 2, "parameter">, I32EnumAttrCase<"State", 3, "state">,
  I32EnumAttrCase<"Constant", 4, "constant">, I32EnumAttrCase<"Saved", 5, "saved">,
  I32EnumAttrCase<"Scratch", 6, "scratch">]>;
def Plan_RoleAttr : Plan_EnumAttr<Plan_Role, "role">;

def Plan_Phase : Plan_Enum<"Phase", "when a step runs", [
  I32EnumAttrCase<"Init", 0, "init">, I32EnumAttrCase<"Forward", 1, "forward">,
  I32EnumAttrCase<"Backward", 2, "backward">, I32EnumAttrCase<"Optimizer", 3, "optimizer">]>;
def Plan_PhaseAttr : Plan_EnumAttr<Plan_Phase, "phase">;

def Plan_Language : Plan_Enum<"Language", "language of a kernel", [
  I32EnumAttrCase<"Cuda", 0, "cuda">, I32EnumAttrCase<"Cpu", 1, "cpu">]>;
def Plan_LanguageAttr : Plan_EnumAttr<Plan_Language, "language">;

def Plan_Epilogue : Plan_Enum<"Epilogue", "what a product adds after the sum", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Bias", 1, "bias">, I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">,
  I32EnumAttrCase<"BiasGeluTanh", 3, "bias_gelu_tanh">, I32EnumAttrCase<"Relu", 4, "relu">,
  I32EnumAttrCase<"BiasRelu", 5, "bias_relu">, I32EnumAttrCase<"SiluMul", 6, "silu_mul">]>;
def Plan_EpilogueAttr : Plan_EnumAttr<Plan_Epilogue, "epilogue">;

def Plan_MathMode : Plan_Enum<"MathMode", "how products are computed", [
  I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"TF32", 1, "tf32">, I32EnumAttrCase<"Low", 2, "low">]>;
def Plan_MathModeAttr : Plan_EnumAttr<Plan_MathMode, "math">;

def Plan_Swizzle : Plan_Enum<"Swizzle", "order of a tensor map's chunks", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Bytes32", 1, "bytes32">,
  I32EnumAttrCase<"Bytes64", 2, "bytes64">, I32EnumAttrCase<"Bytes128", 3, "bytes128">]>;

def Plan_InitKind : Plan_Enum<"InitKind", "how a parameter is drawn", [
  I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"Constant", 1, "constant">]>;

// Sizes in brackets, none of them included.
class Plan_SizesParameter : ArrayRefParameter<"int64_t"> {
  let parser = "parseSizes($_parser)";
  let printer = "$_printer << '['; $_printer.printStrippedAttrOrType($_self); $_printer << ']'";
}
def Plan_Sizes : Plan_SizesParameter;

def Plan_PartAttr : Plan_Attr<"Part", "part"> {
  let summary = "A tensor of the state dict inside a parameter buffer";
  let description = [{
    `scale` is an f64: the standard deviation (normal) or the value (constant). Example:
    `#plan.part<"blocks.0.q.weight", [768, 768] at 0, normal, 2.0e-2 : f64>`.
  }];
  let parameters = (ins StringRefParameter<>:$name, OptionalArrayRefParameter<"int64_t">:$shape,
                        "int64_t":$elementOffset, EnumParameter<Plan_InitKind>:$init, "::mlir::FloatAttr":$scale);
  let assemblyFormat = "`<` $name `,` `[` (`]`) : ($shape^ `]`)? `at` $elementOffset `,` $init `,` $scale `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The product of the shape, or nothing where it does not fit in 64 bits.
    std::optional<int64_t> getNumElements();
  }];
}

def Plan_RefAttr : Plan_Attr<"Ref", "ref"> {
  let summary = "A buffer from a byte offset on";
  let description = [{
    `#plan.ref<@x>`, `#plan.ref<@x + 512>`, or `#plan.ref<none>`: a null pointer for an optional operand of a launch.
  }];
  let parameters = (ins OptionalParameter<"::mlir::FlatSymbolRefAttr">:$buffer,
                        DefaultValuedParameter<"int64_t", "0">:$byteOffset);
  let assemblyFormat = "`<` custom<Place>($buffer, $byteOffset) `>`";
  let genVerifyDecl = 1;
}

def Plan_MatrixAttr : Plan_Attr<"Matrix", "matrix"> {
  let summary = "A matrix operand of a product, in row-major terms";
  let description = "Element (i, j) of batch b is at b*batchStride + i*ld + j, or b*batchStride + j*ld + i if transposed.";
  let parameters = (ins "::heddle::plan::RefAttr":$ref, "::mlir::Type":$elementType, "int64_t":$ld,
                        "int64_t":$batchStride, "bool":$transposed);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Plan_TensorMapAttr : Plan_Attr<"TensorMap", "tensor_map"> {
  let summary = "A strided view of a launch's operand, copied box by box";
  let description = [{
    What the GPU's tensor unit copies from (CUDA's CUtensorMap), a further argument of the kernel. Dimensions go from the
    innermost, contiguous one outwards: `extents` and `box` in elements, `strides` in bytes, of all but the first. `operand`
    is the buffer of the launch where element (0, ..., 0) is. The limits are those of runtime/plan/Plan.h.

    Example, 12 heads of 64 elements in 512 rows: `#plan.tensor_map<operand = 0, elementType = bf16,
    extents = [64, 512, 12], strides = [1536, 128], box = [64, 128, 1], swizzle = bytes128>`.
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::Type":$elementType, Plan_Sizes:$extents, Plan_Sizes:$strides,
                        Plan_Sizes:$box, EnumParameter<Plan_Swizzle>:$swizzle);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
