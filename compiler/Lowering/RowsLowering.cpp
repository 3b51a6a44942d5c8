//===- RowsLowering.cpp - A rows group becomes a kernel -------------------===//
//
// Stages. Ops that run along the columns are placed in column loops: an op goes into the first loop that
// comes after all reductions that it depends on. Ops that do not run along the columns stand between the
// loops. What a later loop needs of an earlier one is kept (row values) when the number of columns is static,
// and computed again when it is not.
//
//===----------------------------------------------------------------------===//
#include "compiler/Lowering/FuncBuilder.h"
#include "compiler/Lowering/ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;

namespace {

/// A read that several ops share: same base, same place.
using ReadKey = std::string;

class RowsLowering {
public:
  RowsLowering(GroupOp group, const llvm::StringMap<int64_t> &symbols, std::string &reason,
               std::optional<unsigned> part)
      : group_(group), symbols_(symbols), reason_(reason), part_(part),
        func_(group.getContext(), group.getLoc(), kernelName(group.getLabel())) {}

  std::optional<LoweredKernel> lower() {
    for (Operation &op : group_.getBody().front().without_terminator())
      if (isRowsOp(&op))
        ops_.push_back(&op);
      else if (!op.hasTrait<ViewLike>() && !llvm::isa<ConstantOp>(op)) {
        reason_ = ("a rows group cannot hold " + op.getName().getStringRef()).str();
        return std::nullopt;
      }
    auto yield = llvm::cast<YieldOp>(group_.getBody().front().getTerminator());
    llvm::SmallVector<Value> outputs(yield.getValues());
    std::optional<RowsDomain> domain = buildRowsDomain(ops_, outputs, reason_, part_);
    if (!domain)
      return std::nullopt;
    domain_ = std::move(*domain);
    columnExtent_ = SymbolicDim::fixed(1);
    for (const SymbolicDim &extent : domain_.columnLoops)
      columnExtent_ = columnExtent_.times(extent);
    placeOps();
    findNeeds();
    if (!emit())
      return std::nullopt;
    return func_.finish(symbols_);
  }

private:
  static std::string kernelName(llvm::StringRef label) {
    std::string name;
    for (char c : label)
      name += llvm::isAlnum(c) ? c : '_';
    // These mnemonics are words of C++ or functions of its library, which no kernel can be called.
    static constexpr llvm::StringLiteral kTaken[] = {"abs", "and", "cos", "div",   "erf", "exp",  "log",
                                                     "not", "or",  "pow", "rsqrt", "sin", "sqrt", "tanh"};
    if (llvm::is_contained(kTaken, label))
      return name + "_rows";
    return name.empty() || llvm::isDigit(name[0]) ? "k_" + name : name;
  }

  //===--------------------------------------------------------------------===//
  // Placement
  //===--------------------------------------------------------------------===//

  bool reduces() const { return domain_.group.hasReductions; }
  bool mayKeep() const { return columnExtent_.isStatic(); }

  /// Whether the op's result has one element for each column. Without reductions everything is computed in
  /// the one loop.
  bool isColumnOp(Operation *op) const {
    if (!reduces())
      return true;
    return domain_.isColumn(domain_.group.indices.lookup(op->getResult(0)));
  }

  /// The op that computes an operand, or null when it is read from outside or a literal.
  Operation *producer(Value operand) const {
    Value base = baseOf(operand);
    return domain_.group.indices.count(base) ? base.getDefiningOp() : nullptr;
  }

  void placeOps() {
    for (Operation *op : ops_) {
      int stage = 0;
      for (Value operand : op->getOperands())
        if (Operation *source = producer(operand)) {
          int after = stages_.lookup(source) + (llvm::isa<ReduceOp>(source) ? 1 : 0);
          stage = std::max(stage, after);
        }
      stages_[op] = stage;
      if (llvm::isa<ReduceOp>(op) || (isColumnOp(op) && !llvm::isa<ConcatOp>(op)))
        loops_ = std::max(loops_, stage + 1);
    }
    for (const Write &write : domain_.writes)
      loops_ = std::max(loops_, loopOf(write).value_or(0) + 1);
    if (!reduces())
      loops_ = 1;
  }

  //===--------------------------------------------------------------------===//
  // What each loop computes, reads and keeps
  //===--------------------------------------------------------------------===//

  ReadKey keyOf(const Read &read) {
    // Bases are numbered as they are met, so that the order of keys is the same in every run.
    std::string key = std::to_string(baseNumbers_.try_emplace(read.base, baseNumbers_.size()).first->second);
    for (const LoopTerm &term : read.offset)
      key += "|" + term.coefficient.str() + "@" + std::to_string(term.loop);
    if (read.gatherStride)
      key += "|gather";
    return key;
  }

