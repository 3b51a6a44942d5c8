//===- ToRuntime.cpp - From the plan dialect to the runtime's plan --------===//
#include "compiler/Plan/Artifact.h"

#include "dialects/Kernel/KernelDialect.h"

#include "llvm/ADT/DenseMap.h"

using namespace heddle;
using namespace heddle::plan;
using runtime::DType;

std::optional<DType> heddle::plan::dtypeOf(mlir::Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF16())
    return DType::F16;
  if (type.isSignlessInteger(32))
    return DType::I32;
  if (type.isSignlessInteger(64))
    return DType::I64;
  if (type.isSignlessInteger(1))
    return DType::Bool;
  if (type.isUnsignedInteger(8))
    return DType::U8;
  return std::nullopt;
}

// Enumerations have the same numbers on both sides.
static_assert(static_cast<int>(Role::Scratch) == static_cast<int>(runtime::BufferRole::Scratch));
static_assert(static_cast<int>(Phase::Optimizer) == static_cast<int>(runtime::Phase::Optimizer));
static_assert(static_cast<int>(Language::Cpu) == static_cast<int>(runtime::KernelLanguage::Cpu));
static_assert(static_cast<int>(Epilogue::SiluMul) == static_cast<int>(runtime::Epilogue::SiluMul));
static_assert(static_cast<int>(MathMode::Low) == static_cast<int>(runtime::MathMode::Low));
static_assert(static_cast<int>(Swizzle::Bytes128) == static_cast<int>(runtime::Swizzle::Bytes128));
static_assert(static_cast<int>(InitKind::Constant) == static_cast<int>(runtime::InitKind::Constant));

