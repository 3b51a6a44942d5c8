#include "compiler/Layout/IterationSpace.h"

using namespace heddle;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;

void LinearForm::addScaled(const SymbolicDim &factor, const LinearForm &other) {
  for (const LinearTerm &term : other.terms)
    add(factor.times(term.coefficient), term.atom);
}

AtomProduct IterationSpace::addDimension(const SymbolicDim &extent) {
  if (extent.isOne())
    return {};
  atoms_.push_back({extent, {}});
  return {static_cast<int>(atoms_.size()) - 1};
}

TensorIndex IterationSpace::addTensor(llvm::ArrayRef<SymbolicDim> shape) {
  TensorIndex index;
  for (const SymbolicDim &extent : shape)
    index.push_back(addDimension(extent));
  return index;
}

AtomProduct IterationSpace::resolve(const AtomProduct &product) const {
  AtomProduct result;
  for (int atom : product) {
    if (atoms_[atom].replacement.empty())
      result.push_back(atom);
    else
      // Keeps what it finds: chains of splits and merges are followed once.
      result.append(atoms_[atom].replacement = resolve(atoms_[atom].replacement));
  }
  return result;
}

TensorIndex IterationSpace::resolve(const TensorIndex &index) const {
  TensorIndex result;
  for (const AtomProduct &product : index)
    result.push_back(resolve(product));
  return result;
}

LogicalResult IterationSpace::unify(const AtomProduct &a, const AtomProduct &b, std::string *error) {
  AtomProduct left = resolve(a), right = resolve(b);
  // From the fastest atom on: equal extents merge, and where one divides the other the larger splits.
  while (!left.empty() && !right.empty()) {
    int l = left.back(), r = right.back();
    if (l == r) {
      left.pop_back();
      right.pop_back();
      continue;
    }
    SymbolicDim leftExtent = atoms_[l].extent, rightExtent = atoms_[r].extent;
    if (leftExtent == rightExtent) {
      atoms_[r].replacement = {l};
      left.pop_back();
      right.pop_back();
    } else if (std::optional<SymbolicDim> outer = leftExtent.dividedBy(rightExtent)) {
      atoms_.push_back({*outer, {}});
      int outerAtom = static_cast<int>(atoms_.size()) - 1;
      atoms_[l].replacement = {outerAtom, r};
      left.back() = outerAtom;
      right.pop_back();
    } else if (std::optional<SymbolicDim> outer = rightExtent.dividedBy(leftExtent)) {
      atoms_.push_back({*outer, {}});
      int outerAtom = static_cast<int>(atoms_.size()) - 1;
      atoms_[r].replacement = {outerAtom, l};
      right.back() = outerAtom;
      left.pop_back();
    } else {
      if (error)
        *error = "extents " + leftExtent.str() + " and " + rightExtent.str() + " do not divide each other";
      return failure();
    }
    // An atom that was just replaced may stand further up as well.
    left = resolve(left);
    right = resolve(right);
  }
  if (left.empty() && right.empty())
    return success();
  if (error)
    *error = "extent " + extent(left.empty() ? right : left).str() + " has no partner";
  return failure();
}

SymbolicDim IterationSpace::extent(const AtomProduct &product) const {
  SymbolicDim result;
  for (int atom : product)
    result = result.times(atoms_[atom].extent);
  return result;
}

LinearForm IterationSpace::linear(const AtomProduct &product) const {
  LinearForm form;
  SymbolicDim stride;
  for (int atom : llvm::reverse(product)) {
    form.add(stride, atom);
    stride = stride.times(atoms_[atom].extent);
  }
  return form;
}

LinearForm IterationSpace::resolve(const LinearForm &form) const {
  LinearForm expanded;
  for (const LinearTerm &term : form.terms) {
    if (term.atom == LinearTerm::kConstant)
      expanded.terms.push_back(term);
    else
      expanded.addScaled(term.coefficient, linear(resolve(AtomProduct{term.atom})));
  }
  LinearForm result;
  for (const LinearTerm &term : expanded.terms) {
    auto same = llvm::find_if(result.terms, [&](const LinearTerm &other) {
      return other.atom == term.atom && other.coefficient.symbols == term.coefficient.symbols;
    });
    if (same == result.terms.end()) {
      result.terms.push_back(term);
      continue;
    }
    same->coefficient.coefficient += term.coefficient.coefficient;
    same->coefficient.value += term.coefficient.value;
  }
  llvm::erase_if(result.terms, [](const LinearTerm &term) { return term.coefficient.coefficient == 0; });
  llvm::stable_sort(result.terms, [](const LinearTerm &a, const LinearTerm &b) {
    return (a.atom == LinearTerm::kConstant) < (b.atom == LinearTerm::kConstant);
  });
  return result;
}

AtomProduct heddle::flatten(const TensorIndex &index) {
  AtomProduct product;
  for (const AtomProduct &dimension : index)
    product.append(dimension);
  return product;
}

SymbolicShape heddle::contiguousStrides(llvm::ArrayRef<SymbolicDim> shape) {
  SymbolicShape strides(shape.size());
  SymbolicDim stride;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride = stride.times(shape[dim]);
  }
  return strides;
}
