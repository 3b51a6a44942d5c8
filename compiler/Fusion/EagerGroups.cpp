//===- EagerGroups.cpp - One group for each op of PyTorch's ---------------===//
#include "compiler/Fusion/GroupSpace.h"
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Access.h"
#include "compiler/Layout/MatrixAccess.h"
#include "dialects/Graph/OneKernel.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {
#define GEN_PASS_DEF_EAGERGROUPS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;

static bool hasSingleElements(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType().isF32();
}

static mlir::Attribute markOf(mlir::Operation *op) { return op->getAttr(kKernelAttr); }

/// Gives each kernel that reads what is marked so a computation of its own, and of the casts that it reads.
static void computeInReaders(mlir::func::FuncOp func) {
  llvm::SmallVector<mlir::Operation *> shared;
  auto isShared = [](mlir::Operation *op) { return op && llvm::isa_and_nonnull<mlir::UnitAttr>(markOf(op)); };
  for (mlir::Operation &op : func.getBody().front()) {
    // What precision puts behind it is read with it.
    if (isImplicitCast(&op) && !markOf(&op) && isShared(baseOf(op.getOperand(0)).getDefiningOp()))
      op.setAttr(kKernelAttr, inEachReader(op.getContext()));
    if (isShared(&op))
      shared.push_back(&op);
  }
  // From the last one on: what reads it has its kernel's mark by then.
  for (mlir::Operation *op : llvm::reverse(shared)) {
    llvm::MapVector<mlir::Attribute, llvm::SmallVector<mlir::OpOperand *>> uses;
    llvm::SmallVector<mlir::Value> values{op->getResult(0)}; // And its views.
    while (!values.empty())
      for (mlir::OpOperand &use : values.pop_back_val().getUses()) {
        mlir::Operation *reader = use.getOwner();
        if (reader->hasTrait<ViewLike>()) {
          values.push_back(reader->getResult(0));
          continue;
        }
        // Only kernels that are generated compute what they read; others, assigns and results have it in
        // memory.
        bool computes = isComputeOp(reader) && isRowsOp(reader);
        if (computes && !markOf(reader))
          reader->setAttr(kKernelAttr, newKernel(op->getContext()));
        uses[computes ? markOf(reader) : mlir::Attribute()].push_back(&use);
      }
    for (auto &[kernel, operands] : uses) {
      mlir::OpBuilder builder(op);
      mlir::IRMapping mapping;
      for (mlir::Value operand : op->getOperands())
        if (mlir::Operation *cast = operand.getDefiningOp(); isImplicitCast(cast) && !isShared(cast))
          builder.clone(*cast, mapping);
      mlir::Operation *own = builder.clone(*op, mapping);
      if (kernel)
        own->setAttr(kKernelAttr, kernel);
      else
        own->removeAttr(kKernelAttr);
      mapping.map(op->getResult(0), own->getResult(0));
      std::function<mlir::Value(mlir::Value)> ownOf = [&](mlir::Value value) -> mlir::Value {
        if (mlir::Value known = mapping.lookupOrNull(value))
          return known;
        mlir::Operation *view = value.getDefiningOp();
        ownOf(view->getOperand(0));
        builder.setInsertionPoint(view);
        return builder.clone(*view, mapping)->getResult(0);
      };
      for (mlir::OpOperand *operand : operands)
        operand->set(ownOf(operand->get()));
    }
  }
  eraseUnusedOps(func);
}

/// Whether what depends on `value` only matters where `condition`, which is one for all elements, holds.
static bool isGuarded(mlir::OpOperand &use, mlir::Value condition) {
  llvm::SmallVector<mlir::OpOperand *> worklist{&use};
  llvm::SmallPtrSet<mlir::Operation *, 16> seen;
  while (!worklist.empty()) {
    mlir::OpOperand *next = worklist.pop_back_val();
    mlir::Operation *op = next->getOwner();
    if (auto select = llvm::dyn_cast<SelectOp>(op); select && select.getCondition() == condition) {
      if (next->getOperandNumber() != 1)
        return false;
      continue;
    }
    if (op->getNumResults() == 0)
      return false; // Kept or given out.
    if (seen.insert(op).second)
      for (mlir::OpOperand &user : op->getUses())
        worklist.push_back(&user);
  }
  return true;
}

