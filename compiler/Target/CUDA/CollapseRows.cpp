//===- CollapseRows.cpp - Fewer row indices -------------------------------===//
#include "compiler/Target/CUDA/CollapseRows.h"
#include "compiler/Target/CUDA/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace heddle;
using namespace heddle::cuda;

namespace {
/// A sum of products of values and of what is opaque (quotients and remainders), by sorted factors. Order is
/// by address and never seen: polynomials are only compared.
using Product = std::vector<const void *>;
using Polynomial = std::map<Product, int64_t>;
} // namespace

static void addTerm(Polynomial &to, Product product, int64_t factor) {
  llvm::sort(product);
  if ((to[product] += factor) == 0)
    to.erase(product);
}

static Polynomial sum(Polynomial a, const Polynomial &b) {
  for (const auto &[product, factor] : b)
    addTerm(a, product, factor);
  return a;
}

static Polynomial multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  for (const auto &[left, leftFactor] : a)
    for (const auto &[right, rightFactor] : b) {
      Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      addTerm(result, product, leftFactor * rightFactor);
    }
  return result;
}

static Polynomial ofValue(mlir::Value value) {
  llvm::APInt constant;
  Polynomial result;
  if (matchPattern(value, mlir::m_ConstantInt(&constant))) {
    addTerm(result, {}, constant.getSExtValue());
    return result;
  }
  if (auto op = value.getDefiningOp<mlir::arith::MulIOp>())
    return multiply(ofValue(op.getLhs()), ofValue(op.getRhs()));
  addTerm(result, {value.getAsOpaquePointer()}, 1);
  return result;
}

static Polynomial ofExpr(mlir::AffineExpr expr, const Access &access) {
  Polynomial result;
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr)) {
    addTerm(result, {}, constant.getValue());
    return result;
  }
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
    return ofValue(access.indices[dim.getPosition()]);
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return ofValue(access.symbols[symbol.getPosition()]);
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  if (binary.getKind() == mlir::AffineExprKind::Add)
    return sum(ofExpr(binary.getLHS(), access), ofExpr(binary.getRHS(), access));
  if (binary.getKind() == mlir::AffineExprKind::Mul)
    return multiply(ofExpr(binary.getLHS(), access), ofExpr(binary.getRHS(), access));
  addTerm(result, {expr.getAsOpaquePointer()}, 1);
  return result;
}

/// What `value` is multiplied by; nothing where it is squared or multiplied by `other`.
static std::optional<Polynomial> coefficient(const Polynomial &polynomial, mlir::Value value,
                                             mlir::Value other) {
  Polynomial result;
  for (const auto &[product, factor] : polynomial) {
    Product rest;
    for (const void *part : product)
      if (part != value.getAsOpaquePointer())
        rest.push_back(part);
    if (rest.size() == product.size())
      continue;
    if (rest.size() + 1 != product.size() || llvm::is_contained(rest, other.getAsOpaquePointer()))
      return std::nullopt;
    addTerm(result, rest, factor);
  }
  return result;
}

/// True where a quotient or remainder in `expr` depends on `value`.
static bool isHidden(mlir::AffineExpr expr, const Access &access, mlir::Value value) {
  bool hidden = false;
  expr.walk([&](mlir::AffineExpr part) {
    auto kind = part.getKind();
    if (kind != mlir::AffineExprKind::Mod && kind != mlir::AffineExprKind::FloorDiv &&
        kind != mlir::AffineExprKind::CeilDiv)
      return;
    for (auto [position, index] : llvm::enumerate(access.indices))
      hidden |= index == value && part.isFunctionOfDim(position);
  });
  return hidden;
}

/// True where every use of `outer` and `inner` is as outer * extent + inner, times anything, in an access.
static bool appearTogether(mlir::Value outer, mlir::Value inner, mlir::Value extent) {
  llvm::SmallVector<mlir::Operation *> users(outer.getUsers());
  users.append(inner.getUsers().begin(), inner.getUsers().end());
  for (mlir::Operation *user : users) {
    Access access = Access::of(user);
    if (!access || llvm::is_contained(access.symbols, outer) || llvm::is_contained(access.symbols, inner))
      return false;
    mlir::AffineExpr expr = access.map.getResult(0);
    if (isHidden(expr, access, outer) || isHidden(expr, access, inner))
      return false;
    Polynomial polynomial = ofExpr(expr, access);
    std::optional<Polynomial> a = coefficient(polynomial, outer, inner),
                              b = coefficient(polynomial, inner, outer);
    if (!a || !b || *a != multiply(*b, ofValue(extent)))
      return false;
  }
  return true;
}

/// Rewrites an access in terms of `row` = outer * extent + inner.
static void rewrite(mlir::Operation *op, mlir::Value outer, mlir::Value inner, mlir::Value row) {
  Access access = Access::of(op);
  llvm::SmallVector<mlir::AffineExpr> dims;
  llvm::SmallVector<mlir::Value> indices;
  for (mlir::Value index : access.indices) {
    if (index == outer) {
      dims.push_back(mlir::getAffineConstantExpr(0, op->getContext()));
      continue;
    }
    dims.push_back(mlir::getAffineDimExpr(indices.size(), op->getContext()));
    indices.push_back(index == inner ? row : index);
  }
  llvm::SmallVector<mlir::AffineExpr> symbols;
  for (unsigned index = 0; index < access.map.getNumSymbols(); ++index)
    symbols.push_back(mlir::getAffineSymbolExpr(index, op->getContext()));
  mlir::AffineMap map = access.map.replaceDimsAndSymbols(dims, symbols, indices.size(), symbols.size());
  auto update = [&](auto typed) {
    typed.setMap(map);
    typed.getIndicesMutable().assign(indices);
  };
  if (auto load = llvm::dyn_cast<kernel::LoadOp>(op))
    update(load);
  else
    update(llvm::cast<kernel::StoreOp>(op));
}

static kernel::RowsOp merge(kernel::RowsOp rows, int64_t at) {
  mlir::Value outer = rows.getBody().getArgument(at), inner = rows.getBody().getArgument(at + 1);
  mlir::OpBuilder builder(rows);
  llvm::SmallVector<mlir::Value> extents(rows.getExtents());
  extents[at] = builder.createOrFold<mlir::arith::MulIOp>(rows.getLoc(), extents[at], extents[at + 1]);
  extents.erase(extents.begin() + at + 1);
  mlir::Value row = rows.getBody().insertArgument(at, builder.getIndexType(), builder.getUnknownLoc());
  llvm::SetVector<mlir::Operation *> users(outer.getUsers().begin(), outer.getUsers().end());
  users.insert(inner.getUsers().begin(), inner.getUsers().end());
  for (mlir::Operation *user : users)
    rewrite(user, outer, inner, row);
  rows.getBody().eraseArgument(at + 2);
  rows.getBody().eraseArgument(at + 1);
  auto merged = kernel::RowsOp::create(builder, rows.getLoc(), extents, rows.getPartsAttr());
  merged.getBody().takeBody(rows.getBody());
  rows.erase();
  return merged;
}

int64_t heddle::cuda::collapseRows(kernel::FuncOp func) {
  int64_t count = 0;
  auto all = func.getBody().getOps<kernel::RowsOp>();
  if (all.empty())
    return count;
  kernel::RowsOp rows = *all.begin();
  for (int64_t at = int64_t(rows.getExtents().size()) - 2; at >= 0; --at)
    if (appearTogether(rows.getBody().getArgument(at), rows.getBody().getArgument(at + 1),
                       rows.getExtents()[at + 1])) {
      rows = merge(rows, at);
      ++count;
    }
  return count;
}
