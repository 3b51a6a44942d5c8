//===- Ops.h - How the interpreter runs one operation -----------*- C++ -*-===//
//
// Each family of operations is one file that adds its handlers to a table by name. A handler finds its
// operands computed and the results' shapes given, checks what it relies on, and fills the results. Values of
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
          std::vector<Tensor> &results, ThreadPool &pool)
      : program(program), operation(operation), operands(std::move(operands)), results(results),
        out(results.front()), pool(pool) {}

  size_t operandCount() const { return operands.size(); }
  const double *operand(size_t i) const { return operands[i]->data(); }
  const Shape &operandShape(size_t i) const {
    return program.values[static_cast<size_t>(operation.operands[i])].shape;
  }
  DType operandType(size_t i) const {
    return program.values[static_cast<size_t>(operation.operands[i])].dtype;
  }
  size_t resultCount() const { return results.size(); }
  const Shape &resultShape(size_t i = 0) const {
    return program.values[static_cast<size_t>(operation.results[i])].shape;
  }
  DType resultType() const { return program.values[static_cast<size_t>(operation.results[0])].dtype; }
  double *result(size_t i = 0) const { return results[i].data(); }

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
  std::vector<Tensor> &results;
  Tensor &out; ///< The first of them.
  ThreadPool &pool;
};

/// Runs an operation of `leastResults` to `mostResults` results.
struct Handler {
  using Function = Status (*)(Context &);
  Handler(Function run, size_t leastResults = 1, size_t mostResults = 1)
      : run(run), leastResults(leastResults), mostResults(mostResults) {}

  Function run;
  size_t leastResults, mostResults;
};
using Handlers = std::map<std::string, Handler>;

void addElementwise(Handlers &handlers);
void addNormalize(Handlers &handlers);
void addLoss(Handlers &handlers);
void addViews(Handlers &handlers);
void addMatmul(Handlers &handlers);
void addAttention(Handlers &handlers);
void addAttentionGrad(Handlers &handlers);

/// Elements worth a thread of their own.
inline constexpr int64_t kGrain = 4096;

/// c (m×n) += a (m×k) · b in float64, b being k×n or, where `transposeB`, n×k; all dense rows with leading
/// dimensions. Blocked for the caches; sums are in order of k, so that results do not depend on the threads.
void multiplyAdd(const double *a, int64_t lda, const double *b, int64_t ldb, bool transposeB, double *c,
                 int64_t ldc, int64_t m, int64_t n, int64_t k);

} // namespace heddle::runtime::reference

#endif // HEDDLE_RUNTIME_REFERENCE_OPS_H
