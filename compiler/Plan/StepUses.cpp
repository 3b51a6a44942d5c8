//===- StepUses.cpp - Which bytes a step reads and writes -----------------===//
#include "compiler/Plan/StepUses.h"

#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace heddle::plan;

namespace {

/// The least and the greatest value of an index, inclusive.
struct Interval {
  int64_t low = 0, high = 0;
};
using MaybeInterval = std::optional<Interval>;

MaybeInterval sum(Interval a, Interval b) {
  Interval result;
  if (llvm::AddOverflow(a.low, b.low, result.low) || llvm::AddOverflow(a.high, b.high, result.high))
    return std::nullopt;
  return result;
}

MaybeInterval product(Interval a, Interval b) {
  int64_t corners[4];
  if (llvm::MulOverflow(a.low, b.low, corners[0]) || llvm::MulOverflow(a.low, b.high, corners[1]) ||
      llvm::MulOverflow(a.high, b.low, corners[2]) || llvm::MulOverflow(a.high, b.high, corners[3]))
    return std::nullopt;
  return Interval{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

/// What an affine expression over intervals may be; nothing where its form does not tell.
MaybeInterval evaluate(mlir::AffineExpr expr, llvm::ArrayRef<Interval> dims,
                       llvm::ArrayRef<Interval> symbols) {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return Interval{constant.getValue(), constant.getValue()};
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expr);
  MaybeInterval a = evaluate(binary.getLHS(), dims, symbols), b = evaluate(binary.getRHS(), dims, symbols);
  if (!a || !b)
    return std::nullopt;
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Add:
    return sum(*a, *b);
  case mlir::AffineExprKind::Mul:
    return product(*a, *b);
  case mlir::AffineExprKind::FloorDiv:
    if (a->low < 0 || b->low < 1)
      return std::nullopt;
    return Interval{a->low / b->high, a->high / b->low};
  case mlir::AffineExprKind::Mod:
    if (b->low < 1)
      return std::nullopt;
    return Interval{0, b->high - 1};
  default:
    return std::nullopt;
  }
}

/// The values of an index of an access.
MaybeInterval intervalOf(mlir::Value index, kernel::FuncOp func, llvm::ArrayRef<int64_t> counts) {
  auto upTo = [&](mlir::Value extent) -> MaybeInterval {
    std::optional<int64_t> count = kernel::evaluate(extent, func, counts);
    return count && *count > 0 ? MaybeInterval(Interval{0, *count - 1}) : std::nullopt;
  };
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(index)) {
    mlir::Operation *owner = argument.getOwner()->getParentOp();
    if (auto rows = llvm::dyn_cast<kernel::RowsOp>(owner))
      return upTo(rows.getExtents()[argument.getArgNumber()]);
    if (auto columns = llvm::dyn_cast<kernel::ColumnsOp>(owner))
      return upTo(columns.getExtent());
  }
  std::optional<int64_t> value = kernel::evaluate(index, func, counts);
  return value ? MaybeInterval(Interval{*value, *value}) : std::nullopt;
}

/// The positions of an access, in elements.
MaybeInterval positionsOf(mlir::AffineMap map, mlir::ValueRange indices, mlir::ValueRange symbols,
                          kernel::FuncOp func, llvm::ArrayRef<int64_t> counts) {
  llvm::SmallVector<Interval> dims, others;
  for (auto [values, to] : {std::pair{indices, &dims}, std::pair{symbols, &others}})
    for (mlir::Value value : values) {
      MaybeInterval interval = intervalOf(value, func, counts);
      if (!interval)
        return std::nullopt;
      to->push_back(*interval);
    }
  return evaluate(map.getResult(0), dims, others);
}

} // namespace

StepUses::StepUses(ProgramOp program) {
  for (mlir::Operation &op : program.getBody().front()) {
    if (auto func = llvm::dyn_cast<kernel::FuncOp>(op))
      kernels_[func.getSymNameAttr()] = func;
    if (auto buffer = llvm::dyn_cast<BufferOp>(op))
      buffers_[buffer.getSymNameAttr()] = buffer;
  }
}

