//===- RowsFusion.cpp - Which ops share a row kernel ----------------------===//
//
// Greedy: every op starts alone; edges between ops, most bytes first, merge the two groups when the result
// has an iteration space and stays free of cycles. Then neighbours that read the same tensor without
// depending on each other (the rotary positions of Q and K) merge, too.
//
//===----------------------------------------------------------------------===//
#include "compiler/Fusion/RowsFusion.h"
#include "compiler/Fusion/GroupKey.h"
#include "compiler/Fusion/GroupSpace.h"
#include "compiler/Fusion/Grouping.h"
#include "compiler/Layout/Access.h"
#include "compiler/Support/Chunks.h"
#include "compiler/Support/StepPhases.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

namespace {

class RowsFusion {
public:
  RowsFusion(mlir::func::FuncOp func, int64_t maxBuffers, int64_t maxOps)
      : func_(func), maxBuffers_(maxBuffers), maxOps_(maxOps) {}

  RowsFusionCounts run() {
    collectNodes();
    mergeEdges();
    mergeSiblings();
    makeGroups();
    return counts_;
  }

private:
  /// A node of the dependence graph: an op or group at the top level. Views are looked through.
  struct Node {
    Operation *op;
    bool rows; ///< May be merged.
    bool once; ///< Computed before the first run.
    /// Of the optimizer, where runs may leave that out.
    bool optimizer;
    mlir::Attribute chunk; ///< Of a loss, or null.
    int group;             ///< Representative node.
    llvm::SmallVector<int, 4> inputs, users;
    /// What writes over a leaf that this one reads: it runs later, and reads nothing of this one.
    llvm::SmallVector<int, 1> overwrites;
  };

