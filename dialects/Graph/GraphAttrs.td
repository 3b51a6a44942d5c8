//===- GraphAttrs.td - Attributes of the graph dialect -----*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_ATTRS_TD
#define HEDDLE_GRAPH_ATTRS_TD

include "dialects/Graph/GraphDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Graph_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Graph_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Graph_DimsAttr : Graph_Attr<"Dims", "dims", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Which extents of a tensor are symbolic";
  let description = [{
    One name for each dimension, empty where the extent is static. A name is a product of symbols with an optional
    leading integer, its factors in sorted order: `"batch"`, `"batch*seq"`, `"2*seq"`. The extent in the type is the
    value in this compilation; text of kernels depends on the names and on static extents only.

    Example: `tensor<4x512x768xf32, #graph.dims<["batch", "seq", ""]>>`.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let assemblyFormat = "`<` `[` $names `]` `>`";
}

def Graph_InitKind : I32EnumAttr<"InitKind", "how a parameter is drawn when no file gives it", [
    I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"Constant", 1, "constant">]> {
  let cppNamespace = "::heddle::graph";
  let genSpecializedAttr = 0;
}

def Graph_PartAttr : Graph_Attr<"Part", "part"> {
  let summary = "A tensor of the state dict inside a parameter";
  let description = [{
    Name, shape, and how it is drawn when no file gives it: `normal` with mean 0 and the given standard deviation, or
    `constant` with the given value. Example: `#graph.part<"blocks.0.q.weight", [768, 768], normal, 0.02>`.
  }];
  let parameters = (ins StringRefParameter<>:$name, ArrayRefParameter<"int64_t">:$shape,
                        EnumParameter<Graph_InitKind>:$init, "::mlir::FloatAttr":$scale);
  let assemblyFormat = "`<` $name `,` `[` $shape `]` `,` $init `,` $scale `>`";
  let genVerifyDecl = 0;
}

class Graph_Enum<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::heddle::graph";
  let genSpecializedAttr = 0;
}
// Printed as a bare keyword in an op's text.
class Graph_EnumAttr<EnumAttrInfo info, string attrMnemonic> : EnumAttr<Graph_Dialect, info, attrMnemonic> {
  let assemblyFormat = "$value";
}

def Graph_Predicate : Graph_Enum<"Predicate", "comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
  I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Graph_PredicateAttr : Graph_EnumAttr<Graph_Predicate, "predicate">;

def Graph_ReduceKind : Graph_Enum<"ReduceKind", "reduction", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]>;
def Graph_ReduceKindAttr : Graph_EnumAttr<Graph_ReduceKind, "reduce_kind">;

def Graph_Gelu : Graph_Enum<"GeluForm", "form of GELU", [
  I32EnumAttrCase<"Erf", 0, "erf">, I32EnumAttrCase<"Tanh", 1, "tanh">]>;
def Graph_GeluAttr : Graph_EnumAttr<Graph_Gelu, "gelu_form">;

def Graph_GroupKind : Graph_Enum<"GroupKind", "kind of group", [
  I32EnumAttrCase<"Rows", 0, "rows">, I32EnumAttrCase<"Attention", 1, "attention">,
  I32EnumAttrCase<"Product", 2, "product">, I32EnumAttrCase<"RowSums", 3, "row_sums">]>;
def Graph_GroupKindAttr : Graph_EnumAttr<Graph_GroupKind, "group_kind">;

#endif
