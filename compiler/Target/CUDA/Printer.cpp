//===- Printer.cpp - CUDA C++ text of one kernel --------------------------===//
#include "compiler/Target/CUDA/Printer.h"
#include "compiler/Target/CUDA/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace heddle;
using namespace heddle::cuda;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

/// An expression longer than this gets a variable, so that lines stay readable; where it is all of a
/// statement, it may be as long as the second.
static constexpr size_t kInlineLength = 64, kStatementLength = 88;

/// Columns of a line that holds parameters.
static constexpr size_t kColumns = 106;

Printer::Printer(kernel::FuncOp func) : func(func) {
  for (auto [buffer, use] : llvm::zip(func.getBuffers(), kernel::bufferUses(func))) {
    if (use.read)
      loaded.insert(buffer);
    if (use.written)
      stored.insert(buffer);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Expr Printer::exprOf(mlir::Value value) const {
  auto found = values.find(value);
  assert(found != values.end() && "a value is used before it is printed");
  return found->second;
}

std::string Printer::name(mlir::Value value) {
  std::string name = names.fresh(wantedName(value));
  bind(value, {name});
  return name;
}

Expr Printer::positionOf(const Access &access, int64_t offset) const {
  auto operand = [&](mlir::Value value) { return exprOf(value); };
  return printAffine(access.map.getResult(0) - offset, llvm::map_to_vector(access.indices, operand),
                     llvm::map_to_vector(access.symbols, operand));
}

Expr Printer::elementOf(const Access &access) const {
  return {exprOf(access.buffer).text + "[" + positionOf(access).text + "]"};
}

bool Printer::isInlined(mlir::Value value, const Expr &expr, bool sameVector) const {
  mlir::Operation *op = value.getDefiningOp();
  if (llvm::isa<mlir::arith::ConstantOp>(op))
    return true;
  if (!value.hasOneUse())
    return false;
  bool statement =
      llvm::isa<kernel::StoreOp, kernel::YieldOp, kernel::AccumulateOp>(value.use_begin()->getOwner());
  if (expr.text.size() > (statement ? kStatementLength : kInlineLength))
    return false;
  // An element of a buffer that the kernel writes is read where the op stands.
  if (Access access = Access::of(op); access && stored.contains(access.buffer))
    return false;
  // Not into a loop that would compute it again and again.
  return sameVector && value.use_begin()->getOwner()->getBlock() == op->getBlock();
}

LogicalResult Printer::define(mlir::Operation *op, bool sameVector) {
  Expr expr;
  if (Access access = Access::of(op)) {
    expr = elementOf(access);
  } else {
    mlir::FailureOr<Expr> printed = printOp(op, [&](mlir::Value value) { return exprOf(value); });
    if (failed(printed))
      return failure();
    expr = *printed;
  }
  mlir::Value value = op->getResult(0);
  if (isInlined(value, expr, sameVector)) {
    bind(value, expr);
  } else {
    std::string type = typeName(value.getType());
    line("const " + type + " " + name(value) + " = " + expr.text + ";");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

std::string Printer::declarationOf(mlir::BlockArgument argument) const {
  auto buffer = llvm::dyn_cast<kernel::BufferType>(argument.getType());
  if (!buffer)
    return "long long ";
  // Restrict lets loads take the read-only path; a buffer that is written and read has neither promise.
  bool written = stored.contains(argument), read = loaded.contains(argument);
  return (written ? "" : "const ") + typeName(buffer.getElementType()) + " *" +
         (written && read ? "" : "__restrict__ ");
}

void Printer::printInstance(const std::string &table, const std::string &instances) {
  std::string instance = names.fresh("instance");
  auto arguments = func.getBody().getArguments();
  line("const heddle::Instance " + instance + " = heddle::instance_of(" + table + ", " + instances + ", " +
       std::to_string(arguments.size()) + ");");
  for (mlir::BlockArgument argument : arguments) {
    std::string index = std::to_string(argument.getArgNumber()), declared = declarationOf(argument);
    if (auto buffer = llvm::dyn_cast<kernel::BufferType>(argument.getType()))
      line(declared + exprOf(argument).text + " = " + instance + ".buffer<" +
           (stored.contains(argument) ? "" : "const ") + typeName(buffer.getElementType()) + ">(" + index +
           ");");
    else
      line("const " + declared + exprOf(argument).text + " = " + instance + ".count(" + index + ");");
  }
  block = wideBlock = instance + ".block";
}

void Printer::printHead(const std::string &bounds, llvm::ArrayRef<std::string> further) {
  std::string text =
      "extern \"C\" __global__ void __launch_bounds__(" + bounds + ") " + func.getName().str() + "(";
  llvm::SmallVector<std::string> parameters;
  std::string table, instances;
  if (func.getBatched()) {
    table = names.fresh("table");
    instances = names.fresh("instances");
    parameters = {"const long long *__restrict__ " + table, "long long " + instances};
  } else {
    for (mlir::BlockArgument argument : func.getBody().getArguments())
      parameters.push_back(declarationOf(argument) + exprOf(argument).text);
  }
  parameters.append(further.begin(), further.end());
  for (auto [index, name] : llvm::enumerate(parameters)) {
    std::string parameter = name + (index + 1 == parameters.size() ? ")" : ",");
    if (text.size() + parameter.size() > kColumns) {
      directive(text);
      text = "    ";
    } else if (index != 0) {
      text += " ";
    }
    text += parameter;
  }
  open(parameters.empty() ? text + ")" : text);
  if (func.getBatched())
    printInstance(table, instances);
}

LogicalResult Printer::printIndexArithmetic() {
  for (mlir::Operation &op : func.getBody().front())
    if (!llvm::isa<kernel::RowsOp, kernel::RowSumsOp, kernel::SkeletonOp>(op) && failed(define(&op)))
      return failure();
  return success();
}

mlir::FailureOr<std::string> Printer::print() {
  // The kernel's own name first: nothing else may take it.
  if (names.fresh(func.getName()) != func.getName())
    return func.emitError() << "'" << func.getName() << "' cannot be the name of a CUDA function";
  if (!func.getBody().getOps<kernel::SkeletonOp>().empty())
    takeScoreNames();
  for (mlir::BlockArgument argument : func.getBody().getArguments())
    name(argument);
  for (mlir::Operation &op : func.getBody().front()) {
    if (auto rows = llvm::dyn_cast<kernel::RowsOp>(op); rows && failed(printRows(rows)))
      return failure();
    if (auto skeleton = llvm::dyn_cast<kernel::SkeletonOp>(op); skeleton && failed(printSkeleton(skeleton)))
      return failure();
    if (auto sums = llvm::dyn_cast<kernel::RowSumsOp>(op); sums && failed(printRowSums(sums)))
      return failure();
  }
  return out;
}

mlir::FailureOr<std::string> heddle::cuda::printKernel(kernel::FuncOp func) { return Printer(func).print(); }
