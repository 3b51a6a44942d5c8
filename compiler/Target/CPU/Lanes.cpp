#include "compiler/Target/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

Type heddle::cpu::carried(Type type) {
  return type.isBF16() ? Type(IntegerType::get(type.getContext(), 16)) : type;
}

Type heddle::cpu::stored(Type type) {
  return type.isSignlessInteger(1) ? Type(IntegerType::get(type.getContext(), 8)) : carried(type);
}

static Type typeFor(Type scalar, int64_t lanes) {
  return lanes ? Type(VectorType::get({lanes}, scalar)) : scalar;
}

/// The shape of `like` with another element.
static Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

static Value splat(ImplicitLocOpBuilder &b, Type type, TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(b, scalar);
}

static Value integer(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return splat(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value LaneEmitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value LaneEmitter::f32(double value, int64_t lanes) {
  return splat(b, typeFor(b.getF32Type(), lanes), b.getF32FloatAttr(value));
}

Value LaneEmitter::firstLanes(int64_t lanes, Value count) {
  auto type = VectorType::get({lanes}, b.getI32Type());
  SmallVector<int32_t> positions = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
  Value position = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int32_t>(positions)));
  Value limit = arith::IndexCastOp::create(b, b.getI32Type(), count);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position,
                               vector::BroadcastOp::create(b, type, limit));
}

Value LaneEmitter::asVector(const Lanes &lanes) {
  if (lanes.kind == Lanes::Vector)
    return lanes.value;
  auto type = VectorType::get({block.lanes}, lanes.value.getType());
  Value vector = vector::BroadcastOp::create(b, type, lanes.value);
  if (lanes.kind == Lanes::Uniform || lanes.stride == 0)
    return vector;
  SmallVector<APInt> steps;
  for (int64_t lane = 0; lane < block.lanes; ++lane)
    steps.push_back(APInt(64, lane * lanes.stride, /*isSigned=*/true));
  Value offsets = arith::ConstantOp::create(b, DenseElementsAttr::get(type, steps));
  return arith::AddIOp::create(b, vector, offsets);
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

/// Whether `value` is known to be a multiple of `factor`.
static bool isMultiple(Value value, int64_t factor) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && *constant % factor == 0;
}

Lanes LaneEmitter::add(const Lanes &x, const Lanes &y) {
  if (x.kind == Lanes::Vector || y.kind == Lanes::Vector)
    return {Lanes::Vector, arith::AddIOp::create(b, asVector(x), asVector(y))};
  Value base = b.createOrFold<arith::AddIOp>(x.value, y.value);
  auto aligned = [&](const Lanes &side) {
    return side.kind == Lanes::Linear ? side.aligned : isMultiple(side.value, block.lanes);
  };
  if (x.kind == Lanes::Uniform && y.kind == Lanes::Uniform)
    return {Lanes::Uniform, base};
  return {Lanes::Linear, base, x.stride + y.stride, aligned(x) && aligned(y)};
}

Lanes LaneEmitter::multiply(const Lanes &x, const Lanes &y) {
  if (x.kind == Lanes::Linear && y.kind == Lanes::Uniform)
    if (std::optional<int64_t> factor = getConstantIntValue(y.value))
      return {Lanes::Linear, b.createOrFold<arith::MulIOp>(x.value, y.value), x.stride * *factor, x.aligned};
  if (x.kind == Lanes::Uniform && y.kind == Lanes::Linear)
    return multiply(y, x);
  if (x.kind == Lanes::Uniform && y.kind == Lanes::Uniform)
    return {Lanes::Uniform, b.createOrFold<arith::MulIOp>(x.value, y.value)};
  return {Lanes::Vector, arith::MulIOp::create(b, asVector(x), asVector(y))};
}

/// Division that rounds down (or up), or its remainder. Only uses operations that have a form for vectors.
Lanes LaneEmitter::divide(const Lanes &x, const Lanes &y, bool remainder, bool ceiling) {
  // Lanes that stay within one multiple of the divisor: the quotient is the same for all, the remainder
  // counts up.
  if (x.kind == Lanes::Linear && x.stride == 1 && x.aligned && !ceiling && y.kind == Lanes::Uniform &&
      isMultiple(y.value, block.lanes)) {
    Lanes result = divide({Lanes::Uniform, x.value}, y, remainder, ceiling);
    return remainder ? Lanes{Lanes::Linear, result.value, 1, true} : result;
  }
  bool scalar = x.kind == Lanes::Uniform && y.kind == Lanes::Uniform;
  Value a = scalar ? x.value : asVector(x), d = scalar ? y.value : asVector(y);
  Value quotient;
  if (ceiling)
    quotient = b.createOrFold<arith::CeilDivSIOp>(a, d);
  else
    quotient = b.createOrFold<arith::FloorDivSIOp>(a, d);
  if (remainder)
    quotient = b.createOrFold<arith::SubIOp>(a, b.createOrFold<arith::MulIOp>(quotient, d));
  return {scalar ? Lanes::Uniform : Lanes::Vector, quotient};
}

