//===- Verify.cpp - What the printer may be given -------------------------===//
#include "compiler/Target/CUDA/Access.h"
#include "compiler/Target/CUDA/Kernels.h"
#include "compiler/Target/CUDA/PrintOps.h"
#include "compiler/Target/CUDA/ResourceModel.h"

#include "mlir/IR/Matchers.h"

using namespace heddle;
using namespace heddle::cuda;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

static LogicalResult verifyWidth(const Access &access, kernel::ColumnsOp columns, const VectorWalk *walk) {
  int64_t width = access.width(), vector = columns ? *columns.getVector() : 1;
  if (width == 1)
    return success();
  if (width == 0)
    return access.op->emitError("has no width");
  std::optional<int64_t> stride = walk ? walk->stride(access) : std::nullopt;
  if (!stride || (*stride != 1 && *stride != 2) || width != *stride * vector)
    return access.op->emitError() << "has width " << width << " in vectors of " << vector
                                  << " columns, wanted 1 or the vector's width times a stride of 1 or 2";
  std::optional<int64_t> position = walk->positionModulo(access, width);
  if (!position || *position >= *stride)
    return access.op->emitError() << "has width " << width << " and starts at no multiple of it";
  int64_t bytes = std::min<int64_t>(16, width * access.elementBytes()),
          alignment = alignmentOf(access.buffer);
  if (alignment % bytes != 0)
    return access.op->emitError() << "moves " << bytes << " bytes at a time of a buffer that is aligned to "
                                  << alignment;
  return success();
}

/// True where both address the same elements, column for column: then one thread does both.
static bool samePlace(const Access &load, const Access &store) {
  auto same = [](mlir::Value a, mlir::Value b) {
    auto columnsOf = [](mlir::Value value) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
      return argument ? llvm::dyn_cast<kernel::ColumnsOp>(argument.getOwner()->getParentOp())
                      : kernel::ColumnsOp();
    };
    kernel::ColumnsOp left = columnsOf(a), right = columnsOf(b);
    return a == b || (left && right && left.getExtent() == right.getExtent());
  };
  return load.map == store.map && load.symbols == store.symbols &&
         llvm::all_of_zip(load.indices, store.indices, same);
}

/// The threads of a row do not see what the others wrote, and do not wait for each other but in reductions.
/// So a buffer that is written is read before alone, and either by the thread that writes or with a reduction
/// in between.
static LogicalResult verifyOrder(kernel::RowsOp rows, bool sharedRow) {
  llvm::SmallVector<std::pair<Access, int64_t>>
      loads; // with the number of reductions before the load's stage ends
  llvm::SmallVector<Access> stores;
  int64_t reductions = 0;
  auto complain = [](const Access &at, const char *what, const Access &other, const char *note) {
    mlir::InFlightDiagnostic error = at.op->emitError(what);
    error.attachNote(other.op->getLoc()) << note;
    return failure();
  };
  auto visit = [&](mlir::Operation &op) -> LogicalResult {
    Access access = Access::of(&op);
    if (!access)
      return success();
    if (access.isStore) {
      for (auto &[load, before] : loads)
        if (load.buffer == access.buffer && sharedRow && before == reductions && !samePlace(load, access))
          return complain(access, "writes a buffer that other threads of the row may still read", load,
                          "read here");
      stores.push_back(access);
      return success();
    }
    for (const Access &store : stores)
      if (store.buffer == access.buffer)
        return complain(
            access, "reads a buffer that the kernel has written before: threads do not see what others wrote",
            store, "written here");
    loads.push_back({access, reductions});
    return success();
  };
  for (mlir::Operation &op : rows.getBody().front()) {
    if (failed(visit(op)))
      return failure();
    if (auto columns = llvm::dyn_cast<kernel::ColumnsOp>(op)) {
      for (mlir::Operation &inner : columns.getBody().front())
        if (failed(visit(inner)))
          return failure();
      reductions += columns.getNumReductions() != 0;
    }
  }
  return success();
}

static LogicalResult verifyBody(mlir::Block &block, kernel::ColumnsOp columns, const VectorWalk *walk) {
  for (mlir::Operation &op : block) {
    if (llvm::isa<kernel::ColumnsOp, kernel::RowsOp, kernel::RowSumsOp, kernel::SkeletonOp, kernel::YieldOp,
                  kernel::GetOp, kernel::AccumulateOp>(op))
      continue;
    if (Access access = Access::of(&op)) {
      if (failed(verifyWidth(access, columns, walk)))
        return failure();
    } else if (!isPrintable(&op)) {
      return op.emitError() << "'" << op.getName() << "' has no CUDA form for its types";
    }
  }
  return success();
}

static LogicalResult verifyColumns(kernel::ColumnsOp columns, kernel::MappingAttr mapping) {
  if (!columns.getVector() || *columns.getVector() < 1)
    return columns.emitError("has no vector");
  int64_t vector = *columns.getVector();
  llvm::APInt constant;
  bool isConstant = matchPattern(columns.getExtent(), mlir::m_ConstantInt(&constant));
  if (isConstant ? constant.getSExtValue() % vector != 0
                 : powerOfTwoDivisor(columns.getExtent()) % vector != 0)
    return columns.emitError() << "has vectors of " << vector << " columns, which do not divide their number";
  if (isUnrolled(columns) && !isConstant)
    return columns.emitError("keeps a row whose number of columns is known only at run time");
  auto sums = columns.getBody().getOps<kernel::AccumulateOp>();
  if (mapping.getFlat() && (columns.getNumResults() != 0 || !sums.empty()))
    return columns.emitError("has results, and a flat mapping has no rows of threads to make them");
  for (kernel::AccumulateOp op : sums)
    if (int64_t bytes = std::min<int64_t>(16, vector * 4); alignmentOf(op.getSums()) % bytes != 0)
      return op.emitError() << "moves " << bytes << " bytes at a time of a buffer that is aligned to "
                            << alignmentOf(op.getSums());
  VectorWalk walk(columns, vector);
  return verifyBody(columns.getBody().front(), columns, &walk);
}

