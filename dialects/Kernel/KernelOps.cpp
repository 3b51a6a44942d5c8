#include "dialects/Kernel/KernelDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace heddle::kernel;
using llvm::LogicalResult;
using mlir::failure;
using mlir::ParseResult;
using mlir::success;

#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"

//===----------------------------------------------------------------------===//
// func
//===----------------------------------------------------------------------===//

void FuncOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, llvm::StringRef name,
                   mlir::FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), mlir::TypeAttr::get(type));
  mlir::Region *body = state.addRegion();
  mlir::Block &block = body->emplaceBlock();
  for (mlir::Type input : type.getInputs())
    block.addArgument(input, state.location);
}

ParseResult FuncOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  auto buildType = [](mlir::Builder &builder, llvm::ArrayRef<mlir::Type> arguments,
                      llvm::ArrayRef<mlir::Type> results, mlir::function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return mlir::function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(mlir::OpAsmPrinter &printer) {
  mlir::function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                                 getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                                 getResAttrsAttrName());
}

llvm::SmallVector<mlir::BlockArgument> FuncOp::getBuffers() {
  llvm::SmallVector<mlir::BlockArgument> buffers;
  for (mlir::BlockArgument argument : getBody().getArguments())
    if (llvm::isa<BufferType>(argument.getType()))
      buffers.push_back(argument);
  return buffers;
}

llvm::SmallVector<mlir::BlockArgument> FuncOp::getCounts() {
  llvm::SmallVector<mlir::BlockArgument> counts;
  for (mlir::BlockArgument argument : getBody().getArguments())
    if (argument.getType().isIndex())
      counts.push_back(argument);
  return counts;
}

/// An argument's kernel.divisor or kernel.alignment is a positive integer on the right kind of argument.
static LogicalResult verifyPromise(FuncOp func, unsigned index, llvm::StringRef name, bool allowed) {
  mlir::Attribute promise = func.getArgAttr(index, name);
  if (!promise)
    return success();
  auto number = llvm::dyn_cast<mlir::IntegerAttr>(promise);
  if (!allowed || !number || !number.getType().isSignlessInteger(64) || number.getInt() < 1)
    return func.emitOpError() << "argument " << index << " has " << name << " = " << promise << ", wanted "
                              << (name == kDivisorAttr ? "a positive i64 on a count"
                                                       : "a positive i64 on a buffer");
  return success();
}

LogicalResult FuncOp::verify() {
  bool counts = false;
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    if (!llvm::isa<BufferType>(type) && !type.isIndex())
      return emitOpError() << "argument " << index << " has type " << type << ", wanted a buffer or an index";
    if (llvm::isa<BufferType>(type) && counts)
      return emitOpError() << "argument " << index << ": buffers come before counts";
    counts |= type.isIndex();
    if (failed(verifyPromise(*this, index, kDivisorAttr, type.isIndex())) ||
        failed(verifyPromise(*this, index, kAlignmentAttr, !type.isIndex())))
      return failure();
  }
  if (!getResultTypes().empty())
    return emitOpError("has no results");
  int64_t nests = 0;
  for (mlir::Operation &op : getBody().front())
    nests += llvm::isa<RowsOp, RowSumsOp, SkeletonOp>(op);
  if (nests != 1)
    return emitOpError() << "wants one kernel.rows, kernel.row_sums or kernel.skeleton, found " << nests;
  if (getBatched() && getBody().getOps<RowsOp>().empty())
    return emitOpError("is batched, wanted kernel.rows in it");
  return success();
}

//===----------------------------------------------------------------------===//
// rows
//===----------------------------------------------------------------------===//

