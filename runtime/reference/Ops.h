//===- Ops.h - How the interpreter runs one operation -----------*- C++ -*-===//
//
// Each family of operations is one file that adds its handlers to a table by name. A handler finds its
// operands computed and the result's shape given, checks what it relies on, and fills the result. Values of
// every type are float64: integers are exact below 2^53, booleans are 0 or 1.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_REFERENCE_OPS_H
#define HEDDLE_RUNTIME_REFERENCE_OPS_H

#include "runtime/base/ThreadPool.h"
#include "runtime/reference/Program.h"

#include <map>
#include <string>
#include <vector>

namespace heddle::runtime::reference {

using Shape = std::vector<int64_t>;

/// "[2, 3]".
std::string shapeText(const Shape &shape);
int64_t elementCount(const Shape &shape);
/// Row-major strides, in elements.
Shape stridesOf(const Shape &shape);

/// One operation about to run.
class Context {
public:
  Context(const Program &program, const Operation &operation, std::vector<const Tensor *> operands,
          Tensor &result, ThreadPool &pool)
      : program(program), operation(operation), operands(std::move(operands)), out(result), pool(pool) {}

  size_t operandCount() const { return operands.size(); }
  const double *operand(size_t i) const { return operands[i]->data(); }
  const Shape &operandShape(size_t i) const {
    return program.values[static_cast<size_t>(operation.operands[i])].shape;
  }
  DType operandType(size_t i) const {
    return program.values[static_cast<size_t>(operation.operands[i])].dtype;
  }
  const Shape &resultShape() const { return program.values[static_cast<size_t>(operation.results[0])].shape; }
  DType resultType() const { return program.values[static_cast<size_t>(operation.results[0])].dtype; }
  double *result() const { return out.data(); }

  /// Checks, each an InvalidInput that says what was wanted and found.
  Status wantOperands(size_t least, size_t most) const;
  Status wantRank(size_t operand, int64_t least) const;
  Status wantShape(const std::string &what, const Shape &found, const Shape &wanted) const;
  /// Attributes. An absent one is an error unless it has a default.
  StatusOr<std::vector<int64_t>> ints(const std::string &name) const;
  StatusOr<int64_t> integer(const std::string &name) const;
  int64_t integerOr(const std::string &name, int64_t value) const;
  StatusOr<double> real(const std::string &name) const;
  StatusOr<std::string> string(const std::string &name) const;
  std::string stringOr(const std::string &name, const std::string &value) const;
  /// Attribute "axis", counted from the end where negative, below `rank`.
  StatusOr<int64_t> axis(int64_t rank) const;

  const Program &program;
  const Operation &operation;
  std::vector<const Tensor *> operands;
  Tensor &out;
  ThreadPool &pool;
};

using Handler = Status (*)(Context &);
using Handlers = std::map<std::string, Handler>;

void addElementwise(Handlers &handlers);
void addNormalize(Handlers &handlers);
void addLoss(Handlers &handlers);
void addViews(Handlers &handlers);
void addMatmul(Handlers &handlers);
void addAttention(Handlers &handlers);

/// Elements worth a thread of their own.
inline constexpr int64_t kGrain = 4096;

/// c (m×n) += a (m×k) · b in float64, b being k×n or, where `transposeB`, n×k; all dense rows with leading
/// dimensions. Blocked for the caches; sums are in order of k, so that results do not depend on the threads.
void multiplyAdd(const double *a, int64_t lda, const double *b, int64_t ldb, bool transposeB, double *c,
                 int64_t ldc, int64_t m, int64_t n, int64_t k);

} // namespace heddle::runtime::reference

#endif // HEDDLE_RUNTIME_REFERENCE_OPS_H