  /// Whether a read runs along the columns.
  bool isColumnRead(const Read &read) const {
    return !reduces() || llvm::any_of(read.offset, [&](const LoopTerm &term) {
      return term.loop >= static_cast<int>(domain_.rowLoops.size());
    });
  }

  void require(Operation *op, int loop) {
    if (!isColumnOp(op) || llvm::isa<ReduceOp>(op))
      return;
    // Kept where an earlier loop has it anyway; what only this loop needs is computed here, so that no row is
    // held for it.
    if (mayKeep())
      for (int earlier = 0; earlier < loop; ++earlier)
        if (required_[earlier].contains(op)) {
          kept_.insert({op, earlier});
          return;
        }
    if (required_[loop].insert(op).second)
      requireOperands(op, loop);
  }

  void requireOperands(Operation *op, int loop) {
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      if (Operation *source = producer(operand)) {
        require(source, loop);
        continue;
      }
      const std::optional<Read> &read = domain_.reads[op][number];
      if (read && isColumnRead(*read) && !read->gatherStride)
        readLoops_[keyOf(*read)].insert(loop);
    }
  }

  void findNeeds() {
    required_.resize(loops_);
    for (int loop = 0; loop < loops_; ++loop) {
      for (Operation *op : ops_)
        if (stages_.lookup(op) == loop && llvm::isa<ReduceOp, PartialSumsOp>(op))
          requireOperands(op, loop);
      for (const Write &write : domain_.writes) {
        if (loopOf(write) != loop)
          continue;
        if (Operation *source = producer(write.value))
          require(source, loop);
        else if (write.op)
          if (const std::optional<Read> &read = domain_.reads[write.op][write.operand])
            readLoops_[keyOf(*read)].insert(loop);
      }
    }
  }

  /// The loop that stores a write, or none when it is stored once a row. A part of a concatenation may spread
  /// a value of the rows along the columns.
  std::optional<int> loopOf(const Write &write) const {
    if (!reduces())
      return 0;
    int firstColumn = static_cast<int>(domain_.rowLoops.size());
    if (llvm::none_of(write.offset, [&](const LoopTerm &term) { return term.loop >= firstColumn; }))
      return std::nullopt;
    Operation *source = producer(write.value);
    return source ? stages_.lookup(source) + (llvm::isa<ReduceOp>(source) ? 1 : 0) : 0;
  }

  //===--------------------------------------------------------------------===//
  // Emission
  //===--------------------------------------------------------------------===//

  mlir::OpBuilder &builder() { return func_.builder(); }

  mlir::Location nameOf(Operation *op) const { return func_.named(op->getName().stripDialect()); }

  Value load(const Read &read, Value row = {}) {
    MapAccess access = func_.access(read.offset, loopIndices_, read.gatherStride, row);
    Value buffer = func_.buffer(read.base);
    mlir::Type element = llvm::cast<kernel::BufferType>(buffer.getType()).getElementType();
    Value value = kernel::LoadOp::create(builder(), func_.named(argumentName(read.base)), element, buffer,
                                         access.map, access.indices, access.symbols, nullptr);
    return widen(builder(), value.getLoc(), value);
  }

  /// The value of an operand of `op`, inside column loop `loop` or (-1) between loops.
  Value operandValue(Operation *op, unsigned number, int loop) {
    Value operand = op->getOperand(number);
    if (Operation *source = producer(operand))
      return valueOf(source, loop);
    Value base = baseOf(operand);
    if (splatConstant(base)) {
      auto splat = llvm::cast<mlir::SplatElementsAttr>(base.getDefiningOp<ConstantOp>().getValue());
      return emitConstant(builder(), func_.loc(), splat.getSplatValue<mlir::Attribute>());
    }
    const Read &read = *domain_.reads[op][number];
    if (!isColumnRead(read))
      return atRow(keyOf(read), [&] { return load(read); });
    ReadKey key = keyOf(read);
    if (Value known = loopReads_.lookup(key))
      return known;
    auto keptRow = keptReads_.find(key);
    Value value =
        keptRow != keptReads_.end()
            ? Value(kernel::GetOp::create(builder(), func_.named(argumentName(read.base)), keptRow->second))
            : load(read);
    loopReads_[key] = value;
    return value;
  }