Lanes LaneEmitter::evaluate(AffineExpr expression, ArrayRef<Lanes> operands, unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return {Lanes::Uniform, index(constant.getValue())};
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Lanes x = evaluate(binary.getLHS(), operands, numDims), y = evaluate(binary.getRHS(), operands, numDims);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return add(x, y);
  case AffineExprKind::Mul:
    return multiply(x, y);
  case AffineExprKind::Mod:
    return divide(x, y, /*remainder=*/true, /*ceiling=*/false);
  case AffineExprKind::FloorDiv:
    return divide(x, y, /*remainder=*/false, /*ceiling=*/false);
  default:
    return divide(x, y, /*remainder=*/false, /*ceiling=*/true);
  }
}

Lanes LaneEmitter::address(AffineMap map, ValueRange indices, ValueRange symbols) {
  SmallVector<Lanes> operands;
  for (Value operand : indices)
    operands.push_back(values.lookup(operand));
  for (Value operand : symbols)
    operands.push_back(values.lookup(operand));
  return evaluate(map.getResult(0), operands, map.getNumDims());
}

/// Keeps sums and multiples of the column in the form that accesses can use.
bool LaneEmitter::emitIndexArithmetic(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex() || op->getNumOperands() != 2)
    return false;
  Lanes x = values.lookup(op->getOperand(0)), y = values.lookup(op->getOperand(1));
  if (x.kind != Lanes::Linear && y.kind != Lanes::Linear)
    return false;
  Lanes result;
  if (isa<arith::AddIOp>(op))
    result = add(x, y);
  else if (isa<arith::MulIOp>(op))
    result = multiply(x, y);
  else if (isa<arith::SubIOp>(op) && y.kind == Lanes::Uniform)
    result = add(x, {Lanes::Uniform, b.createOrFold<arith::SubIOp>(index(0), y.value)});
  else if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    // Columns are not negative, so that the three divisions agree unless a sum went below zero.
    result = divide(x, y, /*remainder=*/false, /*ceiling=*/false);
  else if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    result = divide(x, y, /*remainder=*/true, /*ceiling=*/false);
  else
    return false;
  values[op->getResult(0)] = result;
  return true;
}

//===----------------------------------------------------------------------===//
// Scalar ops
//===----------------------------------------------------------------------===//

/// bf16 bits to float32: the upper half of the word.
static Value expandBF16(ImplicitLocOpBuilder &b, Value bits) {
  Type word = withElement(bits.getType(), b.getI32Type());
  Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, word, bits), integer(b, word, 16));
  return arith::BitcastOp::create(b, withElement(word, b.getF32Type()), upper);
}

/// float32 to bf16 bits, to nearest, ties to even; a NaN stays one. By integers, since the processors' own
/// conversion flushes denormals and not every processor has it: a plan's bits must not depend on the machine.
static Value roundBF16(ImplicitLocOpBuilder &b, Value value) {
  Type word = withElement(value.getType(), b.getI32Type());
  Value bits = arith::BitcastOp::create(b, word, value);
  Value odd =
      arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, integer(b, word, 16)), integer(b, word, 1));
  Value rounded = arith::AddIOp::create(b, bits, arith::AddIOp::create(b, odd, integer(b, word, 0x7fff)));
  // Adding could carry a NaN's mantissa away: NaNs get the quiet bit instead.
  Value quiet = arith::OrIOp::create(b, bits, integer(b, word, 0x400000));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value chosen = arith::SelectOp::create(b, isNaN, quiet, rounded);
  Value upper = arith::ShRUIOp::create(b, chosen, integer(b, word, 16));
  return arith::TruncIOp::create(b, withElement(word, b.getI16Type()), upper);
}

Value LaneEmitter::widen(Type type, Value value) {
  if (type.isF32())
    return value;
  if (type.isBF16())
    return expandBF16(b, value);
  return arith::ExtFOp::create(b, withElement(value.getType(), b.getF32Type()), value);
}

Value LaneEmitter::narrow(Type type, Value value) {
  if (type.isF32())
    return value;
  if (type.isBF16())
    return roundBF16(b, value);
  return arith::TruncFOp::create(b, withElement(value.getType(), type), value);
}

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

