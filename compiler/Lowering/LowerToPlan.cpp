//===- LowerToPlan.cpp - Groups become steps of a program -----------------===//
#include "compiler/Fusion/GroupKey.h"
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/ProductFusion.h"
#include "compiler/Layout/MatrixAccess.h"
#include "compiler/Lowering/Decompose.h"
#include "compiler/Lowering/FuncBuilder.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Support/Locations.h"
#include "compiler/Support/StepPhases.h"
#include "dialects/Graph/SymbolValues.h"
#include "dialects/Plan/PlanDialect.h"
#include "runtime/plan/CpuAlgorithm.h"
#include "runtime/plan/Workspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace heddle {
#define GEN_PASS_DEF_LOWERTOPLAN
#include "compiler/Lowering/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

int64_t elementBytes(mlir::Type element) { return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8); }

/// Builds the program of one function.
class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp func, plan::ProgramOp program, const llvm::StringMap<int64_t> &symbols,
                 bool tf32)
      : func_(func), program_(program), symbols_(symbols), builder_(program.getContext()), tf32_(tf32),
        phases_(func) {
    builder_.setInsertionPointToEnd(&program.getBody().front());
  }

  LogicalResult build() {
    mlir::Block &block = func_.getBody().front();
    for (mlir::BlockArgument argument : block.getArguments()) {
      auto name = func_.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), kNameAttr);
      plan::BufferOp buffer = addBuffer(argument, plan::Role::Input, name ? name.getValue() : "input");
      if (auto bound = func_.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), kBoundAttr))
        buffer.setIndexLimit(bound.getInt());
      if (auto ignored = func_.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), kIgnoredAttr))
        buffer.setIgnoredIndex(ignored.getInt());
    }
    for (auto [index, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
      auto name = func_.getResultAttrOfType<mlir::StringAttr>(index, kNameAttr);
      plan::BufferOp buffer = addBuffer(value, plan::Role::Output, name ? name.getValue() : "output");
      auto parts = func_.getResultAttrOfType<mlir::ArrayAttr>(index, kGradientAttr);
      if (parts && !parts.empty())
        buffer.setPartsAttr(partsOf(parts, ".grad"));
    }
    llvm::SmallVector<GroupOp> groups;
    llvm::append_range(groups, block.getOps<GroupOp>());
    // Init steps run first, whatever their place in the graph.
    llvm::stable_sort(groups,
                      [&](GroupOp a, GroupOp b) { return phases_.runsOnce(a) > phases_.runsOnce(b); });
    for (GroupOp group : groups)
      if (failed(addGroup(group)))
        return failure();
    program_.setMatrixFlops(llvm::APFloat(flops_));
    return success();
  }