/// A leaf that takes a new value under a condition: what reads that value and matters under the same
/// condition alone reads it from the leaf, as PyTorch does behind an update in place.
static void readFromLeaves(mlir::func::FuncOp func) {
  for (AssignOp assign : func.getBody().front().getOps<AssignOp>()) {
    auto kept = assign.getValue().getDefiningOp<SelectOp>();
    if (!kept || kept.getIfFalse() != assign.getLeaf() ||
        llvm::cast<mlir::RankedTensorType>(baseOf(kept.getCondition()).getType()).getNumElements() != 1)
      continue;
    for (mlir::OpOperand &use : llvm::make_early_inc_range(kept.getIfTrue().getUses()))
      if (use.getOwner() != kept && markOf(use.getOwner()) != markOf(kept) &&
          isGuarded(use, kept.getCondition()))
        use.set(kept);
  }
  mlir::sortTopologically(&func.getBody().front());
}

/// Copies that products need, each at the first view from which on its readers can take it: PyTorch's reshape
/// and its products leave one copy to all, gradients too. What did not help is left unused.
static void copyForProducts(mlir::Block &block) {
  llvm::DenseMap<mlir::Value, mlir::Value> copies;
  for (MatmulOp matmul : llvm::to_vector(block.getOps<MatmulOp>()))
    for (mlir::OpOperand &operand : matmul->getOpOperands().take_front(2)) {
      auto isReadable = [&] { return matrixOperandReadable(matmul, operand.getOperandNumber()); };
      mlir::Value value = operand.get();
      llvm::SmallVector<mlir::Operation *> views; // From the operand down.
      for (mlir::Value at = value; at != baseOf(at); at = views.back()->getOperand(0)) {
        views.push_back(at.getDefiningOp());
        if (llvm::isa<SliceOp, BroadcastOp>(views.back()))
          break; // Beyond it are other elements.
      }
      while (!views.empty() && !isReadable()) {
        mlir::OpBuilder builder(matmul);
        mlir::Value at = views.back()->getResult(0), known = copies.lookup(at);
        mlir::Value copy = known ? known : CopyOp::create(builder, at.getLoc(), at.getType(), at);
        views.pop_back();
        mlir::IRMapping mapping;
        mapping.map(at, copy);
        for (mlir::Operation *view : llvm::reverse(views))
          builder.clone(*view, mapping);
        operand.set(mapping.lookup(value));
        if (isReadable()) {
          copies[at] = copy;
          break;
        }
        operand.set(value);
      }
    }
}

/// A cast that precision put between two ops of one kernel belongs to it.
static void markInnerCasts(mlir::Block &block) {
  for (CastOp cast : block.getOps<CastOp>()) {
    mlir::Operation *producer = baseOf(cast.getOperand()).getDefiningOp();
    mlir::Attribute mark = producer ? markOf(producer) : mlir::Attribute();
    if (mark && !markOf(cast) &&
        llvm::all_of(cast->getUsers(), [&](mlir::Operation *user) { return markOf(user) == mark; }))
      cast->setAttr(kKernelAttr, mark);
  }
}

/// The index that a dropout alone reads is counted in its kernel.
static void markIndices(mlir::Block &block) {
  for (DropoutOp dropout : block.getOps<DropoutOp>())
    if (IotaOp index = ownIndex(dropout)) {
      if (!markOf(dropout))
        dropout->setAttr(kKernelAttr, newKernel(dropout.getContext()));
      index->setAttr(kKernelAttr, markOf(dropout));
    }
}

/// The ops of each kernel in order, but for implicit casts that can be done while a kernel reads or writes.
static llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> opsOfKernels(mlir::Block &block) {
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> kernels;
  llvm::DenseMap<mlir::Attribute, size_t> marked;
  for (mlir::Operation &op : block) {
    if (!isComputeOp(&op))
      continue;
    mlir::Attribute mark = markOf(&op);
    auto [known, fresh] = mark ? marked.try_emplace(mark, kernels.size()) : std::pair(marked.end(), true);
    if (fresh)
      kernels.push_back({&op});
    else
      kernels[known->second].push_back(&op);
  }
  return kernels;
}

