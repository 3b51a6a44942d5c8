//===- PrintOps.h - C++ expressions of scalar ops and names -----*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_PRINTOPS_H
#define HEDDLE_COMPILER_TARGET_CUDA_PRINTOPS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace heddle::cuda {

/// C++ precedence, higher binds tighter.
enum Precedence {
  kTernary = 3,
  kOr = 6,
  kXor = 7,
  kAnd = 8,
  kEquality = 9,
  kRelational = 10,
  kAdditive = 12,
  kMultiplicative = 13,
  kUnary = 15,
  kPrimary = 16
};

struct Expr {
  std::string text;
  int precedence = kPrimary;

  /// The text, in parentheses where it binds less than `least`.
  std::string at(int least) const { return precedence < least ? "(" + text + ")" : text; }
};

/// Values in text so far.
using ExprOf = llvm::function_ref<Expr(mlir::Value)>;

/// The expression of one scalar op of arith or math; a diagnostic names an op that has no rule.
mlir::FailureOr<Expr> printOp(mlir::Operation *op, ExprOf operand);

/// True where `printOp` has a rule for the op and its types.
bool isPrintable(mlir::Operation *op);

/// An affine expression over printed dimensions and symbols. Values may be negative unless `nonNegative` says
/// otherwise.
Expr printAffine(mlir::AffineExpr expr, llvm::ArrayRef<Expr> dims, llvm::ArrayRef<Expr> symbols);

/// "float", "heddle::bf16", "long long" …
std::string typeName(mlir::Type type);
/// The shortest literal that reads back as the same float: 1.0f, 1e-05f, -INFINITY.
Expr floatLiteral(double value);
Expr integerLiteral(int64_t value);

/// Hands out C++ names, each once.
class Names {
public:
  Names();
  /// `wanted` made an identifier, with _1, _2 … where it is taken or reserved.
  std::string fresh(llvm::StringRef wanted);
  /// Takes those of the names that nothing has, and says which they were.
  llvm::SmallVector<llvm::StringRef> take(llvm::ArrayRef<llvm::StringLiteral> some) {
    llvm::SmallVector<llvm::StringRef> fresh;
    for (llvm::StringRef name : some)
      if (taken.insert(name).second)
        fresh.push_back(name);
    return fresh;
  }
  void give(llvm::ArrayRef<llvm::StringRef> some) {
    for (llvm::StringRef name : some)
      taken.erase(name);
  }
  /// What is taken now, to be restored at the end of a C++ scope: loops beside one another use the same
  /// names.
  llvm::StringSet<> snapshot() const { return taken; }
  void restore(llvm::StringSet<> names) { taken = std::move(names); }

private:
  llvm::StringSet<> taken;
};

/// The name that the location of `value` gives, or one by the op that makes it.
std::string wantedName(mlir::Value value);
/// The text of a location's name; empty where it has none.
llvm::StringRef nameOf(mlir::Location location);

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_PRINTOPS_H