private:
  std::string unique(llvm::StringRef name) {
    std::string result = name.str();
    for (unsigned &uses = names_[name]; !taken_.insert(result).second;)
      result = name.str() + "_" + std::to_string(++uses); // Which may be another's name as well.
    return result;
  }

  plan::BufferOp addBuffer(Value value, plan::Role role, llvm::StringRef wanted) {
    auto type = llvm::cast<RankedTensorType>(value.getType());
    mlir::OpBuilder::InsertionGuard guard(builder_);
    auto plain = RankedTensorType::get(type.getShape(), type.getElementType());
    auto buffer =
        plan::BufferOp::create(builder_, value.getLoc(), unique(wanted), role, plain, nullptr, nullptr,
                               nullptr, nullptr, nullptr, nullptr, locationInPlan(value.getLoc()));
    buffers_[value] = buffer;
    return buffer;
  }

  /// The buffer of a base; made at its first use for leaves and group results.
  plan::BufferOp bufferOf(Value value) {
    value = storageOf(value);
    if (plan::BufferOp known = buffers_.lookup(value))
      return known;
    if (auto parameter = value.getDefiningOp<ParameterOp>())
      return addLeaf(parameter.getResult(), parameter.getParts(), plan::Role::Parameter);
    if (auto state = value.getDefiningOp<StateOp>())
      return addLeaf(state.getResult(), state.getParts(), plan::Role::State);
    if (auto constant = value.getDefiningOp<ConstantOp>()) {
      plan::BufferOp buffer = addBuffer(value, plan::Role::Constant, "constant");
      auto elements = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
      buffer.setDataAttr(elements.reshape(llvm::cast<mlir::ShapedType>(buffer.getType())));
      return buffer;
    }
    auto group = value.getDefiningOp<GroupOp>();
    plan::Role role = plan::Role::Scratch;
    if (keptCast(value))
      role = plan::Role::State;
    else if (phases_.runsOnce(group) && usedLater(value))
      role = plan::Role::Constant;
    return addBuffer(value, role, argumentName(value));
  }

  /// Whether a value that is computed once is read by a step that is not.
  bool usedLater(Value value) {
    for (mlir::Operation *user : value.getUsers()) {
      if (user->hasTrait<ViewLike>()) {
        if (usedLater(user->getResult(0)))
          return true;
        continue;
      }
      auto group = llvm::dyn_cast<GroupOp>(user);
      if (!group)
        group = user->getParentOfType<GroupOp>();
      if (!group || !phases_.runsOnce(group))
        return true;
    }
    return false;
  }

  plan::BufferOp addLeaf(Value leaf, mlir::ArrayAttr parts, plan::Role role) {
    plan::BufferOp buffer = addBuffer(leaf, role, llvm::cast<PartAttr>(parts[0]).getName());
    buffer.setPartsAttr(partsOf(parts, ""));
    return buffer;
  }

  /// Tensors of the state dict, one after the other, their names with `suffix`.
  mlir::ArrayAttr partsOf(mlir::ArrayAttr of, llvm::StringRef suffix) {
    llvm::SmallVector<mlir::Attribute> parts;
    int64_t offset = 0;
    for (PartAttr part : of.getAsRange<PartAttr>()) {
      auto init = part.getInit() == InitKind::Normal ? plan::InitKind::Normal : plan::InitKind::Constant;
      parts.push_back(plan::PartAttr::get(builder_.getContext(), (part.getName() + suffix).str(),
                                          part.getShape(), offset, init, part.getScale()));
      int64_t count = 1;
      for (int64_t extent : part.getShape())
        count *= extent;
      offset += count;
    }
    return builder_.getArrayAttr(parts);
  }

  plan::RefAttr reference(Value value, int64_t elementOffset) {
    plan::BufferOp buffer = bufferOf(value);
    mlir::Type element = llvm::cast<RankedTensorType>(value.getType()).getElementType();
    return plan::RefAttr::get(builder_.getContext(), mlir::FlatSymbolRefAttr::get(buffer.getSymNameAttr()),
                              elementOffset * elementBytes(element));
  }

  /// What a product makes of a sum that it is added to, where nothing else reads the sum and it can be
  /// written over; else null.
  Value writtenOver(Value addend) {
    auto group = addend.hasOneUse() ? (*addend.user_begin())->getParentOfType<GroupOp>() : GroupOp();
    if (!group || group.getKind() != GroupKind::Product || productParts(group).residual != addend)
      return Value();
    Value result = group.getResult(0);
    if (!addend.getDefiningOp<GroupOp>() || storageOf(addend) != addend || storageOf(result) != result ||
        phases_.runsOnce(addend.getDefiningOp()))
      return Value();
    auto from = llvm::cast<RankedTensorType>(addend.getType()),
         to = llvm::cast<RankedTensorType>(result.getType());
    bool same = from.getShape() == to.getShape() && from.getElementType() == to.getElementType();
    return same ? result : Value();
  }

  /// The buffer of a result that a group writes. Sums that are written over have one, which is the output's
  /// where the last of them is an output.
  void addResult(Value result) {
    if (result.use_empty())
      return;
    Value last = result;
    while (Value next = writtenOver(last))
      last = next;
    if (auto found = buffers_.find(last);
        last != result && found != buffers_.end() && found->second.getRole() == plan::Role::Output)
      buffers_.try_emplace(result, found->second);
    plan::BufferOp buffer = bufferOf(result);
    if (Value next = writtenOver(result))
      buffers_.try_emplace(next, buffer);
  }

  LogicalResult addGroup(GroupOp group) {
    // Results first: a buffer keeps the order of the steps that write them. Of attention's gradient one may
    // be neither read nor computed.
    for (Value result : group.getResults())
      addResult(result);
    switch (group.getKind()) {
    case GroupKind::Product:
      return addProduct(group);
    case GroupKind::Attention: {
      AttentionLike attention = *group.getBody().front().getOps<AttentionLike>().begin();
      auto shapeOf = [](Value value) { return llvm::cast<RankedTensorType>(value.getType()).getShape(); };
      llvm::ArrayRef<int64_t> q = shapeOf(attention.getQuery());
      int64_t width = q[3], valueWidth = shapeOf(attention.getValue())[3];
      // The gradient is five products; that scores are computed for several launches is no work of the
      // model's.
      bool forward = llvm::isa<AttentionOp>(attention.getOperation());
      double products = forward ? width + valueWidth : 3 * width + 2 * valueWidth;
      flops_ += 2.0 * q[0] * q[1] * q[2] * shapeOf(attention.getKey())[2] * products;
      llvm::SmallVector<llvm::StringRef, 3> kernels = attentionKernels(group, program_.getDevice());
      if (llvm::is_contained(kernels, kernel::kAttentionBackward)) {
        for (Value result : group.getResults().take_front(3)) // All are computed, read or not.
          bufferOf(result);
        addTurns(group, q);
      }
      for (unsigned part = 0; part < kernels.size(); ++part)
        if (failed(addLaunch(group, part, kernels[part])))
          return failure();
      return success();
    }
    case GroupKind::RowSums:
      return addLaunch(group);
    case GroupKind::Rows: {
      // Also where the kernel is known: kernels that read the result name it after the op that gives it.
      decomposeNamedOps(group);
      mlir::Block &body = group.getBody().front();
      auto concat = llvm::dyn_cast<ConcatOp>(body.front());
      if (!concat || !llvm::hasSingleElement(body.without_terminator()))
        return addLaunch(group);
      // Alone, each part is a copy into its place.
      for (unsigned part = 0; part < concat->getNumOperands(); ++part)
        if (failed(addLaunch(group, part)))
          return failure();
      return success();
    }
    }
    llvm_unreachable("covered switch");
  }

  /// Scratch of one gradient of attention for queries of shape `q`.
  void addTurns(GroupOp group, llvm::ArrayRef<int64_t> q) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    auto type = RankedTensorType::get({q[0], q[1], q[2], 2}, builder_.getI32Type());
    turns_ = plan::BufferOp::create(builder_, group.getLoc(), unique("attention_turns"), plan::Role::Scratch,
                                    type, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                    locationInPlan(group.getLoc()));
  }

  /// What launches of one kernel have in common.
  struct Launch {
    std::string kernel;
    struct Buffer {
      unsigned value; ///< The number in the group's key, or kTurns.
      int64_t offset;
    };
    llvm::SmallVector<Buffer, 6> buffers;
    llvm::SmallVector<int64_t, 4> counts;
  };

  static constexpr unsigned kTurns = ~0u;

  static GroupKey keyOf(GroupOp group, std::optional<unsigned> part) {
    GroupKey key;
    key.addNumber(static_cast<uintptr_t>(group.getKind()));
    key.addNumber(part ? *part + 1 : 0);
    for (Value result : group.getResults()) {
      key.addNumber(result.use_empty()); // Attention's gradient has no part for what is not read.
      key.defineValue(storageOf(result));
    }
    for (mlir::Operation &op : group.getBody().front())
      key.addOp(&op);
    return key;
  }

  /// Lowers a group to a kernel of the program. The same text is one kernel, whichever group it comes from.
  mlir::FailureOr<Launch> lower(GroupOp group, std::optional<unsigned> part, llvm::StringRef attention,
                                const GroupKey &key) {
    std::string reason;
    std::optional<LoweredKernel> kernel =
        group.getKind() == GroupKind::Attention ? lowerAttentionGroup(group, symbols_, reason, attention)
        : group.getKind() == GroupKind::RowSums ? lowerRowSumsGroup(group, symbols_, reason)
                                                : lowerRowsGroup(group, symbols_, reason, part);
    if (!kernel)
      return group.emitError() << "cannot lower the group \"" << group.getLabel() << "\": " << reason;
    std::string wanted = kernel->func->getSymName().str();
    kernel->func->setSymName("kernel");
    std::string text;
    llvm::raw_string_ostream(text) << *kernel->func->getOperation();
    std::string &symbol = kernels_[text];
    if (symbol.empty()) {
      symbol = unique(wanted);
      kernel->func->setSymName(symbol);
      mlir::OpBuilder::InsertionGuard guard(builder_);
      builder_.insert(kernel->func.release());
    }
    Launch launch{symbol, {}, std::move(kernel->counts)};
    for (const LoweredKernel::Buffer &buffer : kernel->buffers)
      launch.buffers.push_back({buffer.value ? key.numberOf(buffer.value) : kTurns, buffer.offset});
    return launch;
  }

  /// A step for a group, or for a part: of a concatenation, or of attention's gradient. Groups of one key
  /// differ in what they read and write alone; the first of them is lowered. `attention` is the part's
  /// kernel.
  LogicalResult addLaunch(GroupOp group, std::optional<unsigned> part = std::nullopt,
                          llvm::StringRef attention = {}) {
    GroupKey key = keyOf(group, part);
    auto found = launches_.find(key.words());
    if (found == launches_.end()) {
      mlir::FailureOr<Launch> launch = lower(group, part, attention, key);
      if (failed(launch))
        return failure();
      found = launches_.emplace(key.words(), std::move(*launch)).first;
    }
    const Launch &launch = found->second;
    llvm::SmallVector<mlir::Attribute> buffers;
    for (const Launch::Buffer &buffer : launch.buffers)
      buffers.push_back(buffer.value == kTurns
                            ? plan::RefAttr::get(builder_.getContext(),
                                                 mlir::FlatSymbolRefAttr::get(turns_.getSymNameAttr()),
                                                 buffer.offset)
                            : reference(key.value(buffer.value), buffer.offset));
    plan::LaunchOp::create(builder_, group.getLoc(), launch.kernel, builder_.getArrayAttr(buffers),
                           launch.counts, phases_.phaseOf(group), nullptr, nullptr, nullptr, group.getLabel(),
                           locationInPlan(group.getLoc()), nullptr);
    return success();
  }

  plan::MatrixAttr matrix(const MatrixAccess &access) {
    mlir::Type element = llvm::cast<RankedTensorType>(access.base.getType()).getElementType();
    return plan::MatrixAttr::get(builder_.getContext(), reference(access.base, access.offset), element,
                                 access.ld, access.batchStride, access.transposed);
  }

  /// What a plan says about how its products are computed: a GPU's library chooses when the plan is loaded.
  mlir::DenseI8ArrayAttr algorithm() {
    if (program_.getDevice() != "cpu" || program_.getPipeline() != "compiled")
      return nullptr;
    llvm::SmallVector<int8_t> bytes(runtime::kTiledProduct.begin(), runtime::kTiledProduct.end());
    return builder_.getDenseI8ArrayAttr(bytes);
  }

  static plan::Epilogue epilogueOf(const ProductParts &parts) {
    using plan::Epilogue;
    if (!parts.activation)
      return parts.bias ? Epilogue::Bias : Epilogue::None;
    if (llvm::isa<SiluOp>(parts.activation))
      return Epilogue::SiluMul;
    if (llvm::isa<ReluOp>(parts.activation))
      return parts.bias ? Epilogue::BiasRelu : Epilogue::Relu;
    return parts.bias ? Epilogue::BiasGeluTanh : Epilogue::GeluTanh;
  }

  LogicalResult addProduct(GroupOp group) {
    ProductParts parts = productParts(group);
    MatmulOp matmul = parts.matmul;
    std::optional<ProductAccess> product = matrixOperands(matmul);
    if (!product)
      return group.emitError("an operand of the product cannot be read in place");
    flops_ += 2.0 * product->m * product->n * product->k * product->batch;
    int64_t columns = llvm::cast<RankedTensorType>(group.getResult(0).getType()).getShape().back();
    MatrixAccess result{group.getResult(0), 0, columns, product->m * columns, false};
    bool low = !matmul.getLhs().getType().getElementType().isF32();
    plan::MathMode math = low ? plan::MathMode::Low : tf32_ ? plan::MathMode::TF32 : plan::MathMode::F32;
    plan::MatrixAttr addend;
    if (parts.residual)
      addend = matrix({parts.residual, 0, product->n, product->m * product->n, false});
    plan::RefAttr bias;
    mlir::TypeAttr biasType;
    if (parts.bias) {
      VectorAccess vector = *columnVector(parts.bias);
      bias = reference(vector.base, vector.offset);
      biasType = mlir::TypeAttr::get(llvm::cast<RankedTensorType>(vector.base.getType()).getElementType());
    }
    plan::ProductOp::create(builder_, group.getLoc(), product->m, product->n, product->k, product->batch,
                            matrix(product->lhs), matrix(product->rhs), addend, matrix(result),
                            llvm::APFloat(1.0), llvm::APFloat(addend ? 1.0 : 0.0), math, epilogueOf(parts),
                            bias, biasType, algorithm(), phases_.phaseOf(group), group.getLabel(),
                            locationInPlan(group.getLoc()));
    return success();
  }

  mlir::func::FuncOp func_;
  plan::ProgramOp program_;
  const llvm::StringMap<int64_t> &symbols_;
  mlir::OpBuilder builder_;
  bool tf32_;
  double flops_ = 0;
  plan::BufferOp turns_; ///< Of the group that is added.
  llvm::DenseMap<Value, plan::BufferOp> buffers_;
  StepPhases phases_;
  llvm::StringMap<unsigned> names_;
  llvm::StringSet<> taken_;
  llvm::StringMap<std::string> kernels_; ///< By text.
  std::map<GroupKey::Words, Launch> launches_;
};

