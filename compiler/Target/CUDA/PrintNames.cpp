//===- PrintNames.cpp - Names in generated text ---------------------------===//
#include "compiler/Target/CUDA/PrintOps.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle;
using namespace heddle::cuda;

// C++17's keywords, what CUDA defines, the functions that rules print, and names that libraries make macros
// of.
static const char *const kReserved[] = {
    "alignas",   "alignof",  "and",      "and_eq",    "asm",          "auto",          "bitand",
    "bitor",     "bool",     "break",    "case",      "catch",        "char",          "char16_t",
    "char32_t",  "class",    "compl",    "const",     "const_cast",   "constexpr",     "continue",
    "decltype",  "default",  "delete",   "do",        "double",       "dynamic_cast",  "else",
    "enum",      "explicit", "export",   "extern",    "false",        "float",         "for",
    "friend",    "goto",     "if",       "inline",    "int",          "long",          "mutable",
    "namespace", "new",      "noexcept", "not",       "not_eq",       "nullptr",       "operator",
    "or",        "or_eq",    "private",  "protected", "public",       "register",      "reinterpret_cast",
    "return",    "short",    "signed",   "sizeof",    "static",       "static_assert", "static_cast",
    "struct",    "switch",   "template", "this",      "thread_local", "throw",         "true",
    "try",       "typedef",  "typeid",   "typename",  "union",        "unsigned",      "using",
    "virtual",   "void",     "volatile", "wchar_t",   "while",        "xor",           "xor_eq",
    "threadIdx", "blockIdx", "blockDim", "gridDim",   "warpSize",     "INFINITY",      "NAN",
    "NULL",      "heddle",   "Score",    "dim3",      "min",          "max",           "expf",
    "exp2f",     "expm1f",   "logf",     "log2f",     "log1pf",       "sqrtf",         "rsqrtf",
    "tanhf",     "erff",     "sinf",     "cosf",      "powf",         "fabsf",         "fmaf",
    "floorf",    "ceilf",    "fmaxf",    "fminf",     "int8_t",       "uint8_t",       "int16_t",
    "uint16_t",  "int32_t",  "uint32_t", "int64_t",   "uint64_t",     "uintptr_t",     "abs",
    "assert",    "memcpy",   "main",     "half",      "float2",       "float4",        "int2",
    "int4",      "uint2",    "uint4",    "exp",       "log",          "sqrt",          "rsqrt",
    "tanh",      "erf",      "sin",      "cos",       "pow",          "floor",         "ceil",
    "clock",     "printf",   "malloc",   "free"};

Names::Names() {
  for (const char *name : kReserved)
    taken.insert(name);
}

std::string Names::fresh(llvm::StringRef wanted) {
  std::string base;
  for (char c : wanted)
    // Runs of underscores are the implementation's in C++.
    if (char made = llvm::isAlnum(c) ? c : '_'; made != '_' || (!base.empty() && base.back() != '_'))
      base += made;
  while (!base.empty() && base.back() == '_')
    base.pop_back();
  if (base.empty() || llvm::isDigit(base.front()))
    base = "v" + base;
  std::string name = base;
  for (int64_t count = 1; !taken.insert(name).second; ++count)
    name = base + "_" + std::to_string(count);
  return name;
}

llvm::StringRef heddle::cuda::nameOf(mlir::Location location) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location))
    return named.getName().getValue();
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (llvm::StringRef name = nameOf(part); !name.empty())
        return name;
  return {};
}

/// A result of a columns loop: its part of a fused location of as many parts as results; else a kept row is
/// named after what it keeps, and a reduction after the loop or by its kind.
static std::string nameOfColumnsResult(kernel::ColumnsOp columns, int64_t result) {
  static constexpr llvm::StringLiteral kKinds[] = {"sum", "maximum", "minimum"};
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(columns.getLoc());
  if (fused && fused.getLocations().size() == columns.getNumResults() && columns.getNumResults() > 1)
    if (llvm::StringRef name = nameOf(fused.getLocations()[result]); !name.empty())
      return name.str();
  if (result < columns.getNumKept())
    return wantedName(columns.getBody().front().getTerminator()->getOperand(result)) + "_row";
  llvm::StringRef name = columns.getNumReductions() == 1 ? nameOf(columns.getLoc()) : llvm::StringRef();
  if (!name.empty())
    return name.str();
  return kKinds[static_cast<int64_t>(columns.getReduction(result - columns.getNumKept()))].str();
}

std::string heddle::cuda::wantedName(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (auto columns = llvm::dyn_cast_or_null<kernel::ColumnsOp>(op))
    return nameOfColumnsResult(columns, llvm::cast<mlir::OpResult>(value).getResultNumber());
  if (llvm::StringRef name = nameOf(value.getLoc()); !name.empty())
    return name.str();
  if (!op) {
    if (llvm::isa<kernel::BufferType>(value.getType()))
      return "buffer";
    mlir::Operation *parent = value.getParentBlock()->getParentOp();
    return llvm::isa<kernel::ColumnsOp>(parent) ? "column"
           : llvm::isa<kernel::RowsOp>(parent)  ? "row"
                                                : "count";
  }
  if (auto load = llvm::dyn_cast<kernel::LoadOp>(op))
    return wantedName(load.getBuffer()) + "_value";
  if (value.getType().isIndex())
    return "index";
  return value.getType().isInteger(1) ? "flag" : "value";
}
