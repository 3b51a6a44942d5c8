//===- Printer.h - CUDA C++ text of one kernel ------------------*- C++ -*-===//
//
// The printer follows attributes and decides nothing. It is split by structure: values and statements here
// and in Printer.cpp, rows and columns in PrintRows.cpp, attention and row sums in PrintSkeleton.cpp, scalar
// ops in PrintOps.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_PRINTER_H
#define HEDDLE_COMPILER_TARGET_CUDA_PRINTER_H

#include "compiler/Target/CUDA/Access.h"
#include "compiler/Target/CUDA/PrintOps.h"
#include "dialects/Kernel/KernelDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle::cuda {

class Printer {
public:
  explicit Printer(kernel::FuncOp func);
  /// The whole text, or failure after a diagnostic.
  mlir::FailureOr<std::string> print();

private:
  // Text.
  void line(const std::string &text) { (out += std::string(2 * depth, ' ') += text) += "\n"; }
  /// A line at the left margin, for preprocessor directives.
  void directive(const std::string &text) { (out += text) += "\n"; }
  void open(const std::string &text) { line(text + " {"), ++depth; }
  void close(const std::string &after = "") { --depth, line("}" + after); }

  // Values.
  Expr exprOf(mlir::Value value) const;
  void bind(mlir::Value value, Expr expr) { values[value] = std::move(expr); }
  /// A fresh name for `value`, bound to it.
  std::string name(mlir::Value value);
  /// True where `value` goes into its one use's expression instead of a variable.
  bool isInlined(mlir::Value value, const Expr &expr, bool sameVector) const;
  /// Binds the result of a scalar op or a load, by a declaration or within its use.
  llvm::LogicalResult define(mlir::Operation *op, bool sameVector = true);
  Expr positionOf(const Access &access, int64_t offset = 0) const;
  Expr elementOf(const Access &access) const;
  /// The kernel's head, wrapped at the column limit; `further` parameters follow the function's own. A
  /// batched kernel's own are in a table instead, which its first lines read.
  void printHead(const std::string &bounds, llvm::ArrayRef<std::string> further = {});
  void printInstance(const std::string &table, const std::string &instances);
  /// "const float *__restrict__ ": an argument's type, ready for its name.
  std::string declarationOf(mlir::BlockArgument argument) const;
  llvm::LogicalResult printIndexArithmetic();

  // Rows (PrintRows.cpp).
  llvm::LogicalResult printRows(kernel::RowsOp rows);
  void printRowIndices(kernel::RowsOp rows, const std::string &row);
  llvm::LogicalResult printRowBody(kernel::RowsOp rows);
  llvm::LogicalResult printParts(kernel::RowsOp rows);
  void declareSums(kernel::RowsOp rows);
  void storeSums(kernel::ColumnsOp columns, const std::string &part, bool mayLackPart);
  llvm::LogicalResult printColumns(kernel::ColumnsOp columns);
  llvm::LogicalResult printFlatColumns(kernel::RowsOp rows);
  llvm::LogicalResult printVector(kernel::ColumnsOp columns);
  void printReductions(kernel::ColumnsOp columns);
  llvm::LogicalResult printLanes(kernel::ColumnsOp columns, const VectorWalk &walk);
  void loadLanes(const Access &access);
  void declareStoreLanes(const Access &access);

  // Attention and row sums (PrintSkeleton.cpp).
  llvm::LogicalResult printRowSums(kernel::RowSumsOp sums);
  llvm::LogicalResult printSkeleton(kernel::SkeletonOp skeleton);
  /// What becomes a member of the struct Score must not be called as its own members and parameters are.
  void takeScoreNames();
  llvm::LogicalResult printGenerated(kernel::SkeletonOp skeleton, mlir::Region &region,
                                     const std::string &head, const std::string &missing);
  /// The fields of `params`; returns what a call passes after them.
  std::string printSkeletonParams(kernel::SkeletonOp skeleton, const std::string &params);

  kernel::FuncOp func;
  std::string out;
  int depth = 0;
  Names names;
  llvm::SmallVector<llvm::StringRef> scoreNames; ///< What takeScoreNames took.
  llvm::DenseMap<mlir::Value, Expr> values;
  llvm::DenseSet<mlir::Value> loaded, stored; ///< Buffers.

  /// The block's number, and the same in 64 bits; of a batched kernel within its instance.
  std::string block = "blockIdx.x", wideBlock = "(long long)blockIdx.x";

  // Of the rows op that is printed.
  std::string lane = "0"; ///< The thread's number within its row.
  std::string active;     ///< A condition, where threads of a warp may lack a row.
  std::string scratch;    ///< Shared memory of block reductions.
  /// Registers that sum down the columns, each by its buffer.
  llvm::DenseMap<mlir::Value, std::string> sums;

  // Of the columns loop that is printed.
  std::string step;      ///< Index of the vector within the thread's row, where rows are kept.
  std::string laneIndex; ///< Index within the vector; empty for vectors of one column.
  /// Arrays of a vector's elements in memory order, by the access that made them.
  struct Lanes {
    Access access;
    std::string array;
    int64_t stride;
  };
  llvm::SmallVector<Lanes> lanes;
};

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_PRINTER_H
