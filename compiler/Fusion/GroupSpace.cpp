#include "compiler/Fusion/GroupSpace.h"
#include "dialects/Graph/GraphDialect.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle;
using namespace heddle::graph;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::Operation;
using mlir::Value;

static SymbolicShape shapeOf(Value value) {
  return symbolicShape(llvm::cast<mlir::RankedTensorType>(value.getType()));
}

bool heddle::isRowsOp(Operation *op) {
  return op->hasTrait<ElementwiseOp>() ||
         llvm::isa<ReduceOp, PartialSumsOp, SoftmaxOp, SoftmaxGradOp, LayerNormOp, RmsNormOp, CrossEntropyOp,
                   CrossEntropyGradOp, EmbeddingOp, ConcatOp, IotaOp>(op);
}

namespace {

/// Collects the relations of one group.
class SpaceBuilder {
public:
  SpaceBuilder(llvm::ArrayRef<Operation *> ops, llvm::ArrayRef<Value> outputs, std::string &reason,
               std::optional<unsigned> part)
      : ops_(ops), outputs_(outputs), reason_(reason), part_(part) {
    members_.insert(ops.begin(), ops.end());
  }

  std::optional<GroupSpace> build() {
    for (Operation *op : ops_)
      if (failed(addOp(op)))
        return std::nullopt;
    if (failed(alignOutputs()) || failed(collectColumns()) || failed(alignReads()) ||
        failed(resolveReads()) || failed(checkDistinct()) || failed(collectRows()))
      return std::nullopt;
    return std::move(group_);
  }

private:
  LogicalResult fail(Operation *op, const llvm::Twine &why) {
    reason_ = (op->getName().stripDialect() + ": " + why).str();
    return failure();
  }

  bool isMember(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && members_.contains(op);
  }

  /// The index of a value that the group computes, through views.
  std::optional<TensorIndex> indexOf(Value value) {
    auto found = group_.indices.find(value);
    if (found != group_.indices.end())
      return found->second;
    Operation *view = value.getDefiningOp();
    std::optional<TensorIndex> operand = indexOf(view->getOperand(0));
    if (!operand)
      return std::nullopt;
    std::string error;
    std::optional<TensorIndex> result = indexThroughView(view, *operand, group_.space, &error);
    if (!result) {
      (void)fail(view, error);
      return std::nullopt;
    }
    group_.indices[value] = *result;
    return result;
  }

  LogicalResult unify(Operation *op, const AtomProduct &a, const AtomProduct &b) {
    std::string error;
    if (failed(group_.space.unify(a, b, &error)))
      return fail(op, error);
    return success();
  }

