//===- PlanSteps.cpp - Launches, products and copies ----------------------===//
//
// What a step says of itself is checked by verify(), what it says of buffers and kernels by
// verifySymbolUses(), which runs when every op of the program has passed verify().
//
//===----------------------------------------------------------------------===//
#include "dialects/Plan/PlanDialect.h"

#include "dialects/Kernel/KernelDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace heddle::plan;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using llvm::Twine;

/// The buffer of a present reference, with `bytes` from its offset on inside the buffer; null after an error.
static BufferOp lookupRange(mlir::Operation *step, mlir::SymbolTableCollection &tables, RefAttr ref,
                            int64_t bytes, const Twine &what) {
  if (!ref.getBuffer()) {
    step->emitOpError() << what << " refers to none, wanted a buffer";
    return nullptr;
  }
  mlir::Operation *symbol = tables.lookupSymbolIn(step->getParentOp(), ref.getBuffer());
  auto buffer = llvm::dyn_cast_or_null<BufferOp>(symbol);
  if (!buffer) {
    mlir::InFlightDiagnostic error = step->emitOpError() << what << " refers to " << ref.getBuffer() << ", ";
    if (symbol)
      error << "a '" << symbol->getName() << "', wanted a plan.buffer";
    else
      error << "wanted a buffer of the program";
    return nullptr;
  }
  int64_t size = buffer.getByteSize();
  if (ref.getByteOffset() > size || bytes > size - ref.getByteOffset()) {
    mlir::InFlightDiagnostic error =
        step->emitOpError() << what << " takes " << bytes << " bytes from byte " << ref.getByteOffset()
                            << " on, wanted them inside the " << size << " bytes of " << ref.getBuffer();
    error.attachNote(buffer.getLoc()) << "the buffer";
    return nullptr;
  }
  return buffer;
}

/// As lookupRange, for elements of a type that the buffer must hold.
static LogicalResult verifyRange(mlir::Operation *step, mlir::SymbolTableCollection &tables, RefAttr ref,
                                 mlir::Type element, int64_t bytes, const Twine &what) {
  BufferOp buffer = lookupRange(step, tables, ref, bytes, what);
  if (!buffer)
    return failure();
  if (buffer.getElementType() != element)
    return step->emitOpError() << what << " has elements " << element << ", wanted those of "
                               << ref.getBuffer() << ", " << buffer.getElementType();
  int64_t width = *elementBytes(element);
  if (ref.getByteOffset() % width)
    return step->emitOpError() << what << " starts at byte " << ref.getByteOffset()
                               << ", wanted a multiple of " << width;
  return success();
}

//===----------------------------------------------------------------------===//
// launch
//===----------------------------------------------------------------------===//

llvm::SmallVector<RefAttr> LaunchOp::getRefs() {
  llvm::SmallVector<RefAttr> refs;
  for (auto ref : getBuffers().getAsRange<RefAttr>())
    if (ref.getBuffer())
      refs.push_back(ref);
  return refs;
}

llvm::ArrayRef<int64_t> LaunchOp::getCountsOf(int64_t instance) {
  size_t each = getCounts().size() / getInstances();
  return getCounts().slice(instance * each, each);
}

llvm::SmallVector<RefAttr> LaunchOp::getBuffersOf(int64_t instance) {
  size_t each = getBuffers().size() / getInstances();
  return llvm::map_to_vector(getBuffers().getValue().slice(instance * each, each),
                             [](mlir::Attribute ref) { return llvm::cast<RefAttr>(ref); });
}