const llvm::SmallVector<StepUses::Range> &StepUses::rangesOf(kernel::FuncOp func,
                                                             llvm::ArrayRef<int64_t> counts) {
  auto [entry, inserted] = ranges_.try_emplace({func.getOperation(), counts.vec()});
  llvm::SmallVector<Range> &ranges = entry->second;
  if (!inserted)
    return ranges;
  bool rows = !func.getBody().getOps<kernel::RowsOp>().empty();
  for (kernel::BufferUse use : kernel::bufferUses(func))
    ranges.push_back({0, 0, /*whole=*/!rows, use.written});
  if (!rows)
    return ranges;
  llvm::SmallVector<bool> seen(ranges.size(), false);
  auto add = [&](auto access) {
    unsigned number = llvm::cast<mlir::BlockArgument>(access.getBuffer()).getArgNumber();
    Range &range = ranges[number];
    MaybeInterval at = positionsOf(access.getMap(), access.getIndices(), access.getSymbols(), func, counts);
    if (!at || at->high == INT64_MAX) {
      range.whole = true;
      return;
    }
    range.begin = seen[number] ? std::min(range.begin, at->low) : at->low;
    range.end = seen[number] ? std::max(range.end, at->high + 1) : at->high + 1;
    seen[number] = true;
  };
  func.walk([&](mlir::Operation *op) {
    if (auto load = llvm::dyn_cast<kernel::LoadOp>(op))
      add(load);
    else if (auto store = llvm::dyn_cast<kernel::StoreOp>(op))
      add(store);
    else if (auto sums = llvm::dyn_cast<kernel::AccumulateOp>(op))
      ranges[llvm::cast<mlir::BlockArgument>(sums.getSums()).getArgNumber()].whole = true;
  });
  return ranges;
}

llvm::SmallVector<Use> StepUses::of(StepInterface step) {
  llvm::SmallVector<Use> uses;
  auto whole = [&](RefAttr ref, bool written) {
    if (ref && ref.getBuffer())
      uses.push_back(
          {ref.getBuffer().getAttr(), 0, buffers_.at(ref.getBuffer().getAttr()).getByteSize(), written});
  };
  if (auto copy = llvm::dyn_cast<CopyOp>(*step)) {
    whole(copy.getSource(), false);
    whole(copy.getDestination(), true);
    return uses;
  }
  if (auto product = llvm::dyn_cast<ProductOp>(*step)) {
    whole(product.getA().getRef(), false);
    whole(product.getB().getRef(), false);
    if (product.getC())
      whole(product.getC()->getRef(), false);
    if (product.getBias())
      whole(*product.getBias(), false);
    whole(product.getD().getRef(), true);
    return uses;
  }
  auto launch = llvm::cast<LaunchOp>(*step);
  kernel::FuncOp func = kernels_.lookup(launch.getKernelAttr().getAttr());
  for (int64_t instance = 0; instance < static_cast<int64_t>(launch.getInstances()); ++instance) {
    llvm::SmallVector<RefAttr> refs = launch.getBuffersOf(instance);
    if (!func) { // Compiled: what it does is not known any more.
      for (RefAttr ref : refs)
        whole(ref, true);
      continue;
    }
    for (auto [ref, range] : llvm::zip(refs, rangesOf(func, launch.getCountsOf(instance)))) {
      if (!ref.getBuffer())
        continue;
      BufferOp buffer = buffers_.at(ref.getBuffer().getAttr());
      int64_t width = *elementBytes(buffer.getElementType()), size = buffer.getByteSize();
      Use use{ref.getBuffer().getAttr(), 0, size, range.written};
      // A range that is not inside the buffer was not understood.
      __int128 begin = static_cast<__int128>(range.begin) * width + ref.getByteOffset(),
               end = static_cast<__int128>(range.end) * width + ref.getByteOffset();
      if (!range.whole && begin >= 0 && end <= size) {
        use.begin = static_cast<int64_t>(begin);
        use.end = static_cast<int64_t>(end);
      }
      uses.push_back(use);
    }
  }
  return uses;
}
