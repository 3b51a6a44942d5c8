#include "compiler/Layout/Access.h"
#include "dialects/Graph/GraphDialect.h"

using namespace heddle;
using namespace heddle::graph;

static SymbolicShape shapeOf(mlir::Value value) {
  return symbolicShape(llvm::cast<mlir::RankedTensorType>(value.getType()));
}

namespace {

/// The index along one dimension: a product of atoms while nothing but splitting and reordering happened to
/// it, a linear form once a slice has offset or stretched it.
struct DimensionIndex {
  AtomProduct product;
  LinearForm form; ///< Used when not pure.
  bool pure = true;

  LinearForm linear(const IterationSpace &space) const { return pure ? space.linear(product) : form; }
};

using Indices = llvm::SmallVector<DimensionIndex, 4>;

/// Pairs runs of dimensions of two shapes with equal products, slowest first.
struct ReshapeRun {
  llvm::SmallVector<int64_t, 2> from, to;
};

std::optional<llvm::SmallVector<ReshapeRun, 4>> pairRuns(llvm::ArrayRef<SymbolicDim> from,
                                                         llvm::ArrayRef<SymbolicDim> to) {
  llvm::SmallVector<ReshapeRun, 4> runs;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeRun run;
    SymbolicDim left, right;
    if (i < from.size()) {
      left = from[i];
      run.from.push_back(i++);
    }
    if (j < to.size()) {
      right = to[j];
      run.to.push_back(j++);
    }
    while (left != right) {
      // Grow the side that divides the other, so that the runs do not depend on the values of symbols; where
      // neither does, the smaller one.
      bool leftDivides = right.dividedBy(left).has_value(), rightDivides = left.dividedBy(right).has_value();
      bool growLeft = leftDivides != rightDivides ? leftDivides : left.value <= right.value;
      if (i < from.size() && (growLeft || j == to.size())) {
        left = left.times(from[i]);
        run.from.push_back(i++);
      } else if (j < to.size()) {
        right = right.times(to[j]);
        run.to.push_back(j++);
      } else {
        return std::nullopt;
      }
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

/// The operand's indices of a reshape from its result's.
std::optional<Indices> throughReshape(ReshapeOp op, const Indices &result, IterationSpace &space,
                                      std::string *error) {
  SymbolicShape from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
  std::optional<llvm::SmallVector<ReshapeRun, 4>> runs = pairRuns(from, to);
  if (!runs) {
    if (error)
      *error = "the reshape relates extents that are not products of each other";
    return std::nullopt;
  }
  Indices operand(from.size());
  for (const ReshapeRun &run : *runs) {
    bool pure = llvm::all_of(run.to, [&](int64_t dim) { return result[dim].pure; });
    if (pure) {
      AtomProduct all;
      for (int64_t dim : run.to)
        all.append(result[dim].product);
      AtomProduct fresh;
      for (int64_t dim : run.from) {
        operand[dim].product = space.addDimension(from[dim]);
        fresh.append(operand[dim].product);
      }
      // Broadcast dimensions have lost their atoms: then only a run of one operand dimension has a linear
      // index.
      if (space.extent(space.resolve(all)) == space.extent(fresh)) {
        if (failed(space.unify(fresh, all, error)))
          return std::nullopt;
        continue;
      }
    }
    llvm::SmallVector<int64_t, 2> wide;
    for (int64_t dim : run.from)
      if (!from[dim].isOne())
        wide.push_back(dim);
    if (wide.size() != 1) {
      if (error)
        *error = "the reshape merges dimensions that a slice or broadcast has taken apart";
      return std::nullopt;
    }
    // One operand dimension: its index is the row-major sum of the result's.
    DimensionIndex &target = operand[wide.front()];
    target = {};
    target.pure = false;
    SymbolicDim stride;
    for (int64_t dim : llvm::reverse(run.to)) {
      target.form.addScaled(stride, result[dim].linear(space));
      stride = stride.times(to[dim]);
    }
    for (int64_t dim : run.from)
      if (from[dim].isOne())
        operand[dim] = {};
  }
  return operand;
}

/// The offset of an element of a contiguous tensor.
LinearForm contiguousOffset(llvm::ArrayRef<SymbolicDim> shape, const Indices &indices,
                            const IterationSpace &space) {
  LinearForm offset;
  for (auto [dim, stride] : llvm::enumerate(contiguousStrides(shape)))
    offset.addScaled(stride, indices[dim].linear(space));
  return offset;
}

} // namespace

std::optional<Access> heddle::resolveAccess(mlir::Value value, const TensorIndex &index,
                                            IterationSpace &space, std::string *error, ReshapeOp *stoppedAt) {
  Indices indices;
  for (const AtomProduct &product : index) {
    indices.emplace_back();
    indices.back().product = product;
  }
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
      Indices operand(indices.size());
      for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
        operand[source] = indices[dim];
      indices = std::move(operand);
      value = transpose.getOperand();
    } else if (auto broadcast = llvm::dyn_cast<BroadcastOp>(op)) {
      SymbolicShape from = shapeOf(broadcast.getOperand());
      for (auto [dim, extent] : llvm::enumerate(from))
        if (extent.isOne())
          indices[dim] = {};
      value = broadcast.getOperand();
    } else if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
      SymbolicShape from = shapeOf(slice.getOperand()), to = shapeOf(slice.getResult());
      for (auto [dim, extent] : llvm::enumerate(from)) {
        int64_t offset = slice.getOffsets()[dim], stride = slice.getStrides()[dim];
        if (offset == 0 && stride == 1 && from[dim] == to[dim])
          continue;
        LinearForm form;
        form.addScaled(SymbolicDim::fixed(stride), indices[dim].linear(space));
        if (offset != 0)
          form.add(SymbolicDim::fixed(offset), LinearTerm::kConstant);
        indices[dim] = {{}, std::move(form), false};
      }
      value = slice.getOperand();
    } else if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) {
      // Nothing but reshapes down to the base: the elements lie as this shape orders them.
      mlir::Value base = value;
      while (auto under = base.getDefiningOp<ReshapeOp>())
        base = under.getOperand();
      if (baseOf(base) == base)
        return Access{base, contiguousOffset(shapeOf(value), indices, space)};
      std::optional<Indices> operand = throughReshape(reshape, indices, space, error);
      if (!operand) {
        if (stoppedAt)
          *stoppedAt = reshape;
        return std::nullopt;
      }
      indices = std::move(*operand);
      value = reshape.getOperand();
    } else {
      break;
    }
  }
  return Access{value, contiguousOffset(shapeOf(value), indices, space)};
}