namespace {

std::vector<uint8_t> bytesOf(std::optional<llvm::ArrayRef<int8_t>> values) {
  if (!values)
    return {};
  return {values->begin(), values->end()};
}

/// Raw elements, row-major; a splat is written out, and i1 takes a byte each.
std::vector<uint8_t> bytesOf(mlir::DenseElementsAttr data) {
  std::vector<uint8_t> bytes;
  if (data.getElementType().isInteger(1)) {
    for (bool value : data.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  llvm::ArrayRef<char> raw = data.getRawData();
  bytes.reserve(raw.size() * (data.isSplat() ? static_cast<size_t>(data.getNumElements()) : 1));
  for (int64_t copy = 0; copy < (data.isSplat() ? data.getNumElements() : 1); ++copy)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

/// Fills a plan op by op; buffers and kernels before the steps that name them.
class Translator {
public:
  explicit Translator(ProgramOp program) : program(program) {}

  llvm::FailureOr<runtime::Plan> run() {
    header();
    for (BufferOp op : program.getBuffers())
      buffer(op);
    for (mlir::Operation &op : program.getBody().front()) {
      if (auto function = llvm::dyn_cast<heddle::kernel::FuncOp>(op))
        return function.emitOpError("is not compiled, wanted a plan.kernel");
      if (auto kernelOp = llvm::dyn_cast<KernelOp>(op))
        kernel(kernelOp);
    }
    for (StepInterface op : program.getSteps())
      if (failed(step(op)))
        return llvm::failure();
    return std::move(plan);
  }

private:
  void header() {
    plan.model = program.getModel().str();
    plan.device = program.getDevice().str();
    plan.target = program.getTarget().str();
    plan.pipeline = program.getPipeline().str();
    plan.mode = program.getMode().str();
    plan.precision = program.getPrecision().str();
    for (mlir::NamedAttribute symbol : program.getSymbols())
      plan.symbols.push_back(
          {symbol.getName().str(), llvm::cast<mlir::IntegerAttr>(symbol.getValue()).getInt()});
    plan.arenaBytes = static_cast<int64_t>(program.getArenaBytes());
    plan.workspaceBytes = static_cast<int64_t>(program.getWorkspaceBytes());
    plan.matrixFlops = program.getMatrixFlops().convertToDouble();
  }

  void buffer(BufferOp op) {
    indices[op.getSymNameAttr()] = static_cast<int32_t>(plan.buffers.size());
    runtime::Buffer &buffer = plan.buffers.emplace_back();
    buffer.name = op.getSymName().str();
    buffer.role = static_cast<runtime::BufferRole>(op.getRole());
    buffer.dtype = *dtypeOf(op.getElementType());
    buffer.shape = op.getTensorType().getShape().vec();
    buffer.bytes = op.getByteSize();
    buffer.indexLimit = static_cast<int64_t>(op.getIndexLimit());
    buffer.panel = static_cast<int64_t>(op.getPanel());
    buffer.pitch = static_cast<int64_t>(op.getPitch());
    if (op.getIgnoredIndex())
      buffer.ignoredIndex = static_cast<int64_t>(*op.getIgnoredIndex());
    if (op.getOffset())
      buffer.offset = static_cast<int64_t>(*op.getOffset());
    if (op.getFirstStep()) {
      buffer.firstStep = static_cast<int32_t>(*op.getFirstStep());
      buffer.lastStep = static_cast<int32_t>(*op.getLastStep());
    }
    if (op.getParts())
      for (auto part : op.getParts()->getAsRange<PartAttr>())
        buffer.parts.push_back({part.getName().str(), part.getShape().vec(), part.getElementOffset(),
                                static_cast<runtime::InitKind>(part.getInit()),
                                part.getScale().getValueAsDouble()});
    if (op.getData())
      buffer.data = bytesOf(llvm::cast<mlir::DenseElementsAttr>(*op.getData()));
    buffer.location = op.getLocation().str();
  }

  void kernel(KernelOp op) {
    indices[op.getSymNameAttr()] = static_cast<int32_t>(plan.kernels.size());
    runtime::Kernel &kernel = plan.kernels.emplace_back();
    kernel.name = op.getSymName().str();
    kernel.language = static_cast<runtime::KernelLanguage>(op.getLanguage());
    kernel.source = op.getSource().str();
    kernel.binary = bytesOf(op.getBinary());
    kernel.target = op.getTarget().str();
    kernel.threads = static_cast<int32_t>(op.getThreads());
    kernel.sharedBytes = static_cast<int32_t>(op.getSharedBytes());
  }

  int32_t indexOf(mlir::FlatSymbolRefAttr symbol) const { return indices.at(symbol.getAttr()); }

  runtime::BufferRef ref(RefAttr attr) const {
    if (!attr.getBuffer())
      return {};
    return {indexOf(attr.getBuffer()), attr.getByteOffset()};
  }

  runtime::MatrixRef matrix(MatrixAttr attr) const {
    return {ref(attr.getRef()), *dtypeOf(attr.getElementType()), attr.getLd(), attr.getBatchStride(),
            attr.getTransposed()};
  }

  llvm::LogicalResult step(StepInterface op) {
    runtime::Step &step = plan.steps.emplace_back();
    step.phase = static_cast<runtime::Phase>(op.getPhase());
    step.label = op.getLabel().str();
    if (auto launchOp = llvm::dyn_cast<LaunchOp>(*op))
      return launch(launchOp, step);
    if (auto productOp = llvm::dyn_cast<ProductOp>(*op))
      product(productOp, step);
    else
      copy(llvm::cast<CopyOp>(*op), step);
    return llvm::success();
  }

  llvm::LogicalResult launch(LaunchOp op, runtime::Step &step) {
    bool cuda = program.getDevice() == "cuda";
    if (cuda && !op.getGrid())
      return op.emitOpError("has no grid, wanted one for device cuda");
    if (!cuda && !op.getItems())
      return op.emitOpError("has no items, wanted them for device cpu");
    step.kind = runtime::StepKind::Launch;
    step.location = op.getLocation().str();
    step.launch.kernel = indexOf(op.getKernelAttr());
    for (auto attr : op.getBuffers().getAsRange<RefAttr>())
      step.launch.buffers.push_back(ref(attr));
    step.launch.counts = op.getCounts().vec();
    if (op.getGrid())
      llvm::copy(*op.getGrid(), step.launch.grid.begin());
    if (op.getItems())
      step.launch.items = static_cast<int64_t>(*op.getItems());
    if (op.getShares())
      step.launch.shares = op.getShares()->vec();
    if (op.getMaps())
      for (auto map : op.getMaps()->getAsRange<TensorMapAttr>())
        step.launch.maps.push_back({static_cast<int32_t>(map.getOperand()), *dtypeOf(map.getElementType()),
                                    map.getExtents().vec(), map.getStrides().vec(), map.getBox().vec(),
                                    static_cast<runtime::Swizzle>(map.getSwizzle())});
    return llvm::success();
  }

  void product(ProductOp op, runtime::Step &step) {
    step.kind = runtime::StepKind::Product;
    step.location = op.getLocation().str();
    runtime::Product &product = step.product;
    product.m = static_cast<int64_t>(op.getM());
    product.n = static_cast<int64_t>(op.getN());
    product.k = static_cast<int64_t>(op.getK());
    product.batch = static_cast<int64_t>(op.getBatch());
    product.a = matrix(op.getA());
    product.b = matrix(op.getB());
    if (op.getC())
      product.c = matrix(*op.getC());
    product.d = matrix(op.getD());
    product.alpha = op.getAlpha().convertToDouble();
    product.beta = op.getBeta().convertToDouble();
    product.math = static_cast<runtime::MathMode>(op.getMath());
    product.epilogue = static_cast<runtime::Epilogue>(op.getEpilogue());
    if (op.getBias()) {
      product.bias = ref(*op.getBias());
      product.biasType = *dtypeOf(*op.getBiasType());
    }
    product.algorithm = bytesOf(op.getAlgorithm());
  }

  void copy(CopyOp op, runtime::Step &step) {
    step.kind = runtime::StepKind::Copy;
    step.location = op.getLocation().str();
    step.copy = {ref(op.getSource()), ref(op.getDestination()), static_cast<int64_t>(op.getBytes())};
  }

  ProgramOp program;
  runtime::Plan plan;
  llvm::DenseMap<mlir::StringAttr, int32_t> indices; ///< Of a buffer or a kernel in its own list.
};

} // namespace

llvm::FailureOr<runtime::Plan> heddle::plan::toRuntimePlan(ProgramOp program) {
  return Translator(program).run();
}
