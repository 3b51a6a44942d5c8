//===- IndexForm.cpp - Integer values as functions of the index -----------===//
#include "compiler/Graph/IndexForm.h"
#include "compiler/Graph/Match.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace heddle;
using namespace heddle::graph;
using heddle::match::IndexForm;
using mlir::Value;

/// Largest magnitude below which every integer is a value of the type.
static double exactIntegers(mlir::Type element) {
  if (element.isF32())
    return 16777216.0; // 2^24
  if (element.isF16())
    return 2048.0;
  if (element.isBF16())
    return 256.0;
  return 2147483647.0; // i32; enough for i64, and products of two such forms fit int64.
}

/// Drops coefficients that make no difference; nullopt where a value might be inexact.
static std::optional<IndexForm> settled(IndexForm form, mlir::RankedTensorType type) {
  double reach = std::fabs(static_cast<double>(form.constant));
  for (auto [coefficient, extent] : llvm::zip_equal(form.coefficients, type.getShape())) {
    if (extent == 1)
      coefficient = 0;
    reach += std::fabs(static_cast<double>(coefficient)) * static_cast<double>(extent - 1);
  }
  if (reach > exactIntegers(type.getElementType()))
    return std::nullopt;
  return form;
}

static std::optional<IndexForm> combined(const std::optional<IndexForm> &a, const std::optional<IndexForm> &b,
                                         int64_t sign) {
  if (!a || !b)
    return std::nullopt;
  IndexForm form = *a;
  form.constant += sign * b->constant;
  for (auto [mine, theirs] : llvm::zip_equal(form.coefficients, b->coefficients))
    mine += sign * theirs;
  return form;
}

static std::optional<int64_t> integerSplat(Value value) {
  std::optional<double> splat = match::splatValue(value);
  if (!splat || *splat != std::floor(*splat) || std::fabs(*splat) > 2147483647.0)
    return std::nullopt;
  return static_cast<int64_t>(*splat);
}

std::optional<IndexForm> match::reshapedForm(const IndexForm &form, llvm::ArrayRef<int64_t> from,
                                             llvm::ArrayRef<int64_t> to) {
  auto isLong = [](int64_t extent) { return extent != 1; };
  if (!llvm::equal(llvm::make_filter_range(from, isLong), llvm::make_filter_range(to, isLong)))
    return std::nullopt;
  IndexForm result{form.constant, {}};
  size_t source = 0;
  for (int64_t extent : to) {
    if (extent == 1) {
      result.coefficients.push_back(0);
      continue;
    }
    while (from[source] == 1)
      ++source;
    result.coefficients.push_back(form.coefficients[source++]);
  }
  return result;
}

/// `depth` bounds the work on chains that are no index arithmetic after all.
static std::optional<IndexForm> formOf(Value value, int depth) {
  mlir::RankedTensorType type = typeOf(value);
  auto rank = static_cast<size_t>(type.getRank());
  if (std::optional<int64_t> splat = integerSplat(value))
    return settled({*splat, llvm::SmallVector<int64_t, 6>(rank, 0)}, type);
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return std::nullopt;
  auto operand = [&](unsigned index) { return formOf(op->getOperand(index), depth - 1); };
  using Form = std::optional<IndexForm>;
  Form form = llvm::TypeSwitch<mlir::Operation *, Form>(op)
                  .Case([&](IotaOp iota) -> Form {
                    IndexForm result{0, llvm::SmallVector<int64_t, 6>(rank, 0)};
                    result.coefficients[iota.getAxis()] = 1;
                    return result;
                  })
                  .Case([&](AddOp) -> Form { return combined(operand(0), operand(1), 1); })
                  .Case([&](SubOp) -> Form { return combined(operand(0), operand(1), -1); })
                  .Case([&](NegOp) -> Form {
                    return combined(IndexForm{0, llvm::SmallVector<int64_t, 6>(rank, 0)}, operand(0), -1);
                  })
                  .Case([&](MulOp product) -> Form {
                    Form result = operand(0);
                    std::optional<int64_t> factor = integerSplat(product.getRhs());
                    if (!result || !factor)
                      return std::nullopt;
                    result->constant *= *factor;
                    for (int64_t &coefficient : result->coefficients)
                      coefficient *= *factor;
                    return result;
                  })
                  .Case([&](CastOp) -> Form { return operand(0); })
                  .Case([&](CopyOp) -> Form { return operand(0); })
                  .Case([&](BroadcastOp) -> Form {
                    return operand(0);
                  }) // The operand's coefficient is 0 where it is stretched.
                  .Case([&](ReshapeOp reshape) -> Form {
                    Form result = operand(0);
                    return result ? match::reshapedForm(*result, typeOf(reshape.getOperand()).getShape(),
                                                        type.getShape())
                                  : std::nullopt;
                  })
                  .Case([&](TransposeOp transpose) -> Form {
                    Form result = operand(0);
                    if (!result)
                      return std::nullopt;
                    IndexForm permuted{result->constant, {}};
                    for (int64_t source : transpose.getPermutation())
                      permuted.coefficients.push_back(result->coefficients[source]);
                    return permuted;
                  })
                  .Case([&](SliceOp slice) -> Form {
                    Form result = operand(0);
                    if (!result)
                      return std::nullopt;
                    for (size_t dim = 0; dim < rank; ++dim) {
                      result->constant += result->coefficients[dim] * slice.getOffsets()[dim];
                      // One element has no next one: its stride may be any number.
                      result->coefficients[dim] *= type.getDimSize(dim) == 1 ? 0 : slice.getStrides()[dim];
                    }
                    return result;
                  })
                  .Default([](mlir::Operation *) -> Form { return std::nullopt; });
  return form ? settled(std::move(*form), type) : std::nullopt;
}

std::optional<IndexForm> match::indexForm(Value value) {
  constexpr int kDepth = 12;
  if (!hasIntElements(value.getType()) && !hasFloatElements(value.getType()))
    return std::nullopt;
  return formOf(value, kDepth);
}

std::optional<IndexForm> match::conditionForm(Value condition, bool negated) {
  auto compare = condition.getDefiningOp<CompareOp>();
  if (!compare)
    return std::nullopt;
  std::optional<IndexForm> difference =
      combined(indexForm(compare.getLhs()), indexForm(compare.getRhs()), -1);
  if (!difference)
    return std::nullopt;
  // On integers a > b is a - b - 1 >= 0, and the negation of f >= 0 is -f - 1 >= 0.
  auto scaled = [](IndexForm form, int64_t sign, int64_t add) {
    form.constant = sign * form.constant + add;
    for (int64_t &coefficient : form.coefficients)
      coefficient *= sign;
    return form;
  };
  IndexForm form;
  switch (compare.getPredicate()) {
  case Predicate::GE:
    form = *difference;
    break;
  case Predicate::GT:
    form = scaled(*difference, 1, -1);
    break;
  case Predicate::LE:
    form = scaled(*difference, -1, 0);
    break;
  case Predicate::LT:
    form = scaled(*difference, -1, -1);
    break;
  case Predicate::EQ:
  case Predicate::NE:
    return std::nullopt;
  }
  return negated ? scaled(form, -1, -1) : form;
}
