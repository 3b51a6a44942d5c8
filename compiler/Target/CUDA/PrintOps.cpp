//===- PrintOps.cpp - One rule per scalar op ------------------------------===//
//
// Each rule is a line of the tables below, or a case in printOp where types matter. Functions are the
// accurate ones (expf, never __expf). Operands appear once in a rule: where C++ would need one twice, the
// device library has a function.
//
//===----------------------------------------------------------------------===//
#include "compiler/Target/CUDA/PrintOps.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <charconv>
#include <cmath>

using namespace heddle;
using namespace heddle::cuda;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Types and literals
//===----------------------------------------------------------------------===//

std::string heddle::cuda::typeName(mlir::Type type) {
  if (type.isF32())
    return "float";
  if (type.isBF16())
    return "heddle::bf16";
  if (type.isF16())
    return "heddle::f16";
  if (type.isSignlessInteger(1))
    return "bool";
  if (type.isSignlessInteger(32))
    return "int";
  return "long long"; // i64 and index
}

Expr heddle::cuda::floatLiteral(double value) {
  auto single = static_cast<float>(value);
  if (std::isnan(single))
    return {"NAN"};
  bool negative = std::signbit(single);
  std::string text;
  if (std::isinf(single)) {
    text = "INFINITY";
  } else {
    char digits[64];
    auto end = std::to_chars(digits, digits + sizeof(digits), std::fabs(single)).ptr;
    text.assign(digits, end);
    if (text.find_first_of(".e") == std::string::npos)
      text += ".0";
    text += "f";
  }
  return negative ? Expr{"-" + text, kUnary} : Expr{text};
}

Expr heddle::cuda::integerLiteral(int64_t value) {
  // The most negative number has no literal of its own.
  if (value == INT64_MIN)
    return {"-9223372036854775807LL - 1", kAdditive};
  std::string text = std::to_string(value);
  if (value > INT32_MAX || value < -INT32_MAX)
    text += "LL";
  return {text, value < 0 ? kUnary : kPrimary};
}

//===----------------------------------------------------------------------===//
// Affine maps
//===----------------------------------------------------------------------===//

static Expr binary(const Expr &lhs, const char *op, int precedence, const Expr &rhs) {
  // Left to right: an operand on the right must bind tighter.
  return {lhs.at(precedence) + " " + op + " " + rhs.at(precedence + 1), precedence};
}

static Expr call(const std::string &function, llvm::ArrayRef<Expr> arguments) {
  std::string text = function + "(";
  for (const Expr &argument : arguments)
    text += (&argument == arguments.begin() ? "" : ", ") + argument.text;
  return {text + ")"};
}

