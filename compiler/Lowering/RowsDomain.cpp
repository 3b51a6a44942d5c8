#include "compiler/Lowering/RowsDomain.h"
#include "dialects/Graph/GraphDialect.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

static SymbolicShape shapeOf(Value value) {
  return symbolicShape(llvm::cast<mlir::RankedTensorType>(value.getType()));
}

bool RowsDomain::isColumn(const TensorIndex &index) const {
  for (int atom : group.space.resolve(flatten(index)))
    if (llvm::is_contained(group.columns, atom))
      return true;
  return false;
}

namespace {

class DomainBuilder {
public:
  DomainBuilder(llvm::ArrayRef<Operation *> ops, llvm::ArrayRef<Value> outputs, std::string &reason,
                std::optional<unsigned> part)
      : ops_(ops), outputs_(outputs), reason_(reason), part_(part) {}

  std::optional<RowsDomain> build() {
    std::optional<GroupSpace> space = buildGroupSpace(ops_, outputs_, reason_, part_);
    if (!space)
      return std::nullopt;
    domain_.group = std::move(*space);
    for (Operation *op : ops_)
      if (!collectReads(op))
        return std::nullopt;
    collectWrites();
    formLoops();
    return std::move(domain_);
  }

private:
  bool collectReads(Operation *op) {
    auto &reads = domain_.reads[op];
    reads.resize(op->getNumOperands());
    IterationSpace &space = domain_.group.space;
    if (llvm::isa<IotaOp>(op)) {
      const TensorIndex &index = domain_.group.indices[op->getResult(0)];
      iotas_.push_back({op, space.linear(space.resolve(index[llvm::cast<IotaOp>(op).getAxis()]))});
      return true;
    }
    for (auto [number, access] : llvm::enumerate(domain_.group.accesses[op])) {
      if (!access)
        continue;
      Read read{access->base, {}, std::nullopt};
      LinearForm form = access->offset;
      if (llvm::isa<EmbeddingOp>(op) && number == 0) {
        // The first dimension's index is data: its stride multiplies the loaded row number.
        const AtomProduct &tableRow = domain_.group.operandIndices[op][number][0];
        std::optional<SymbolicDim> stride = strideOf(tableRow, form, space);
        if (!stride) {
          reason_ = "embedding: rows of the table do not lie evenly";
          return false;
        }
        read.gatherStride = *stride;
        gathered_.push_back(tableRow);
      }
      reads[number] = std::move(read);
      readForms_.push_back({op, static_cast<unsigned>(number), std::move(form)});
    }
    return true;
  }

  void collectWrites() {
    IterationSpace &space = domain_.group.space;
    for (auto [number, output] : llvm::enumerate(outputs_)) {
      if (auto sums = output.getDefiningOp<PartialSumsOp>()) {
        domain_.sums.push_back({sums, static_cast<unsigned>(number)});
        continue;
      }
      SymbolicShape strides = contiguousStrides(shapeOf(output));
      auto concat = output.getDefiningOp<ConcatOp>();
      if (!concat) {
        LinearForm form;
        for (auto [stride, product] : llvm::zip_equal(strides, domain_.group.indices[output]))
          form.addScaled(stride, space.linear(space.resolve(product)));
        domain_.writes.push_back({output, nullptr, 0, static_cast<unsigned>(number), {}});
        writeForms_.push_back(std::move(form));
        continue;
      }
      int64_t constantStart = 0;
      for (auto [part, operand] : llvm::enumerate(concat.getOperands())) {
        LinearForm form;
        const TensorIndex &index = domain_.group.operandIndices[concat][part];
        for (auto [dim, stride] : llvm::enumerate(strides))
          form.addScaled(stride, space.linear(space.resolve(index[dim])));
        if (constantStart != 0)
          form.add(strides[concat.getAxis()].times(SymbolicDim::fixed(constantStart)), LinearTerm::kConstant);
        constantStart += shapeOf(operand)[concat.getAxis()].value;
        if (part_ && part != *part_)
          continue;
        domain_.writes.push_back(
            {operand, concat, static_cast<unsigned>(part), static_cast<unsigned>(number), {}});
        writeForms_.push_back(std::move(form));
      }
    }
  }

  /// Whether `outer` and `inner` can be one loop: every form steps over a whole inner loop when outer steps
  /// once.
  bool mergeable(int outer, int inner, llvm::ArrayRef<LinearForm> forms) const {
    const SymbolicDim &extent = domain_.group.space.extent(inner);
    for (const LinearForm &form : forms) {
      const LinearTerm *outerTerm = nullptr, *innerTerm = nullptr;
      for (const LinearTerm &term : form.terms) {
        const LinearTerm *&slot = term.atom == outer ? outerTerm : innerTerm;
        if (term.atom != outer && term.atom != inner)
          continue;
        if (slot)
          return false; // Two terms with other symbols.
        slot = &term;
      }
      if (!outerTerm && !innerTerm)
        continue;
      if (!outerTerm || !innerTerm || outerTerm->coefficient != innerTerm->coefficient.times(extent))
        return false;
    }
    return true;
  }