  /// A value that is the same for all columns, made once a row, before the current loop.
  template <typename Make>
  Value atRow(const ReadKey &key, Make make) {
    Value &value = rowReads_[key];
    if (!value) {
      mlir::OpBuilder::InsertionGuard guard(builder());
      if (currentLoop_)
        builder().setInsertionPoint(currentLoop_);
      value = make();
    }
    return value;
  }

  Value valueOf(Operation *op, int loop) {
    if (Value known = rowValues_.lookup(op))
      return known;
    if (Value known = loopValues_.lookup(op))
      return known;
    mlir::OpBuilder::InsertionGuard guard(builder());
    if (!isColumnOp(op) && currentLoop_)
      builder().setInsertionPoint(currentLoop_); // The same for all columns: once a row.
    auto keptRow = keptRows_.find(op);
    Value value;
    if (keptRow != keptRows_.end()) {
      value = kernel::GetOp::create(builder(), nameOf(op), keptRow->second);
    } else {
      value = compute(op, loop);
    }
    if (!value)
      return {};
    (isColumnOp(op) ? loopValues_ : rowValues_)[op] = value;
    return value;
  }

  Value compute(Operation *op, int loop) {
    if (auto iota = llvm::dyn_cast<IotaOp>(op))
      return position(iota);
    if (llvm::isa<EmbeddingOp>(op)) {
      if (splatConstant(baseOf(op->getOperand(0))))
        return operandValue(op, 0, loop); // All rows of the table are alike.
      Value id = operandValue(op, 1, loop);
      Value row = arith::IndexCastOp::create(builder(), func_.named("row"), builder().getIndexType(), id);
      return load(*domain_.reads[op][0], row);
    }
    llvm::SmallVector<Value, 3> operands;
    for (unsigned number = 0; number < op->getNumOperands(); ++number) {
      operands.push_back(operandValue(op, number, loop));
      if (!operands.back())
        return {};
    }
    // Not a number of the text: the layers of a model share one kernel.
    if (auto dropout = llvm::dyn_cast<DropoutOp>(op))
      operands.push_back(func_.count("layer", static_cast<int64_t>(dropout.getLayer())));
    Value value = emitScalar(builder(), nameOf(op), op, operands);
    if (!value)
      reason_ = ("no scalar rule for " + op->getName().getStringRef()).str();
    return value;
  }

  /// The index of an iota as its element type.
  Value position(IotaOp iota) {
    const LoopForm &form = domain_.positions[iota];
    Value sum;
    for (const LoopTerm &term : form) {
      Value index = loopIndices_[term.loop];
      if (!term.coefficient.isOne())
        index = arith::MulIOp::create(builder(), nameOf(iota), index, func_.extent(term.coefficient));
      sum = sum ? Value(arith::AddIOp::create(builder(), nameOf(iota), sum, index)) : index;
    }
    if (!sum)
      sum = arith::ConstantIndexOp::create(builder(), nameOf(iota), 0);
    mlir::Type element = llvm::cast<mlir::RankedTensorType>(iota.getResult().getType()).getElementType();
    if (!llvm::isa<mlir::FloatType>(element))
      return arith::IndexCastOp::create(builder(), nameOf(iota), element, sum);
    Value number = arith::IndexCastOp::create(builder(), nameOf(iota), builder().getI64Type(), sum);
    return arith::SIToFPOp::create(builder(), nameOf(iota), builder().getF32Type(), number);
  }

  bool store(const Write &write, int loop) {
    Value value;
    if (Operation *source = producer(write.value))
      value = valueOf(source, loop);
    else
      value = operandValue(write.op, write.operand, loop);
    if (!value)
      return false;
    Value result = group_.getResult(write.output);
    MapAccess access = func_.access(write.offset, loopIndices_);
    Value buffer = outputBuffers_[write.output];
    mlir::Type element = llvm::cast<mlir::RankedTensorType>(result.getType()).getElementType();
    kernel::StoreOp::create(builder(), func_.loc(), narrow(builder(), func_.loc(), value, element), buffer,
                            access.map, access.indices, access.symbols, nullptr);
    return true;
  }

  kernel::ReduceKind reduction(ReduceOp op) const {
    switch (op.getKind()) {
    case ReduceKind::Sum:
    case ReduceKind::Mean:
      return kernel::ReduceKind::Add;
    case ReduceKind::Max:
      return kernel::ReduceKind::Max;
    case ReduceKind::Min:
      return kernel::ReduceKind::Min;
    }
    llvm_unreachable("covered switch");
  }