/// Adds the implicit casts that a kernel does while it reads operands and writes a result. A concatenation
/// takes none: it is a copy of each part, of any extent, into its place.
static void addCasts(llvm::SmallVector<mlir::Operation *> &members) {
  llvm::SmallPtrSet<mlir::Operation *, 8> ops(members.begin(), members.end());
  auto isMember = [&](mlir::Operation *op) { return ops.contains(op); };
  llvm::SmallVector<mlir::Operation *> casts;
  for (mlir::Operation *op : members) {
    if (llvm::isa<ConcatOp>(op))
      continue;
    for (mlir::Value operand : op->getOperands())
      if (mlir::Operation *cast = operand.getDefiningOp(); isImplicitCast(cast) &&
                                                           hasSingleElements(cast->getResult(0)) &&
                                                           llvm::all_of(cast->getUsers(), isMember))
        casts.push_back(cast);
    if (op->getNumResults() != 1 || !op->hasOneUse())
      continue;
    if (mlir::Operation *cast = *op->user_begin();
        isImplicitCast(cast) && !markOf(cast) && !hasSingleElements(cast->getResult(0)))
      casts.push_back(cast);
  }
  for (mlir::Operation *cast : casts)
    if (ops.insert(cast).second)
      members.push_back(cast);
  llvm::sort(members, [](mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); });
}

static GroupKind kindOf(mlir::Operation *op) {
  return llvm::isa<MatmulOp>(op)          ? GroupKind::Product
         : llvm::isa<AttentionLike>(op)   ? GroupKind::Attention
         : llvm::isa<EmbeddingGradOp>(op) ? GroupKind::RowSums
                                          : GroupKind::Rows;
}

namespace {
struct EagerGroupsPass : public impl::EagerGroupsBase<EagerGroupsPass> {
  void runOnOperation() override {
    mlir::func::FuncOp func = getOperation();
    mlir::Block &block = func.getBody().front();
    eraseUnusedOps(func);
    computeInReaders(func);
    readFromLeaves(func);
    padHeads(func);
    giveOwnIndices(func);
    materializeOutputs(func);
    materializeAssigns(func);
    copyForProducts(block);
    eraseUnusedOps(func);
    for (mlir::Operation &op : llvm::make_early_inc_range(block))
      if (isComputeOp(&op))
        materializeOperands(&op);
    markInnerCasts(block);
    markIndices(block);
    auto kernels = opsOfKernels(block); // Now with the copies.
    auto isCast = [](llvm::ArrayRef<mlir::Operation *> kernel) {
      return kernel.size() == 1 && isImplicitCast(kernel.front());
    };
    llvm::SmallPtrSet<mlir::Operation *, 32> taken;
    for (llvm::SmallVector<mlir::Operation *> &members : kernels)
      if (!isCast(members)) {
        addCasts(members);
        taken.insert(members.begin(), members.end());
      }
    // Casts that no neighbour can take are kernels of their own.
    llvm::erase_if(kernels, [&](llvm::ArrayRef<mlir::Operation *> members) {
      return isCast(members) && taken.contains(members.front());
    });
    for (llvm::ArrayRef<mlir::Operation *> members : kernels) {
      // Casts and indices are no ops of PyTorch's.
      auto isMain = [](mlir::Operation *op) { return !isImplicitCast(op) && !llvm::isa<IotaOp>(op); };
      auto main = llvm::find_if(members, isMain);
      mlir::Operation *op = main == members.end() ? members.front() : *main;
      llvm::SmallVector<mlir::Value> outputs;
      if (llvm::isa<AttentionLike>(op)) // All results, also where one has no reader.
        llvm::append_range(outputs, op->getResults());
      llvm::SmallVector<mlir::Operation *> named;
      llvm::copy_if(members, std::back_inserter(named),
                    [&](mlir::Operation *each) { return each == op || isMain(each); });
      outline(kindOf(op), members, labelOf(named), outputs);
    }
    func.walk([](mlir::Operation *op) { op->removeAttr(kKernelAttr); }); // Groups say it now.
    if (!mlir::sortTopologically(&block)) { // A group stands where its last op stood.
      func.emitError("kernels that ops are marked for depend on each other in a circle");
      return signalPassFailure();
    }
    separateAssigns(func);
  }
};
} // namespace
