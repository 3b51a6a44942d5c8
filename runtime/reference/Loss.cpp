//===- Loss.cpp - Cross-entropy, and gradients with sums ------------------===//
#include "runtime/reference/Ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::runtime::reference {

namespace {

/// The rows of logits [..., V] and what goes with them.
struct LossRows {
  const double *logits = nullptr, *targets = nullptr;
  int64_t rows = 0, columns = 0, ignored = 0;
  double smoothing = 0;
};

/// Operand 0 is logits, operand 1 targets; every target is `ignored` or a column.
StatusOr<LossRows> lossRows(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantRank(0, 1));
  LossRows loss;
  Shape rows = c.operandShape(0);
  loss.columns = rows.back();
  rows.pop_back();
  HEDDLE_RETURN_IF_ERROR(c.wantShape("targets", c.operandShape(1), rows));
  HEDDLE_ASSIGN_OR_RETURN(loss.ignored, c.integer("ignored"));
  HEDDLE_ASSIGN_OR_RETURN(loss.smoothing, c.real("smoothing"));
  loss.rows = elementCount(rows);
  loss.logits = c.operand(0);
  loss.targets = c.operand(1);
  for (int64_t row = 0; row < loss.rows; ++row) {
    auto target = static_cast<int64_t>(loss.targets[row]);
    if (target != loss.ignored && (target < 0 || target >= loss.columns))
      return invalidInput("target " + std::to_string(row) + " is " + std::to_string(target) +
                          ", wanted 0 to " + std::to_string(loss.columns - 1) + " or " +
                          std::to_string(loss.ignored));
  }
  return loss;
}

double logSumExp(const double *x, int64_t count) {
  double most = *std::max_element(x, x + count), sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += std::exp(x[i] - most);
  return most + std::log(sum);
}

Status crossEntropy(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  HEDDLE_ASSIGN_OR_RETURN(LossRows loss, lossRows(c));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), c.operandShape(1)));
  double *y = c.result();
  c.pool.parallelFor(loss.rows, std::max<int64_t>(1, kGrain / loss.columns), [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      auto target = static_cast<int64_t>(loss.targets[row]);
      y[row] = 0;
      if (target == loss.ignored)
        continue;
      const double *x = loss.logits + row * loss.columns;
      double mean = 0;
      for (int64_t i = 0; i < loss.columns; ++i)
        mean += x[i] / static_cast<double>(loss.columns);
      y[row] = logSumExp(x, loss.columns) - (1 - loss.smoothing) * x[target] - loss.smoothing * mean;
    }
  });
  return Status::ok();
}

Status crossEntropyGrad(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(3, 3));
  HEDDLE_ASSIGN_OR_RETURN(LossRows loss, lossRows(c));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("gradient", c.operandShape(2), c.operandShape(1)));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), c.operandShape(0)));
  const double *gradient = c.operand(2);
  double *y = c.result();
  c.pool.parallelFor(loss.rows, std::max<int64_t>(1, kGrain / loss.columns), [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      auto target = static_cast<int64_t>(loss.targets[row]);
      const double *x = loss.logits + row * loss.columns;
      double *to = y + row * loss.columns;
      if (target == loss.ignored) {
        std::fill_n(to, loss.columns, 0.0);
        continue;
      }
      double total = logSumExp(x, loss.columns);
      for (int64_t i = 0; i < loss.columns; ++i)
        to[i] = gradient[row] * (std::exp(x[i] - total) - (i == target ? 1 - loss.smoothing : 0) -
                                 loss.smoothing / static_cast<double>(loss.columns));
    }
  });
  return Status::ok();
}

/// Along the last axis.
Status softmaxGrad(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  HEDDLE_RETURN_IF_ERROR(c.wantRank(0, 1));
  const Shape &shape = c.operandShape(0);
  HEDDLE_RETURN_IF_ERROR(c.wantShape("product", c.operandShape(1), shape));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), shape));
  int64_t size = shape.back();
  const double *y = c.operand(0), *product = c.operand(1);
  double *out = c.result();
  c.pool.parallelFor(elementCount(shape) / size, std::max<int64_t>(1, kGrain / size),
                     [=](int64_t begin, int64_t end) {
                       for (int64_t at = begin * size; at < end * size; at += size) {
                         double sum = 0;
                         for (int64_t i = at; i < at + size; ++i)
                           sum += product[i];
                         for (int64_t i = at; i < at + size; ++i)
                           out[i] = product[i] - y[i] * sum;
                       }
                     });
  return Status::ok();
}

/// Rows in the order of their indices; each column by one thread.
Status embeddingGrad(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  if (c.resultShape().size() != 2)
    return invalidInput("result: wanted rank 2, found " + shapeText(c.resultShape()));
  int64_t rows = c.resultShape()[0], columns = c.resultShape()[1];
  Shape wanted = c.operandShape(1);
  wanted.push_back(columns);
  HEDDLE_RETURN_IF_ERROR(c.wantShape("gradient", c.operandShape(0), wanted));
  const double *gradient = c.operand(0), *indices = c.operand(1);
  int64_t count = elementCount(c.operandShape(1));
  for (int64_t i = 0; i < count; ++i)
    if (!(indices[i] >= 0 && indices[i] < static_cast<double>(rows)))
      return invalidInput("index " + std::to_string(i) + " is outside 0 to " + std::to_string(rows - 1));
  double *out = c.result();
  std::fill_n(out, rows * columns, 0.0);
  c.pool.parallelFor(columns, std::max<int64_t>(1, kGrain / std::max<int64_t>(count, 1)),
                     [=](int64_t begin, int64_t end) {
                       for (int64_t i = 0; i < count; ++i) {
                         double *to = out + static_cast<int64_t>(indices[i]) * columns;
                         for (int64_t column = begin; column < end; ++column)
                           to[column] += gradient[i * columns + column];
                       }
                     });
  return Status::ok();
}

} // namespace

void addLoss(Handlers &handlers) {
  handlers.insert({{"cross_entropy", crossEntropy},
                   {"cross_entropy_grad", crossEntropyGrad},
                   {"softmax_grad", softmaxGrad},
                   {"embedding_grad", embeddingGrad}});
}

} // namespace heddle::runtime::reference
