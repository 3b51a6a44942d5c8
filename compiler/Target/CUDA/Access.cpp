//===- Access.cpp - How a load or store walks over columns ----------------===//
#include "compiler/Target/CUDA/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

#include <numeric>

using namespace heddle;
using namespace heddle::cuda;

// Above this no vector is interested, and products stay far from overflow.
static constexpr int64_t kMaxDivisor = 1 << 20;

Access Access::of(mlir::Operation *op) {
  Access access;
  if (auto load = llvm::dyn_cast<kernel::LoadOp>(op)) {
    access.buffer = load.getBuffer();
    access.value = load.getResult();
    access.map = load.getMap();
    access.indices = load.getIndices();
    access.symbols = load.getSymbols();
  } else if (auto store = llvm::dyn_cast<kernel::StoreOp>(op)) {
    access.isStore = true;
    access.buffer = store.getBuffer();
    access.value = store.getValue();
    access.map = store.getMap();
    access.indices = store.getIndices();
    access.symbols = store.getSymbols();
  } else {
    return access;
  }
  access.op = op;
  return access;
}

int64_t heddle::cuda::bytesOf(mlir::Type elementType) {
  return std::max<int64_t>(1, elementType.getIntOrFloatBitWidth() / 8);
}

int64_t Access::elementBytes() const { return bytesOf(elementType()); }

int64_t Access::width() const {
  std::optional<int64_t> width =
      isStore ? llvm::cast<kernel::StoreOp>(op).getWidth() : llvm::cast<kernel::LoadOp>(op).getWidth();
  return width.value_or(0);
}

/// The map's expression without its constant term, and that term.
static std::pair<mlir::AffineExpr, int64_t> splitConstant(mlir::AffineExpr expr) {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return {mlir::getAffineConstantExpr(0, expr.getContext()), constant.getValue()};
  auto sum = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (sum && sum.getKind() == mlir::AffineExprKind::Add)
    if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(sum.getRHS()))
      return {sum.getLHS(), constant.getValue()};
  return {expr, 0};
}

bool Access::sameBase(const Access &other) const {
  return buffer == other.buffer && llvm::equal(indices, other.indices) &&
         llvm::equal(symbols, other.symbols) && map.getNumDims() == other.map.getNumDims() &&
         splitConstant(map.getResult(0)).first == splitConstant(other.map.getResult(0)).first;
}

static int64_t evenPart(int64_t value) {
  if (value == 0)
    return kMaxDivisor;
  value = value < 0 ? -value : value;
  return std::min<int64_t>(value & -value, kMaxDivisor);
}

/// An integer attribute of a kernel's argument.
static std::optional<int64_t> argumentAttribute(mlir::Value value, llvm::StringRef name) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  auto func =
      argument ? llvm::dyn_cast<kernel::FuncOp>(argument.getOwner()->getParentOp()) : kernel::FuncOp();
  if (!func)
    return std::nullopt;
  auto attribute = func.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), name);
  return attribute ? std::optional<int64_t>(attribute.getInt()) : std::nullopt;
}

int64_t heddle::cuda::alignmentOf(mlir::Value buffer) {
  return argumentAttribute(buffer, kernel::kAlignmentAttr).value_or(256);
}

int64_t heddle::cuda::powerOfTwoDivisor(mlir::Value value) {
  if (std::optional<int64_t> known = argumentAttribute(value, kernel::kDivisorAttr))
    return evenPart(*known);
  llvm::APInt constant;
  if (matchPattern(value, mlir::m_ConstantInt(&constant)))
    return evenPart(constant.getSExtValue());
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return 1;
  if (llvm::isa<mlir::arith::MulIOp>(op))
    return std::min(kMaxDivisor, powerOfTwoDivisor(op->getOperand(0)) * powerOfTwoDivisor(op->getOperand(1)));
  if (llvm::isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(op))
    return std::min(powerOfTwoDivisor(op->getOperand(0)), powerOfTwoDivisor(op->getOperand(1)));
  if (llvm::isa<mlir::arith::IndexCastOp>(op))
    return powerOfTwoDivisor(op->getOperand(0));
  return 1;
}

namespace {
/// Walks one map.
class MapWalk {
public:
  MapWalk(const Access &access, mlir::Value column, int64_t vector)
      : access(access), column(column), vector(vector) {}

  std::optional<int64_t> stride(mlir::AffineExpr expr) const;
  std::optional<int64_t> modulo(mlir::AffineExpr expr, int64_t modulus) const;

private:
  mlir::Value operandOf(mlir::AffineExpr expr) const {
    if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
      return access.indices[dim.getPosition()];
    return access.symbols[llvm::cast<mlir::AffineSymbolExpr>(expr).getPosition()];
  }
  int64_t divisor(mlir::Value value) const {
    return value == column ? evenPart(vector) : powerOfTwoDivisor(value);
  }
  /// The divisor of a whole expression.
  int64_t divisor(mlir::AffineExpr expr) const {
    int64_t divisor = 1;
    while (divisor < kMaxDivisor && modulo(expr, divisor * 2) == 0)
      divisor *= 2;
    return divisor;
  }
  /// True where `expr`, which moves by `stride` a column, stays within one block of `block` over a vector.
  bool staysWithin(mlir::AffineExpr expr, int64_t stride, int64_t block) const {
    int64_t span = stride * vector;
    if (span == 0 || block % span != 0)
      return false;
    std::optional<int64_t> start = modulo(expr, span);
    return start && *start < stride;
  }

