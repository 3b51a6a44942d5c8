//===- ProductFusion.cpp - What a product takes of its readers ------------===//
//
// From a matmul on, each sole reader is looked at in turn; the group is the longest run of them that the
// library computes in one call and that ends in a type that it writes.
//
//===----------------------------------------------------------------------===//
#include "compiler/Fusion/ProductFusion.h"
#include "compiler/Fusion/GroupSpace.h"
#include "compiler/Fusion/Grouping.h"
#include "compiler/Layout/MatrixAccess.h"
#include "compiler/Support/Chunks.h"
#include "dialects/Graph/GraphBuilder.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

static mlir::Type elementOf(Value value) { return typeOf(value).getElementType(); }

/// What changes neither values nor their order.
static bool movesNothing(Operation *op) { return isImplicitCast(op) || llvm::isa<ReshapeOp>(op); }

/// The value before implicit casts, whose rounding is nobody's wish.
static Value withoutCasts(Value value) {
  while (isImplicitCast(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// cuBLASLt's vectors of 16 bytes.
static bool isAligned(const VectorAccess &vector) {
  constexpr int64_t kBytes = 16;
  return vector.offset * elementOf(vector.base).getIntOrFloatBitWidth() % (8 * kBytes) == 0;
}

/// Erases what only `value` was for.
static void eraseUnused(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->use_empty() || (!op->hasTrait<ViewLike>() && !isImplicitCast(op)))
      return;
    value = op->getOperand(0);
    op->erase();
  }
}

ProductParts heddle::productParts(GroupOp group) {
  ProductParts parts;
  mlir::Block &body = group.getBody().front();
  parts.matmul = *body.getOps<MatmulOp>().begin();
  llvm::SmallPtrSet<Value, 8> product{parts.matmul.getResult()};
  for (Operation &op : llvm::make_range(std::next(parts.matmul->getIterator()), body.end())) {
    auto onProduct = [&](Value operand) { return product.contains(operand); };
    if (op.getNumResults() == 0 || llvm::none_of(op.getOperands(), onProduct))
      continue;
    product.insert(op.getResult(0));
    if (llvm::isa<GeluOp, ReluOp, SiluOp>(op))
      parts.activation = &op;
    if (!llvm::isa<AddOp>(op))
      continue;
    Value other = withoutCasts(op.getOperand(onProduct(op.getOperand(0)) ? 1 : 0));
    (columnVector(other) ? parts.bias : parts.residual) = other;
  }
  return parts;
}

namespace {

/// The ops from a matmul on that its product may take, in order.
class ProductChain {
public:
  ProductChain(MatmulOp matmul, bool own) : matmul_(matmul), own_(own) { collect(); }

  void outline();

private:
  struct Link {
    Operation *op;
    Value bias{}, residual{};                ///< What the op adds to the product, if it does.
    llvm::SmallVector<Operation *> before{}; ///< What lies between the product and the op's two operands.
  };

  void collect();
  bool takeGate(Value value);
  bool take(Operation *op, Value value);
  bool takeAdd(AddOp add, Value value);
  std::string problem(size_t links);
  Value inTypeOf(Value bias, mlir::Type element);
  void leave(Operation *op, const llvm::Twine &why) {
    reasons_.push_back((op->getName().stripDialect() + ": " + why).str());
  }

  MatmulOp matmul_;
  bool own_; ///< See fuseProducts.
  llvm::SmallVector<Link> links_{};
  llvm::SmallVector<std::string> reasons_;
};

} // namespace

/// silu(first half of the columns) * second half, each through implicit casts, and what casts the result.
bool ProductChain::takeGate(Value value) {
  llvm::ArrayRef<int64_t> shape = typeOf(value).getShape();
  int64_t half = shape.back() / 2;
  SliceOp slices[2];
  for (Operation *user : value.getUsers()) {
    auto slice = llvm::dyn_cast<SliceOp>(user);
    if (!slice || slice->getBlock() != matmul_->getBlock() ||
        llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; }) ||
        llvm::any_of(slice.getOffsets().drop_back(), [](int64_t offset) { return offset != 0; }) ||
        typeOf(slice.getResult()).getShape().drop_back() != shape.drop_back() ||
        2 * typeOf(slice.getResult()).getShape().back() != shape.back() ||
        (slice.getOffsets().back() != 0 && slice.getOffsets().back() != half))
      return false;
    slices[slice.getOffsets().back() == half] = slice;
  }
  if (!slices[0] || !slices[1] || !value.hasNUses(2))
    return false;
  llvm::SmallVector<Operation *> ops{slices[0], slices[1]};
  // The sole reader behind implicit casts.
  auto reader = [&](Value from) -> Operation * {
    while (from.hasOneUse()) {
      Operation *user = *from.getUsers().begin();
      if (!isImplicitCast(user))
        return user;
      ops.push_back(user);
      from = user->getResult(0);
    }
    return nullptr;
  };
  auto silu = llvm::dyn_cast_or_null<SiluOp>(reader(slices[0].getResult()));
  if (!silu)
    return false;
  ops.push_back(silu);
  auto mul = llvm::dyn_cast_or_null<MulOp>(reader(silu.getResult()));
  if (!mul || reader(slices[1].getResult()) != mul)
    return false;
  links_.push_back({mul, {}, {}, std::move(ops)});
  return true;
}

