#include "compiler/Lowering/FuncBuilder.h"
#include "compiler/Fusion/Grouping.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::AffineExpr;
using mlir::Value;

FuncBuilder::FuncBuilder(mlir::MLIRContext *context, mlir::Location loc, llvm::StringRef name)
    : builder_(context), loc_(loc) {
  func_ = kernel::FuncOp::create(builder_, loc, name, builder_.getFunctionType({}, {}));
  body_ = &func_->getBody().front();
  builder_.setInsertionPointToEnd(body_);
}

mlir::Location FuncBuilder::named(llvm::StringRef name) const {
  return mlir::NameLoc::get(mlir::StringAttr::get(loc_->getContext(), name));
}

Value FuncBuilder::buffer(Value graphValue) {
  graphValue = storageOf(graphValue);
  for (const Buffer &buffer : buffers_)
    if (buffer.shared && buffer.source.value == graphValue)
      return buffer.argument;
  Value argument = bufferAt(graphValue, 0, argumentName(graphValue));
  buffers_.back().shared = true;
  return argument;
}

Value FuncBuilder::bufferAt(Value graphValue, int64_t offset, llvm::StringRef name) {
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(graphValue.getType()).getElementType();
  Value argument = body_->addArgument(kernel::BufferType::get(element.getContext(), element), named(name));
  buffers_.push_back({{graphValue, offset}, argument, false});
  return argument;
}

Value FuncBuilder::turns() {
  mlir::Type element = builder_.getI32Type();
  Value argument = body_->addArgument(kernel::BufferType::get(element.getContext(), element), named("turns"));
  buffers_.push_back({{Value(), 0}, argument, false});
  return argument;
}

Value FuncBuilder::symbol(llvm::StringRef name) {
  for (const Count &count : counts_)
    if (count.name == name && !count.value)
      return count.argument;
  Value argument = body_->addArgument(builder_.getIndexType(), named(name));
  counts_.push_back({name.str(), argument, std::nullopt});
  return argument;
}

Value FuncBuilder::count(llvm::StringRef name, int64_t value) {
  Value argument = body_->addArgument(builder_.getIndexType(), named(name));
  counts_.push_back({name.str(), argument, value});
  return argument;
}

Value FuncBuilder::extent(const SymbolicDim &dim) {
  Value &value = extents_[dim.str()];
  if (value)
    return value;
  // At the function's start, after the extents made before.
  mlir::OpBuilder::InsertionGuard guard(builder_);
  if (lastExtent_)
    builder_.setInsertionPointAfter(lastExtent_);
  else
    builder_.setInsertionPointToStart(body_);
  Value product;
  auto multiply = [&](Value factor) {
    product =
        product ? Value(mlir::arith::MulIOp::create(builder_, named("extent"), product, factor)) : factor;
  };
  for (llvm::StringRef name : dim.symbols)
    multiply(symbol(name));
  if (dim.coefficient != 1 || dim.symbols.empty())
    multiply(mlir::arith::ConstantIndexOp::create(builder_, loc_, dim.coefficient));
  value = product;
  if (mlir::Operation *op = product.getDefiningOp())
    lastExtent_ = op;
  return value;
}

AffineExpr FuncBuilder::coefficientExpr(const SymbolicDim &dim, llvm::SmallVectorImpl<Value> &symbols) {
  AffineExpr expr = builder_.getAffineConstantExpr(dim.coefficient);
  for (llvm::StringRef name : dim.symbols) {
    Value argument = symbol(name);
    auto found = llvm::find(symbols, argument);
    unsigned position = found - symbols.begin();
    if (found == symbols.end())
      symbols.push_back(argument);
    expr = builder_.getAffineSymbolExpr(position) * expr;
  }
  return expr;
}

MapAccess FuncBuilder::access(const LoopForm &form, llvm::ArrayRef<Value> loops,
                              const std::optional<SymbolicDim> &gatherStride, Value row) {
  MapAccess result;
  AffineExpr sum = builder_.getAffineConstantExpr(0);
  auto addTerm = [&](Value index, const SymbolicDim &coefficient) {
    unsigned position = result.indices.size();
    result.indices.push_back(index);
    sum = sum + builder_.getAffineDimExpr(position) * coefficientExpr(coefficient, result.symbols);
  };
  // Slowest loop first, so that text reads row, then column.
  LoopForm ordered(form);
  llvm::stable_sort(ordered, [](const LoopTerm &a, const LoopTerm &b) {
    return static_cast<unsigned>(a.loop) < static_cast<unsigned>(b.loop);
  });
  if (gatherStride)
    addTerm(row, *gatherStride);
  for (const LoopTerm &term : ordered) {
    if (term.loop < 0)
      sum = sum + coefficientExpr(term.coefficient, result.symbols);
    else
      addTerm(loops[term.loop], term.coefficient);
  }
  result.map = mlir::AffineMap::get(result.indices.size(), result.symbols.size(), sum);
  return result;
}

LoweredKernel FuncBuilder::finish(const llvm::StringMap<int64_t> &values) {
  // The block's arguments came in the order of discovery; a kernel has buffers first.
  LoweredKernel result;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<Value> old(body_->getArguments());
  llvm::SmallVector<Value> order;
  for (const Buffer &buffer : buffers_) {
    order.push_back(buffer.argument);
    result.buffers.push_back(buffer.source);
  }
  for (const Count &count : counts_) {
    order.push_back(count.argument);
    result.counts.push_back(count.value ? *count.value : values.at(count.name));
  }
  for (Value argument : order) {
    types.push_back(argument.getType());
    argument.replaceAllUsesWith(body_->addArgument(argument.getType(), argument.getLoc()));
  }
  body_->eraseArguments(0, old.size());
  func_->setFunctionType(builder_.getFunctionType(types, {}));
  result.func = std::move(func_);
  return result;
}