  /// Loops over runs of mergeable atoms. Fills atomLoop_ for the fastest atom of each run; the others vanish.
  llvm::SmallVector<SymbolicDim, 4> mergeAtoms(const AtomProduct &atoms, llvm::ArrayRef<LinearForm> forms,
                                               int firstLoop) {
    llvm::SmallVector<SymbolicDim, 4> loops;
    for (size_t at = 0; at < atoms.size(); ++at) {
      SymbolicDim extent = domain_.group.space.extent(atoms[at]);
      bool joins = at > 0 && mergeable(atoms[at - 1], atoms[at], forms);
      if (joins) {
        loops.back() = loops.back().times(extent);
        atomLoop_.erase(atoms[at - 1]);
      } else {
        loops.push_back(extent);
      }
      atomLoop_[atoms[at]] = firstLoop + static_cast<int>(loops.size()) - 1;
    }
    return loops;
  }

  void formLoops() {
    GroupSpace &group = domain_.group;
    group.rows = group.space.resolve(group.rows);
    group.columns = group.space.resolve(group.columns);
    std::vector<LinearForm> forms;
    for (auto &pending : readForms_)
      forms.push_back(group.space.resolve(pending.form));
    for (LinearForm &form : writeForms_)
      forms.push_back(group.space.resolve(form));
    for (auto &pending : iotas_)
      forms.push_back(group.space.resolve(pending.second));
    // The row of a gathered table is data and no loop.
    llvm::SmallVector<int> data;
    for (const AtomProduct &product : gathered_)
      data.append(group.space.resolve(product));
    for (LinearForm &form : forms)
      llvm::erase_if(form.terms, [&](const LinearTerm &term) { return llvm::is_contained(data, term.atom); });

    AtomProduct rows = group.rows, columns = group.columns;
    llvm::SmallVector<SymbolicDim, 4> rowLoops = mergeAtoms(rows, forms, 0);
    if (!group.hasReductions && !rowLoops.empty()) {
      // Nothing is reduced: the fastest loop is the columns.
      domain_.rowLoops.assign(rowLoops.begin(), rowLoops.end() - 1);
      domain_.columnLoops.push_back(rowLoops.back());
    } else {
      domain_.rowLoops.assign(rowLoops.begin(), rowLoops.end());
      domain_.columnLoops = mergeAtoms(columns, forms, static_cast<int>(rowLoops.size()));
      if (domain_.columnLoops.empty())
        domain_.columnLoops.push_back(SymbolicDim::fixed(1));
    }

    size_t next = 0;
    for (auto &pending : readForms_)
      domain_.reads[pending.op][pending.operand]->offset = toLoops(forms[next++]);
    for (Write &write : domain_.writes)
      write.offset = toLoops(forms[next++]);
    for (auto &pending : iotas_)
      domain_.positions[pending.first] = toLoops(forms[next++]);
  }

  LoopForm toLoops(const LinearForm &form) const {
    LoopForm result;
    for (const LinearTerm &term : form.terms) {
      if (term.atom == LinearTerm::kConstant) {
        result.push_back({term.coefficient, -1});
        continue;
      }
      auto loop = atomLoop_.find(term.atom);
      if (loop != atomLoop_.end())
        result.push_back({term.coefficient, loop->second});
    }
    return result;
  }

  struct ReadForm {
    Operation *op;
    unsigned operand;
    LinearForm form;
  };

  llvm::ArrayRef<Operation *> ops_;
  llvm::ArrayRef<Value> outputs_;
  std::string &reason_;
  std::optional<unsigned> part_;
  RowsDomain domain_;
  std::vector<ReadForm> readForms_;
  std::vector<LinearForm> writeForms_;
  std::vector<std::pair<Operation *, LinearForm>> iotas_;
  llvm::SmallVector<AtomProduct, 2> gathered_;
  llvm::DenseMap<int, int> atomLoop_;
};

} // namespace

std::optional<RowsDomain> heddle::buildRowsDomain(llvm::ArrayRef<Operation *> ops,
                                                  llvm::ArrayRef<Value> outputs, std::string &reason,
                                                  std::optional<unsigned> part) {
  return DomainBuilder(ops, outputs, reason, part).build();
}