static LogicalResult verifyRows(kernel::FuncOp func, kernel::RowsOp rows) {
  if (!func.getMapping())
    return func.emitError("has no mapping");
  kernel::MappingAttr mapping = *func.getMapping();
  int64_t loops = 0;
  for (auto columns : rows.getBody().getOps<kernel::ColumnsOp>()) {
    ++loops;
    if (failed(verifyColumns(columns, mapping)))
      return failure();
  }
  if (mapping.getFlat() && loops != 1)
    return func.emitError() << "has a flat mapping and " << loops << " columns loops, wanted one";
  if (!mapping.getFlat())
    if (int64_t kept = keptRegisters(rows, mapping.getThreadsPerRow()); kept > kKeptRegisters)
      return func.emitError() << "keeps rows in " << kept << " registers of a thread, more than "
                              << kKeptRegisters;
  if (failed(verifyBody(rows.getBody().front(), {}, nullptr)))
    return failure();
  return verifyOrder(rows, mapping.getThreadsPerRow() > 1);
}

/// The version must be one that the target has for this skeleton, and the rows what it was told of them.
static LogicalResult verifyVersion(kernel::SkeletonOp skeleton, const TargetInfo &target) {
  AttentionRequest request = requestOf(skeleton);
  std::optional<AttentionChoice> choice = target.attention(request),
                                 portable = target.portableAttention(request);
  llvm::StringRef version = *skeleton.getVersion();
  if (!choice || (version != choice->version && (!portable || version != portable->version))) {
    mlir::InFlightDiagnostic error = skeleton.emitError() << "has version '" << version << "', which "
                                                          << target.arch() << " does not have for it";
    if (choice)
      error << ", wanted '" << choice->version << "'";
    if (choice && !choice->reason.empty())
      error.attachNote() << choice->reason;
    return failure();
  }
  if (skeleton.getAligned() != request.aligned)
    return skeleton.emitError(request.aligned
                                  ? "is not marked as aligned, and all rows start at multiples of 16 bytes"
                                  : "is marked as aligned, and not all rows start at multiples of 16 bytes");
  return success();
}

static LogicalResult verifySkeleton(kernel::SkeletonOp skeleton, const TargetInfo &target) {
  if (skeleton.getTileM() < 1 || skeleton.getTileN() < 1 || skeleton.getThreads() < 32 ||
      skeleton.getMinBlocks() < 1)
    return skeleton.emitError("has no tile");
  if (!skeleton.getVersion())
    return skeleton.emitError("has no version");
  if (failed(verifyVersion(skeleton, target)))
    return failure();
  if (skeleton.getSharedBytes() > static_cast<uint64_t>(target.maxSharedBytes()))
    return skeleton.emitError() << "needs " << skeleton.getSharedBytes()
                                << " bytes of shared memory; a block of " << target.arch() << " has at most "
                                << target.maxSharedBytes();
  for (mlir::Region *region : {&skeleton.getScore(), &skeleton.getMask()}) {
    if (region->empty())
      continue;
    for (auto store : region->getOps<kernel::StoreOp>())
      return store.emitError("in a generated function, which may only read");
    if (failed(verifyBody(region->front(), {}, nullptr)))
      return failure();
  }
  return success();
}

static LogicalResult verifyRowSums(kernel::RowSumsOp sums) {
  auto vector = static_cast<int64_t>(sums.getVector()), threads = static_cast<int64_t>(sums.getThreads()),
       rowThreads = static_cast<int64_t>(sums.getRowThreads());
  if (threads < 32 || threads > kRowSumsThreads || threads % 32 != 0 || rowThreads < 1 ||
      rowThreads > threads)
    return sums.emitError() << "has " << threads << " threads, " << rowThreads
                            << " of them to a row, wanted a multiple of 32 up to " << kRowSumsThreads;
  if (vector < 1 || static_cast<int64_t>(sums.getWidth()) % vector != 0 ||
      powerOfTwoDivisor(sums.getStride()) % vector != 0)
    return sums.emitError() << "has vectors of " << vector << " columns, which do not divide all rows";
  for (mlir::Value buffer : {mlir::Value(sums.getSource()), mlir::Value(sums.getOut())}) {
    int64_t bytes = std::min<int64_t>(
        16, vector * bytesOf(llvm::cast<kernel::BufferType>(buffer.getType()).getElementType()));
    if (alignmentOf(buffer) % bytes != 0)
      return sums.emitError() << "moves " << bytes << " bytes at a time of a buffer that is aligned to "
                              << alignmentOf(buffer);
  }
  return success();
}

LogicalResult heddle::cuda::verifyKernel(kernel::FuncOp func, const TargetInfo &target) {
  if (failed(verifyBody(func.getBody().front(), {}, nullptr)))
    return failure();
  for (mlir::Operation &op : func.getBody().front()) {
    if (auto rows = llvm::dyn_cast<kernel::RowsOp>(op); rows && failed(verifyRows(func, rows)))
      return failure();
    if (auto skeleton = llvm::dyn_cast<kernel::SkeletonOp>(op);
        skeleton && failed(verifySkeleton(skeleton, target)))
      return failure();
    if (auto sums = llvm::dyn_cast<kernel::RowSumsOp>(op); sums && failed(verifyRowSums(sums)))
      return failure();
  }
  return success();
}