  /// A mean divides the row's sum once.
  Value finishReduction(ReduceOp op, Value sum) {
    if (op.getKind() != ReduceKind::Mean)
      return sum;
    Value count;
    if (columnExtent_.isStatic()) {
      count = emitConstant(builder(), func_.loc(), builder().getF32FloatAttr(columnExtent_.value));
    } else {
      Value number = arith::IndexCastOp::create(builder(), func_.loc(), builder().getI64Type(),
                                                func_.extent(columnExtent_));
      count = arith::SIToFPOp::create(builder(), func_.named("count"), builder().getF32Type(), number);
    }
    return arith::DivFOp::create(builder(), func_.named("mean"), sum, count);
  }

  /// Splits the column index when the reduced dimensions do not lie evenly.
  void setColumnIndices(Value column) {
    size_t first = domain_.rowLoops.size();
    loopIndices_.resize(first + domain_.columnLoops.size());
    if (domain_.columnLoops.size() == 1) {
      loopIndices_[first] = column;
      return;
    }
    Value rest = column;
    for (size_t index = domain_.columnLoops.size(); index-- > 1;) {
      Value extent = func_.extent(domain_.columnLoops[index]);
      loopIndices_[first + index] = arith::RemUIOp::create(builder(), func_.loc(), rest, extent);
      rest = arith::DivUIOp::create(builder(), func_.loc(), rest, extent);
    }
    loopIndices_[first] = rest;
  }

  bool emit() {
    // Inputs before outputs: whatever is read is an argument before what is written.
    for (Operation *op : ops_)
      for (std::optional<Read> &read : domain_.reads[op])
        if (read)
          func_.buffer(read->base);
    for (Value result : group_.getResults())
      outputBuffers_.push_back(func_.buffer(result));

    llvm::SmallVector<Value, 4> extents;
    for (const SymbolicDim &extent : domain_.rowLoops)
      extents.push_back(func_.extent(extent));
    Value columns = func_.extent(columnExtent_);
    mlir::IntegerAttr parts;
    if (!domain_.sums.empty())
      parts = builder().getI64IntegerAttr(domain_.sums.front().first.getParts());
    auto rows = kernel::RowsOp::create(builder(), func_.loc(), extents, parts);
    mlir::Block &body = rows.getBody().emplaceBlock();
    static constexpr const char *kRowNames[] = {"i", "j", "k", "l", "m", "n"};
    for (size_t index = 0; index < extents.size(); ++index)
      loopIndices_.push_back(
          body.addArgument(builder().getIndexType(),
                           func_.named(extents.size() == 1 ? "row" : kRowNames[std::min<size_t>(index, 5)])));
    builder().setInsertionPointToEnd(&body);

    for (int loop = 0; loop < loops_; ++loop)
      if (!emitLoop(loop, columns))
        return false;
    // Results of the rows: reductions and what follows from them.
    currentLoop_ = nullptr;
    for (const Write &write : domain_.writes)
      if (!loopOf(write) && !store(write, -1))
        return false;
    return true;
  }

