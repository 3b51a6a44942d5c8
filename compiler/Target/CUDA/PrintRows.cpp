//===- PrintRows.cpp - Rows and columns in CUDA C++ -----------------------===//
//
// A columns loop becomes, for each of the thread's column vectors: vector loads and what is the same for the
// whole vector; a loop over its lanes with the scalar body; vector stores. All loads of a vector stand
// together, so that they are in flight at the same time.
//
//===----------------------------------------------------------------------===//
#include "compiler/Target/CUDA/Printer.h"
#include "compiler/Target/CUDA/ResourceModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace heddle;
using namespace heddle::cuda;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

static const char *reductionOf(kernel::ReduceKind kind) {
  switch (kind) {
  case kernel::ReduceKind::Add:
    return "heddle::Add";
  case kernel::ReduceKind::Max:
    return "heddle::Max";
  case kernel::ReduceKind::Min:
    return "heddle::Min";
  }
  return nullptr;
}

static const char *identityOf(kernel::ReduceKind kind) {
  return kind == kernel::ReduceKind::Add   ? "0.0f"
         : kind == kernel::ReduceKind::Max ? "-INFINITY"
                                           : "INFINITY";
}

static std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt constant;
  if (matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// Factors are counts, which are long long, and literals, which are int: where the literals alone would pass
/// int the first one is long long, too, and with it what is multiplied from the left.
static std::string product(llvm::ArrayRef<Expr> factors) {
  std::string text;
  int64_t literals = 1;
  bool wide = false;
  for (const Expr &factor : factors) {
    text += (text.empty() ? "" : " * ") + factor.at(kUnary);
    if (int64_t value = 0; llvm::to_integer(factor.text, value))
      wide |= llvm::MulOverflow(literals, value, literals) || literals > INT32_MAX;
  }
  if (int64_t value = 0; wide && llvm::to_integer(factors.front().text, value))
    text.insert(factors.front().text.size(), "LL");
  return text.empty() ? "1" : text;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The indices of row number `row`, slowest first.
void Printer::printRowIndices(kernel::RowsOp rows, const std::string &row) {
  std::string rest = row;
  auto indices = rows.getBody().getArguments();
  for (int64_t index = int64_t(indices.size()) - 1; index > 0; --index) {
    std::string extent = exprOf(rows.getExtents()[index]).text;
    line("const long long " + name(indices[index]) + " = heddle::remainder(" + rest + ", " + extent + ");");
    std::string next = index == 1 ? name(indices[0]) : names.fresh("row");
    line("const long long " + next + " = heddle::quotient(" + rest + ", " + extent + ");");
    rest = next;
  }
}

static bool reduces(kernel::RowsOp rows) {
  return llvm::any_of(rows.getBody().getOps<kernel::ColumnsOp>(),
                      [](kernel::ColumnsOp columns) { return columns.getNumReductions() != 0; });
}

LogicalResult Printer::printRows(kernel::RowsOp rows) {
  kernel::MappingAttr mapping = *func.getMapping();
  int64_t threadsPerRow = mapping.getThreadsPerRow(), rowsPerBlock = mapping.getRowsPerBlock();
  directive("#include \"row.cuh\"");
  if (func.getBatched())
    directive("#include \"batch.cuh\"");
  directive("");
  // Blocks with parts are few: left alone, the assembler spills for the sake of more on a multiprocessor.
  printHead(std::to_string(threadsPerRow * rowsPerBlock) + (rows.getParts() ? ", 1" : ""));
  if (failed(printIndexArithmetic()))
    return failure();
  if (mapping.getFlat()) {
    if (failed(printFlatColumns(rows)))
      return failure();
    close();
    return success();
  }

  if (rows.getParts()) {
    if (failed(printParts(rows)))
      return failure();
    close();
    return success();
  }

  std::string lanes = std::to_string(threadsPerRow);
  // One index is the row itself; several are computed from it. All lanes of a warp take part in a reduction:
  // those without a row compute the first one's and write nothing.
  auto indices = rows.getBody().getArguments();
  bool crossed = threadsPerRow > 32 && rowsPerBlock > 1; // Neighbouring threads have neighbouring rows.
  bool clamps = rowsPerBlock > 1 && threadsPerRow > 1 && threadsPerRow != 32 && reduces(rows);
  std::string row = indices.size() == 1 ? wantedName(indices[0]) : "row";
  std::string number = names.fresh(clamps ? "row" : row);
  if (rowsPerBlock == 1)
    line("const long long " + number + " = " + block + ";");
  else
    line("const long long " + number + " = " + wideBlock + " * " + std::to_string(rowsPerBlock) +
         " + threadIdx.x" +
         (crossed              ? " % " + std::to_string(rowsPerBlock)
          : threadsPerRow == 1 ? ""
                               : " / " + lanes) +
         ";");
  if (threadsPerRow > 1) {
    lane = names.fresh("lane");
    line("const int " + lane + " = threadIdx.x" +
         (crossed             ? " / " + std::to_string(rowsPerBlock)
          : rowsPerBlock == 1 ? ""
                              : " % " + lanes) +
         ";");
  }
  if (rowsPerBlock > 1) {
    std::string count =
        product(llvm::map_to_vector(rows.getExtents(), [&](mlir::Value extent) { return exprOf(extent); }));
    if (clamps) {
      active = names.fresh("active");
      line("const bool " + active + " = " + number + " < " + count + ";");
      std::string clamped = names.fresh(row);
      line("const long long " + clamped + " = " + active + " ? " + number + " : 0;");
      number = clamped;
    } else {
      line("if (" + number + " >= " + count + ")");
      line("  return;");
    }
  }
  if (indices.size() == 1)
    bind(indices[0], {number});
  else
    printRowIndices(rows, number);
  if (threadsPerRow > 32 && reduces(rows)) {
    scratch = names.fresh("scratch");
    line("__shared__ float " + scratch + "[heddle::" +
         (crossed ? "block_reduce_rows_scratch(" + std::to_string(rowsPerBlock) : "block_reduce_scratch(1") +
         ")];");
  }
  if (failed(printRowBody(rows)))
    return failure();
  close();
  return success();
}

/// The rows of a part one after the other, sums down their columns in registers of the threads that have the
/// columns.
LogicalResult Printer::printParts(kernel::RowsOp rows) {
  int64_t threadsPerRow = func.getMapping()->getThreadsPerRow(),
          rowsPerBlock = func.getMapping()->getRowsPerBlock();
  std::string parts = std::to_string(*rows.getParts());
  std::string part = names.fresh("part");
  line("const long long " + part + " = " +
       (rowsPerBlock == 1 ? "blockIdx.x"
                          : "(long long)blockIdx.x * " + std::to_string(rowsPerBlock) + " + threadIdx.x" +
                                (threadsPerRow == 1 ? "" : " / " + std::to_string(threadsPerRow))) +
       ";");
  if (threadsPerRow > 1) {
    lane = names.fresh("lane");
    line("const int " + lane + " = threadIdx.x" +
         (rowsPerBlock == 1 ? "" : " % " + std::to_string(threadsPerRow)) + ";");
  }
  // As without parts: lanes whose part has no row any more compute the first one's, where lanes of other
  // parts reduce with them.
  bool clamps = rowsPerBlock > 1 && threadsPerRow > 1 && threadsPerRow != 32 && reduces(rows);
  std::string count = names.fresh("rows"), length = names.fresh("length");
  llvm::SmallVector<Expr> extents =
      llvm::map_to_vector(rows.getExtents(), [&](mlir::Value extent) { return exprOf(extent); });
  line("const long long " + count + " = " + (extents.size() == 1 ? extents[0].text : product(extents)) + ";");
  line("const long long " + length + " = (" + count + " + " + std::to_string(*rows.getParts() - 1) + ") / " +
       parts + ";");
  if (threadsPerRow > 32 && reduces(rows)) {
    scratch = names.fresh("scratch");
    line("__shared__ float " + scratch + "[heddle::block_reduce_scratch(1)];");
  }
  declareSums(rows);

  auto indices = rows.getBody().getArguments();
  std::string row = names.fresh(indices.size() == 1 ? wantedName(indices[0]) : "row");
  if (clamps) {
    std::string place = names.fresh("place");
    open("for (long long " + place + " = 0; " + place + " < " + length + "; ++" + place + ")");
    active = names.fresh("active");
    std::string number = part + " * " + length + " + " + place;
    line("const bool " + active + " = " + number + " < " + count + ";");
    line("const long long " + row + " = " + active + " ? " + number + " : 0;");
  } else {
    std::string first = names.fresh("first"), end = names.fresh("end"), next = first + " + " + length;
    line("const long long " + first + " = " + part + " * " + length + ";");
    line("const long long " + end + " = " + next + " < " + count + " ? " + next + " : " + count + ";");
    open("for (long long " + row + " = " + first + "; " + row + " < " + end + "; ++" + row + ")");
  }
  if (indices.size() == 1)
    bind(indices[0], {row});
  else
    printRowIndices(rows, row);
  if (failed(printRowBody(rows)))
    return failure();
  close();
  for (auto columns : rows.getBody().getOps<kernel::ColumnsOp>())
    storeSums(columns, part, /*mayLackPart=*/*rows.getParts() % rowsPerBlock != 0);
  return success();
}

/// Column vectors of a row that one thread takes.
static int64_t stepsOf(kernel::ColumnsOp columns, int64_t threads) {
  return llvm::divideCeil(*constantOf(columns.getExtent()) / *columns.getVector(), threads);
}

void Printer::declareSums(kernel::RowsOp rows) {
  for (auto columns : rows.getBody().getOps<kernel::ColumnsOp>())
    for (auto op : columns.getBody().getOps<kernel::AccumulateOp>()) {
      int64_t vector = *columns.getVector();
      line("float " + (sums[op.getSums()] = names.fresh("sums")) + "[" +
           std::to_string(stepsOf(columns, func.getMapping()->getThreadsPerRow())) + "]" +
           (vector == 1 ? "" : "[" + std::to_string(vector) + "]") + " = {};");
    }
}

void Printer::storeSums(kernel::ColumnsOp columns, const std::string &part, bool mayLackPart) {
  auto ops = columns.getBody().getOps<kernel::AccumulateOp>();
  if (ops.empty())
    return;
  int64_t vector = *columns.getVector(), extent = *constantOf(columns.getExtent()),
          threads = func.getMapping()->getThreadsPerRow(), steps = stepsOf(columns, threads);
  llvm::StringSet<> outside = names.snapshot();
  std::string step = names.fresh("k"), column = names.fresh(wantedName(columns.getIndex()));
  directive("#pragma unroll");
  open("for (int " + step + " = 0; " + step + " < " + std::to_string(steps) + "; ++" + step + ")");
  std::string number = threads == 1 ? step : step + " * " + std::to_string(threads) + " + " + lane;
  line("const long long " + column + " = " +
       (vector == 1 ? number : "(" + number + ") * " + std::to_string(vector)) + ";");
  std::string condition =
      mayLackPart ? part + " < " + std::to_string(*columns->getParentOfType<kernel::RowsOp>().getParts())
                  : "";
  if (steps * threads * vector != extent)
    condition += (condition.empty() ? "" : " && ") + column + " < " + std::to_string(extent);
  if (!condition.empty())
    open("if (" + condition + ")");
  for (kernel::AccumulateOp op : ops) {
    std::string place = part + " * " + std::to_string(extent) + " + " + column,
                buffer = exprOf(op.getSums()).text, from = sums.lookup(op.getSums()) + "[" + step + "]";
    line(vector == 1 ? buffer + "[" + place + "] = " + from + ";"
                     : "heddle::store_lanes(" + buffer + " + " + place + ", " + from + ");");
  }
  if (!condition.empty())
    close();
  close();
  names.restore(std::move(outside));
}

LogicalResult Printer::printRowBody(kernel::RowsOp rows) {
  for (mlir::Operation &op : rows.getBody().front()) {
    if (auto columns = llvm::dyn_cast<kernel::ColumnsOp>(op)) {
      if (failed(printColumns(columns)))
        return failure();
    } else if (Access access = Access::of(&op); access && access.isStore) {
      std::string condition = active;
      if (lane != "0")
        condition += (condition.empty() ? "" : " && ") + lane + " == 0";
      if (!condition.empty())
        line("if (" + condition + ")");
      line((condition.empty() ? "" : "  ") + elementOf(access).text + " = " + exprOf(access.value).text +
           ";");
    } else if (failed(define(&op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Printer::printFlatColumns(kernel::RowsOp rows) {
  auto columns = *rows.getBody().getOps<kernel::ColumnsOp>().begin();
  int64_t vector = *columns.getVector();
  Expr extent = exprOf(columns.getExtent());
  std::optional<int64_t> constant = constantOf(columns.getExtent());
  Expr vectors = constant ? integerLiteral(*constant / vector)
                 : vector == 1
                     ? extent
                     : Expr{extent.at(kMultiplicative) + " / " + std::to_string(vector), kMultiplicative};
  llvm::SmallVector<Expr> counts =
      llvm::map_to_vector(rows.getExtents(), [&](mlir::Value value) { return exprOf(value); });
  bool hasRows = !counts.empty();
  // A quotient must not be taken apart by the product to its left.
  counts.push_back({vectors.at(hasRows ? kUnary : kMultiplicative)});

  std::string index = names.fresh("index");
  line("const long long " + index + " = " + wideBlock + " * " +
       std::to_string(func.getMapping()->getThreadsPerRow() * func.getMapping()->getRowsPerBlock()) +
       " + threadIdx.x;");
  line("if (" + index + " >= " + product(counts) + ")");
  line("  return;");
  std::string column = name(columns.getIndex()), scale = vector == 1 ? "" : " * " + std::to_string(vector);
  if (!hasRows) {
    line("const long long " + column + " = " + index + scale + ";");
  } else {
    line("const long long " + column + " = heddle::remainder(" + index + ", " + vectors.text + ")" + scale +
         ";");
    auto indices = rows.getBody().getArguments();
    std::string row = indices.size() == 1 ? name(indices[0]) : names.fresh("row");
    line("const long long " + row + " = heddle::quotient(" + index + ", " + vectors.text + ");");
    printRowIndices(rows, row);
  }
  for (mlir::Operation &op : rows.getBody().front())
    if (op.getNumRegions() == 0 && failed(define(&op)))
      return failure();
  return printVector(columns);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// A thread that adds more terms than kLongSum adds kPartVectors vectors of them at a time in float32, and
/// those sums in float64: one after the other, thousands would be off by many roundings. Only where the
/// number of columns is a constant: sums over a model's tokens are shorter.
static constexpr int64_t kLongSum = 256, kPartVectors = 16;

LogicalResult Printer::printColumns(kernel::ColumnsOp columns) {
  int64_t vector = *columns.getVector(), threads = func.getMapping()->getThreadsPerRow();
  Expr extent = exprOf(columns.getExtent());
  std::optional<int64_t> constant = constantOf(columns.getExtent());
  int64_t vectors = constant ? *constant / vector : 0, steps = (vectors + threads - 1) / threads;
  bool unrolled = isUnrolled(columns);

  for (mlir::Value kept : columns.getResults().take_front(columns.getNumKept()))
    line(typeName(llvm::cast<kernel::RowType>(kept.getType()).getElementType()) + " " + name(kept) + "[" +
         std::to_string(steps) + "]" + (vector == 1 ? "" : "[" + std::to_string(vector) + "]") + ";");
  for (auto [index, result] : llvm::enumerate(columns.getResults().drop_front(columns.getNumKept())))
    line("float " + name(result) + " = " + identityOf(columns.getReduction(index)) + ";");
  llvm::SmallVector<std::pair<std::string, std::string>> longSums; // What is added up, and its parts' sum.
  if (!unrolled && steps * vector > kLongSum)
    for (auto [index, result] : llvm::enumerate(columns.getResults().drop_front(columns.getNumKept())))
      if (columns.getReduction(index) == kernel::ReduceKind::Add) {
        longSums.push_back({exprOf(result).text, names.fresh("total")});
        line("double " + longSums.back().second + " = 0.0;");
      }

  llvm::StringSet<> outside = names.snapshot();
  std::string column = name(columns.getIndex()), scale = vector == 1 ? "" : " * " + std::to_string(vector);
  if (unrolled) {
    // Registers have no addresses: the loop is unrolled, and its number of steps is constant.
    step = names.fresh("k");
    directive("#pragma unroll");
    open("for (int " + step + " = 0; " + step + " < " + std::to_string(steps) + "; ++" + step + ")");
    std::string number = threads == 1 ? step : step + " * " + std::to_string(threads) + " + " + lane;
    line("const long long " + column + " = " + (scale.empty() ? number : "(" + number + ")" + scale) + ";");
    std::string condition = active;
    if (steps * threads != vectors)
      condition += (condition.empty() ? "" : " && ") + column + " < " + std::to_string(*constant);
    if (!condition.empty())
      open("if (" + condition + ")");
    if (failed(printVector(columns)))
      return failure();
    if (!condition.empty())
      close();
  } else {
    std::string first = lane == "0" ? lane : lane + scale, end = extent.at(kAdditive);
    if (!longSums.empty()) {
      std::string part = names.fresh("part"), length = std::to_string(kPartVectors * threads * vector);
      open("for (long long " + part + " = 0; " + part + " < " + end + "; " + part + " += " + length + ")");
      std::string last = names.fresh("last"), next = part + " + " + length;
      line("const long long " + last + " = " + next + " < " + end + " ? " + next + " : " + end + ";");
      for (const auto &[sum, total] : longSums)
        line(sum + " = 0.0f;");
      first = part + (lane == "0" ? "" : " + " + first);
      end = last;
    }
    // Four vectors in flight.
    directive("#pragma unroll 4");
    open("for (long long " + column + " = " + first + "; " + (active.empty() ? "" : active + " && ") +
         column + " < " + end + "; " + column + " += " + std::to_string(threads * vector) + ")");
    if (failed(printVector(columns)))
      return failure();
    if (!longSums.empty()) {
      close();
      for (const auto &[sum, total] : longSums)
        line(total + " += " + sum + ";");
    }
  }
  close();
  names.restore(std::move(outside));
  for (const auto &[sum, total] : longSums)
    line(sum + " = (float)" + total + ";");
  printReductions(columns);
  return success();
}

void Printer::printReductions(kernel::ColumnsOp columns) {
  int64_t threads = func.getMapping()->getThreadsPerRow(), rows = func.getMapping()->getRowsPerBlock();
  if (threads == 1)
    return;
  for (auto [index, result] : llvm::enumerate(columns.getResults().drop_front(columns.getNumKept()))) {
    std::string value = exprOf(result).text, kind = reductionOf(columns.getReduction(index));
    if (threads > 32)
      line(
          value + " = heddle::block_reduce" +
          (rows == 1 ? "<" + std::string(kind) : "_rows<" + std::string(kind) + ", " + std::to_string(rows)) +
          ">(" + value + ", " + scratch + ");");
    else
      line(value + " = heddle::warp_reduce<" + kind + (threads == 32 ? "" : ", " + std::to_string(threads)) +
           ">(" + value + ");");
  }
}

/// Reads a vector into an array, once for both halves of pairs.
void Printer::loadLanes(const Access &access) {
  int64_t vector = *access.op->getParentOfType<kernel::ColumnsOp>().getVector(),
          stride = access.width() / vector;
  std::string array;
  for (const Lanes &known : lanes)
    if (known.access.sameBase(access) && known.stride == stride && stride > 1)
      array = known.array;
  VectorWalk walk(access.op->getParentOfType<kernel::ColumnsOp>(), vector);
  int64_t half = stride == 1 ? 0 : *walk.positionModulo(access, stride);
  if (array.empty()) {
    array = names.fresh(exprOf(access.buffer).text + "_lanes");
    line(typeName(access.elementType()) + " " + array + "[" + std::to_string(access.width()) + "];");
    line("heddle::load_lanes(" + array + ", " + exprOf(access.buffer).text + " + " +
         positionOf(access, half).at(kAdditive) + ");");
  }
  lanes.push_back({access, array, stride});
  std::string index = stride == 1 ? laneIndex
                                  : (laneIndex.empty() ? ""
                                                       : std::to_string(stride) + " * " + laneIndex +
                                                             (half ? " + " + std::to_string(half) : ""));
  if (index.empty())
    index = std::to_string(half);
  bind(access.value, {array + "[" + index + "]"});
}

void Printer::declareStoreLanes(const Access &access) {
  int64_t vector = *access.op->getParentOfType<kernel::ColumnsOp>().getVector(),
          stride = access.width() / vector;
  for (const Lanes &known : lanes)
    if (known.access.isStore && known.access.sameBase(access) && stride > 1) {
      lanes.push_back({access, known.array, stride});
      return;
    }
  std::string array = names.fresh(exprOf(access.buffer).text + "_lanes");
  line(typeName(access.elementType()) + " " + array + "[" + std::to_string(access.width()) + "];");
  lanes.push_back({access, array, stride});
}

LogicalResult Printer::printVector(kernel::ColumnsOp columns) {
  int64_t vector = *columns.getVector();
  VectorWalk walk(columns, vector);
  mlir::Block &body = columns.getBody().front();
  lanes.clear();
  laneIndex = vector == 1 ? "" : names.fresh("i");

  // What the whole vector shares, and its loads, in order: a position may come from a load.
  for (mlir::Operation &op : body) {
    Access access = Access::of(&op);
    if (access && !access.isStore && access.width() > 1)
      loadLanes(access);
    else if (op.getNumResults() == 1 && walk.isUniform(op.getResult(0))) {
      mlir::Value value = op.getResult(0);
      bool sameVector =
          value.hasOneUse() && (vector == 1 || (value.use_begin()->getOwner()->getNumResults() == 1 &&
                                                walk.isUniform(value.use_begin()->getOwner()->getResult(0))));
      if (failed(define(&op, sameVector)))
        return failure();
    } else if (access && access.isStore && access.width() > 1)
      declareStoreLanes(access);
  }
  return printLanes(columns, walk);
}

LogicalResult Printer::printLanes(kernel::ColumnsOp columns, const VectorWalk &walk) {
  Expr first = exprOf(columns.getIndex());
  if (!laneIndex.empty()) {
    directive("#pragma unroll");
    open("for (int " + laneIndex + " = 0; " + laneIndex + " < " + std::to_string(*columns.getVector()) +
         "; ++" + laneIndex + ")");
    bind(columns.getIndex(), {first.text + " + " + laneIndex, kAdditive});
  }
  std::string element = laneIndex.empty() ? "" : "[" + laneIndex + "]";
  for (mlir::Operation &op : columns.getBody().front()) {
    Access access = Access::of(&op);
    if (auto yield = llvm::dyn_cast<kernel::YieldOp>(op)) {
      for (auto [index, value] : llvm::enumerate(yield.getValues())) {
        std::string result = exprOf(columns.getResult(index)).text;
        int64_t reduction = static_cast<int64_t>(index) - columns.getNumKept();
        if (reduction < 0)
          line(result + "[" + step + "]" + element + " = " + exprOf(value).text + ";");
        else if (columns.getReduction(reduction) == kernel::ReduceKind::Add)
          line(result + " += " + exprOf(value).text + ";");
        else
          line(result + " = " + reductionOf(columns.getReduction(reduction)) + "::apply(" + result + ", " +
               exprOf(value).text + ");");
      }
    } else if (auto to = llvm::dyn_cast<kernel::AccumulateOp>(op)) {
      line(sums.lookup(to.getSums()) + "[" + step + "]" + element + " += " + exprOf(to.getValue()).text +
           ";");
    } else if (auto get = llvm::dyn_cast<kernel::GetOp>(op)) {
      bind(get.getResult(), {exprOf(get.getRow()).text + "[" + step + "]" + element});
    } else if (access && access.isStore && access.width() > 1) {
      auto to = llvm::find_if(lanes, [&](const Lanes &known) { return known.access.op == access.op; });
      int64_t half = to->stride == 1 ? 0 : *walk.positionModulo(access, to->stride);
      std::string index = laneIndex.empty() ? std::to_string(half)
                          : to->stride == 1 ? laneIndex
                                            : std::to_string(to->stride) + " * " + laneIndex +
                                                  (half ? " + " + std::to_string(half) : "");
      line(to->array + "[" + index + "] = " + exprOf(access.value).text + ";");
    } else if (access && access.isStore) {
      line(elementOf(access).text + " = " + exprOf(access.value).text + ";");
    } else if (!values.contains(op.getResult(0)) && failed(define(&op))) {
      return failure();
    }
  }
  if (!laneIndex.empty())
    close();
  bind(columns.getIndex(), first);

  llvm::SmallVector<std::string> written;
  for (const Lanes &to : lanes) {
    if (!to.access.isStore || llvm::is_contained(written, to.array))
      continue;
    written.push_back(to.array);
    int64_t half = to.stride == 1 ? 0 : *walk.positionModulo(to.access, to.stride);
    line("heddle::store_lanes(" + exprOf(to.access.buffer).text + " + " +
         positionOf(to.access, half).at(kAdditive) + ", " + to.array + ");");
  }
  return success();
}