void ProductChain::collect() {
  Value value = matmul_.getResult();
  if (own_ && takeGate(value)) {
    // An epilogue ends in its activation, but for the cast to what is stored.
    Value result = links_.back().op->getResult(0);
    if (result.hasOneUse() && isImplicitCast(*result.getUsers().begin()))
      links_.push_back({*result.getUsers().begin()});
    return;
  }
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    // Another block is a group that exists: there it is the other operand's residual.
    if (user->getBlock() != matmul_->getBlock() || !take(user, value))
      return;
    value = user->getResult(0);
  }
  // Several readers, or readers of parts: gate and up.
  llvm::SetVector<llvm::StringRef> readers;
  llvm::SmallVector<Value> worklist{value};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers())
      if (user->hasTrait<ViewLike>())
        worklist.push_back(user->getResult(0));
      else if (user->hasTrait<ElementwiseOp>())
        readers.insert(user->getName().stripDialect());
  if (!readers.empty())
    reasons_.push_back(llvm::join(readers.getArrayRef(), ", ") +
                       ": several read the result; an epilogue serves one");
}

/// Takes the sole reader of `value`, or says why not.
bool ProductChain::take(Operation *op, Value value) {
  bool active = llvm::any_of(links_, [](const Link &link) { return llvm::isa<GeluOp, ReluOp>(link.op); });
  if (isImplicitCast(op)) {
    links_.push_back({op});
    return true;
  }
  if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) {
    // The rows alone are counted otherwise.
    if (typeOf(value).getShape().back() != typeOf(reshape.getResult()).getShape().back())
      return false;
    links_.push_back({op});
    return true;
  }
  if (!op->hasTrait<ElementwiseOp>())
    return false;
  if (op->getAttr(kChunkAttr) != matmul_->getAttr(kChunkAttr)) {
    leave(op, "of another chunk of the loss");
    return false;
  }
  if (active) {
    leave(op, "an epilogue ends in its activation");
    return false;
  }
  if (auto add = llvm::dyn_cast<AddOp>(op))
    return takeAdd(add, value);
  if (auto gelu = llvm::dyn_cast<GeluOp>(op)) {
    if (gelu.getForm() != GeluForm::Tanh) {
      leave(op, "the product library has the tanh form alone");
      return false;
    }
  } else if (llvm::isa<CastOp>(op)) {
    leave(op, "written by the user: it rounds");
    return false;
  } else if (!llvm::isa<ReluOp>(op)) {
    leave(op, "none of the product library's epilogues");
    return false;
  }
  links_.push_back({op});
  return true;
}

bool ProductChain::takeAdd(AddOp add, Value value) {
  Value other = add.getLhs() == value ? add.getRhs() : add.getLhs();
  Value source = withoutCasts(other);
  bool bias = llvm::any_of(links_, [](const Link &link) { return link.bias; });
  bool residual = llvm::any_of(links_, [](const Link &link) { return link.residual; });
  if (std::optional<VectorAccess> vector = columnVector(source)) {
    if (bias || !isAligned(*vector)) {
      leave(add, bias ? "a second bias" : "the bias does not begin at a multiple of 16 bytes");
      return false;
    }
    links_.push_back({add, source, {}});
    return true;
  }
  Operation *producer = source.getDefiningOp();
  if (residual || (producer && (producer->hasTrait<ViewLike>() || llvm::isa<ConstantOp>(producer)))) {
    leave(add, residual ? "a second residual" : "the library reads a residual as the result's own shape");
    return false;
  }
  links_.push_back({add, {}, source});
  return true;
}

/// Whether a later product adds `value` to its result, as one call.
static bool isAddedByProduct(Operation *op, Value value) {
  auto add = llvm::dyn_cast<AddOp>(op);
  if (!add || add.getLhs() == add.getRhs())
    return false;
  auto matmul = withoutCasts(add.getLhs() == value ? add.getRhs() : add.getLhs()).getDefiningOp<MatmulOp>();
  return matmul && matmul->hasOneUse() && matmul->getAttr(kChunkAttr) == add->getAttr(kChunkAttr);
}