ParseResult RowsOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SmallVector<mlir::OpAsmParser::Argument> indices;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> extents;
  mlir::Type index = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(indices, mlir::OpAsmParser::Delimiter::Paren) || parser.parseKeyword("in") ||
      parser.parseOperandList(extents, mlir::OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(extents, index, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (mlir::OpAsmParser::Argument &argument : indices)
    argument.type = index;
  mlir::Region *body = result.addRegion();
  if (parser.parseRegion(*body, indices))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void RowsOp::print(mlir::OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer, [&](mlir::BlockArgument index) {
    printer.printRegionArgument(index, {}, /*omitType=*/true);
  });
  printer << ") in (" << getExtents() << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

LogicalResult RowsOp::verify() {
  if (getBody().getNumArguments() != getExtents().size())
    return emitOpError() << "has " << getExtents().size() << " extents and " << getBody().getNumArguments()
                         << " indices";
  if (getParts() && static_cast<int64_t>(*getParts()) < 1)
    return emitOpError() << "has " << static_cast<int64_t>(*getParts()) << " parts, wanted at least 1";
  return success();
}

bool RowsOp::isFlat() {
  if (getParts())
    return false; // a sum over a part has its elements in one order
  int64_t loops = 0;
  for (mlir::Operation &op : getBody().front()) {
    if (auto columns = llvm::dyn_cast<ColumnsOp>(op)) {
      ++loops;
      if (columns.getNumResults() != 0)
        return false;
    } else if (llvm::isa<StoreOp>(op)) {
      return false;
    }
  }
  return loops == 1;
}

//===----------------------------------------------------------------------===//
// columns
//===----------------------------------------------------------------------===//

void ColumnsOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value extent,
                      mlir::TypeRange results, llvm::ArrayRef<ReduceKind> reductions) {
  state.addOperands(extent);
  state.addTypes(results);
  if (!reductions.empty()) {
    llvm::SmallVector<mlir::Attribute> kinds;
    for (ReduceKind kind : reductions)
      kinds.push_back(ReduceKindAttr::get(builder.getContext(), kind));
    state.addAttribute(getReductionsAttrName(state.name), builder.getArrayAttr(kinds));
  }
  state.addRegion()->emplaceBlock().addArgument(builder.getIndexType(), state.location);
}

ReduceKind ColumnsOp::getReduction(int64_t index) {
  return llvm::cast<ReduceKindAttr>((*getReductions())[index]).getValue();
}

ParseResult ColumnsOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  mlir::OpAsmParser::Argument index;
  mlir::OpAsmParser::UnresolvedOperand extent;
  mlir::Type indexType = parser.getBuilder().getIndexType();
  if (parser.parseArgument(index) || parser.parseKeyword("in") || parser.parseOperand(extent) ||
      parser.resolveOperand(extent, indexType, result.operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reduce"))) {
    llvm::SmallVector<mlir::Attribute> kinds;
    auto parseKind = [&]() -> ParseResult {
      llvm::StringRef keyword;
      llvm::SMLoc loc = parser.getCurrentLocation();
      if (parser.parseKeyword(&keyword))
        return failure();
      std::optional<ReduceKind> kind = symbolizeReduceKind(keyword);
      if (!kind)
        return parser.emitError(loc, "unknown reduction '") << keyword << "', wanted add, max or min";
      kinds.push_back(ReduceKindAttr::get(parser.getContext(), *kind));
      return success();
    };
    if (parser.parseCommaSeparatedList(mlir::OpAsmParser::Delimiter::Square, parseKind))
      return failure();
    result.addAttribute(getReductionsAttrName(result.name), parser.getBuilder().getArrayAttr(kinds));
  }
  index.type = indexType;
  mlir::Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, index) ||
      parser.parseOptionalColonTypeList(result.types))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ColumnsOp::print(mlir::OpAsmPrinter &printer) {
  printer << ' ';
  printer.printRegionArgument(getBody().getArgument(0), {}, /*omitType=*/true);
  printer << " in " << getExtent();
  if (getNumReductions()) {
    printer << " reduce [";
    llvm::interleaveComma(*getReductions(), printer, [&](mlir::Attribute kind) {
      printer << stringifyReduceKind(llvm::cast<ReduceKindAttr>(kind).getValue());
    });
    printer << "]";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getReductionsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
  if (getNumResults())
    printer << " : " << getResultTypes();
}

LogicalResult ColumnsOp::verify() {
  if (getBody().getNumArguments() != 1 || !getBody().getArgument(0).getType().isIndex())
    return emitOpError("wants one index argument, the column");
  if (getNumReductions() > static_cast<int64_t>(getNumResults()))
    return emitOpError() << "has " << getNumReductions() << " reductions and " << getNumResults()
                         << " results";
  auto yield = llvm::cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().size() != getNumResults())
    return emitOpError() << "yields " << yield.getValues().size() << " values, has " << getNumResults()
                         << " results";
  for (auto [index, result] : llvm::enumerate(getResults())) {
    mlir::Type yielded = yield.getValues()[index].getType();
    bool kept = static_cast<int64_t>(index) < getNumKept();
    if (kept) {
      auto row = llvm::dyn_cast<RowType>(result.getType());
      if (!row || row.getElementType() != yielded)
        return emitOpError() << "result " << index << " keeps " << yielded << " and has type "
                             << result.getType();
    } else if (result.getType() != yielded || !yielded.isF32()) {
      return emitOpError() << "result " << index << " reduces " << yielded << " to " << result.getType()
                           << ", wanted f32 to f32";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// get, load, store
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccess(mlir::Operation *op, mlir::AffineMap map, size_t indices, size_t symbols,
                                  BufferType buffer, mlir::Type element) {
  if (map.getNumResults() != 1 || map.getNumDims() != indices || map.getNumSymbols() != symbols)
    return op->emitOpError() << "map has " << map.getNumDims() << " dimensions, " << map.getNumSymbols()
                             << " symbols and " << map.getNumResults() << " results, wanted " << indices
                             << ", " << symbols << " and 1";
  if (buffer.getElementType() != element)
    return op->emitOpError() << "element " << element << " of a buffer of " << buffer.getElementType();
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getMap(), getIndices().size(), getSymbols().size(), getBuffer().getType(),
                      getResult().getType());
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getMap(), getIndices().size(), getSymbols().size(), getBuffer().getType(),
                      getValue().getType());
}

LogicalResult AccumulateOp::verify() {
  if (!getSums().getType().getElementType().isF32())
    return emitOpError() << "sums are " << getSums().getType().getElementType() << ", wanted f32";
  if (!getSums().hasOneUse())
    return emitOpError("sums to a buffer that the kernel also uses otherwise");
  if (!(*this)->getParentOfType<RowsOp>().getParts())
    return emitOpError("is in rows without parts");
  return success();
}

//===----------------------------------------------------------------------===//
// row_sums
//===----------------------------------------------------------------------===//

LogicalResult RowSumsOp::verify() {
  if (getWidth() < 1)
    return emitOpError() << "width is " << getWidth() << ", wanted at least 1";
  for (auto [name, buffer] : {std::pair("source", getSource()), std::pair("out", getOut())})
    if (!llvm::isa<mlir::FloatType>(buffer.getType().getElementType()))
      return emitOpError() << name << " has elements " << buffer.getType().getElementType()
                           << ", wanted f32, bf16 or f16";
  mlir::Type index = getIndices().getType().getElementType();
  if (!index.isSignlessInteger(32) && !index.isSignlessInteger(64))
    return emitOpError() << "indices are " << index << ", wanted i32 or i64";
  return success();
}

//===----------------------------------------------------------------------===//
// skeleton
//===----------------------------------------------------------------------===//

/// A generated function is left out or takes exactly `inputs` and yields `output`, up to `most` times.
static LogicalResult verifyFunction(SkeletonOp op, mlir::Region &region, llvm::StringRef name,
                                    llvm::ArrayRef<mlir::Type> inputs, mlir::Type output, size_t most = 1) {
  if (region.empty())
    return success();
  if (region.getArgumentTypes() != mlir::TypeRange(inputs))
    return op.emitOpError() << "the " << name << " function wants " << inputs.size() << " arguments, found "
                            << region.getNumArguments() << " or other types";
  auto yield = llvm::dyn_cast_or_null<YieldOp>(region.front().empty() ? nullptr : &region.front().back());
  if (!yield || yield.getValues().empty() || yield.getValues().size() > most ||
      !llvm::all_of(yield.getValues().getTypes(), [&](mlir::Type type) { return type == output; }))
    return op.emitOpError() << "the " << name << " function wants to yield one " << output
                            << (most == 2 ? " or two" : "");
  return success();
}

llvm::SmallVector<SkeletonOperand, 10> heddle::kernel::skeletonOperands(llvm::StringRef skeleton,
                                                                        bool statistics) {
  llvm::SmallVector<SkeletonOperand, 10> list{{"query"}, {"key"}, {"value"}};
  if (skeleton == kAttentionForward) {
    list.push_back({"out", SkeletonOperand::Heads, true});
    if (statistics)
      list.push_back({"statistics", SkeletonOperand::Statistics, true});
    return list;
  }
  list.append({{"gradient"}, {"statistics", SkeletonOperand::Statistics}, {"delta", SkeletonOperand::Rows}});
  if (skeleton == kAttentionBackward)
    list.append({{"dquery", SkeletonOperand::Heads, true, true},
                 {"dkey", SkeletonOperand::Heads, true},
                 {"dvalue", SkeletonOperand::Heads, true},
                 {"turns", SkeletonOperand::Turns, true, true}});
  else if (skeleton == kAttentionKeys)
    list.append({{"dkey", SkeletonOperand::Heads, true}, {"dvalue", SkeletonOperand::Heads, true}});
  else if (skeleton == kAttentionQueries)
    list.push_back({"dquery", SkeletonOperand::Heads, true});
  else if (skeleton == kAttentionBias)
    list.push_back({"dbias", SkeletonOperand::Scores, true});
  else
    return {};
  return list;
}

/// Counts of the lengths and of `operands`.
static int64_t countsOf(llvm::ArrayRef<SkeletonOperand> operands) {
  int64_t counts = kAttentionLengths;
  for (const SkeletonOperand &operand : operands)
    counts += operand.kind == SkeletonOperand::Heads ? 3 : operand.kind == SkeletonOperand::Scores ? 2 : 0;
  return counts;
}

int64_t SkeletonOp::getNumWantedCounts() { return countsOf(getOperandList()); }

mlir::OperandRange SkeletonOp::getStrides(int64_t operand) {
  llvm::SmallVector<SkeletonOperand, 10> operands = getOperandList();
  assert(operands[operand].kind == SkeletonOperand::Heads && "the other buffers are contiguous");
  return getCounts().slice(countsOf(llvm::ArrayRef(operands).take_front(operand)), 3);
}

mlir::OperandRange SkeletonOp::getBiasCounts() {
  assert(getName() == kAttentionBias && "the others have no bias's counts");
  return getCounts().slice(getNumWantedCounts() - 2, 2); // Its last operand's.
}

LogicalResult SkeletonOp::verify() {
  llvm::SmallVector<SkeletonOperand, 10> operands = getOperandList();
  if (operands.empty())
    return emitOpError() << "unknown skeleton \"" << getName() << "\", wanted " << kAttentionForward << ", "
                         << kAttentionBackward << ", " << kAttentionKeys << ", " << kAttentionQueries
                         << " or " << kAttentionBias;
  bool forward = getName() == kAttentionForward;
  if (getStatistics() && !forward)
    return emitOpError("is no attention_forward and gives the statistics");
  if (getBuffers().size() < operands.size() ||
      static_cast<int64_t>(getCounts().size()) < getNumWantedCounts())
    return emitOpError() << "wants at least " << operands.size() << " buffers and " << getNumWantedCounts()
                         << " counts, found " << getBuffers().size() << " and " << getCounts().size();
  for (auto [index, operand] : llvm::enumerate(operands)) {
    mlir::Type wanted = mlir::Float32Type::get(getContext());
    if (operand.kind == SkeletonOperand::Heads)
      wanted = getElementType();
    else if (operand.kind == SkeletonOperand::Turns)
      wanted = mlir::IntegerType::get(getContext(), 32);
    if (llvm::cast<BufferType>(getBuffers()[index].getType()).getElementType() != wanted)
      return emitOpError() << "buffer " << index << " has type " << getBuffers()[index].getType()
                           << ", wanted elements " << wanted;
  }
  if (getHeadDim() < 1 || getValueDim() < 1)
    return emitOpError() << "head dimensions " << getHeadDim() << " and " << getValueDim()
                         << ", wanted at least 1";
  // The device code counts keys in 32 bits.
  if (auto window = static_cast<int64_t>(getWindow());
      window < 0 || window > 2147483647 || (window && !getCausal()))
    return emitOpError() << "window is " << window << (getCausal() ? "" : " and not causal")
                         << ", wanted a causal one of 1 to 2147483647 keys, or 0";
  mlir::Type f32 = mlir::Float32Type::get(getContext()), index = mlir::IndexType::get(getContext());
  mlir::Type i1 = mlir::IntegerType::get(getContext(), 1);
  if (failed(verifyFunction(*this, getScore(), "score", {f32, index, index, index, index}, f32,
                            forward || getName() == kAttentionBias ? 1 : 2)))
    return failure();
  return verifyFunction(*this, getMask(), "mask", {index, index, index, index}, i1);
}
