//===- Normalize.cpp - Reductions, softmax and norms ----------------------===//
#include "runtime/reference/Ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::runtime::reference {

namespace {

/// Reduces the axes of "axes"; they keep their place with size 1. Elements are taken in row-major order of
/// the operand, each result by one thread.
Status reduce(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  HEDDLE_ASSIGN_OR_RETURN(std::string kind, c.string("kind"));
  HEDDLE_ASSIGN_OR_RETURN(std::vector<int64_t> axes, c.ints("axes"));
  const Shape &shape = c.operandShape(0);
  auto rank = static_cast<int64_t>(shape.size());
  Shape kept = shape, inner; // Sizes and strides of the reduced axes.
  Shape strides = stridesOf(shape), innerStrides;
  std::vector<bool> reduced(shape.size(), false);
  for (int64_t axis : axes) {
    int64_t counted = axis < 0 ? axis + rank : axis;
    if (counted < 0 || counted >= rank || reduced[static_cast<size_t>(counted)])
      return invalidInput("axes: " + std::to_string(axis) + " is outside a rank of " + std::to_string(rank) +
                          ", or twice there");
    reduced[static_cast<size_t>(counted)] = true;
  }
  for (size_t i = 0; i < shape.size(); ++i)
    if (reduced[i]) {
      kept[i] = 1;
      inner.push_back(shape[i]);
      innerStrides.push_back(strides[i]);
    }
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), kept));
  int64_t count = elementCount(inner);
  enum { Sum, Mean, Max, Min } what = kind == "sum" ? Sum : kind == "mean" ? Mean : kind == "max" ? Max : Min;
  if (what == Min && kind != "min")
    return invalidInput("kind: wanted sum, mean, max or min, found " + kind);
  if (count == 0 && what != Sum)
    return invalidInput("the " + kind + " of no elements");
  // Where each reduced element is, relative to the first of its result.
  std::vector<int64_t> offsets(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t d = inner.size(); d-- > 0; rest /= inner[d])
      offset += rest % inner[d] * innerStrides[d];
    offsets[static_cast<size_t>(i)] = offset;
  }
  const double *x = c.operand(0);
  double *y = c.result();
  c.pool.parallelFor(elementCount(kept), std::max<int64_t>(1, kGrain / std::max<int64_t>(count, 1)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         int64_t rest = i, base = 0;
                         for (size_t d = kept.size(); d-- > 0; rest /= kept[d])
                           base += rest % kept[d] * strides[d];
                         double value = what == Max   ? -std::numeric_limits<double>::infinity()
                                        : what == Min ? std::numeric_limits<double>::infinity()
                                                      : 0;
                         for (int64_t offset : offsets) {
                           double element = x[base + offset];
                           if (what == Sum || what == Mean)
                             value += element;
                           else if (std::isnan(element) || std::isnan(value))
                             value = NAN;
                           else
                             value = what == Max ? std::max(value, element) : std::min(value, element);
                         }
                         y[i] = what == Mean ? value / static_cast<double>(count) : value;
                       }
                     });
  return Status::ok();
}

Status softmax(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  const Shape &shape = c.operandShape(0);
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), shape));
  HEDDLE_ASSIGN_OR_RETURN(int64_t axis, c.axis(static_cast<int64_t>(shape.size())));
  int64_t size = shape[static_cast<size_t>(axis)], stride = stridesOf(shape)[static_cast<size_t>(axis)];
  if (size == 0)
    return Status::ok();
  const double *x = c.operand(0);
  double *y = c.result();
  c.pool.parallelFor(elementCount(shape) / size, std::max<int64_t>(1, kGrain / size),
                     [=](int64_t begin, int64_t end) {
                       for (int64_t row = begin; row < end; ++row) {
                         int64_t base = row / stride * stride * size + row % stride;
                         double most = -std::numeric_limits<double>::infinity(), sum = 0;
                         for (int64_t i = 0; i < size; ++i)
                           most = std::max(most, x[base + i * stride]);
                         for (int64_t i = 0; i < size; ++i)
                           sum += y[base + i * stride] = std::exp(x[base + i * stride] - most);
                         for (int64_t i = 0; i < size; ++i)
                           y[base + i * stride] /= sum;
                       }
                     });
  return Status::ok();
}

/// Both norms, over the last axis: (x - mean) / sqrt(variance + epsilon) * weight + bias, the variance being
/// that of the population; RMS leaves out the mean and the bias.
Status normalize(Context &c, bool centred) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, centred ? 3 : 2));
  HEDDLE_RETURN_IF_ERROR(c.wantRank(0, 1));
  const Shape &shape = c.operandShape(0);
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), shape));
  HEDDLE_ASSIGN_OR_RETURN(double epsilon, c.real("epsilon"));
  int64_t size = shape.back();
  for (size_t i = 1; i < c.operandCount(); ++i)
    HEDDLE_RETURN_IF_ERROR(c.wantShape("operand " + std::to_string(i), c.operandShape(i), {size}));
  if (size == 0)
    return Status::ok();
  const double *x = c.operand(0), *weight = c.operandCount() > 1 ? c.operand(1) : nullptr,
               *bias = c.operandCount() > 2 ? c.operand(2) : nullptr;
  double *y = c.result();
  c.pool.parallelFor(elementCount(shape) / size, std::max<int64_t>(1, kGrain / size),
                     [=](int64_t begin, int64_t end) {
                       for (int64_t row = begin; row < end; ++row) {
                         const double *from = x + row * size;
                         double *to = y + row * size;
                         double mean = 0, squares = 0;
                         for (int64_t i = 0; i < size && centred; ++i)
                           mean += from[i];
                         mean /= static_cast<double>(size);
                         for (int64_t i = 0; i < size; ++i)
                           squares += (from[i] - mean) * (from[i] - mean);
                         double scale = 1 / std::sqrt(squares / static_cast<double>(size) + epsilon);
                         for (int64_t i = 0; i < size; ++i)
                           to[i] = (from[i] - mean) * scale * (weight ? weight[i] : 1) + (bias ? bias[i] : 0);
                       }
                     });
  return Status::ok();
}

Status layerNorm(Context &c) { return normalize(c, true); }
Status rmsNorm(Context &c) { return normalize(c, false); }

} // namespace

void addNormalize(Handlers &handlers) {
  handlers.insert(
      {{"reduce", reduce}, {"softmax", softmax}, {"layer_norm", layerNorm}, {"rms_norm", rmsNorm}});
}

} // namespace heddle::runtime::reference
