//===- IndexBounds.cpp - What indices may be ------------------------------===//
#include "compiler/Import/IndexBounds.h"
#include "dialects/Graph/GraphBuilder.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace heddle;
using namespace heddle::graph;
using llvm::failed;

/// The result has no other elements than the operand.
static bool movesElements(mlir::Operation *op) { return op->hasTrait<ViewLike>() || llvm::isa<CopyOp>(op); }

/// Calls `visit` with the readers of a value, and of what moves its elements.
static llvm::LogicalResult visitReaders(mlir::Value value,
                                        llvm::function_ref<llvm::LogicalResult(mlir::OpOperand &)> visit) {
  for (mlir::OpOperand &use : value.getUses())
    if (failed(movesElements(use.getOwner()) ? visitReaders(use.getOwner()->getResult(0), visit)
                                             : visit(use)))
      return llvm::failure();
  return mlir::success();
}

namespace {
/// What an operand's values index: rows of a table or columns of logits.
struct Indexed {
  bool table;
  int64_t extent;
  std::optional<int64_t> ignored; ///< A value that indexes nothing.
};
} // namespace

static std::optional<Indexed> indexedBy(mlir::OpOperand &use) {
  std::optional<Indexed> indexed;
  auto loss = [&](auto op) {
    if (use.get() == op.getTargets())
      indexed = {false, typeOf(op.getLogits()).getShape().back(), static_cast<int64_t>(op.getIgnored())};
  };
  llvm::TypeSwitch<mlir::Operation *>(use.getOwner())
      .Case([&](EmbeddingOp op) {
        if (use.get() == op.getIndices())
          indexed = {true, typeOf(op.getTable()).getDimSize(0), std::nullopt};
      })
      .Case([&](EmbeddingGradOp op) {
        if (use.get() == op.getIndices())
          indexed = {true, typeOf(op.getResult()).getDimSize(0), std::nullopt};
      })
      .Case([&](CrossEntropyOp op) { loss(op); })
      .Case([&](CrossEntropyGradOp op) { loss(op); });
  return indexed;
}

/// An argument that indexes tables or the columns of logits is bounded by the smallest of them, and may also
/// be what all of them ignore. What the file says of it must not go beyond that.
static llvm::LogicalResult boundArguments(mlir::func::FuncOp main) {
  mlir::Builder builder(main.getContext());
  for (mlir::BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto bound = main.getArgAttrOfType<mlir::IntegerAttr>(number, kBoundAttr);
    auto given = main.getArgAttrOfType<mlir::IntegerAttr>(number, kIgnoredAttr);
    std::optional<int64_t> least;
    llvm::SmallVector<std::optional<int64_t>> ignored;
    auto visit = [&](mlir::OpOperand &use) -> llvm::LogicalResult {
      std::optional<Indexed> indexed = indexedBy(use);
      if (!indexed)
        return mlir::success();
      least = std::min(least.value_or(indexed->extent), indexed->extent);
      ignored.push_back(indexed->ignored);
      if (bound && bound.getInt() > indexed->extent)
        return use.getOwner()->emitOpError()
               << "has " << (indexed->table ? "a table of " : "logits of ") << indexed->extent
               << (indexed->table ? " rows, its indices" : " columns, its targets")
               << " may reach the graph.bound " << bound.getInt() << " of argument " << number;
      if (given && given.getInt() != indexed->ignored)
        return use.getOwner()->emitOpError()
               << "does not ignore the graph.ignored " << given.getInt() << " of argument " << number;
      return mlir::success();
    };
    if (failed(visitReaders(argument, visit)))
      return llvm::failure();
    if (given && !bound && !least)
      return main.emitError() << "argument " << number << " has a graph.ignored and no graph.bound";
    if (least && !bound)
      main.setArgAttr(number, kBoundAttr, builder.getI64IntegerAttr(*least));
    if (!given && !ignored.empty() && ignored.front() && llvm::all_equal(ignored))
      main.setArgAttr(number, kIgnoredAttr, builder.getI64IntegerAttr(*ignored.front()));
  }
  return mlir::success();
}

namespace {

/// Values from `low` to `high`, both included.
struct Range {
  int64_t low, high;
};
using MaybeRange = std::optional<Range>;

/// Finds what an integer value may be, once for each; asked in the order of the ops, so that it never has to
/// go back further than to operands. `ignored`: elements of this value do not count, but where something is
/// computed of them, which `whole` knows.
class Ranges {
public:
  explicit Ranges(std::optional<int64_t> ignored = std::nullopt, Ranges *whole = nullptr)
      : ignored_(ignored), whole_(whole ? *whole : *this) {}
  Ranges(const Ranges &) = delete;
  Ranges &operator=(const Ranges &) = delete;

  MaybeRange of(mlir::Value value) {
    auto known = ranges_.find(value);
    if (known != ranges_.end())
      return known->second;
    MaybeRange range = find(value);
    ranges_[value] = range;
    return range;
  }

private:
  MaybeRange find(mlir::Value value);
  MaybeRange ofConstant(ConstantOp op) const;

  static MaybeRange unite(MaybeRange a, MaybeRange b) {
    return a && b ? MaybeRange(Range{std::min(a->low, b->low), std::max(a->high, b->high)}) : std::nullopt;
  }

  std::optional<int64_t> ignored_;
  Ranges &whole_;
  llvm::DenseMap<mlir::Value, MaybeRange> ranges_;
};

} // namespace