  /// The indices at which `op` reads its operands, for its result's index.
  llvm::SmallVector<TensorIndex, 3> readIndices(Operation *op, const TensorIndex &result) {
    IterationSpace &space = group_.space;
    llvm::SmallVector<TensorIndex, 3> reads;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ReduceOp reduce) {
          TensorIndex read = result;
          SymbolicShape shape = shapeOf(reduce.getOperand());
          AtomProduct reduced;
          llvm::SmallVector<int64_t> axes(reduce.getAxes());
          llvm::sort(axes);
          for (int64_t axis : axes) {
            read[axis] = space.addDimension(shape[axis]);
            reduced.append(read[axis]);
          }
          reductions_.push_back({op, reduced});
          reads.push_back(read);
        })
        .Case([&](PartialSumsOp sums) {
          TensorIndex read = result;
          SymbolicShape shape = shapeOf(sums.getOperand());
          AtomProduct kept;
          for (auto [axis, extent] : llvm::enumerate(shape))
            if (llvm::is_contained(sums.getAxes(), static_cast<int64_t>(axis)))
              read[axis] = space.addDimension(extent);
            else
              kept.append(read[axis]);
          // What stays is the columns: a row is added to sums that are kept beside it.
          reductions_.push_back({op, kept});
          reads.push_back(read);
        })
        .Case<SoftmaxOp, LayerNormOp, RmsNormOp>([&](Operation *) {
          reductions_.push_back({op, result.back()});
          reads.push_back(result);
          for (size_t operand = 1; operand < op->getNumOperands(); ++operand)
            reads.push_back({result.back()});
        })
        .Case([&](SoftmaxGradOp) {
          reductions_.push_back({op, result.back()});
          reads.assign(2, result);
        })
        .Case([&](CrossEntropyOp loss) {
          TensorIndex logits = result;
          logits.push_back(space.addDimension(shapeOf(loss.getLogits()).back()));
          reductions_.push_back({op, logits.back()});
          reads.push_back(logits);
          reads.push_back(result);
        })
        .Case([&](CrossEntropyGradOp) {
          TensorIndex row(llvm::ArrayRef<AtomProduct>(result).drop_back());
          reductions_.push_back({op, result.back()});
          reads.push_back(result);
          reads.append(2, row);
        })
        .Case([&](EmbeddingOp embedding) {
          SymbolicShape table = shapeOf(embedding.getTable());
          reads.push_back({space.addDimension(table[0]), result.back()});
          reads.push_back(TensorIndex(llvm::ArrayRef<AtomProduct>(result).drop_back()));
        })
        .Case([&](ConcatOp concat) {
          // Parts of one extent run together.
          std::optional<AtomProduct> shared;
          SymbolicDim extent;
          for (Value operand : concat.getOperands()) {
            SymbolicDim own = shapeOf(operand)[concat.getAxis()];
            if (!shared || own != extent)
              shared = space.addDimension(own);
            extent = own;
            TensorIndex read = result;
            read[concat.getAxis()] = *shared;
            reads.push_back(read);
          }
        })
        .Default([&](Operation *) { reads.assign(op->getNumOperands(), result); });
    return reads;
  }

  LogicalResult addOp(Operation *op) {
    Value value = op->getResult(0);
    TensorIndex result = group_.space.addTensor(shapeOf(value));
    group_.indices[value] = result;
    llvm::SmallVector<TensorIndex, 3> reads = readIndices(op, result);
    for (auto [operand, read] : llvm::zip_equal(op->getOperands(), reads)) {
      Value base = baseOf(operand);
      if (!isMember(base))
        continue;
      if (base.getDefiningOp<ConcatOp>())
        return fail(op, "reads a concatenation, which is written in parts");
      if (base.getDefiningOp<PartialSumsOp>())
        return fail(op, "reads sums over the rows, which are whole behind the kernel alone");
      if (llvm::isa<EmbeddingOp>(op) && operand == op->getOperand(0))
        return fail(op, "looks up a table that the group computes");
      std::optional<TensorIndex> index = indexOf(operand);
      if (!index)
        return failure();
      for (auto [a, b] : llvm::zip_equal(read, *index))
        if (failed(unify(op, a, b)))
          return failure();
    }
    group_.operandIndices[op] = std::move(reads);
    return success();
  }

  /// What runs to make an output: its own index, for sums over rows that of what they sum.
  const TensorIndex &runIndex(Value output) {
    auto sums = output.getDefiningOp<PartialSumsOp>();
    return sums ? group_.operandIndices[sums].front() : group_.indices[output];
  }

  /// Outputs that no op relates run over the same rows when they have as many elements.
  LogicalResult alignOutputs() {
    if (outputs_.size() < 2)
      return success();
    AtomProduct first = flatten(runIndex(outputs_.front()));
    for (Value output : outputs_.drop_front()) {
      AtomProduct other = group_.space.resolve(flatten(runIndex(output)));
      AtomProduct known = group_.space.resolve(first);
      bool related = llvm::any_of(other, [&](int atom) { return llvm::is_contained(known, atom); });
      if (!related && group_.space.extent(other) == group_.space.extent(known) &&
          failed(unify(output.getDefiningOp(), known, other)))
        return failure();
    }
    return success();
  }

  static std::string columnsUse(Operation *op) {
    return llvm::isa<PartialSumsOp>(op) ? "sums rows of " : "reduces over ";
  }

  LogicalResult collectColumns() {
    group_.hasReductions = !reductions_.empty();
    for (auto &[op, product] : reductions_) {
      if (op == reductions_.front().first)
        continue;
      AtomProduct known = group_.space.resolve(reductions_.front().second);
      AtomProduct other = group_.space.resolve(product);
      if (group_.space.extent(known) != group_.space.extent(other))
        return fail(op, columnsUse(op) + group_.space.extent(other).str() +
                            " elements, another op of the group " + columnsUse(reductions_.front().first) +
                            group_.space.extent(known).str());
      if (failed(unify(op, known, other)))
        return failure();
    }
    if (group_.hasReductions)
      group_.columns = group_.space.resolve(reductions_.front().second);
    return success();
  }

  /// A norm reads its input once to reduce it and once more to scale it. When that input comes from outside
  /// nothing has related the two reads: where they agree in all other dimensions, the reduced one is the same
  /// run of columns.
  LogicalResult alignReads() {
    if (!group_.hasReductions)
      return success();
    IterationSpace &space = group_.space;
    llvm::MapVector<Value, llvm::SmallVector<TensorIndex, 2>> readsOf;
    for (Operation *op : ops_)
      for (auto [operand, read] : llvm::zip_equal(op->getOperands(), group_.operandIndices[op]))
        if (!isMember(baseOf(operand)) && !splatConstant(baseOf(operand)))
          readsOf[operand].push_back(read);
    auto isReduced = [&](const AtomProduct &product) {
      return !product.empty() &&
             llvm::all_of(product, [&](int atom) { return llvm::is_contained(group_.columns, atom); });
    };
    for (auto &[value, reads] : readsOf)
      for (size_t other = 1; other < reads.size(); ++other) {
        TensorIndex a = space.resolve(reads[0]), b = space.resolve(reads[other]);
        std::optional<size_t> differing;
        bool one = true;
        for (size_t dim = 0; dim < a.size(); ++dim)
          if (a[dim] != b[dim]) {
            one = one && !differing;
            differing = dim;
          }
        if (!differing || !one || isReduced(a[*differing]) == isReduced(b[*differing]))
          continue;
        if (failed(unify(ops_.front(), a[*differing], b[*differing])))
          return failure();
        group_.columns = space.resolve(group_.columns);
      }
    return success();
  }

  /// What is read from outside must be readable at the indices that the ops agreed on.
  LogicalResult resolveReads() {
    for (Operation *op : ops_) {
      auto &accesses = group_.accesses[op];
      for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
        accesses.emplace_back();
        Value base = baseOf(operand);
        if (isMember(base) || splatConstant(base) || (part_ && number != *part_))
          continue;
        std::string error;
        accesses.back() = resolveAccess(operand, group_.operandIndices[op][number], group_.space, &error);
        if (!accesses.back())
          return fail(op, error);
      }
    }
    group_.columns = group_.space.resolve(group_.columns); // A read may have split them.
    return success();
  }

  /// An atom twice in one index would read a diagonal; two loops were taken for one.
  LogicalResult checkDistinct() {
    auto distinct = [&](const TensorIndex &index) {
      llvm::SmallDenseSet<int> seen;
      for (int atom : group_.space.resolve(flatten(index)))
        if (!seen.insert(atom).second)
          return false;
      return true;
    };
    for (Operation *op : ops_) {
      if (!distinct(group_.indices[op->getResult(0)]))
        return fail(op, "runs over one dimension in two ways");
      for (const TensorIndex &read : group_.operandIndices[op])
        if (!distinct(read))
          return fail(op, "reads along one dimension in two ways");
    }
    return success();
  }

  LogicalResult collectRows() {
    auto isColumn = [&](int atom) { return llvm::is_contained(group_.columns, atom); };
    for (Value output : outputs_) {
      if (auto concat = output.getDefiningOp<ConcatOp>()) {
        // Written part by part: the parts' own atoms run, not the result's along the axis.
        TensorIndex &index = group_.indices[output];
        for (auto [dim, product] : llvm::enumerate(group_.space.resolve(index)))
          if (dim != concat.getAxis())
            addRows(product);
        for (const TensorIndex &read : writtenParts(concat))
          addRows(group_.space.resolve(read[concat.getAxis()]));
        continue;
      }
      addRows(group_.space.resolve(flatten(runIndex(output))));
    }
    // Each output is written once at every point of its own index and at no other.
    for (Value output : outputs_) {
      Operation *op = output.getDefiningOp();
      llvm::SmallVector<TensorIndex, 3> written;
      if (llvm::isa<ConcatOp>(op))
        written = writtenParts(op);
      else
        written.push_back(runIndex(output));
      for (const TensorIndex &index : written) {
        AtomProduct atoms = group_.space.resolve(flatten(index));
        for (int atom : group_.rows)
          if (!llvm::is_contained(atoms, atom))
            return fail(op, "runs over fewer rows than another output");
        int64_t columns = llvm::count_if(atoms, isColumn);
        if (columns != 0 && columns != static_cast<int64_t>(group_.columns.size()))
          return fail(op, "runs over a part of the reduced dimensions");
      }
      if (auto sums = llvm::dyn_cast<PartialSumsOp>(op); sums && failed(checkSums(sums)))
        return failure();
    }
    return success();
  }

  /// What stays of sums is the columns, in their order, since these are unified: a kernel holds a constant
  /// number of them, of one cut of the rows.
  LogicalResult checkSums(PartialSumsOp op) {
    for (Operation *other : ops_)
      if (auto sums = llvm::dyn_cast<PartialSumsOp>(other); sums && sums.getParts() != op.getParts())
        return fail(op, "cuts the rows into " + llvm::Twine(op.getParts()) +
                            " parts, another op of the group into " + llvm::Twine(sums.getParts()));
    if (!group_.space.extent(group_.columns).isStatic())
      return fail(op, "sums rows of " + group_.space.extent(group_.columns).str() +
                          " elements, wanted a constant number");
    return success();
  }

  llvm::SmallVector<TensorIndex, 3> writtenParts(Operation *concat) {
    const llvm::SmallVector<TensorIndex, 3> &all = group_.operandIndices[concat];
    return part_ ? llvm::SmallVector<TensorIndex, 3>{all[*part_]} : all;
  }

  void addRows(const AtomProduct &atoms) {
    for (int atom : atoms)
      if (!llvm::is_contained(group_.columns, atom) && !llvm::is_contained(group_.rows, atom))
        group_.rows.push_back(atom);
  }

  llvm::ArrayRef<Operation *> ops_;
  llvm::ArrayRef<Value> outputs_;
  std::string &reason_;
  std::optional<unsigned> part_;
  llvm::SmallPtrSet<Operation *, 16> members_;
  llvm::SmallVector<std::pair<Operation *, AtomProduct>, 4> reductions_;
  GroupSpace group_;
};

} // namespace

std::optional<GroupSpace> heddle::buildGroupSpace(llvm::ArrayRef<Operation *> ops,
                                                  llvm::ArrayRef<Value> outputs, std::string &reason,
                                                  std::optional<unsigned> part) {
  return SpaceBuilder(ops, outputs, reason, part).build();
}
