//===- PlanOps.cpp - Program, buffers and kernels -------------------------===//
#include "dialects/Plan/PlanDialect.h"

#include "dialects/Kernel/KernelDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace heddle::plan;
using llvm::LogicalResult;
using llvm::success;

#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

//===----------------------------------------------------------------------===//
// program
//===----------------------------------------------------------------------===//

llvm::SmallVector<StepInterface> ProgramOp::getSteps() {
  return llvm::to_vector(getBody().getOps<StepInterface>());
}

LogicalResult ProgramOp::verify() {
  if (getDevice() != "cpu" && getDevice() != "cuda")
    return emitOpError() << "device \"" << getDevice() << "\", wanted \"cpu\" or \"cuda\"";
  for (mlir::NamedAttribute symbol : getSymbols()) {
    auto value = llvm::dyn_cast<mlir::IntegerAttr>(symbol.getValue());
    if (!value || !value.getType().isSignlessInteger(64))
      return emitOpError() << "symbol \"" << symbol.getName().getValue() << "\" is " << symbol.getValue()
                           << ", wanted an i64";
  }
  auto arena = static_cast<int64_t>(getArenaBytes()), workspace = static_cast<int64_t>(getWorkspaceBytes());
  if (arena < 0 || workspace < 0)
    return emitOpError() << (arena < 0 ? "arenaBytes " : "workspaceBytes ") << (arena < 0 ? arena : workspace)
                         << ", wanted 0 or more";
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  for (mlir::Operation &op : getBody().front())
    if (!llvm::isa<BufferOp, KernelOp, StepInterface, kernel::FuncOp>(op))
      return op.emitOpError("in a plan.program, wanted buffers, kernels and steps");
  return success();
}

//===----------------------------------------------------------------------===//
// buffer
//===----------------------------------------------------------------------===//

int64_t BufferOp::getByteSize() {
  return getBytes() ? static_cast<int64_t>(getBytes()) : *tensorBytes(getTensorType());
}

/// Parts are inside the buffer and disjoint.
static LogicalResult verifyParts(BufferOp buffer, mlir::ArrayAttr parts) {
  if (buffer.getRole() != Role::Parameter && buffer.getRole() != Role::State &&
      buffer.getRole() != Role::Output)
    return buffer.emitOpError() << "of role " << stringifyRole(buffer.getRole())
                                << " has parts, wanted them on parameters, states and outputs alone";
  // Every attribute of the array was checked by the op's constraints.
  auto sorted = llvm::map_to_vector(parts, [](mlir::Attribute part) { return llvm::cast<PartAttr>(part); });
  int64_t capacity = buffer.getByteSize() / *elementBytes(buffer.getElementType());
  for (PartAttr part : sorted)
    if (*part.getNumElements() > capacity || part.getElementOffset() > capacity - *part.getNumElements())
      return buffer.emitOpError() << "part \"" << part.getName() << "\" has " << *part.getNumElements()
                                  << " elements at " << part.getElementOffset()
                                  << ", wanted it inside the buffer's " << capacity;
  llvm::stable_sort(sorted,
                    [](PartAttr a, PartAttr b) { return a.getElementOffset() < b.getElementOffset(); });
  for (auto [before, after] : llvm::zip(llvm::drop_end(sorted), llvm::drop_begin(sorted)))
    if (before.getElementOffset() + *before.getNumElements() > after.getElementOffset())
      return buffer.emitOpError() << "parts \"" << before.getName() << "\" and \"" << after.getName()
                                  << "\" overlap, wanted them apart";
  return success();
}

static LogicalResult verifyData(BufferOp buffer, mlir::ElementsAttr data) {
  if (buffer.getRole() != Role::Constant)
    return buffer.emitOpError() << "of role " << stringifyRole(buffer.getRole())
                                << " has data, wanted it on constants alone";
  if (data.getShapedType() != buffer.getTensorType())
    return buffer.emitOpError() << "data has type " << data.getShapedType() << ", wanted "
                                << buffer.getTensorType();
  if (!llvm::isa<mlir::DenseElementsAttr>(data))
    return buffer.emitOpError("data is not dense, wanted dense elements");
  if (data.empty())
    return buffer.emitOpError("has no elements, wanted no data");
  return success();
}

