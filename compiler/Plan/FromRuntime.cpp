//===- FromRuntime.cpp - From the runtime's plan to the plan dialect ------===//
#include "compiler/Plan/Artifact.h"
#include "runtime/plan/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace heddle;
using namespace heddle::plan;
using runtime::DType;
using runtime::invalidInput;
using runtime::Status;

mlir::Type heddle::plan::typeOf(mlir::MLIRContext *context, DType dtype) {
  mlir::Builder builder(context);
  switch (dtype) {
  case DType::F32:
    return builder.getF32Type();
  case DType::BF16:
    return builder.getBF16Type();
  case DType::F16:
    return builder.getF16Type();
  case DType::I32:
    return builder.getI32Type();
  case DType::I64:
    return builder.getI64Type();
  case DType::Bool:
    return builder.getI1Type();
  case DType::U8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  }
  llvm_unreachable("element types are verified");
}

namespace {

/// What a verified plan may have and the dialect has no form for.
Status verifyForms(const runtime::Plan &plan) {
  llvm::StringSet<> names;
  auto symbol = [&](const std::string &name, const char *what) -> Status {
    if (name.empty())
      return invalidInput(std::string("plan: a ") + what + " without a name, wanted one for the dialect");
    if (!names.insert(name).second)
      return invalidInput("plan: two buffers or kernels are named " + name + ", wanted one for the dialect");
    return Status::ok();
  };
  for (const runtime::Buffer &buffer : plan.buffers)
    HEDDLE_RETURN_IF_ERROR(symbol(buffer.name, "buffer"));
  for (const runtime::Kernel &kernel : plan.kernels)
    HEDDLE_RETURN_IF_ERROR(symbol(kernel.name, "kernel"));
  for (size_t i = 0; i < plan.symbols.size(); ++i) {
    if (plan.symbols[i].name.empty())
      return invalidInput("plan: a symbol without a name, wanted one for the dialect");
    if (i && plan.symbols[i - 1].name >= plan.symbols[i].name)
      return invalidInput("plan: symbol " + plan.symbols[i].name + " after " + plan.symbols[i - 1].name +
                          ", wanted them sorted by name");
  }
  for (const runtime::Step &step : plan.steps) {
    const runtime::Product &product = step.product;
    if (!product.bias.present() && product.biasType != DType::F32)
      return invalidInput("plan: step " + step.label + ": a bias type without a bias, wanted none");
    const runtime::MatrixRef &c = product.c;
    if (!c.ref.present() && (c.dtype != DType::F32 || c.ld || c.batchStride || c.transposed))
      return invalidInput("plan: step " + step.label + ": strides or a type of c without c, wanted none");
  }
  return Status::ok();
}

/// Builds the ops in the order of the plan's lists. Attributes at their defaults are left out.
class Builder {
public:
  Builder(mlir::MLIRContext *context, const runtime::Plan &plan)
      : b(context), plan(plan), loc(b.getUnknownLoc()) {}

  mlir::OwningOpRef<mlir::ModuleOp> run() {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    b.setInsertionPointToStart(module->getBody());
    llvm::SmallVector<mlir::NamedAttribute> symbols;
    for (const runtime::SymbolValue &symbol : plan.symbols)
      symbols.push_back(b.getNamedAttr(symbol.name, b.getI64IntegerAttr(symbol.value)));
    auto program = ProgramOp::create(b, loc, "plan", plan.model, plan.device, plan.target, plan.pipeline,
                                     plan.mode, plan.precision, b.getDictionaryAttr(symbols), plan.arenaBytes,
                                     plan.workspaceBytes, llvm::APFloat(plan.matrixFlops));
    b.setInsertionPointToStart(&program.getBody().emplaceBlock());
    for (const runtime::Buffer &value : plan.buffers)
      buffer(value);
    for (const runtime::Kernel &value : plan.kernels)
      KernelOp::create(b, loc, value.name, static_cast<Language>(value.language), value.target, value.source,
                       bytes(value.binary), value.threads, value.sharedBytes);
    for (const runtime::Step &value : plan.steps)
      step(value);
    return module;
  }

private:
  /// Null where there are no bytes.
  mlir::DenseI8ArrayAttr bytes(const std::vector<uint8_t> &values) {
    if (values.empty())
      return {};
    return b.getDenseI8ArrayAttr({reinterpret_cast<const int8_t *>(values.data()), values.size()});
  }

  /// Null for `absent`.
  mlir::IntegerAttr integer(int64_t value, int64_t absent) {
    return value == absent ? mlir::IntegerAttr() : b.getI64IntegerAttr(value);
  }

  mlir::ElementsAttr elements(mlir::RankedTensorType type, const std::vector<uint8_t> &data) {
    if (data.empty())
      return {};
    if (!type.getElementType().isInteger(1))
      return mlir::DenseElementsAttr::getFromRawBuffer(
          type, {reinterpret_cast<const char *>(data.data()), data.size()});
    llvm::SmallVector<bool> values;
    for (uint8_t value : data)
      values.push_back(value != 0);
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(values));
  }

