//===- ReferenceProgram.cpp - The oracle's program of a graph -------------===//
#include "compiler/Plan/ReferenceProgram.h"
#include "compiler/Support/Locations.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle;
using namespace heddle::graph;
using runtime::DType;
using runtime::Status;
namespace reference = heddle::runtime::reference;

static DType dtypeOf(mlir::Type element) {
  if (element.isF32())
    return DType::F32;
  if (element.isBF16())
    return DType::BF16;
  if (element.isF16())
    return DType::F16;
  if (element.isInteger(1))
    return DType::Bool;
  return element.isInteger(32) ? DType::I32 : DType::I64;
}

/// One element where all are equal.
static std::vector<double> elementsOf(mlir::DenseElementsAttr attr) {
  std::vector<double> elements;
  auto widen = [](llvm::APFloat value) {
    bool inexact = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return value.convertToDouble();
  };
  mlir::Type element = attr.getElementType();
  auto number = [&](const llvm::APInt &value) {
    return element.isInteger(1) ? static_cast<double>(value.getZExtValue())
                                : static_cast<double>(value.getSExtValue());
  };
  bool floating = llvm::isa<mlir::FloatType>(element);
  if (attr.isSplat()) {
    elements.push_back(floating ? widen(attr.getSplatValue<llvm::APFloat>())
                                : number(attr.getSplatValue<llvm::APInt>()));
    return elements;
  }
  elements.reserve(attr.getNumElements());
  if (floating)
    for (const llvm::APFloat &value : attr.getValues<llvm::APFloat>())
      elements.push_back(widen(value));
  else
    for (const llvm::APInt &value : attr.getValues<llvm::APInt>())
      elements.push_back(number(value));
  return elements;
}

namespace {

class ProgramBuilder {
public:
  runtime::StatusOr<reference::Program> build(mlir::func::FuncOp main);

private:
  int32_t add(mlir::Value value);
  Status visit(mlir::Operation &op);
  void parameter(ParameterOp op);
  void state(StateOp op);
  void addOutputs(int32_t value, mlir::ArrayAttr parts, llvm::StringRef suffix);
  static void attributes(mlir::Operation &op, reference::Operation &out);

  reference::Program program_;
  llvm::DenseMap<mlir::Value, int32_t> index_;
};

} // namespace

int32_t ProgramBuilder::add(mlir::Value value) {
  auto index = static_cast<int32_t>(program_.values.size());
  mlir::RankedTensorType type = typeOf(value);
  program_.values.push_back({dtypeOf(type.getElementType()), type.getShape().vec()});
  index_[value] = index;
  return index;
}

void ProgramBuilder::parameter(ParameterOp op) {
  std::vector<runtime::ParameterPart> parts;
  int64_t offset = 0;
  for (PartAttr attr : op.getParts().getAsRange<PartAttr>()) {
    runtime::ParameterPart part;
    part.name = attr.getName().str();
    part.shape = attr.getShape().vec();
    part.elementOffset = offset;
    part.init = attr.getInit() == InitKind::Normal ? runtime::InitKind::Normal : runtime::InitKind::Constant;
    part.scale = attr.getScale().getValueAsDouble();
    int64_t count = 1;
    for (int64_t extent : part.shape)
      count *= extent;
    offset += count;
    parts.push_back(std::move(part));
  }
  program_.parameters.emplace_back(std::move(parts), add(op.getResult()));
}

/// States begin as constants.
void ProgramBuilder::state(StateOp op) {
  std::vector<double> elements;
  for (PartAttr part : op.getParts().getAsRange<PartAttr>()) {
    int64_t count = 1;
    for (int64_t extent : part.getShape())
      count *= extent;
    elements.insert(elements.end(), static_cast<size_t>(count), part.getScale().getValueAsDouble());
  }
  if (llvm::all_equal(elements))
    elements.resize(1);
  program_.constants.emplace_back(std::move(elements), add(op.getResult()));
}

/// The parts of a value, one output each.
void ProgramBuilder::addOutputs(int32_t value, mlir::ArrayAttr parts, llvm::StringRef suffix) {
  int64_t offset = 0;
  for (PartAttr part : parts.getAsRange<PartAttr>()) {
    int32_t output = value;
    if (parts.size() > 1) {
      output = static_cast<int32_t>(program_.values.size());
      program_.values.push_back({program_.values[value].dtype, part.getShape().vec()});
      reference::Operation slice;
      slice.name = "slice";
      slice.operands = {value};
      slice.results = {output};
      slice.ints["offsets"].assign(part.getShape().size(), 0);
      slice.ints["offsets"][0] = offset;
      slice.ints["strides"].assign(part.getShape().size(), 1);
      program_.operations.push_back(std::move(slice));
      offset += part.getShape().front();
    }
    program_.outputs.emplace_back((part.getName() + suffix).str(), output);
  }
}