  const Access &access;
  mlir::Value column;
  int64_t vector;
};
} // namespace

std::optional<int64_t> MapWalk::modulo(mlir::AffineExpr expr, int64_t modulus) const {
  if (modulus == 1)
    return 0;
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return ((constant.getValue() % modulus) + modulus) % modulus;
  if (llvm::isa<mlir::AffineDimExpr, mlir::AffineSymbolExpr>(expr))
    return divisor(operandOf(expr)) % modulus == 0 ? std::optional<int64_t>(0) : std::nullopt;
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  mlir::AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
  auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(rhs);
  switch (binary.getKind()) {
  case mlir::AffineExprKind::Add: {
    std::optional<int64_t> a = modulo(lhs, modulus), b = modulo(rhs, modulus);
    return a && b ? std::optional<int64_t>((*a + *b) % modulus) : std::nullopt;
  }
  case mlir::AffineExprKind::Mul: {
    if (!constant)
      return divisor(lhs) * divisor(rhs) % modulus == 0 ? std::optional<int64_t>(0) : std::nullopt;
    int64_t factor = ((constant.getValue() % modulus) + modulus) % modulus;
    std::optional<int64_t> rest = modulo(lhs, modulus / std::gcd(modulus, factor));
    return rest ? std::optional<int64_t>(*rest * factor % modulus) : std::nullopt;
  }
  case mlir::AffineExprKind::Mod:
    return constant && constant.getValue() % modulus == 0 ? modulo(lhs, modulus) : std::nullopt;
  case mlir::AffineExprKind::FloorDiv: {
    // Moduli stay powers of two: only then do divisors of operands tell something.
    if (!constant || constant.getValue() <= 0 || constant.getValue() > kMaxDivisor / modulus)
      return std::nullopt;
    std::optional<int64_t> rest = modulo(lhs, constant.getValue() * modulus);
    return rest ? std::optional<int64_t>(*rest / constant.getValue()) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> MapWalk::stride(mlir::AffineExpr expr) const {
  if (llvm::isa<mlir::AffineConstantExpr>(expr))
    return 0;
  if (llvm::isa<mlir::AffineDimExpr, mlir::AffineSymbolExpr>(expr))
    return operandOf(expr) == column ? 1 : 0;
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  std::optional<int64_t> a = stride(binary.getLHS()), b = stride(binary.getRHS());
  if (!a || !b)
    return std::nullopt;
  if (*a == 0 && *b == 0)
    return 0;
  auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  switch (binary.getKind()) {
  case mlir::AffineExprKind::Add:
    return *a + *b >= 0 ? std::optional<int64_t>(*a + *b) : std::nullopt;
  case mlir::AffineExprKind::Mul:
    return constant ? std::optional<int64_t>(*a * constant.getValue()) : std::nullopt;
  case mlir::AffineExprKind::Mod:
    return constant && *a > 0 && staysWithin(binary.getLHS(), *a, constant.getValue()) ? a : std::nullopt;
  case mlir::AffineExprKind::FloorDiv:
    return constant && *a > 0 && staysWithin(binary.getLHS(), *a, constant.getValue())
               ? std::optional<int64_t>(0)
               : std::nullopt;
  default:
    return std::nullopt;
  }
}

VectorWalk::VectorWalk(kernel::ColumnsOp columns, int64_t vector)
    : column(columns.getIndex()), vector(vector) {
  varying.insert(column);
  for (mlir::Operation &op : columns.getBody().front()) {
    bool differs = llvm::isa<kernel::GetOp>(op); // a kept value is one for each column
    if (Access access = Access::of(&op))
      differs = stride(access) != 0;
    else
      differs |=
          llvm::any_of(op.getOperands(), [&](mlir::Value operand) { return varying.contains(operand); });
    if (differs)
      varying.insert(op.result_begin(), op.result_end());
  }
}

std::optional<int64_t> VectorWalk::stride(const Access &access) const {
  for (mlir::ValueRange operands : {access.indices, access.symbols})
    for (mlir::Value operand : operands)
      if (operand != column && varying.contains(operand))
        return std::nullopt;
  std::optional<int64_t> stride = MapWalk(access, column, vector).stride(access.map.getResult(0));
  return stride && *stride >= 0 ? stride : std::nullopt;
}

std::optional<int64_t> VectorWalk::positionModulo(const Access &access, int64_t modulus) const {
  return MapWalk(access, column, vector).modulo(access.map.getResult(0), modulus);
}