/// Rows, columns and counts are not negative, so only subtraction can make an expression negative.
static bool isNonNegative(mlir::AffineExpr expr) {
  return !expr.walk([](mlir::AffineExpr part) {
                auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(part);
                return constant && constant.getValue() < 0 ? mlir::WalkResult::interrupt()
                                                           : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

Expr heddle::cuda::printAffine(mlir::AffineExpr expr, llvm::ArrayRef<Expr> dims,
                               llvm::ArrayRef<Expr> symbols) {
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return integerLiteral(constant.getValue());
  auto op = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  Expr lhs = printAffine(op.getLHS(), dims, symbols);
  auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(op.getRHS());
  if (op.getKind() == mlir::AffineExprKind::Add) {
    if (constant && constant.getValue() < 0 && constant.getValue() != INT64_MIN)
      return binary(lhs, "-", kAdditive, integerLiteral(-constant.getValue()));
    // a + (b * -1) is how the map says a - b.
    if (auto product = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(op.getRHS());
        product && product.getKind() == mlir::AffineExprKind::Mul &&
        product.getRHS() == mlir::getAffineConstantExpr(-1, expr.getContext()))
      return binary(lhs, "-", kAdditive, printAffine(product.getLHS(), dims, symbols));
  }
  Expr rhs = printAffine(op.getRHS(), dims, symbols);
  bool nonNegative = isNonNegative(op.getLHS());
  switch (op.getKind()) {
  case mlir::AffineExprKind::Add:
    return binary(lhs, "+", kAdditive, rhs);
  case mlir::AffineExprKind::Mul:
    return binary(lhs, "*", kMultiplicative, rhs);
  case mlir::AffineExprKind::Mod:
    return nonNegative ? binary(lhs, "%", kMultiplicative, rhs) : call("heddle::floor_mod", {lhs, rhs});
  case mlir::AffineExprKind::FloorDiv:
    return nonNegative ? binary(lhs, "/", kMultiplicative, rhs) : call("heddle::floor_div", {lhs, rhs});
  default:
    return call("heddle::ceiling_div", {lhs, rhs});
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Functions of float32 operands, in the operands' order.
static llvm::StringRef functionOf(mlir::Operation *op) {
  return llvm::StringSwitch<llvm::StringRef>(op->getName().getStringRef())
      .Case("math.exp", "expf")
      .Case("math.exp2", "exp2f")
      .Case("math.expm1", "expm1f")
      .Case("math.log", "logf")
      .Case("math.log2", "log2f")
      .Case("math.log1p", "log1pf")
      .Case("math.sqrt", "sqrtf")
      .Case("math.rsqrt", "rsqrtf")
      .Case("math.tanh", "tanhf")
      .Case("math.erf", "erff")
      .Case("math.sin", "sinf")
      .Case("math.cos", "cosf")
      .Case("math.powf", "powf")
      .Case("math.absf", "fabsf")
      .Case("math.fma", "fmaf")
      .Case("math.floor", "floorf")
      .Case("math.ceil", "ceilf")
      .Case("arith.maximumf", "heddle::Max::apply") // NaN is passed on
      .Case("arith.minimumf", "heddle::Min::apply")
      .Case("arith.maxnumf", "fmaxf") // NaN is dropped
      .Case("arith.minnumf", "fminf")
      .Default({});
}

struct Infix {
  const char *text = nullptr;
  int precedence = 0;
};

/// Operators on float32.
static Infix floatOperator(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, Infix>(op)
      .Case<arith::AddFOp>([](auto) {
        return Infix{"+", kAdditive};
      })
      .Case<arith::SubFOp>([](auto) {
        return Infix{"-", kAdditive};
      })
      .Case<arith::MulFOp>([](auto) {
        return Infix{"*", kMultiplicative};
      })
      .Case<arith::DivFOp>([](auto) {
        return Infix{"/", kMultiplicative};
      })
      .Default([](auto) { return Infix{}; });
}

/// Operators on integers that cannot overflow, or on index, where nothing does.
static Infix integerOperator(mlir::Operation *op) {
  bool index = op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
  return llvm::TypeSwitch<mlir::Operation *, Infix>(op)
      .Case<arith::AddIOp>([&](auto) {
        return index ? Infix{"+", kAdditive} : Infix{};
      })
      .Case<arith::SubIOp>([&](auto) {
        return index ? Infix{"-", kAdditive} : Infix{};
      })
      .Case<arith::MulIOp>([&](auto) {
        return index ? Infix{"*", kMultiplicative} : Infix{};
      })
      .Case<arith::DivSIOp>([](auto) {
        return Infix{"/", kMultiplicative};
      })
      .Case<arith::RemSIOp>([](auto) {
        return Infix{"%", kMultiplicative};
      })
      // An index is never negative.
      .Case<arith::DivUIOp>([&](auto) {
        return index ? Infix{"/", kMultiplicative} : Infix{};
      })
      .Case<arith::RemUIOp>([&](auto) {
        return index ? Infix{"%", kMultiplicative} : Infix{};
      })
      .Case<arith::AndIOp>([](auto) {
        return Infix{"&", kAnd};
      })
      .Case<arith::OrIOp>([](auto) {
        return Infix{"|", kOr};
      })
      .Case<arith::XOrIOp>([](auto) {
        return Infix{"^", kXor};
      })
      .Default([](auto) { return Infix{}; });
}

/// Functions of integers; i32 and i64 arithmetic wraps.
static llvm::StringRef integerFunction(mlir::Operation *op) {
  mlir::Type type = op->getResult(0).getType();
  if (type.isInteger(1))
    return {};
  return llvm::TypeSwitch<mlir::Operation *, llvm::StringRef>(op)
      .Case<arith::AddIOp>([](auto) { return "heddle::wrap_add"; })
      .Case<arith::SubIOp>([](auto) { return "heddle::wrap_sub"; })
      .Case<arith::MulIOp>([](auto) { return "heddle::wrap_mul"; })
      .Case<arith::ShRUIOp>([](auto) { return "heddle::shift_right"; })
      .Case<arith::MaxSIOp>([](auto) { return "max"; })
      .Case<arith::MinSIOp>([](auto) { return "min"; })
      .Default([](auto) { return ""; });
}

static Expr printCompareF(arith::CmpFOp op, const Expr &a, const Expr &b) {
  auto not_ = [](const Expr &expr) { return Expr{"!" + expr.at(kPrimary), kUnary}; };
  auto compare = [&](const char *text, int precedence) { return binary(a, text, precedence, b); };
  // An unordered comparison is the negation of the opposite ordered one.
  switch (op.getPredicate()) {
  case arith::CmpFPredicate::AlwaysFalse:
    return Expr{"false"};
  case arith::CmpFPredicate::AlwaysTrue:
    return Expr{"true"};
  case arith::CmpFPredicate::OEQ:
    return compare("==", kEquality);
  case arith::CmpFPredicate::UNE:
    return compare("!=", kEquality);
  case arith::CmpFPredicate::OGT:
    return compare(">", kRelational);
  case arith::CmpFPredicate::OGE:
    return compare(">=", kRelational);
  case arith::CmpFPredicate::OLT:
    return compare("<", kRelational);
  case arith::CmpFPredicate::OLE:
    return compare("<=", kRelational);
  case arith::CmpFPredicate::UGT:
    return not_(compare("<=", kRelational));
  case arith::CmpFPredicate::UGE:
    return not_(compare("<", kRelational));
  case arith::CmpFPredicate::ULT:
    return not_(compare(">=", kRelational));
  case arith::CmpFPredicate::ULE:
    return not_(compare(">", kRelational));
  case arith::CmpFPredicate::ORD:
    return call("heddle::ordered", {a, b});
  case arith::CmpFPredicate::UNO:
    return not_(call("heddle::ordered", {a, b}));
  case arith::CmpFPredicate::ONE:
    return call("heddle::less_or_greater", {a, b});
  case arith::CmpFPredicate::UEQ:
    return not_(call("heddle::less_or_greater", {a, b}));
  }
  llvm_unreachable("all predicates are above");
}

static Infix compareOperator(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return {"==", kEquality};
  case arith::CmpIPredicate::ne:
    return {"!=", kEquality};
  case arith::CmpIPredicate::slt:
    return {"<", kRelational};
  case arith::CmpIPredicate::sle:
    return {"<=", kRelational};
  case arith::CmpIPredicate::sgt:
    return {">", kRelational};
  case arith::CmpIPredicate::sge:
    return {">=", kRelational};
  default:
    return {}; // unsigned: no op of the compiler makes them
  }
}

/// A conversion to `type`, written as a function call of it where its name is one word.
static Expr convert(const std::string &type, const Expr &value) {
  if (type.find(' ') == std::string::npos)
    return call(type, {value});
  return {"(" + type + ")" + value.at(kUnary), kUnary};
}

/// Rules that depend on types; nothing where there is none.
static std::optional<Expr> printConversion(mlir::Operation *op, ExprOf operand) {
  mlir::Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  Expr value = operand(op->getOperand(0));
  // One bit is 0 or -1 where signed.
  auto choose = [&](const char *yes, const char *no) {
    return Expr{value.at(kTernary + 1) + " ? " + yes + " : " + no, kTernary};
  };
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Expr>>(op)
      .Case<arith::ExtFOp>([&](auto) -> std::optional<Expr> {
        return to.isF32() ? std::optional<Expr>(call("heddle::to_float", {value})) : std::nullopt;
      })
      .Case<arith::TruncFOp>([&](auto) -> std::optional<Expr> {
        return from.isF32() ? std::optional<Expr>(call("heddle::from_float<" + typeName(to) + ">", {value}))
                            : std::nullopt;
      })
      .Case<arith::SIToFPOp>([&](auto) -> std::optional<Expr> {
        if (!to.isF32())
          return std::nullopt;
        return from.isInteger(1) ? choose("-1.0f", "0.0f") : call("float", {value});
      })
      .Case<arith::UIToFPOp>([&](auto) -> std::optional<Expr> {
        return to.isF32() && from.isInteger(1) ? std::optional<Expr>(choose("1.0f", "0.0f")) : std::nullopt;
      })
      .Case<arith::FPToSIOp>([&](auto) -> std::optional<Expr> {
        return from.isF32() && !to.isInteger(1) ? std::optional<Expr>(convert(typeName(to), value))
                                                : std::nullopt;
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) -> std::optional<Expr> {
        if (from.isInteger(1))
          return choose("-1", "0");
        return typeName(from) == typeName(to) ? value : convert(typeName(to), value);
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) -> std::optional<Expr> {
        if (from.isInteger(32) && !to.isInteger(32))
          return convert(typeName(to), call("uint32_t", {value}));
        return typeName(from) == typeName(to) ? value : convert(typeName(to), value);
      })
      .Case<arith::TruncIOp>([&](auto) -> std::optional<Expr> {
        return to.isInteger(1) ? Expr{"(" + value.at(kAnd) + " & 1) != 0", kEquality}
                               : convert(typeName(to), value);
      })
      .Default([](auto) { return std::nullopt; });
}

static bool isScalar(mlir::Type type) {
  return type.isF32() || type.isBF16() || type.isF16() || type.isIndex() || type.isInteger(1) ||
         type.isInteger(32) || type.isInteger(64);
}

/// Arithmetic on bf16 and f16 is none of the dialect's: it would hide where values round.
static bool isHalf(mlir::Type type) { return type.isBF16() || type.isF16(); }

static std::optional<Expr> printConstant(arith::ConstantOp op) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(op.getValue())) {
    Expr literal = floatLiteral(number.getValueAsDouble());
    return isHalf(op.getType()) ? call("heddle::from_float<" + typeName(op.getType()) + ">", {literal})
                                : literal;
  }
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(op.getValue())) {
    if (op.getType().isInteger(1))
      return Expr{number.getValue().isZero() ? "false" : "true"};
    return integerLiteral(number.getInt());
  }
  return std::nullopt;
}

static std::optional<Expr> tryPrint(mlir::Operation *op, ExprOf operand) {
  if (op->getNumResults() != 1 || !llvm::all_of(op->getOperandTypes(), isScalar) ||
      !isScalar(op->getResult(0).getType()))
    return std::nullopt;
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
    return printConstant(constant);
  auto operands = [&] {
    return llvm::map_to_vector(op->getOperands(), [&](mlir::Value v) { return operand(v); });
  };
  if (llvm::isa<arith::SelectOp>(op)) {
    llvm::SmallVector<Expr> parts = operands();
    return Expr{parts[0].at(kTernary + 1) + " ? " + parts[1].at(kTernary) + " : " + parts[2].at(kTernary),
                kTernary};
  }
  if (op->getNumOperands() == 1)
    if (std::optional<Expr> conversion = printConversion(op, operand))
      return conversion;
  if (llvm::any_of(op->getOperandTypes(), isHalf) || isHalf(op->getResult(0).getType()))
    return std::nullopt;
  if (llvm::StringRef function = functionOf(op); !function.empty())
    return call(function.str(), operands());
  if (Infix infix = floatOperator(op); infix.text) {
    llvm::SmallVector<Expr> parts = operands();
    return binary(parts[0], infix.text, infix.precedence, parts[1]);
  }
  if (Infix infix = integerOperator(op); infix.text) {
    llvm::SmallVector<Expr> parts = operands();
    // Two literals would be computed in 32 bits.
    if (op->getResult(0).getType().isIndex() && op->getOperand(0).getDefiningOp<arith::ConstantOp>())
      parts[0] = convert("long long", parts[0]);
    return binary(parts[0], infix.text, infix.precedence, parts[1]);
  }
  if (llvm::StringRef function = integerFunction(op); !function.empty()) {
    llvm::SmallVector<Expr> parts = operands();
    // Overloads want operands of one type, and literals are int.
    if (typeName(op->getResult(0).getType()) == "long long")
      for (auto [part, value] : llvm::zip(parts, op->getOperands()))
        if (value.getDefiningOp<arith::ConstantOp>())
          part = convert("long long", part);
    return call(function.str(), parts);
  }
  if (llvm::isa<arith::NegFOp>(op)) {
    return Expr{"-" + operand(op->getOperand(0)).at(kPrimary), kUnary};
  }
  if (auto compare = llvm::dyn_cast<arith::CmpFOp>(op)) {
    llvm::SmallVector<Expr> parts = operands();
    return printCompareF(compare, parts[0], parts[1]);
  }
  if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op))
    if (Infix infix = compareOperator(compare.getPredicate()); infix.text) {
      llvm::SmallVector<Expr> parts = operands();
      return binary(parts[0], infix.text, infix.precedence, parts[1]);
    }
  return std::nullopt;
}

mlir::FailureOr<Expr> heddle::cuda::printOp(mlir::Operation *op, ExprOf operand) {
  if (std::optional<Expr> expr = tryPrint(op, operand))
    return *expr;
  return op->emitError() << "'" << op->getName() << "' has no CUDA form for its types";
}

bool heddle::cuda::isPrintable(mlir::Operation *op) {
  return tryPrint(op, [](mlir::Value) { return Expr{"x"}; }).has_value();
}