/// Why the product cannot end behind the first `links` of the chain; empty if it can.
std::string ProductChain::problem(size_t links) {
  auto chain = llvm::ArrayRef(links_).take_front(links);
  if (chain.empty())
    return "";
  Operation *last = chain.back().op;
  mlir::Type element = elementOf(last->getResult(0));
  if (llvm::isa<ReshapeOp>(last))
    return "a view";
  if (isImplicitCast(last) &&
      elementOf(last->getOperand(0)).getIntOrFloatBitWidth() <= element.getIntOrFloatBitWidth())
    return "a cast that its reader does while it reads";
  if (!element.isF32() && element != elementOf(matmul_.getLhs()))
    return "the library writes float32 or the operands' type";
  for (const Link &link : chain) {
    if (link.residual && elementOf(link.residual) != element)
      return "the library reads a residual in the result's type";
    // Float32 results would lose 13 bits in cuBLASLt's (GpuProduct.Epilogues measures it).
    if (!own_ && llvm::isa<GeluOp>(link.op) && element.isF32())
      return "the library's tanh is off by up to 2^-11, and the result is float32";
  }
  // Done there for nothing: the kernel reads what the product wrote, in the narrow type where there is one,
  // and a sum that nobody else reads is never stored.
  Value result = last->getResult(0);
  bool computes = !llvm::all_of(chain, [](const Link &link) { return movesNothing(link.op); });
  if (computes && result.hasOneUse() && isRowsOp(*result.getUsers().begin()) &&
      !isAddedByProduct(*result.getUsers().begin(), result))
    return "one row kernel alone reads the result, and does this while it reads";
  return "";
}

/// The library takes a bias of the result's type alone: a vector of another is cast first.
Value ProductChain::inTypeOf(Value bias, mlir::Type element) {
  if (elementOf(bias) == element)
    return bias;
  llvm::SmallVector<Operation *> views;
  Value base = bias;
  while (Operation *view = base.getDefiningOp()) {
    if (!view->hasTrait<ViewLike>())
      break;
    views.push_back(view);
    base = view->getOperand(0);
  }
  mlir::OpBuilder builder(matmul_.getContext());
  builder.setInsertionPointAfterValue(base);
  Value value = GraphBuilder(builder, base.getLoc()).cast(base, element, /*implicit=*/true);
  for (Operation *view : llvm::reverse(views)) {
    builder.setInsertionPoint(view);
    Operation *clone = builder.clone(*view);
    clone->setOperand(0, value);
    value = clone->getResult(0);
    value.setType(withElementType(typeOf(value), element));
  }
  return value;
}

void ProductChain::outline() {
  size_t taken = links_.size();
  for (std::string why; !(why = problem(taken)).empty(); --taken)
    if (!movesNothing(links_[taken - 1].op))
      leave(links_[taken - 1].op, why);
  links_.truncate(taken);
  llvm::SmallVector<Operation *> ops{matmul_};
  mlir::Type element = elementOf(taken ? links_.back().op->getResult(0) : Value(matmul_.getResult()));
  for (const Link &link : links_) {
    if (Value addend = link.bias ? link.bias : link.residual) {
      // Inside, the add has one type; what the library reads comes from outside.
      Value value = ops.back()->getResult(0);
      Value outer = link.bias ? inTypeOf(addend, element) : addend;
      mlir::OpBuilder builder(link.op);
      GraphBuilder g(builder, link.op->getLoc());
      if (elementOf(outer) != elementOf(value)) {
        outer = g.cast(outer, elementOf(value), /*implicit=*/true);
        ops.push_back(outer.getDefiningOp());
      }
      mlir::OpOperand &operand = link.op->getOpOperand(link.op->getOperand(0) == value ? 1 : 0);
      Value replaced = operand.get();
      operand.set(outer);
      eraseUnused(replaced);
    }
    ops.append(link.before);
    ops.push_back(link.op);
  }
  GroupOp group = heddle::outline(GroupKind::Product, ops, labelOf(ops), ops.back()->getResult(0));
  if (reasons_.empty())
    return;
  llvm::SmallVector<llvm::StringRef> texts(reasons_.begin(), reasons_.end());
  group.setReasonsAttr(mlir::OpBuilder(group).getStrArrayAttr(texts));
}

void heddle::fuseProducts(mlir::func::FuncOp func, bool own) {
  for (MatmulOp matmul : llvm::to_vector(func.getBody().front().getOps<MatmulOp>()))
    ProductChain(matmul, own).outline();
}
