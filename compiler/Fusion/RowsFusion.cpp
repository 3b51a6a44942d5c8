//===- RowsFusion.cpp - Which ops share a row kernel ----------------------===//
//
// Greedy: every op starts alone; edges between ops, most bytes first, merge the two groups when the result
// has an iteration space and stays free of cycles. Then neighbours that read the same tensor without
// depending on each other (the rotary positions of Q and K) merge, too. At last, sums over rows are split
// where a group has the rows at hand (ColumnSums.h): by then the groups are known.
//
//===----------------------------------------------------------------------===//
#include "compiler/Fusion/RowsFusion.h"
#include "compiler/Fusion/ColumnSums.h"
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
  RowsFusion(mlir::func::FuncOp func, const RowsFusionLimits &limits) : func_(func), limits_(limits) {}

  RowsFusionCounts run() {
    collectNodes();
    mergeEdges();
    mergeSiblings();
    splitSums();
    makeGroups();
    return counts_;
  }

private:
  /// A node of the dependence graph: an op or group at the top level. Views are looked through.
  struct Node {
    Operation *op; ///< Null before a sum over rows: the place of the op that splits it.
    bool rows;     ///< May be merged.
    bool once;     ///< Computed before the first run.
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
      bool rows = isComputeOp(&op) && isRowsOp(&op);
      bool once = phases.runsOnce(&op) && !indices.contains(&op);
      bool optimizer = phases.accumulates() && phases.phaseOf(&op) == plan::Phase::Optimizer;
      mlir::Attribute chunk = op.getAttr(kChunkAttr);
      if (limits_.sumParts != 0 && !once && isColumnSum(&op))
        nodes_.push_back(
            {nullptr, false, once, optimizer, chunk, static_cast<int>(nodes_.size()), {}, {}, {}});
      int number = nodes_.size();
      numbers[&op] = number;
      nodes_.push_back({&op, rows, once, optimizer, chunk, number, {}, {}, {}});
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
      if (nodes_[number].op)
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
      return refuse(a, b, "one of the two is computed before the first run");
    if (nodes_[a].optimizer != nodes_[b].optimizer)
      return refuse(a, b, "one of the two belongs to the optimizer, which runs may leave out");
    if (nodes_[a].chunk != nodes_[b].chunk)
      return refuse(a, b, "the two are of different chunks of the loss");
    // A merge looks at all ops of the new group: without a limit a long chain would take cubic time.
    if (static_cast<int64_t>(members_[a].size() + members_[b].size()) > limits_.maxOps)
      return refuse(a, b, "the kernel would hold more than " + std::to_string(limits_.maxOps) + " ops");
    if (pathThroughOthers(a, b) || pathThroughOthers(b, a))
      return refuse(a, b, "another group lies between the two");
    llvm::SmallVector<int> members(members_[a]);
    members.append(members_[b]);
    llvm::sort(members);
    llvm::SmallVector<Operation *> ops = opsOf(members);
    llvm::SmallVector<Value> outputs = outputsOf(members);
    if (buffersOf(members, outputs) > limits_.maxBuffers)
      return refuse(a, b,
                    "the kernel would touch more than " + std::to_string(limits_.maxBuffers) + " buffers");
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

  //===--------------------------------------------------------------------===//
  // Sums over rows
  //===--------------------------------------------------------------------===//

  /// What moves out of a group so that another one can sum its rows in parts.
  struct SplitSums {
    llvm::SetVector<int> sums; ///< Nodes of the reductions, which stay.
    llvm::SetVector<int> ops;  ///< Elementwise ops of the group that lead to them.
  };

  /// Whether a node is a sum over rows that is not split.
  bool isWholeSum(int number) const {
    return number > 0 && nodes_[number].op && !nodes_[number - 1].op && isColumnSum(nodes_[number].op);
  }

  void splitSums() {
    for (size_t number = 0; number < nodes_.size(); ++number)
      if (isWholeSum(number))
        if (std::optional<SplitSums> split = collectSums(number))
          trySplit(*split);
    // What adds up parts of one kernel's rows is one kernel.
    llvm::DenseMap<int, int> adders; // The first sum of each kernel's group.
    for (size_t number = 1; number < nodes_.size(); ++number)
      if (nodes_[number - 1].op && llvm::isa<PartialSumsOp>(nodes_[number - 1].op)) {
        auto [known, first] = adders.try_emplace(nodes_[number - 1].group, number);
        if (!first)
          tryMerge(nodes_[known->second].group, nodes_[number].group, /*related=*/false);
      }
  }

  /// The sum and what computes its operand in its group, with all else that this feeds there: other sums go
  /// along. None where that would tear other ops apart.
  std::optional<SplitSums> collectSums(int first) {
    SplitSums split;
    int group = nodes_[first].group;
    llvm::SmallVector<int> worklist;
    auto take = [&](int number) {
      bool sum = isWholeSum(number);
      if (!sum && !nodes_[number].op->hasTrait<ElementwiseOp>()) {
        reasons_[group].push_back(labelOf(nodes_[first].op) + ": not summed with its rows: " +
                                  labelOf(nodes_[number].op) + " is computed beside it");
        return false;
      }
      if ((sum ? split.sums : split.ops).insert(number))
        worklist.push_back(number);
      return true;
    };
    take(first);
    while (!worklist.empty()) {
      int number = worklist.pop_back_val();
      for (int input : nodes_[number].inputs)
        if (nodes_[input].group == group && (isWholeSum(input) || !take(input)))
          return std::nullopt;
      if (!split.sums.contains(number))
        for (int user : nodes_[number].users)
          if (nodes_[user].group == group && !take(user))
            return std::nullopt;
    }
    return split;
  }

  /// Puts the new ops that split the sums, and what leads to them, into a group, and that into one that has
  /// what they read. Takes everything back where there is none.
  void trySplit(const SplitSums &split) {
    int first = split.sums.front(), old = nodes_[first].group, fresh = first - 1;
    llvm::SmallVector<int> before = members_[old], moved(split.ops.begin(), split.ops.end()), stay;
    for (int sum : split.sums)
      moved.push_back(sum - 1);
    llvm::sort(moved);
    llvm::copy_if(before, std::back_inserter(stay), [&](int member) { return !split.ops.contains(member); });
    int rest = split.ops.contains(old) ? first : old;
    for (int sum : split.sums)
      insertPartial(sum);
    countSpans(before, -1);
    setGroup(old, {});
    setGroup(rest, stay);
    setGroup(fresh, moved);
    countSpans(stay, 1);
    countSpans(moved, 1);
    if (rest != old)
      reasons_[rest] = std::exchange(reasons_[old], {});
    if (!whyNoSpace(opsOf(stay), outputsOf(stay)) && placeSums(fresh, rest)) {
      counts_.sums += split.sums.size();
      return;
    }
    countSpans(stay, -1);
    countSpans(moved, -1);
    countSpans(before, 1);
    setGroup(rest, {});
    setGroup(fresh, {});
    for (int sum : split.sums)
      erasePartial(sum);
    setGroup(old, before);
    llvm::SmallVector<std::string> reasons = std::exchange(reasons_[fresh], {});
    if (rest != old)
      reasons_[old] = std::exchange(reasons_[rest], {});
    reasons_[old].append(reasons);
  }

  void setGroup(int group, llvm::ArrayRef<int> members) {
    members_[group].assign(members.begin(), members.end());
    for (int member : members)
      nodes_[member].group = group;
  }

  /// The node before a sum becomes the op that sums in parts, and is what the sum reads.
  void insertPartial(int sum) {
    auto reduce = llvm::cast<ReduceOp>(nodes_[sum].op);
    Node &partial = nodes_[sum - 1];
    partial.op = splitColumnSum(reduce, partsFor(columnsOf(reduce), limits_.sumParts));
    partial.rows = true;
    partial.inputs = std::exchange(nodes_[sum].inputs, {sum - 1});
    partial.users = {sum};
    // What the sum must run before was so for its operand's sake.
    partial.overwrites = nodes_[sum].overwrites;
    for (int input : partial.inputs)
      llvm::replace(nodes_[input].users, sum, sum - 1);
  }

  void erasePartial(int sum) {
    Node &partial = nodes_[sum - 1];
    joinColumnSum(llvm::cast<PartialSumsOp>(partial.op));
    for (int input : partial.inputs)
      llvm::replace(nodes_[input].users, sum - 1, sum);
    nodes_[sum].inputs = std::exchange(partial.inputs, {});
    partial.users.clear();
    partial.overwrites.clear();
    partial.op = nullptr;
    partial.rows = false;
  }

  /// Bytes that memory need not move where `group` takes the ops of `fresh`: what one has at hand of the
  /// other's operands is not read once more, and not written where nobody else reads it; but partial sums are
  /// written and read.
  int64_t savedBytes(int group, int fresh) const {
    int64_t saved = -2 * partialBytes(fresh);
    auto isIn = [&](int at) { return [this, at](int user) { return nodes_[user].group == at; }; };
    auto isInBoth = [&](int user) { return isIn(group)(user) || isIn(fresh)(user); };
    auto count = [&](int number, bool within) {
      const Node &node = nodes_[number];
      int64_t bytes = bytesOf(node.op->getResult(0));
      saved += within && llvm::all_of(node.users, isInBoth) ? 2 * bytes : bytes;
    };
    for (int input : inputsOf(fresh))
      if (nodes_[input].group == group || llvm::any_of(nodes_[input].users, isIn(group)))
        count(input, nodes_[input].group == group);
    for (int member : members_[fresh])
      if (llvm::any_of(nodes_[member].users, isIn(group)))
        count(member, /*within=*/true);
    return saved;
  }

  int64_t partialBytes(int group) const {
    int64_t bytes = 0;
    for (int member : members_[group])
      if (llvm::isa<PartialSumsOp>(nodes_[member].op))
        bytes += bytesOf(nodes_[member].op->getResult(0));
    return bytes;
  }

  /// Nodes outside of a group that it reads.
  llvm::SetVector<int> inputsOf(int group) const {
    llvm::SetVector<int> inputs;
    for (int member : members_[group])
      for (int input : nodes_[member].inputs)
        if (nodes_[input].group != group)
          inputs.insert(input);
    return inputs;
  }

  /// In units of kSumColumns columns.
  int64_t sumsOf(int group) const {
    int64_t sums = 0;
    for (int member : members_[group])
      if (auto partial = llvm::dyn_cast<PartialSumsOp>(nodes_[member].op))
        sums += llvm::divideCeil(partial.getResult().getType().getNumElements() / partial.getParts(),
                                 kSumColumns);
    return sums;
  }

  /// Finds a group for the new ops of `fresh`; `rest` adds up what they give.
  bool placeSums(int fresh, int rest) {
    llvm::SetVector<int> groups;
    for (int input : inputsOf(fresh)) {
      groups.insert(nodes_[input].group);
      for (int user : nodes_[input].users)
        groups.insert(nodes_[user].group);
    }
    for (int member : members_[fresh])
      for (int user : nodes_[member].users)
        groups.insert(nodes_[user].group);
    llvm::SmallVector<std::pair<int64_t, int>> found; // with the bytes saved
    for (int group : groups) {
      const Node &node = nodes_[group], &own = nodes_[fresh];
      if (group != fresh && group != rest && node.rows && node.once == own.once && node.chunk == own.chunk)
        found.push_back({savedBytes(group, fresh), group});
    }
    llvm::stable_sort(found, [](const auto &a, const auto &b) { return a.first > b.first; });
    for (auto [saved, group] : found) {
      if (saved <= 0)
        refuse(group, fresh,
               "partial sums would be written and read, " + std::to_string(2 * partialBytes(fresh)) +
                   " bytes, and save " + std::to_string(saved + 2 * partialBytes(fresh)));
      else if (sumsOf(group) + sumsOf(fresh) > kMaxSums)
        refuse(group, fresh,
               "the kernel would hold sums of more than " + std::to_string(kMaxSums * kSumColumns) +
                   " columns");
      else if (tryMerge(group, fresh, /*related=*/true))
        return true;
    }
    // Ops that others read, too, are a kernel of their own, which walks along its rows and not across them.
    // Sums apart from it would read again what it writes.
    llvm::SmallVector<Value> outputs = outputsOf(members_[fresh]);
    int64_t written = 0;
    for (Value value : outputs)
      if (!value.getDefiningOp<PartialSumsOp>())
        written += bytesOf(value);
    return written > 2 * partialBytes(fresh) && sumsOf(fresh) <= kMaxSums &&
           !whyNoSpace(opsOf(members_[fresh]), outputs);
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
  RowsFusionLimits limits_;
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

RowsFusionCounts heddle::fuseRows(mlir::func::FuncOp func, const RowsFusionLimits &limits) {
  return RowsFusion(func, limits).run();
}