struct LowerToPlanPass : public impl::LowerToPlanBase<LowerToPlanPass> {
  using LowerToPlanBase::LowerToPlanBase;

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    auto func = module.lookupSymbol<mlir::func::FuncOp>("main");
    if (!func) {
      module.emitError("no function @main");
      return signalPassFailure();
    }
    mlir::FailureOr<llvm::StringMap<int64_t>> values = symbolValues(func);
    if (failed(values))
      return signalPassFailure();
    mlir::OpBuilder builder(module.getContext());
    builder.setInsertionPointToEnd(module.getBody());
    llvm::SmallVector<mlir::NamedAttribute> symbols;
    for (auto &symbol : *values)
      symbols.push_back(builder.getNamedAttr(symbol.getKey(), builder.getI64IntegerAttr(symbol.getValue())));
    auto program =
        plan::ProgramOp::create(builder, func.getLoc(), "plan", model, device, target, pipeline, mode,
                                precision, builder.getDictionaryAttr(symbols), /*arenaBytes=*/0,
                                device == "cuda" ? runtime::kCublasWorkspaceBytes : 0, llvm::APFloat(0.0));
    program.getBody().emplaceBlock();
    if (mlir::failed(ProgramBuilder(func, program, *values, precision == "tf32").build()))
      return signalPassFailure();
    func.erase();
  }
};

} // namespace
