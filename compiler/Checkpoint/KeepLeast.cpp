//===- KeepLeast.cpp - What is kept between phases, and what computed again ==//
#include "compiler/Checkpoint/MinimumCut.h"
#include "compiler/Checkpoint/Passes.h"
#include "compiler/Layout/Access.h"
#include "compiler/Support/StepPhases.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {
#define GEN_PASS_DEF_KEEPLEAST
#include "compiler/Checkpoint/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

namespace {

bool isView(Operation *op) { return op && op->hasTrait<ViewLike>(); }

/// A cast of floats whose result takes more memory than its operand.
bool isWidening(Operation *op) {
  return llvm::isa<CastOp>(op) && hasFloatElements(op->getOperand(0).getType()) &&
         hasFloatElements(op->getResult(0).getType()) &&
         bytesOf(op->getResult(0)) > bytesOf(op->getOperand(0));
}

/// What `later` phases read of earlier ones.
class Boundary {
public:
  Boundary(mlir::func::FuncOp main, plan::Phase later, int64_t maxChain)
      : block_(main.getBody().front()), phases_(main), later_(later), maxChain_(maxChain) {}

  void run();
  int64_t numAgain = 0, numBytes = 0;

private:
  /// A value that is not in memory all the time.
  struct Node {
    int in, out; ///< Nodes of the network: cutting the edge between them keeps the value.
    int chain;   ///< Ops that are computed again at most, up to this one; 0: it is none.
    /// A kernel of a later phase reads it element by element, or all that it can be computed again from.
    bool atHand;
  };
  enum class Again { Never, InPassing, Stored };

  bool isLater(Operation *op) { return phases_.phaseOf(op) >= later_; }
  bool isLeaf(Operation *op);
  bool isInMemory(Value value);
  bool areAtHand(Operation *op);
  Again mayBeAgain(Operation *op);
  void addNodes(Operation *op);
  Value again(Value value, mlir::OpBuilder &builder);

  mlir::Block &block_;
  StepPhases phases_;
  plan::Phase later_;
  int64_t maxChain_;
  MinimumCut network_;
  int source_ = network_.addNode(), sink_ = network_.addNode();
  llvm::MapVector<Value, Node> nodes_;
  llvm::DenseSet<Value> readByElements_; ///< By elementwise ops of later phases.
  llvm::DenseSet<Value> isAgain_;
  llvm::DenseMap<Value, Value> clones_;
};

/// What gives a value that is in memory all the time.
bool Boundary::isLeaf(Operation *op) {
  return llvm::isa<ParameterOp, StateOp, ConstantOp>(op) || phases_.phaseOf(op) == plan::Phase::Init;
}

/// Whether anything but elementwise ops of the earlier phases reads a value, so that it is stored anyway.
bool Boundary::isInMemory(Value value) {
  llvm::SmallVector<Value> values{value};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers())
      if (isView(user))
        values.push_back(user->getResult(0));
      else if (llvm::isa<mlir::func::ReturnOp, AssignOp>(user) ||
               (!user->hasTrait<ElementwiseOp>() && !isLater(user)))
        return true;
  return false;
}

/// Whether an op of an earlier phase may be computed again: in the kernel that reads its result, as forward
/// does it; or, where products or the like read the result from memory, by a kernel that reads all the
/// operands in any case, and stores one thing more.
Boundary::Again Boundary::mayBeAgain(Operation *op) {
  if (!op->hasTrait<ElementwiseOp>() || op->getNumResults() != 1)
    return Again::Never;
  // What is written over has another value later.
  for (Value operand : op->getOperands())
    if (later_ == plan::Phase::Optimizer && assignOf(baseOf(operand)))
      return Again::Never;
  if (isWidening(op) || !isInMemory(op->getResult(0)))
    return Again::InPassing;
  return areAtHand(op) ? Again::Stored : Again::Never;
}

