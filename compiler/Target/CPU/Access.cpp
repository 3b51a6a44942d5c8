// Memory accesses of a block of lanes: broadcast, contiguous, in pairs, or element by element.
#include "compiler/Target/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// Buffers promise the alignment of an element and no more.
static unsigned alignmentOf(Type type) { return stored(type).getIntOrFloatBitWidth() / 8; }

Value LaneEmitter::element(Type type, Value pointer, Value index) {
  Value offset = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index);
  return LLVM::GEPOp::create(b, pointer.getType(), stored(type), pointer, ValueRange{offset});
}

Value LaneEmitter::pointers(Type type, Value pointer, const Lanes &index) {
  auto offsets = VectorType::get({block.lanes}, b.getI64Type());
  Value offset = arith::IndexCastOp::create(b, offsets, asVector(index));
  auto result = VectorType::get({block.lanes}, pointer.getType());
  return LLVM::GEPOp::create(b, result, stored(type), pointer, ValueRange{offset});
}

Value LaneEmitter::maskOrAll() {
  if (block.mask)
    return block.mask;
  auto type = VectorType::get({block.lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
}

Value LaneEmitter::shuffle(Value x, Value y, ArrayRef<int64_t> order) {
  return vector::ShuffleOp::create(b, x, y, order);
}

Value LaneEmitter::toMemory(Type type, Value value) {
  if (!type.isSignlessInteger(1))
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type byte = b.getI8Type();
  return arith::ExtUIOp::create(b, vector ? Type(vector.clone(byte)) : byte, value);
}

Value LaneEmitter::fromMemory(Type type, Value value) {
  if (!type.isSignlessInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
}

Lanes LaneEmitter::load(Type type, Value pointer, const Lanes &index) {
  unsigned alignment = alignmentOf(type);
  if (index.kind == Lanes::Uniform)
    return {Lanes::Uniform,
            fromMemory(
                type, LLVM::LoadOp::create(b, stored(type), element(type, pointer, index.value), alignment))};
  auto result = VectorType::get({block.lanes}, stored(type));
  Value loaded;
  if (index.kind == Lanes::Linear && index.stride == 1) {
    Value first = element(type, pointer, index.value);
    if (block.mask) {
      Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(result)));
      loaded = LLVM::MaskedLoadOp::create(b, result, first, block.mask, zero, b.getI32IntegerAttr(alignment),
                                          /*nontemporal=*/UnitAttr());
    } else {
      loaded = LLVM::LoadOp::create(b, result, first, alignment);
    }
  } else if (index.kind == Lanes::Linear && index.stride == 2 && !block.mask && block.lanes > 1) {
    // Two loads that end at the last element wanted: a third of the pairs' other halves is never touched
    // beyond it.
    int64_t lanes = block.lanes;
    Value tail = b.createOrFold<arith::AddIOp>(index.value, this->index(lanes - 1));
    Value low = LLVM::LoadOp::create(b, result, element(type, pointer, index.value), alignment);
    Value high = LLVM::LoadOp::create(b, result, element(type, pointer, tail), alignment);
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.push_back(2 * lane < lanes ? 2 * lane : lanes + 2 * lane - (lanes - 1));
    loaded = shuffle(low, high, order);
  } else {
    Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(result)));
    loaded = LLVM::masked_gather::create(b, result, pointers(type, pointer, index), maskOrAll(),
                                         ValueRange{zero}, b.getI32IntegerAttr(alignment));
  }
  return {Lanes::Vector, fromMemory(type, loaded)};
}

void LaneEmitter::store(Type type, const Lanes &value, Value pointer, const Lanes &index) {
  unsigned alignment = alignmentOf(type);
  if (index.kind == Lanes::Uniform && value.kind == Lanes::Uniform) {
    LLVM::StoreOp::create(b, toMemory(type, value.value), element(type, pointer, index.value), alignment);
    return;
  }
  Value vector = toMemory(type, asVector(value));
  if (index.kind == Lanes::Linear && index.stride == 1) {
    Value first = element(type, pointer, index.value);
    if (block.mask)
      LLVM::MaskedStoreOp::create(b, vector, first, block.mask, b.getI32IntegerAttr(alignment));
    else
      LLVM::StoreOp::create(b, vector, first, alignment);
    return;
  }
  LLVM::masked_scatter::create(b, vector, pointers(type, pointer, index), maskOrAll(),
                               b.getI32IntegerAttr(alignment));
}

void LaneEmitter::storeInterleaved(Type type, const Lanes &even, const Lanes &odd, Value pointer,
                                   const Lanes &index) {
  Value x = toMemory(type, asVector(even)), y = toMemory(type, asVector(odd));
  int64_t lanes = block.lanes;
  for (int64_t half = 0; half < 2; ++half) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t position = half * lanes + lane;
      order.push_back(position / 2 + (position % 2) * lanes);
    }
    Value at = b.createOrFold<arith::AddIOp>(index.value, this->index(half * lanes));
    LLVM::StoreOp::create(b, shuffle(x, y, order), element(type, pointer, at), alignmentOf(type));
  }
}
