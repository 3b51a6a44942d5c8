#include "dialects/Graph/GraphModule.h"
#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/SymbolValues.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

mlir::func::FuncOp heddle::graph::mainFunction(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>("main");
}

/// Names become keys of JSON and of safetensors files, where this one is the header's own.
static llvm::StringRef nameFault(llvm::StringRef name) {
  return name.empty()                ? "that is empty"
         : !llvm::json::isUTF8(name) ? "that is no UTF-8"
         : name == "__metadata__"    ? "that safetensors files have for themselves"
                                     : "";
}

/// `what` is "argument" or "result". No two arguments may have one name, nor two results, nor a result that
/// of an argument: `others`.
static LogicalResult verifyBoundary(mlir::func::FuncOp main, llvm::StringRef what, unsigned index,
                                    mlir::Type type, mlir::DictionaryAttr attrs, bool nameRequired,
                                    llvm::StringSet<> &names, const llvm::StringSet<> &others) {
  if (!isGraphTensor(type))
    return main.emitError() << what << " " << index << " of @main has type " << type
                            << ", wanted a tensor of static extents of at least 1, rank at most " << kMaxRank
                            << ", at most 1e15 elements of f32, bf16, f16, i32, i64 or i1";
  auto name = attrs ? attrs.getAs<mlir::StringAttr>(kNameAttr) : mlir::StringAttr();
  if (!name)
    return nameRequired ? main.emitError() << what << " " << index << " of @main has no graph.name"
                        : success();
  if (llvm::StringRef fault = nameFault(name.getValue()); !fault.empty())
    return main.emitError() << what << " " << index << " of @main has a graph.name " << fault;
  bool fresh = names.insert(name.getValue()).second;
  if (!fresh || others.contains(name.getValue()))
    return main.emitError() << what << " " << index << " of @main: the name \"" << name.getValue()
                            << "\" is taken by " << (fresh ? "an argument" : "another " + what.str());
  return success();
}

/// The state dict has one tensor of a name, whoever reads it.
template <typename OpTy>
static LogicalResult verifyParts(OpTy op, llvm::StringMap<std::pair<PartAttr, mlir::Type>> &seen) {
  mlir::Type element = op.getType().getElementType();
  for (PartAttr part : op.getParts().template getAsRange<PartAttr>()) {
    if (llvm::StringRef fault = nameFault(part.getName()); !fault.empty())
      return op.emitOpError() << "has a part with a name " << fault;
    const auto &[before, type] = seen.try_emplace(part.getName(), part, element).first->second;
    if (before != part)
      return op.emitOpError() << "part \"" << part.getName()
                              << "\" was described otherwise before: " << before;
    if (type != element)
      return op.emitOpError() << "part \"" << part.getName() << "\" has elements of " << element
                              << ", and of " << type << " before";
  }
  return success();
}

/// What a run leaves in a part is told by its name, as results are.
static LogicalResult verifyAssigned(AssignOp assign, const llvm::StringSet<> &results) {
  auto parts = assign.getLeaf().getDefiningOp()->getAttrOfType<mlir::ArrayAttr>("parts");
  if (!parts) // A kept cast, which has no name.
    return success();
  for (PartAttr part : parts.getAsRange<PartAttr>())
    if (results.contains(part.getName()))
      return assign.emitOpError() << "changes part \"" << part.getName()
                                  << "\", a result of @main has that name";
  return success();
}

/// A copy changes with its parameter, and to the cast of the same value.
static LogicalResult verifyKept(CastOp cast) {
  AssignOp own = assignOf(cast.getResult()), parameter = assignOf(cast.getOperand());
  if (static_cast<bool>(own) != static_cast<bool>(parameter))
    return cast.emitOpError() << "is kept, wanted it assigned where its parameter is, found only the "
                              << (own ? "copy" : "parameter") << " assigned";
  if (!own)
    return success();
  auto next = own.getValue().getDefiningOp<CastOp>();
  if (!next || next.getOperand() != parameter.getValue())
    return own.emitOpError("changes a kept cast, wanted the cast of what its parameter is assigned");
  return success();
}

LogicalResult heddle::graph::verifyGraphModule(mlir::ModuleOp module, const GraphModuleRules &rules) {
  if (!llvm::json::isUTF8(module.getSymName().value_or("")))
    return module.emitError("the module's name is no UTF-8");
  mlir::func::FuncOp main;
  for (mlir::Operation &op : *module.getBody()) {
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!function || function.getSymName() != "main")
      return op.emitError() << "wanted only func.func @main at module level, found '" << op.getName() << "'"
                            << (function ? " @" + function.getSymName() : "");
    main = function;
  }
  if (!main)
    return module.emitError("no function @main");
  if (main.isExternal())
    return main.emitError("@main has no body");
  if (!llvm::hasSingleElement(main.getBody()))
    return main.emitError("@main has several blocks: a graph has no control flow");
  if (main.getNumResults() == 0)
    return main.emitError("@main returns nothing");

  llvm::StringSet<> arguments, results;
  for (auto [index, type] : llvm::enumerate(main.getArgumentTypes()))
    if (failed(verifyBoundary(main, "argument", index, type, main.getArgAttrDict(index), rules.namesRequired,
                              arguments, {})))
      return failure();
  for (auto [index, type] : llvm::enumerate(main.getResultTypes()))
    if (failed(verifyBoundary(main, "result", index, type, main.getResultAttrDict(index), rules.namesRequired,
                              results, arguments)))
      return failure();

  if (failed(symbolValues(main)))
    return failure();
  llvm::StringMap<std::pair<PartAttr, mlir::Type>> parts;
  mlir::WalkResult walk = main.getBody().walk([&](mlir::Operation *op) -> mlir::WalkResult {
    if (llvm::isa<mlir::func::ReturnOp>(op))
      return success();
    if (!llvm::isa<GraphDialect>(op->getDialect()))
      return op->emitError() << "'" << op->getName() << "' is no op of the graph dialect";
    if (!rules.groups && llvm::isa<GroupOp>(op))
      return op->emitError() << "'" << op->getName()
                             << "' is made by the fusion phase and may not stand here";
    if (auto parameter = llvm::dyn_cast<ParameterOp>(op))
      return verifyParts(parameter, parts);
    if (auto state = llvm::dyn_cast<StateOp>(op))
      return verifyParts(state, parts);
    if (auto assign = llvm::dyn_cast<AssignOp>(op))
      return verifyAssigned(assign, results);
    if (auto cast = llvm::dyn_cast<CastOp>(op); cast && cast.getKept() && !rules.groups)
      return verifyKept(cast);
    return success();
  });
  return failure(walk.wasInterrupted());
}