/// Whether later kernels read all that an op is computed from, leaves apart.
bool Boundary::areAtHand(Operation *op) {
  bool any = false;
  for (Value operand : op->getOperands())
    if (auto known = nodes_.find(baseOf(operand)); known != nodes_.end()) {
      if (!known->second.atHand)
        return false;
      any = true;
    }
  return any;
}

/// The values that the operands are views of have their nodes, where they are no leaves.
void Boundary::addNodes(Operation *op) {
  int chain = 0;
  llvm::SmallVector<int> before{source_};
  Again again = mayBeAgain(op);
  if (again != Again::Never) {
    chain = 1;
    before.clear();
    for (Value operand : op->getOperands())
      if (auto known = nodes_.find(baseOf(operand)); known != nodes_.end()) {
        chain = std::max(chain, known->second.chain + 1);
        before.push_back(known->second.out);
      }
    if (chain > maxChain_) {
      chain = 0;
      before.assign(1, source_);
    }
  }
  bool atHand = chain > 0 && again == Again::InPassing && areAtHand(op);
  for (Value result : op->getResults()) {
    Node node{network_.addNode(), network_.addNode(), chain, atHand || readByElements_.contains(result)};
    network_.addEdge(node.in, node.out, bytesOf(result));
    for (int from : before)
      network_.addEdge(from, node.in, MinimumCut::kUncut);
    if (again == Again::Stored && chain > 0) // The price of storing it twice.
      network_.addEdge(source_, node.in, bytesOf(result) / 2);
    nodes_.insert({result, node});
  }
}

/// A value for ops of later phases: itself, or a clone of what makes it.
Value Boundary::again(Value value, mlir::OpBuilder &builder) {
  if (Value known = clones_.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!isAgain_.contains(value) && !(isView(op) && isAgain_.contains(baseOf(value))))
    return value;
  mlir::IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, again(operand, builder));
  numAgain += !isView(op);
  return clones_[value] = builder.clone(*op, mapping)->getResult(0);
}

void Boundary::run() {
  llvm::SmallVector<Operation *> readers;
  for (Operation &op : block_.without_terminator())
    if (!isView(&op) && isLater(&op))
      readers.push_back(&op);
  for (Operation *reader : readers)
    if (reader->hasTrait<ElementwiseOp>())
      for (Value operand : reader->getOperands())
        readByElements_.insert(baseOf(operand));
  for (Operation &op : block_.without_terminator())
    if (!isView(&op) && !isLater(&op) && !isLeaf(&op))
      addNodes(&op);
  llvm::DenseSet<Value> read;
  for (Operation *reader : readers)
    for (Value operand : reader->getOperands())
      if (auto known = nodes_.find(baseOf(operand));
          known != nodes_.end() && read.insert(known->first).second)
        network_.addEdge(known->second.out, sink_, MinimumCut::kUncut);
  std::vector<bool> later = network_.sinkSide(source_, sink_);
  for (auto &[value, node] : nodes_) {
    if (later[node.in] && later[node.out])
      isAgain_.insert(value);
    // What it would have kept, less what it keeps.
    numBytes += (read.contains(value) ? bytesOf(value) : 0) -
                (!later[node.in] && later[node.out] ? bytesOf(value) : 0);
  }
  mlir::OpBuilder builder(block_.getParentOp()->getContext());
  for (Operation *reader : readers) {
    builder.setInsertionPoint(reader);
    for (mlir::OpOperand &operand : reader->getOpOperands())
      operand.set(again(operand.get(), builder));
  }
}

struct KeepLeastPass : public heddle::impl::KeepLeastBase<KeepLeastPass> {
  using KeepLeastBase::KeepLeastBase;

  void runOnOperation() override {
    for (plan::Phase later : {plan::Phase::Backward, plan::Phase::Optimizer}) {
      Boundary boundary(getOperation(), later, maxChain);
      boundary.run();
      numAgain += boundary.numAgain;
      numBytes += boundary.numBytes;
    }
  }
};

} // namespace