MaybeRange Ranges::ofConstant(ConstantOp op) const {
  auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(op.getValue());
  if (!elements)
    return std::nullopt;
  MaybeRange range;
  auto add = [&](const llvm::APInt &element) {
    int64_t value = element.getBitWidth() == 1 ? element.getZExtValue() : element.getSExtValue();
    if (value != ignored_)
      range = range ? unite(range, Range{value, value}) : Range{value, value};
  };
  if (elements.isSplat())
    add(elements.getSplatValue<llvm::APInt>());
  else
    llvm::for_each(elements.getValues<llvm::APInt>(), add);
  return range ? range : MaybeRange(Range{0, 0}); // All are ignored: none is outside.
}

/// Whether arithmetic of `type` holds both ends; it wraps else.
static MaybeRange within(MaybeRange range, mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (!range || (width < 64 && (range->low < llvm::minIntN(width) || range->high > llvm::maxIntN(width))))
    return std::nullopt;
  return range;
}

/// The corners' least and greatest; nothing where one overflows.
static MaybeRange corners(Range a, Range b, llvm::function_ref<bool(int64_t, int64_t, int64_t &)> overflows) {
  MaybeRange range;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) {
      int64_t value = 0;
      if (overflows(x, y, value))
        return std::nullopt;
      range = range ? Range{std::min(range->low, value), std::max(range->high, value)} : Range{value, value};
    }
  return range;
}

MaybeRange Ranges::find(mlir::Value value) {
  auto type = typeOf(value).getElementType();
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto main = llvm::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
    auto bound = main.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), kBoundAttr);
    auto also = main.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), kIgnoredAttr);
    if (!bound || (also && also.getInt() != ignored_))
      return std::nullopt;
    return Range{0, bound.getInt() - 1};
  }
  mlir::Operation *op = value.getDefiningOp();
  if (movesElements(op))
    return of(op->getOperand(0));
  auto operand = [&](unsigned index) { return whole_.of(op->getOperand(index)); };
  auto both = [&](llvm::function_ref<bool(int64_t, int64_t, int64_t &)> overflows) -> MaybeRange {
    MaybeRange a = operand(0), b = operand(1);
    return a && b ? within(corners(*a, *b, overflows), type) : std::nullopt;
  };
  return llvm::TypeSwitch<mlir::Operation *, MaybeRange>(op)
      .Case([&](ConstantOp op) { return ofConstant(op); })
      .Case([&](IotaOp op) {
        return Range{0, typeOf(op.getResult()).getDimSize(static_cast<int64_t>(op.getAxis())) - 1};
      })
      .Case([&](ConcatOp op) {
        MaybeRange range = of(op.getOperands().front());
        for (mlir::Value part : op.getOperands().drop_front())
          range = unite(range, of(part));
        return range;
      })
      .Case([&](SelectOp op) { return unite(of(op.getIfTrue()), of(op.getIfFalse())); })
      .Case([&](CastOp op) -> MaybeRange {
        mlir::Type from = typeOf(op.getOperand()).getElementType();
        if (from.isInteger(1))
          return Range{0, 1};
        return from.isInteger() ? within(of(op.getOperand()), type) : std::nullopt;
      })
      .Case([&](AddOp) {
        return both([](int64_t x, int64_t y, int64_t &z) { return llvm::AddOverflow(x, y, z) != 0; });
      })
      .Case([&](SubOp) {
        return both([](int64_t x, int64_t y, int64_t &z) { return llvm::SubOverflow(x, y, z) != 0; });
      })
      .Case([&](MulOp) {
        return both([](int64_t x, int64_t y, int64_t &z) { return llvm::MulOverflow(x, y, z) != 0; });
      })
      .Case([&](MaximumOp) {
        return both([](int64_t x, int64_t y, int64_t &z) { return z = std::max(x, y), false; });
      })
      .Case([&](MinimumOp) {
        return both([](int64_t x, int64_t y, int64_t &z) { return z = std::min(x, y), false; });
      })
      .Default([](mlir::Operation *) { return MaybeRange(); });
}

/// Every operand that indexes something, whatever it comes from.
static llvm::LogicalResult verifyIndices(mlir::func::FuncOp main) {
  std::map<std::optional<int64_t>, std::unique_ptr<Ranges>> ranges; // By what is ignored.
  Ranges &whole = *(ranges[std::nullopt] = std::make_unique<Ranges>());
  main.walk([&](mlir::Operation *op) {
    for (mlir::OpOperand &use : op->getOpOperands())
      if (std::optional<Indexed> indexed = indexedBy(use); indexed && indexed->ignored)
        if (std::unique_ptr<Ranges> &of = ranges[indexed->ignored]; !of)
          of = std::make_unique<Ranges>(indexed->ignored, &whole);
  });
  mlir::WalkResult walk = main.walk([&](mlir::Operation *op) {
    for (mlir::Value result : op->getResults())
      if (typeOf(result).getElementType().isInteger())
        for (auto &[ignored, of] : ranges)
          of->of(result);
    for (mlir::OpOperand &use : op->getOpOperands()) {
      std::optional<Indexed> indexed = indexedBy(use);
      if (!indexed)
        continue;
      MaybeRange range = ranges[indexed->ignored]->of(use.get());
      if (range && range->low >= 0 && range->high < indexed->extent)
        continue;
      mlir::InFlightDiagnostic error =
          op->emitOpError() << "has " << (indexed->table ? "a table of " : "logits of ") << indexed->extent
                            << (indexed->table ? " rows, its indices" : " columns, its targets");
      if (range)
        error << " are from " << range->low << " to " << range->high;
      else
        error << " have no bound that is known, wanted inputs, constants, or integer arithmetic on constants "
                 "and on inputs with a graph.bound";
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return llvm::failure(walk.wasInterrupted());
}

llvm::LogicalResult heddle::import::addIndexBounds(mlir::func::FuncOp main) {
  return llvm::failure(failed(boundArguments(main)) || failed(verifyIndices(main)));
}