/// Shares are there for several instances alone, and add up to the blocks or items of the launch.
static LogicalResult verifyInstances(LaunchOp launch) {
  auto instances = static_cast<int64_t>(launch.getInstances());
  if (instances < 1)
    return launch.emitOpError() << "instances " << instances << ", wanted at least 1";
  if (launch.getBuffers().size() % instances != 0 || launch.getCounts().size() % instances != 0)
    return launch.emitOpError() << "has " << launch.getBuffers().size() << " buffers and "
                                << launch.getCounts().size() << " counts, wanted as many for each of "
                                << instances << " instances";
  if (instances > 1 && launch.getMaps())
    return launch.emitOpError() << "of " << instances << " instances has tensor maps, wanted none";
  if (!launch.getShares()) {
    if (instances > 1 && (launch.getGrid() || launch.getItems()))
      return launch.emitOpError() << "of " << instances << " instances has no shares, wanted them with "
                                  << (launch.getGrid() ? "grid" : "items");
    return success();
  }
  llvm::ArrayRef<int64_t> shares = *launch.getShares();
  if (static_cast<int64_t>(shares.size()) != instances)
    return launch.emitOpError() << "has " << shares.size() << " shares, wanted one for each of " << instances
                                << " instances";
  int64_t sum = 0;
  for (int64_t share : shares)
    if (share < 0 || llvm::AddOverflow(sum, share, sum))
      return launch.emitOpError() << "has a share of " << share << ", wanted 0 or more that fit in 64 bits";
  bool grid = launch.getGrid() && launch.getGrid()->size() == 3;
  int64_t whole = grid ? (*launch.getGrid())[0] : static_cast<int64_t>(launch.getItems().value_or(0));
  if (sum != whole || (grid && ((*launch.getGrid())[1] != 1 || (*launch.getGrid())[2] != 1)))
    return launch.emitOpError() << "has shares of " << sum << " together, wanted "
                                << (grid ? "a grid of so many along x" : "as many items");
  return success();
}

LogicalResult LaunchOp::verify() {
  if (failed(verifyInstances(*this)))
    return failure();
  if (getGrid()) {
    if (getGrid()->size() != 3)
      return emitOpError() << "grid has " << getGrid()->size() << " extents, wanted 3";
    // CUDA C++ Programming Guide, technical specifications.
    constexpr int64_t kMost[3] = {2147483647, 65535, 65535};
    for (int64_t axis = 0; axis < 3; ++axis)
      if ((*getGrid())[axis] < 1 || (*getGrid())[axis] > kMost[axis])
        return emitOpError() << "grid extent " << axis << " is " << (*getGrid())[axis] << ", wanted 1 to "
                             << kMost[axis];
  }
  if (getItems() && static_cast<int64_t>(*getItems()) < 0)
    return emitOpError() << "items " << static_cast<int64_t>(*getItems()) << ", wanted 0 or more";
  if (getMaps())
    for (auto [index, map] : llvm::enumerate(getMaps()->getAsRange<TensorMapAttr>())) {
      // What the translation relies on; what a map means is said once, by the runtime's verifier.
      if (map.getOperand() < 0 || map.getOperand() >= static_cast<int64_t>(getBuffers().size()))
        return emitOpError() << "tensor map " << index << " is of operand " << map.getOperand()
                             << ", wanted one of " << getBuffers().size();
      if (!map.getElementType().isF32() && !map.getElementType().isBF16() && !map.getElementType().isF16())
        return emitOpError() << "tensor map " << index << " has elements " << map.getElementType()
                             << ", wanted f32, bf16 or f16";
    }
  return success();
}

