//===- Views.cpp - Operations that only move elements ---------------------===//
#include "runtime/reference/Ops.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace heddle::runtime::reference {

namespace {

/// result[i0, i1, …] = source[base + i0*strides[0] + i1*strides[1] + …].
void gatherStrided(Context &c, const double *source, int64_t base, const Shape &strides) {
  const Shape &shape = c.resultShape();
  double *y = c.result();
  c.pool.parallelFor(elementCount(shape), kGrain, [&, source, base, y](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t rest = i, from = base;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
        from += rest % shape[d] * strides[d];
      y[i] = source[from];
    }
  });
}

Status iota(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(0, 0));
  const Shape &shape = c.resultShape();
  HEDDLE_ASSIGN_OR_RETURN(int64_t axis, c.axis(static_cast<int64_t>(shape.size())));
  int64_t size = shape[static_cast<size_t>(axis)], stride = stridesOf(shape)[static_cast<size_t>(axis)];
  for (int64_t i = 0, count = elementCount(shape); i < count; ++i)
    c.result()[i] = static_cast<double>(i / stride % size);
  return Status::ok();
}

Status broadcast(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  const Shape &from = c.operandShape(0), &to = c.resultShape();
  Shape strides = stridesOf(from);
  bool fits = from.size() == to.size();
  for (size_t i = 0; fits && i < to.size(); ++i) {
    fits = from[i] == to[i] || from[i] == 1;
    if (from[i] == 1)
      strides[i] = 0;
  }
  if (!fits)
    return invalidInput("broadcast of " + shapeText(from) + " to " + shapeText(to) +
                        ": wanted the same rank, and sizes that are equal or 1");
  gatherStrided(c, c.operand(0), 0, strides);
  return Status::ok();
}

Status reshape(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  if (c.operands[0]->size() != c.out.size())
    return invalidInput("reshape of " + shapeText(c.operandShape(0)) + " to " + shapeText(c.resultShape()) +
                        ": wanted as many elements");
  std::copy(c.operands[0]->begin(), c.operands[0]->end(), c.out.begin());
  return Status::ok();
}

Status copy(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), c.operandShape(0)));
  return reshape(c);
}

/// Axis i of the result is axis permutation[i] of the operand.
Status transpose(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  HEDDLE_ASSIGN_OR_RETURN(std::vector<int64_t> permutation, c.ints("permutation"));
  const Shape &from = c.operandShape(0);
  std::vector<int64_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  bool legal = sorted.size() == from.size();
  for (size_t i = 0; legal && i < sorted.size(); ++i)
    legal = sorted[i] == static_cast<int64_t>(i);
  if (!legal)
    return invalidInput("permutation " + shapeText(permutation) + " is none of a rank of " +
                        std::to_string(from.size()));
  Shape strides = stridesOf(from), permuted(from.size()), wanted(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    permuted[i] = strides[static_cast<size_t>(permutation[i])];
    wanted[i] = from[static_cast<size_t>(permutation[i])];
  }
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), wanted));
  gatherStrided(c, c.operand(0), 0, permuted);
  return Status::ok();
}

/// Element i of an axis is element offsets + i*strides of the operand's; sizes are those of the result.
Status slice(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  const Shape &from = c.operandShape(0), &to = c.resultShape();
  HEDDLE_ASSIGN_OR_RETURN(std::vector<int64_t> offsets, c.ints("offsets"));
  std::vector<int64_t> steps(from.size(), 1);
  if (c.operation.ints.count("strides")) {
    HEDDLE_ASSIGN_OR_RETURN(steps, c.ints("strides"));
  }
  if (offsets.size() != from.size() || steps.size() != from.size() || to.size() != from.size())
    return invalidInput("slice of " + shapeText(from) + " to " + shapeText(to) + " with " +
                        std::to_string(offsets.size()) + " offsets and " + std::to_string(steps.size()) +
                        " strides: wanted one rank");
  Shape strides = stridesOf(from);
  int64_t base = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t last = offsets[i] + (to[i] - 1) * steps[i];
    if (to[i] > 0 && (offsets[i] < 0 || offsets[i] >= from[i] || last < 0 || last >= from[i]))
      return invalidInput("axis " + std::to_string(i) + ": elements " + std::to_string(offsets[i]) + " to " +
                          std::to_string(last) + " are outside its size " + std::to_string(from[i]));
    base += offsets[i] * strides[i];
    strides[i] *= steps[i];
  }
  gatherStrided(c, c.operand(0), base, strides);
  return Status::ok();
}