  void collectNodes() {
    llvm::DenseMap<Operation *, int> numbers;
    StepPhases phases(func_);
    llvm::SmallPtrSet<Operation *, 16>
        indices; // They depend on nothing, but are computed where they are read.
    for (DropoutOp dropout : func_.getBody().front().getOps<DropoutOp>())
      if (IotaOp index = ownIndex(dropout))
        indices.insert(index);
    for (Operation &op : func_.getBody().front()) {
      if (!isComputeOp(&op) && !llvm::isa<GroupOp, AssignOp>(op) &&
          !op.hasTrait<mlir::OpTrait::IsTerminator>())
        continue;
      int number = nodes_.size();
      numbers[&op] = number;
      bool rows = isComputeOp(&op) && isRowsOp(&op);
      bool once = phases.runsOnce(&op) && !indices.contains(&op);
      bool optimizer = phases.accumulates() && phases.phaseOf(&op) == plan::Phase::Optimizer;
      nodes_.push_back({&op, rows, once, optimizer, op.getAttr(kChunkAttr), number, {}, {}, {}});
      llvm::SetVector<int> inputs;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *source = baseOf(operand).getDefiningOp())
            if (auto found = numbers.find(source); found != numbers.end() && found->second != number)
              inputs.insert(found->second);
      });
      for (int input : inputs) {
        nodes_[number].inputs.push_back(input);
        nodes_[input].users.push_back(number);
      }
    }
    collectOverwrites(numbers);
    members_.resize(nodes_.size());
    for (size_t number = 0; number < nodes_.size(); ++number)
      members_[number] = {static_cast<int>(number)};
    spans_.resize(nodes_.size());
  }

  void collectOverwrites(const llvm::DenseMap<Operation *, int> &numbers) {
    for (AssignOp assign : func_.getBody().front().getOps<AssignOp>()) {
      Operation *writer = assign.getValue().getDefiningOp();
      int number = numbers.lookup(writer);
      leaves_[writer] = assign.getLeaf();
      llvm::SmallVector<Value> values{assign.getLeaf()}; // And its views.
      while (!values.empty())
        for (Operation *user : values.pop_back_val().getUsers()) {
          user = func_.getBody().front().findAncestorOpInBlock(*user);
          if (user->hasTrait<ViewLike>())
            values.push_back(user->getResult(0));
          else if (auto reader = numbers.find(user); reader != numbers.end() && reader->second < number)
            nodes_[reader->second].overwrites.push_back(number);
        }
    }
  }

  /// Counts a group (or, with -1, takes it off) as spanning the gaps behind its members but the last.
  void countSpans(llvm::ArrayRef<int> members, int change) {
    for (int gap = members.front(); gap < members.back(); ++gap)
      spans_[gap] += change;
  }

  /// Whether a path leads from group `from` to group `to` through a node of neither. A group runs as a whole:
  /// a path that enters it goes on from any of its members, also to nodes earlier in the order.
  bool pathThroughOthers(int from, int to) {
    // Edges lead forwards and groups alone lead back: from behind a gap that no group spans nothing comes
    // back to `to`.
    int last = members_[to].back();
    while (spans_[last] != 0)
      ++last;
    llvm::BitVector seen(last + 1);
    llvm::SmallVector<int> worklist; // Groups.
    auto enter = [&](int group) {
      if (!seen.test(group)) {
        seen.set(group);
        worklist.push_back(group);
      }
    };
    for (int member : members_[from])
      for (int user : llvm::concat<int>(nodes_[member].users, nodes_[member].overwrites))
        if (user <= last && nodes_[user].group != from && nodes_[user].group != to)
          enter(nodes_[user].group);
    while (!worklist.empty()) {
      int group = worklist.pop_back_val();
      if (group == to)
        return true;
      for (int member : members_[group])
        for (int user : llvm::concat<int>(nodes_[member].users, nodes_[member].overwrites))
          if (user <= last)
            enter(nodes_[user].group);
    }
    return false;
  }

  /// The members' ops in order.
  llvm::SmallVector<Operation *> opsOf(llvm::ArrayRef<int> members) const {
    llvm::SmallVector<Operation *> ops;
    for (int member : members)
      ops.push_back(nodes_[member].op);
    return ops;
  }

  /// Results that are used outside of `members`.
  llvm::SmallVector<Value> outputsOf(llvm::ArrayRef<int> members) const {
    llvm::SmallVector<Value> outputs;
    for (int member : members)
      for (int user : nodes_[member].users)
        if (!llvm::is_contained(members, user)) {
          outputs.push_back(nodes_[member].op->getResult(0));
          break;
        }
    return outputs;
  }

  int64_t buffersOf(llvm::ArrayRef<int> members, llvm::ArrayRef<Value> outputs) const {
    llvm::SetVector<Value> inputs;
    for (int member : members)
      for (Value operand : nodes_[member].op->getOperands()) {
        Value base = baseOf(operand);
        Operation *source = base.getDefiningOp();
        bool inside = source && llvm::any_of(members, [&](int other) { return nodes_[other].op == source; });
        if (!inside && !splatConstant(base))
          inputs.insert(base);
      }
    return inputs.size() + outputs.size();
  }

  /// Merges two groups if that is right; notes the reason at both if not.
  bool tryMerge(int a, int b, bool related) {
    if (a == b)
      return true;
    if (nodes_[a].once != nodes_[b].once)
      return refuse(a, b, "one of the two runs once, before the first run");
    if (nodes_[a].optimizer != nodes_[b].optimizer)
      return refuse(a, b, "one of the two belongs to the optimizer, which runs may leave out");
    if (nodes_[a].chunk != nodes_[b].chunk)
      return refuse(a, b, "the two are of different chunks of the loss");
    // A merge looks at all ops of the new group: without a limit a long chain would take cubic time.
    if (static_cast<int64_t>(members_[a].size() + members_[b].size()) > maxOps_)
      return refuse(a, b, "the kernel would hold more than " + std::to_string(maxOps_) + " ops");
    if (pathThroughOthers(a, b) || pathThroughOthers(b, a))
      return refuse(a, b, "another group lies between the two");
    llvm::SmallVector<int> members(members_[a]);
    members.append(members_[b]);
    llvm::sort(members);
    llvm::SmallVector<Operation *> ops = opsOf(members);
    llvm::SmallVector<Value> outputs = outputsOf(members);
    if (buffersOf(members, outputs) > maxBuffers_)
      return refuse(a, b, "the kernel would touch more than " + std::to_string(maxBuffers_) + " buffers");
    if (!leaves_.empty() && !replacesInStep(ops, [&](Operation *op) { return leaves_.lookup(op); }))
      return refuse(a, b, "the kernel would read a leaf at other places than it writes it");
    if (const std::optional<std::string> &reason = whyNoSpace(ops, outputs))
      return related ? refuse(a, b, *reason) : false;
    countSpans(members_[a], -1);
    countSpans(members_[b], -1);
    countSpans(members, 1);
    for (int member : members_[b])
      nodes_[member].group = a;
    members_[a] = members;
    members_[b].clear();
    llvm::SmallVector<std::string> joined = reasons_.lookup(b); // A copy: looking up `a` may move the others.
    reasons_[a].append(joined);
    ++counts_.merged;
    return true;
  }

  /// Why the ops have no common iteration space; none where they have one.
  const std::optional<std::string> &whyNoSpace(llvm::ArrayRef<Operation *> ops,
                                               llvm::ArrayRef<Value> outputs) {
    GroupKey key;
    for (Operation *op : ops)
      key.addOp(op);
    for (Value output : outputs)
      key.addValue(output);
    auto [known, fresh] = whyNoSpace_.try_emplace(key.words());
    std::string reason;
    if (fresh && !buildGroupSpace(ops, outputs, reason))
      known->second = std::move(reason);
    return known->second;
  }

  bool refuse(int a, int b, std::string reason) {
    auto note = [&](int at, int other) {
      reasons_[at].push_back((labelOf(opsOf(members_[other])) + ": " + reason));
    };
    note(a, b);
    note(b, a);
    ++counts_.refused;
    return false;
  }

  void mergeEdges() {
    struct Edge {
      int producer, consumer;
      int64_t bytes;
    };
    std::vector<Edge> edges;
    for (size_t number = 0; number < nodes_.size(); ++number)
      if (nodes_[number].rows)
        for (int input : nodes_[number].inputs)
          if (nodes_[input].rows)
            edges.push_back({input, static_cast<int>(number), bytesOf(nodes_[input].op->getResult(0))});
    llvm::stable_sort(edges, [](const Edge &a, const Edge &b) { return a.bytes > b.bytes; });
    for (const Edge &edge : edges)
      tryMerge(nodes_[edge.producer].group, nodes_[edge.consumer].group, /*related=*/true);
  }

  /// Groups that read one tensor and are neighbours in the order.
  void mergeSiblings() {
    llvm::MapVector<Value, llvm::SmallVector<int>> readers;
    for (size_t number = 0; number < nodes_.size(); ++number) {
      if (!nodes_[number].rows || nodes_[number].once)
        continue;
      for (Value operand : nodes_[number].op->getOperands()) {
        Value base = baseOf(operand);
        if (!splatConstant(base) && !base.getDefiningOp<ParameterOp>())
          readers[base].push_back(number);
      }
    }
    for (auto &[base, numbers] : readers)
      for (size_t next = 1; next < numbers.size(); ++next) {
        int a = nodes_[numbers[next - 1]].group, b = nodes_[numbers[next]].group;
        if (a == b)
          continue;
        // Only where both write as much: then one pass serves both.
        llvm::SmallVector<Value> first = outputsOf(members_[a]), second = outputsOf(members_[b]);
        if (!first.empty() && !second.empty() && bytesOf(first.front()) == bytesOf(second.front()))
          tryMerge(a, b, /*related=*/false);
      }
  }

  void makeGroups() {
    for (size_t number = 0; number < nodes_.size(); ++number) {
      if (!nodes_[number].rows || members_[number].empty())
        continue;
      llvm::SmallVector<Operation *> ops = opsOf(members_[number]);
      std::string label = labelOf(ops);
      GroupOp group = outline(GroupKind::Rows, ops, label);
      llvm::SetVector<llvm::StringRef> reasons;
      for (const std::string &reason : reasons_[number])
        reasons.insert(reason);
      if (!reasons.empty())
        group.setReasonsAttr(mlir::OpBuilder(group).getStrArrayAttr(reasons.getArrayRef()));
    }
  }

  mlir::func::FuncOp func_;
  int64_t maxBuffers_, maxOps_;
  std::vector<Node> nodes_;
  std::vector<llvm::SmallVector<int>> members_;
  llvm::DenseMap<Operation *, Value> leaves_; ///< That an op's result is written over.
  /// How many groups have members both up to a node and behind it.
  std::vector<int> spans_;
  llvm::DenseMap<int, llvm::SmallVector<std::string>> reasons_;
  std::map<GroupKey::Words, std::optional<std::string>> whyNoSpace_;
  RowsFusionCounts counts_;
};

} // namespace

RowsFusionCounts heddle::fuseRows(mlir::func::FuncOp func, int64_t maxBuffers, int64_t maxOps) {
  return RowsFusion(func, maxBuffers, maxOps).run();
}
