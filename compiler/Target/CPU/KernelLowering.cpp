#include "compiler/Target/CPU/KernelLowering.h"
#include "compiler/Target/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// The exported function: unpacks the arrays and calls the internal one.
static void emitEntry(ImplicitLocOpBuilder &b, kernel::FuncOp func, LLVM::LLVMFuncOp body) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), word = b.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer, word, word});
  auto entry = LLVM::LLVMFuncOp::create(b, func.getName(), type);
  OpBuilder::InsertionGuard guard(b);
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  auto unpack = [&](Type element, Value array, size_t count) {
    for (size_t position = 0; position < count; ++position) {
      Value at = LLVM::GEPOp::create(b, pointer, element, array, ArrayRef<LLVM::GEPArg>{int32_t(position)});
      arguments.push_back(LLVM::LoadOp::create(b, element, at));
    }
  };
  unpack(pointer, block->getArgument(0), func.getBuffers().size());
  unpack(word, block->getArgument(1), func.getCounts().size());
  arguments.push_back(block->getArgument(2));
  arguments.push_back(block->getArgument(3));
  LLVM::CallOp::create(b, body, arguments);
  LLVM::ReturnOp::create(b, ValueRange{});
}

LogicalResult heddle::cpu::lowerKernel(OpBuilder &builder, kernel::FuncOp func, const CpuTarget &target,
                                       const KernelUses &uses) {
  ImplicitLocOpBuilder b(func.getLoc(), builder);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), word = b.getI64Type();
  size_t numBuffers = func.getBuffers().size();
  SmallVector<Type> arguments(numBuffers, pointer);
  arguments.append(func.getCounts().size() + 2, word);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), arguments);
  auto body = LLVM::LLVMFuncOp::create(b, (func.getName() + ".items").str(), type, LLVM::Linkage::Internal);
  for (size_t index = 0; index < numBuffers; ++index)
    if (index >= uses.shared.size() || !uses.shared.test(index))
      body.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  emitEntry(b, func, body);

  OpBuilder::InsertionGuard guard(b);
  Block *block = body.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  LaneEmitter emitter(b);
  auto toIndex = [&](Value value) { return arith::IndexCastOp::create(b, b.getIndexType(), value); };
  for (auto [from, to] : llvm::zip(func.getBody().getArguments(), block->getArguments()))
    emitter.setUniform(from, isa<kernel::BufferType>(from.getType()) ? Value(to) : Value(toIndex(to)));
  unsigned last = block->getNumArguments() - 1;
  Value begin = toIndex(block->getArgument(last - 1)), end = toIndex(block->getArgument(last));

  for (Operation &op : func.getBody().front()) {
    LogicalResult emitted = success();
    if (auto rows = dyn_cast<kernel::RowsOp>(op))
      emitted = lowerRows(emitter, rows, target, uses.keepRows, begin, end);
    else if (auto skeleton = dyn_cast<kernel::SkeletonOp>(op))
      emitted = skeleton.getName() == kernel::kAttentionForward
                    ? lowerAttention(emitter, skeleton, target, begin, end)
                    : lowerAttentionBackward(emitter, skeleton, target, begin, end);
    else if (auto sums = dyn_cast<kernel::RowSumsOp>(op))
      emitted = lowerRowSums(emitter, sums, target, begin, end);
    else
      emitted = emitter.emit(&op);
    if (failed(emitted))
      return failure();
  }
  b.setLoc(func.getLoc());
  LLVM::ReturnOp::create(b, ValueRange{});
  return success();
}