LogicalResult BufferOp::verify() {
  auto type = getTensorType();
  if (!type.hasStaticShape() || type.getEncoding())
    return emitOpError() << "type " << type << ", wanted static extents and no encoding";
  if (!elementBytes(type.getElementType()))
    return emitOpError() << "elements " << type.getElementType()
                         << ", wanted f32, bf16, f16, i32, i64, i1 or ui8";
  std::optional<int64_t> needed = tensorBytes(type);
  if (!needed)
    return emitOpError() << "type " << type << ", wanted a size that fits in 64 bits";
  auto bytes = static_cast<int64_t>(getBytes());
  if (bytes != 0 && bytes <= *needed)
    return emitOpError() << "bytes " << bytes << ", wanted more than the type's " << *needed
                         << " or none given";
  auto limit = static_cast<int64_t>(getIndexLimit());
  bool indices = getRole() == Role::Input &&
                 (type.getElementType().isSignlessInteger(32) || type.getElementType().isSignlessInteger(64));
  if (limit < 0 || (limit > 0 && !indices))
    return emitOpError() << "indexLimit " << limit << ", wanted 0, or above 0 for an input of i32 or i64";
  if (getIgnoredIndex() && limit == 0)
    return emitOpError() << "ignoredIndex " << static_cast<int64_t>(*getIgnoredIndex())
                         << " without an indexLimit";
  if (auto panel = static_cast<int64_t>(getPanel())) {
    if (panel < 0 || getRole() != Role::Parameter || type.getRank() != 2 ||
        !llvm::isa<mlir::FloatType>(type.getElementType()) || bytes != 0)
      return emitOpError()
             << "panel " << panel
             << ", wanted 0, or above 0 for a parameter that is a matrix of floats and nothing else";
  }
  if (auto pitch = static_cast<int64_t>(getPitch())) {
    int64_t width = type.getRank() > 0 ? type.getShape().back() : 0;
    int64_t rows = width > 0 ? type.getNumElements() / width : 0, size = *elementBytes(type.getElementType());
    if (getRole() != Role::Output || width == 0 || pitch <= width || pitch > (bytes / size) / rows ||
        getParts())
      return emitOpError()
             << "pitch " << pitch
             << ", wanted 0, or more than the last extent for an output without parts whose bytes "
                "hold all its rows";
  }
  if (getOffset()) {
    auto offset = static_cast<int64_t>(*getOffset());
    if (offset < 0 || offset % kArenaAlignment)
      return emitOpError() << "offset " << offset << ", wanted a multiple of " << kArenaAlignment;
  }
  if (getFirstStep().has_value() != getLastStep().has_value())
    return emitOpError() << "has " << (getFirstStep() ? "firstStep" : "lastStep")
                         << " alone, wanted both or neither";
  if (getFirstStep()) {
    auto first = static_cast<int64_t>(*getFirstStep()), last = static_cast<int64_t>(*getLastStep());
    if (first < 0 || last < first || last > INT32_MAX)
      return emitOpError() << "lives from step " << first << " to step " << last
                           << ", wanted 0 or more, in order, below 2^31";
  }
  if (getParts() && failed(verifyParts(*this, *getParts())))
    return mlir::failure();
  if (getData() && failed(verifyData(*this, *getData())))
    return mlir::failure();
  return success();
}

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  bool cuda = getLanguage() == Language::Cuda;
  auto program = llvm::cast<ProgramOp>((*this)->getParentOp());
  if (program.getDevice() != stringifyLanguage(getLanguage()))
    return emitOpError() << "language " << stringifyLanguage(getLanguage())
                         << ", wanted that of the program's device, \"" << program.getDevice() << "\"";
  if (getTarget().empty())
    return emitOpError("target is empty, wanted what the kernel was made for");
  if (getBinary() && getBinary()->empty())
    return emitOpError("binary is empty, wanted bytes or none given");
  if (cuda && !getBinary() && getSource().empty())
    return emitOpError("has neither source nor binary, wanted one of them");
  if (!cuda && !getBinary())
    return emitOpError("has no binary, wanted an object");
  auto threads = static_cast<int64_t>(getThreads()), shared = static_cast<int64_t>(getSharedBytes());
  // A block has at most 1024 threads on every device (CUDA C++ Programming Guide, technical specifications).
  if (threads < (cuda ? 1 : 0) || threads > 1024)
    return emitOpError() << "threads " << threads << ", wanted " << (cuda ? 1 : 0) << " to 1024";
  if (shared < 0 || shared > INT32_MAX)
    return emitOpError() << "sharedBytes " << shared << ", wanted 0 or more, below 2^31";
  return success();
}