/// Buffers and counts are those of the function, in number and element types.
static LogicalResult verifyCall(LaunchOp launch, heddle::kernel::FuncOp function,
                                mlir::SymbolTableCollection &tables) {
  auto wanted = function.getBuffers();
  auto instances = static_cast<size_t>(launch.getInstances());
  if (instances > 1 && !function.getBatched()) {
    mlir::InFlightDiagnostic error = launch.emitOpError()
                                     << "has " << instances << " instances, wanted one for @"
                                     << function.getSymName() << ", which is not batched";
    error.attachNote(function.getLoc()) << "the kernel";
    return error;
  }
  if (launch.getBuffers().size() != instances * wanted.size() ||
      launch.getCounts().size() != instances * function.getCounts().size()) {
    mlir::InFlightDiagnostic error =
        launch.emitOpError() << "has " << launch.getBuffers().size() << " buffers and "
                             << launch.getCounts().size() << " counts, wanted " << instances * wanted.size()
                             << " and " << instances * function.getCounts().size() << " for @"
                             << function.getSymName();
    error.attachNote(function.getLoc()) << "the kernel";
    return error;
  }
  for (auto [index, ref] : llvm::enumerate(launch.getBuffers().getAsRange<RefAttr>())) {
    mlir::Type element =
        llvm::cast<heddle::kernel::BufferType>(wanted[index % wanted.size()].getType()).getElementType();
    if (ref.getBuffer() && failed(verifyRange(launch, tables, ref, element, 0, "buffer " + Twine(index))))
      return failure();
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(mlir::SymbolTableCollection &tables) {
  mlir::Operation *kernel = tables.lookupSymbolIn((*this)->getParentOp(), getKernelAttr());
  if (auto function = llvm::dyn_cast_or_null<heddle::kernel::FuncOp>(kernel))
    return verifyCall(*this, function, tables);
  if (!llvm::isa_and_nonnull<KernelOp>(kernel)) {
    mlir::InFlightDiagnostic error = emitOpError() << "kernel " << getKernelAttr() << " is ";
    if (kernel)
      error << "a '" << kernel->getName() << "'";
    else
      error << "not in the program";
    return error << ", wanted a kernel.func or a plan.kernel";
  }
  for (auto [index, ref] : llvm::enumerate(getBuffers().getAsRange<RefAttr>()))
    if (ref.getBuffer() && !lookupRange(*this, tables, ref, 0, "buffer " + Twine(index)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// product
//===----------------------------------------------------------------------===//

llvm::SmallVector<RefAttr> ProductOp::getRefs() {
  llvm::SmallVector<RefAttr> refs = {getA().getRef(), getB().getRef()};
  if (getC())
    refs.push_back(getC()->getRef());
  refs.push_back(getD().getRef());
  if (getBias())
    refs.push_back(*getBias());
  return refs;
}

static bool isFloat(mlir::Type type) { return type.isF32() || type.isBF16() || type.isF16(); }

/// Element type and strides, for a matrix that is stored as rows x columns. `distinct`: its batches are
/// written.
static LogicalResult verifyMatrix(ProductOp op, MatrixAttr matrix, llvm::StringRef name, int64_t rows,
                                  int64_t columns, bool distinct) {
  if (matrix.getTransposed())
    std::swap(rows, columns);
  if (!isFloat(matrix.getElementType()))
    return op.emitOpError() << name << " has elements " << matrix.getElementType()
                            << ", wanted f32, bf16 or f16";
  // One row needs no leading dimension; libraries want a valid one all the same.
  if (matrix.getLd() < std::max<int64_t>(columns, 1))
    return op.emitOpError() << name << " has ld " << matrix.getLd() << ", wanted at least "
                            << std::max<int64_t>(columns, 1);
  if (matrix.getBatchStride() < 0)
    return op.emitOpError() << name << " has batchStride " << matrix.getBatchStride() << ", wanted 0 or more";
  if (distinct && matrix.getBatchStride() == 0 && op.getBatch() > 1)
    return op.emitOpError() << name << " has batchStride 0 for " << op.getBatch()
                            << " matrices, wanted a place for each";
  return success();
}

/// As runtime::resultColumns.
static int64_t resultColumns(ProductOp op) {
  auto n = static_cast<int64_t>(op.getN());
  return op.getEpilogue() == Epilogue::SiluMul ? n / 2 : n;
}

LogicalResult ProductOp::verify() {
  auto m = static_cast<int64_t>(getM()), n = static_cast<int64_t>(getN()), k = static_cast<int64_t>(getK());
  if (m < 1 || n < 1 || k < 0)
    return emitOpError() << "sizes " << m << " x " << n << " x " << k
                         << ", wanted m and n above 0 and k not below";
  if (static_cast<int64_t>(getBatch()) < 1)
    return emitOpError() << "batch " << static_cast<int64_t>(getBatch()) << ", wanted at least 1";
  if (failed(verifyMatrix(*this, getA(), "a", m, k, false)) ||
      failed(verifyMatrix(*this, getB(), "b", k, n, false)) ||
      failed(verifyMatrix(*this, getD(), "d", m, resultColumns(*this), true)))
    return failure();
  if (getEpilogue() == Epilogue::SiluMul && (n % 2 != 0 || getC()))
    return emitOpError() << "epilogue silu_mul with " << n << " columns" << (getC() ? " and c" : "")
                         << ", wanted an even number and no c";
  if (getC() && failed(verifyMatrix(*this, *getC(), "c", m, n, false)))
    return failure();
  if (getD().getTransposed() || (getC() && getC()->getTransposed()))
    return emitOpError() << (getD().getTransposed() ? "d" : "c") << " is transposed, wanted it as it is";
  mlir::Type a = getA().getElementType(), b = getB().getElementType();
  bool low = getMath() == MathMode::Low;
  if (a != b || a.isF32() == low)
    return emitOpError() << "a and b have elements " << a << " and " << b << ", wanted "
                         << (low ? "both bf16 or both f16" : "both f32") << " for math "
                         << stringifyMathMode(getMath());
  if (!getC() && !getBeta().isZero())
    return emitOpError() << "beta is " << getBetaAttr() << " without c, wanted 0 or c";
  bool wantsBias = getEpilogue() == Epilogue::Bias || getEpilogue() == Epilogue::BiasGeluTanh ||
                   getEpilogue() == Epilogue::BiasRelu;
  if (wantsBias != getBias().has_value())
    return emitOpError() << "epilogue " << stringifyEpilogue(getEpilogue())
                         << (getBias() ? " with" : " without") << " a bias, wanted "
                         << (wantsBias ? "one" : "none");
  if (getBias().has_value() != getBiasType().has_value())
    return emitOpError() << "has " << (getBias() ? "a bias" : "a biasType")
                         << " alone, wanted both or neither";
  if (getBiasType() && !isFloat(*getBiasType()))
    return emitOpError() << "bias has elements " << *getBiasType() << ", wanted f32, bf16 or f16";
  if (getAlgorithm() && getAlgorithm()->empty())
    return emitOpError("algorithm is empty, wanted bytes or none given");
  return success();
}

LogicalResult ProductOp::verifySymbolUses(mlir::SymbolTableCollection &tables) {
  auto bounds = [&](MatrixAttr matrix, llvm::StringRef name, int64_t rows, int64_t columns) -> LogicalResult {
    if (matrix.getTransposed())
      std::swap(rows, columns);
    int64_t bytes = 0;
    if (rows && columns) {
      // One past the last element; nothing of 128 bits overflows.
      __int128 elements = static_cast<__int128>(getBatch() - 1) * matrix.getBatchStride() +
                          static_cast<__int128>(rows - 1) * matrix.getLd() + columns;
      int64_t width = *elementBytes(matrix.getElementType());
      bytes = elements > INT64_MAX / width ? INT64_MAX : static_cast<int64_t>(elements) * width;
    }
    return verifyRange(*this, tables, matrix.getRef(), matrix.getElementType(), bytes, name);
  };
  auto m = static_cast<int64_t>(getM()), n = static_cast<int64_t>(getN()), k = static_cast<int64_t>(getK());
  if (failed(bounds(getA(), "a", m, k)) || failed(bounds(getB(), "b", k, n)) ||
      failed(bounds(getD(), "d", m, resultColumns(*this))))
    return failure();
  if (getC() && failed(bounds(*getC(), "c", m, n)))
    return failure();
  if (!getBias())
    return success();
  int64_t biasBytes = 0;
  if (llvm::MulOverflow(n, *elementBytes(*getBiasType()), biasBytes))
    biasBytes = INT64_MAX;
  return verifyRange(*this, tables, *getBias(), *getBiasType(), biasBytes, "bias");
}

//===----------------------------------------------------------------------===//
// copy
//===----------------------------------------------------------------------===//

llvm::SmallVector<RefAttr> CopyOp::getRefs() { return {getSource(), getDestination()}; }

LogicalResult CopyOp::verify() {
  auto bytes = static_cast<int64_t>(getBytes());
  if (bytes < 0)
    return emitOpError() << "bytes " << bytes << ", wanted 0 or more";
  if (getSource().getBuffer() != getDestination().getBuffer())
    return success();
  // The distance of two offsets that are 0 or more fits.
  int64_t distance = getSource().getByteOffset() - getDestination().getByteOffset();
  if (std::abs(distance) < bytes)
    return emitOpError() << "of " << bytes << " bytes inside " << getSource().getBuffer() << " from byte "
                         << getSource().getByteOffset() << " to byte " << getDestination().getByteOffset()
                         << ", wanted ranges that do not overlap";
  return success();
}

LogicalResult CopyOp::verifySymbolUses(mlir::SymbolTableCollection &tables) {
  auto bytes = static_cast<int64_t>(getBytes());
  return success(lookupRange(*this, tables, getSource(), bytes, "source") &&
                 lookupRange(*this, tables, getDestination(), bytes, "destination"));
}