std::optional<TensorIndex> heddle::indexThroughView(mlir::Operation *view, const TensorIndex &operand,
                                                    IterationSpace &space, std::string *error) {
  TensorIndex result = space.addTensor(shapeOf(view->getResult(0)));
  if (auto transpose = llvm::dyn_cast<TransposeOp>(view)) {
    for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
      if (failed(space.unify(result[dim], operand[source], error)))
        return std::nullopt;
  } else if (auto broadcast = llvm::dyn_cast<BroadcastOp>(view)) {
    SymbolicShape from = shapeOf(broadcast.getOperand());
    for (size_t dim = 0; dim < from.size(); ++dim)
      if (!from[dim].isOne() && failed(space.unify(result[dim], operand[dim], error)))
        return std::nullopt;
  } else if (llvm::isa<ReshapeOp>(view)) {
    if (failed(space.unify(flatten(result), flatten(operand), error)))
      return std::nullopt;
  } else {
    if (error)
      *error = "takes a part of a computed value";
    return std::nullopt;
  }
  return result;
}

int64_t heddle::bytesOf(mlir::Value tensor) {
  auto type = llvm::cast<mlir::RankedTensorType>(tensor.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

mlir::Value heddle::baseOf(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (!op->hasTrait<ViewLike>())
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<SymbolicDim> heddle::strideOf(const AtomProduct &product, const LinearForm &offset,
                                            const IterationSpace &space) {
  AtomProduct atoms = space.resolve(product);
  LinearForm form = space.resolve(offset);
  std::optional<SymbolicDim> stride;
  SymbolicDim inner; // The extent of the faster atoms.
  for (int atom : llvm::reverse(atoms)) {
    SymbolicDim coefficient{0, {}, 0};
    int found = 0;
    for (const LinearTerm &term : form.terms)
      if (term.atom == atom) {
        coefficient = term.coefficient;
        ++found;
      }
    if (found > 1)
      return std::nullopt;
    if (!stride) {
      stride = coefficient;
    } else if (stride->times(inner) != coefficient) {
      return std::nullopt;
    }
    inner = inner.times(space.extent(atom));
  }
  return stride ? *stride : SymbolicDim{0, {}, 0};
}

int64_t heddle::constantOf(const LinearForm &offset) {
  int64_t sum = 0;
  for (const LinearTerm &term : offset.terms)
    if (term.atom == LinearTerm::kConstant)
      sum += term.coefficient.value;
  return sum;
}