  void buffer(const runtime::Buffer &value) {
    auto type = mlir::RankedTensorType::get(value.shape, typeOf(b.getContext(), value.dtype));
    llvm::SmallVector<mlir::Attribute> parts;
    for (const runtime::ParameterPart &part : value.parts)
      parts.push_back(PartAttr::get(b.getContext(), part.name, part.shape, part.elementOffset,
                                    static_cast<InitKind>(part.init), b.getF64FloatAttr(part.scale)));
    BufferOp::create(b, loc, b.getStringAttr(value.name),
                     RoleAttr::get(b.getContext(), static_cast<Role>(value.role)), mlir::TypeAttr::get(type),
                     parts.empty() ? mlir::ArrayAttr() : b.getArrayAttr(parts), elements(type, value.data),
                     integer(value.offset, runtime::Buffer::kUnplaced), integer(value.firstStep, -1),
                     integer(value.lastStep, -1),
                     value.ignoredIndex ? b.getI64IntegerAttr(*value.ignoredIndex) : mlir::IntegerAttr(),
                     b.getStringAttr(value.location),
                     b.getI64IntegerAttr(value.bytes == *tensorBytes(type) ? 0 : value.bytes),
                     b.getI64IntegerAttr(value.indexLimit), b.getI64IntegerAttr(value.panel),
                     b.getI64IntegerAttr(value.pitch));
  }

  mlir::FlatSymbolRefAttr symbol(const std::string &name) {
    return mlir::FlatSymbolRefAttr::get(b.getContext(), name);
  }

  RefAttr ref(const runtime::BufferRef &value) {
    if (!value.present())
      return RefAttr::get(b.getContext(), {}, 0);
    return RefAttr::get(b.getContext(), symbol(plan.buffers[static_cast<size_t>(value.buffer)].name),
                        value.byteOffset);
  }

  MatrixAttr matrix(const runtime::MatrixRef &value) {
    return MatrixAttr::get(b.getContext(), ref(value.ref), typeOf(b.getContext(), value.dtype), value.ld,
                           value.batchStride, value.transposed);
  }

  void step(const runtime::Step &value) {
    auto phase = PhaseAttr::get(b.getContext(), static_cast<Phase>(value.phase));
    mlir::StringAttr label = b.getStringAttr(value.label), location = b.getStringAttr(value.location);
    switch (value.kind) {
    case runtime::StepKind::Launch: {
      const runtime::Launch &launch = value.launch;
      llvm::SmallVector<mlir::Attribute> refs;
      for (const runtime::BufferRef &buffer : launch.buffers)
        refs.push_back(ref(buffer));
      llvm::SmallVector<mlir::Attribute> maps;
      for (const runtime::TensorMap &map : launch.maps)
        maps.push_back(TensorMapAttr::get(b.getContext(), map.operand, typeOf(b.getContext(), map.dtype),
                                          map.extents, map.strides, map.box,
                                          static_cast<Swizzle>(map.swizzle)));
      bool cuda = plan.device == "cuda";
      bool grid = cuda || launch.grid != std::array<int64_t, 3>{1, 1, 1};
      LaunchOp::create(b, loc, symbol(plan.kernels[static_cast<size_t>(launch.kernel)].name),
                       b.getArrayAttr(refs), b.getDenseI64ArrayAttr(launch.counts), phase,
                       grid ? b.getDenseI64ArrayAttr(launch.grid) : mlir::DenseI64ArrayAttr(),
                       cuda ? integer(launch.items, 0) : b.getI64IntegerAttr(launch.items),
                       maps.empty() ? mlir::ArrayAttr() : b.getArrayAttr(maps), label, location,
                       launch.shares.empty() ? mlir::DenseI64ArrayAttr()
                                             : b.getDenseI64ArrayAttr(launch.shares),
                       b.getI64IntegerAttr(runtime::instancesOf(launch)));
      return;
    }
    case runtime::StepKind::Product: {
      const runtime::Product &product = value.product;
      bool bias = product.bias.present();
      ProductOp::create(b, loc, b.getI64IntegerAttr(product.m), b.getI64IntegerAttr(product.n),
                        b.getI64IntegerAttr(product.k), b.getI64IntegerAttr(product.batch), matrix(product.a),
                        matrix(product.b), product.c.ref.present() ? matrix(product.c) : MatrixAttr(),
                        matrix(product.d), b.getF64FloatAttr(product.alpha), b.getF64FloatAttr(product.beta),
                        MathModeAttr::get(b.getContext(), static_cast<MathMode>(product.math)),
                        EpilogueAttr::get(b.getContext(), static_cast<Epilogue>(product.epilogue)),
                        bias ? ref(product.bias) : RefAttr(),
                        bias ? mlir::TypeAttr::get(typeOf(b.getContext(), product.biasType))
                             : mlir::TypeAttr(),
                        bytes(product.algorithm), phase, label, location);
      return;
    }
    case runtime::StepKind::Copy:
      CopyOp::create(b, loc, ref(value.copy.source), ref(value.copy.destination),
                     b.getI64IntegerAttr(value.copy.bytes), phase, label, location);
    }
  }

  mlir::OpBuilder b;
  const runtime::Plan &plan;
  mlir::Location loc;
};

} // namespace

runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
heddle::plan::fromRuntimePlan(mlir::MLIRContext *context, const runtime::Plan &plan) {
  // Indices are followed blindly from here on.
  HEDDLE_RETURN_IF_ERROR(runtime::verifyPlan(plan));
  HEDDLE_RETURN_IF_ERROR(verifyForms(plan));
  context->loadDialect<PlanDialect>();
  std::string reason;
  // The dialect is stricter in places (rows of length 1, types of views): its own words, as a status.
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && reason.empty())
      reason = diagnostic.str();
    return llvm::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = Builder(context, plan).run();
  if (failed(mlir::verify(*module)))
    return invalidInput("plan: " + reason);
  return module;
}