  bool emitLoop(int loop, Value columns) {
    llvm::SmallVector<ReduceOp> reductions;
    for (Operation *op : ops_)
      if (auto reduce = llvm::dyn_cast<ReduceOp>(op); reduce && stages_.lookup(op) == loop)
        reductions.push_back(reduce);
    llvm::SmallVector<Operation *> keeps;
    for (auto &[op, from] : kept_)
      if (from == loop)
        keeps.push_back(op);
    llvm::SmallVector<ReadKey> readKeeps;
    if (mayKeep())
      for (auto &[key, loops] : readLoops_)
        if (loops.size() > 1 && *std::min_element(loops.begin(), loops.end()) == loop)
          readKeeps.push_back(key);

    loopValues_.clear();
    loopReads_.clear();
    // The body first: what it yields gives the result types.
    auto probe = kernel::ColumnsOp::create(builder(), func_.loc(), columns, mlir::TypeRange(),
                                           llvm::ArrayRef<kernel::ReduceKind>());
    currentLoop_ = probe;
    probe.getBody().front().getArgument(0).setLoc(func_.named("col"));
    builder().setInsertionPointToEnd(&probe.getBody().front());
    setColumnIndices(probe.getIndex());

    llvm::SmallVector<Value> yields;
    llvm::SmallVector<Value> reduced;
    for (ReduceOp reduce : reductions) {
      reduced.push_back(operandValue(reduce, 0, loop));
      if (!reduced.back())
        return false;
    }
    for (const Write &write : domain_.writes)
      if (loopOf(write) == loop && !store(write, loop))
        return false;
    for (auto [sums, output] : domain_.sums)
      if (stages_.lookup(sums) == loop) {
        Value value = operandValue(sums, 0, loop);
        if (!value)
          return false;
        kernel::AccumulateOp::create(builder(), func_.loc(), value, outputBuffers_[output]);
      }
    for (Operation *op : keeps) {
      yields.push_back(valueOf(op, loop));
      if (!yields.back())
        return false;
    }
    for (const ReadKey &key : readKeeps)
      yields.push_back(loopReads_.lookup(key));
    llvm::SmallVector<mlir::Type> types;
    for (Value value : yields)
      types.push_back(kernel::RowType::get(value.getContext(), value.getType()));
    for (Value value : reduced)
      types.push_back(value.getType());
    yields.append(reduced);
    kernel::YieldOp::create(builder(), func_.loc(), yields);

    // The loop with its results takes the probe's body.
    builder().setInsertionPoint(probe);
    llvm::SmallVector<kernel::ReduceKind> kinds;
    for (ReduceOp reduce : reductions)
      kinds.push_back(reduction(reduce));
    auto columnsOp = kernel::ColumnsOp::create(builder(), func_.loc(), columns, types, kinds);
    columnsOp.getBody().takeBody(probe.getBody());
    probe.erase();
    currentLoop_ = nullptr;
    builder().setInsertionPointAfter(columnsOp);

    size_t result = 0;
    for (Operation *op : keeps)
      keptRows_[op] = columnsOp.getResult(result++);
    for (const ReadKey &key : readKeeps)
      keptReads_[key] = columnsOp.getResult(result++);
    for (ReduceOp reduce : reductions)
      rowValues_[reduce] = finishReduction(reduce, columnsOp.getResult(result++));
    // What follows from the reductions alone stands before the next loop.
    for (Operation *op : ops_)
      if (!isColumnOp(op) && !llvm::isa<ReduceOp, ConcatOp>(op) && stages_.lookup(op) == loop + 1 &&
          !valueOf(op, -1))
        return false;
    builder().setInsertionPointToEnd(columnsOp->getBlock());
    return true;
  }

  GroupOp group_;
  const llvm::StringMap<int64_t> &symbols_;
  std::string &reason_;
  std::optional<unsigned> part_;
  FuncBuilder func_;
  RowsDomain domain_;
  SymbolicDim columnExtent_;
  llvm::SmallVector<Operation *> ops_;
  llvm::DenseMap<Operation *, int> stages_;
  int loops_ = 1;

  llvm::DenseMap<Value, size_t> baseNumbers_;
  /// The ops that each loop computes, so that the walk over operands meets each once.
  llvm::SmallVector<llvm::SmallPtrSet<Operation *, 8>, 4> required_;
  llvm::MapVector<Operation *, int> kept_; ///< With the loop that computes it.
  std::map<ReadKey, llvm::SetVector<int>> readLoops_;

  llvm::SmallVector<Value, 4> loopIndices_;
  llvm::SmallVector<Value, 2> outputBuffers_;
  Operation *currentLoop_ = nullptr;
  llvm::DenseMap<Operation *, Value> rowValues_, loopValues_;
  std::map<ReadKey, Value> rowReads_;
  llvm::StringMap<Value> loopReads_;
  llvm::DenseMap<Operation *, Value> keptRows_;
  std::map<ReadKey, Value> keptReads_;
};

} // namespace

std::string heddle::argumentName(Value base) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(base)) {
    if (auto func = llvm::dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp()))
      if (auto name = func.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), kNameAttr))
        return name.str();
    return "input";
  }
  if (auto parameter = base.getDefiningOp<ParameterOp>()) {
    llvm::StringRef name = llvm::cast<PartAttr>(parameter.getParts()[0]).getName();
    return name.rsplit('.').second.empty() ? name.str() : name.rsplit('.').second.str();
  }
  if (auto group = base.getDefiningOp<GroupOp>()) {
    auto yield = llvm::cast<YieldOp>(group.getBody().front().getTerminator());
    Value inner = baseOf(yield.getValues()[llvm::cast<mlir::OpResult>(base).getResultNumber()]);
    if (Operation *op = inner.getDefiningOp())
      return op->getName().stripDialect().str();
  }
  return base.getDefiningOp()->getName().stripDialect().str();
}

std::optional<LoweredKernel> heddle::lowerRowsGroup(GroupOp group, const llvm::StringMap<int64_t> &symbols,
                                                    std::string &reason, std::optional<unsigned> part) {
  return RowsLowering(group, symbols, reason, part).lower();
}