void ProgramBuilder::attributes(mlir::Operation &op, reference::Operation &out) {
  llvm::TypeSwitch<mlir::Operation *>(&op)
      .Case([&](IotaOp iota) { out.ints["axis"] = {static_cast<int64_t>(iota.getAxis())}; })
      .Case([&](SoftmaxOp softmax) { out.ints["axis"] = {typeOf(softmax.getResult()).getRank() - 1}; })
      .Case([&](ConcatOp concat) { out.ints["axis"] = {static_cast<int64_t>(concat.getAxis())}; })
      .Case([&](TransposeOp transpose) { out.ints["permutation"] = transpose.getPermutation().vec(); })
      .Case([&](SliceOp slice) {
        out.ints["offsets"] = slice.getOffsets().vec();
        out.ints["strides"] = slice.getStrides().vec();
      })
      .Case([&](ReduceOp reduce) {
        out.strings["kind"] = stringifyReduceKind(reduce.getKind()).str();
        out.ints["axes"] = reduce.getAxes().vec();
      })
      .Case([&](CompareOp compare) {
        out.strings["predicate"] = stringifyPredicate(compare.getPredicate()).str();
      })
      .Case<GeluOp, GeluGradOp>(
          [&](auto gelu) { out.strings["approximate"] = gelu.getForm() == GeluForm::Erf ? "none" : "tanh"; })
      .Case([&](DropoutOp dropout) {
        out.ints["layer"] = {static_cast<int64_t>(dropout.getLayer())};
        out.floats["probability"] = dropout.getProbability().convertToDouble();
      })
      .Case<CrossEntropyOp, CrossEntropyGradOp>([&](auto loss) {
        out.ints["ignored"] = {static_cast<int64_t>(loss.getIgnored())};
        out.floats["smoothing"] = loss.getSmoothing().convertToDouble();
      })
      .Case([&](RmsNormOp norm) { out.floats["epsilon"] = norm.getEpsilon().convertToDouble(); })
      .Case([&](LayerNormOp norm) {
        out.floats["epsilon"] = norm.getEpsilon().convertToDouble();
        out.ints["has_bias"] = {norm.getBias() ? 1 : 0};
      })
      .Case([&](AttentionLike attention) {
        out.floats["scale"] = attention.getScale().convertToDouble();
        if (attention.getSoftcap())
          out.floats["softcap"] = attention.getSoftcap()->convertToDouble();
        out.ints["causal"] = {attention.getCausal() ? 1 : 0};
        if (attention.getWindow())
          out.ints["window"] = {static_cast<int64_t>(*attention.getWindow())};
        out.ints["has_mask"] = {attention.getMask() ? 1 : 0};
        out.ints["has_bias"] = {attention.getBias() ? 1 : 0};
      })
      .Default([](mlir::Operation *) {}); // The rest has no attributes that change values.
}

Status ProgramBuilder::visit(mlir::Operation &op) {
  if (auto weight = llvm::dyn_cast<ParameterOp>(op)) {
    parameter(weight);
    return Status::ok();
  }
  if (auto kept = llvm::dyn_cast<StateOp>(op)) {
    state(kept);
    return Status::ok();
  }
  if (auto assign = llvm::dyn_cast<AssignOp>(op)) {
    if (keptCast(assign.getLeaf())) // Computed again from the parameter.
      return Status::ok();
    auto parts = assign.getLeaf().getDefiningOp()->getAttrOfType<mlir::ArrayAttr>("parts");
    addOutputs(index_.at(assign.getValue()), parts, "");
    return Status::ok();
  }
  if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
    auto dense = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
    program_.constants.emplace_back(elementsOf(dense), add(constant.getResult()));
    return Status::ok();
  }
  if (auto group = llvm::dyn_cast<GroupOp>(op)) {
    for (mlir::Operation &inner : group.getBody().front().without_terminator())
      HEDDLE_RETURN_IF_ERROR(visit(inner));
    auto yield = llvm::cast<YieldOp>(group.getBody().front().getTerminator());
    for (auto [result, value] : llvm::zip_equal(group.getResults(), yield.getValues()))
      index_[result] = index_.at(value);
    return Status::ok();
  }
  if (!llvm::isa<GraphDialect>(op.getDialect()))
    return runtime::internalError("'" + op.getName().getStringRef().str() +
                                  "' has no meaning for the reference");
  reference::Operation out;
  out.name = op.getName().stripDialect().str();
  out.location = locationText(op.getLoc());
  for (mlir::Value operand : op.getOperands())
    out.operands.push_back(index_.at(operand));
  for (mlir::Value result : op.getResults())
    out.results.push_back(add(result));
  attributes(op, out);
  program_.operations.push_back(std::move(out));
  return Status::ok();
}

runtime::StatusOr<reference::Program> ProgramBuilder::build(mlir::func::FuncOp main) {
  for (mlir::BlockArgument argument : main.getArguments())
    program_.inputs.emplace_back(
        main.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), kNameAttr).str(), add(argument));
  mlir::Block &body = main.getBody().front();
  for (mlir::Operation &op : body.without_terminator())
    HEDDLE_RETURN_IF_ERROR(visit(op));
  for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (auto parts = main.getResultAttrOfType<mlir::ArrayAttr>(number, kGradientAttr);
        parts && !parts.empty())
      addOutputs(index_.at(value), parts, ".grad");
    else
      program_.outputs.emplace_back(main.getResultAttrOfType<mlir::StringAttr>(number, kNameAttr).str(),
                                    index_.at(value));
  return std::move(program_);
}

runtime::StatusOr<reference::Program> heddle::buildReferenceProgram(mlir::ModuleOp module) {
  if (failed(verifyGraphModule(module, {.groups = true})))
    return runtime::internalError("the reference was asked for a module that is no graph");
  return ProgramBuilder().build(mainFunction(module));
}