Value LaneEmitter::constant(arith::ConstantOp op) {
  TypedAttr value = op.getValue();
  if (op.getType().isBF16())
    value = b.getI16IntegerAttr(cast<FloatAttr>(value).getValue().bitcastToAPInt().getSExtValue());
  return arith::ConstantOp::create(b, value);
}

LogicalResult LaneEmitter::emitElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return op->emitOpError("is not an op that the CPU target can run in a stage");
  bool scalar =
      llvm::all_of(op->getOperands(), [&](Value v) { return values.lookup(v).kind == Lanes::Uniform; });
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    const Lanes lanes = values.lookup(operand);
    if (!lanes.value)
      return op->emitOpError("reads a value that the CPU target has not computed");
    operands.push_back(scalar ? lanes.value : asVector(lanes));
  }
  Type resultType = op->getResult(0).getType();
  auto isLow = [](Type type) { return type.isBF16(); };
  Value result;
  if (isa<arith::ExtFOp>(op) && isLow(op->getOperand(0).getType())) {
    result = expandBF16(b, operands[0]);
  } else if (isa<arith::TruncFOp>(op) && isLow(resultType)) {
    result = roundBF16(b, operands[0]);
  } else {
    bool low = isLow(resultType) || llvm::any_of(op->getOperandTypes(), isLow);
    if (low && !isa<arith::SelectOp, arith::BitcastOp>(op))
      return op->emitOpError("computes on bf16; wanted arith.extf and arith.truncf around it");
    // Lanes that do not exist must not divide by what was not loaded.
    if (isDivision(op) && !scalar && block.mask)
      operands[1] = arith::SelectOp::create(b, block.mask, operands[1], integer(b, operands[1].getType(), 1));
    OperationState state(b.getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(typeFor(carried(resultType), scalar ? 0 : block.lanes));
    state.addAttributes(op->getAttrDictionary().getValue());
    result = b.create(state)->getResult(0);
  }
  values[op->getResult(0)] = {scalar ? Lanes::Uniform : Lanes::Vector, result};
  return success();
}

/// Reads the stack buffer of a kept row, or computes its value again where it has none.
LogicalResult LaneEmitter::emitGet(kernel::GetOp op) {
  Type type = op.getResult().getType();
  if (Value buffer = keptRows.lookup(op.getRow())) {
    // Stack buffers are as long as whole blocks: no mask.
    LaneBlock whole{block.lanes, Value()};
    std::swap(whole, block);
    values[op.getResult()] = load(type, buffer, {Lanes::Linear, column, 1});
    std::swap(whole, block);
    return success();
  }
  auto producer = op.getRow().getDefiningOp<kernel::ColumnsOp>();
  unsigned position = cast<OpResult>(op.getRow()).getResultNumber();
  Operation *yield = producer.getBody().front().getTerminator();
  values[producer.getIndex()] = {Lanes::Linear, column, 1, true};
  // What the yielded value needs of the producer's body, in order.
  SmallVector<Value> work{yield->getOperand(position)};
  llvm::SmallPtrSet<Operation *, 16> needed;
  while (!work.empty()) {
    Operation *definition = work.pop_back_val().getDefiningOp();
    if (!definition || definition->getBlock() != yield->getBlock() || !needed.insert(definition).second)
      continue;
    llvm::append_range(work, definition->getOperands());
  }
  for (Operation &inner : producer.getBody().front())
    if (needed.contains(&inner) && failed(emit(&inner)))
      return failure();
  values[op.getResult()] = values.lookup(yield->getOperand(position));
  return success();
}

LogicalResult LaneEmitter::emit(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto loadOp = dyn_cast<kernel::LoadOp>(op)) {
    Lanes at = address(loadOp.getMap(), loadOp.getIndices(), loadOp.getSymbols());
    values[loadOp.getResult()] = load(loadOp.getResult().getType(), uniform(loadOp.getBuffer()), at);
    return success();
  }
  if (auto storeOp = dyn_cast<kernel::StoreOp>(op)) {
    Lanes at = address(storeOp.getMap(), storeOp.getIndices(), storeOp.getSymbols());
    store(storeOp.getValue().getType(), values.lookup(storeOp.getValue()), uniform(storeOp.getBuffer()), at);
    return success();
  }
  if (auto getOp = dyn_cast<kernel::GetOp>(op))
    return emitGet(getOp);
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    setUniform(constantOp.getResult(), constant(constantOp));
    return success();
  }
  if (emitIndexArithmetic(op))
    return success();
  return emitElementwise(op);
}