Status concat(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, SIZE_MAX));
  const Shape &to = c.resultShape();
  HEDDLE_ASSIGN_OR_RETURN(int64_t axis, c.axis(static_cast<int64_t>(to.size())));
  auto along = static_cast<size_t>(axis);
  int64_t total = 0;
  for (size_t i = 0; i < c.operandCount(); ++i) {
    Shape wanted = to;
    if (c.operandShape(i).size() == to.size())
      wanted[along] = c.operandShape(i)[along];
    HEDDLE_RETURN_IF_ERROR(c.wantShape("operand " + std::to_string(i), c.operandShape(i), wanted));
    total += wanted[along];
  }
  if (total != to[along])
    return invalidInput("axis " + std::to_string(axis) + ": wanted " + std::to_string(to[along]) +
                        " elements of the operands together, found " + std::to_string(total));
  int64_t inner = stridesOf(to)[along], outer = total * inner == 0 ? 0 : elementCount(to) / (total * inner);
  int64_t at = 0;
  for (size_t i = 0; i < c.operandCount(); ++i) {
    int64_t run = c.operandShape(i)[along] * inner;
    for (int64_t o = 0; o < outer; ++o)
      std::copy_n(c.operand(i) + o * run, run, c.result() + o * total * inner + at);
    at += run;
  }
  return Status::ok();
}

std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// Takes slices of x along `axis` at the places that `indices` holds: the result's shape is x's with that
/// axis replaced by the shape of the indices.
Status takeAlong(Context &c, const double *x, const Shape &shape, const Tensor &indices,
                 const Shape &indexShape, size_t along) {
  Shape wanted(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(along));
  wanted.insert(wanted.end(), indexShape.begin(), indexShape.end());
  wanted.insert(wanted.end(), shape.begin() + static_cast<ptrdiff_t>(along) + 1, shape.end());
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), wanted));
  int64_t size = shape[along], inner = stridesOf(shape)[along], outer = 1;
  for (size_t i = 0; i < along; ++i)
    outer *= shape[i];
  auto count = static_cast<int64_t>(indices.size());
  for (size_t i = 0; i < indices.size(); ++i)
    if (!(indices[i] >= 0 && indices[i] < static_cast<double>(size)) || indices[i] != std::trunc(indices[i]))
      return invalidInput("index " + std::to_string(i) + " is " + numberText(indices[i]) + ", outside 0 to " +
                          std::to_string(size - 1));
  double *y = c.result();
  c.pool.parallelFor(outer * count, std::max<int64_t>(1, kGrain / std::max<int64_t>(inner, 1)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         auto index = static_cast<int64_t>(indices[static_cast<size_t>(i % count)]);
                         std::copy_n(x + (i / count * size + index) * inner, inner, y + i * inner);
                       }
                     });
  return Status::ok();
}

Status embedding(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  if (c.operandShape(0).size() != 2)
    return invalidInput("table: wanted rank 2, found " + shapeText(c.operandShape(0)));
  return takeAlong(c, c.operand(0), c.operandShape(0), *c.operands[1], c.operandShape(1), 0);
}

Status gather(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  HEDDLE_ASSIGN_OR_RETURN(int64_t axis, c.axis(static_cast<int64_t>(c.operandShape(0).size())));
  return takeAlong(c, c.operand(0), c.operandShape(0), *c.operands[1], c.operandShape(1),
                   static_cast<size_t>(axis));
}

} // namespace

void addViews(Handlers &handlers) {
  handlers.insert({{"iota", iota},
                   {"broadcast", broadcast},
                   {"reshape", reshape},
                   {"copy", copy},
                   {"transpose", transpose},
                   {"slice", slice},
                   {"concat", concat},
                   {"embedding", embedding},
                   {"gather", gather}});
}

} // namespace heddle::runtime::reference
