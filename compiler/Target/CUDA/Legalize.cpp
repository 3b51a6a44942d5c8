//===- Legalize.cpp - Vector widths, access widths and thread mapping -----===//
//
// Every decision of the CUDA target is made here and written as an attribute; the printer follows. The order
// matters: widths first, since the number of column vectors decides how many threads share a row, and that
// decides whether kept rows fit in registers.
//
//===----------------------------------------------------------------------===//
#include "compiler/Target/CUDA/Access.h"
#include "compiler/Target/CUDA/CollapseRows.h"
#include "compiler/Target/CUDA/Kernels.h"
#include "compiler/Target/CUDA/Recompute.h"
#include "compiler/Target/CUDA/ResourceModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace heddle::cuda;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

/// Bytes of one access: what a thread moves at once.
static constexpr int64_t kAccessBytes = 16;

static std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt constant;
  if (matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

static llvm::SmallVector<Access> accessesOf(kernel::ColumnsOp columns) {
  llvm::SmallVector<Access> accesses;
  for (mlir::Operation &op : columns.getBody().front())
    if (Access access = Access::of(&op))
      accesses.push_back(access);
  return accesses;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// True where `accesses` hold another half of the pairs that `access`, of stride 2, reads or writes a half
/// of.
static bool hasPartner(const Access &access, llvm::ArrayRef<Access> accesses, const VectorWalk &walk) {
  std::optional<int64_t> half = walk.positionModulo(access, 2);
  int64_t partners = 0;
  for (const Access &other : accesses)
    if (other.op != access.op && other.isStore == access.isStore && other.sameBase(access) &&
        walk.stride(other) == 2) {
      std::optional<int64_t> otherHalf = walk.positionModulo(other, 2);
      partners += half && otherHalf && *half != *otherHalf;
    }
  return partners == 1;
}

/// The elements between neighbouring columns where a vector may be one access: 1, or 2 for pairs; otherwise
/// 0.
static int64_t contiguity(const Access &access, llvm::ArrayRef<Access> accesses, const VectorWalk &walk) {
  std::optional<int64_t> stride = walk.stride(access);
  if (stride == 1)
    return 1;
  return stride == 2 && hasPartner(access, accesses, walk) ? 2 : 0;
}

namespace {
/// Columns loops over the same columns: they share a vector, so that kept values stay with their thread.
struct ColumnGroup {
  mlir::Value extent;
  std::optional<int64_t> constant;
  llvm::SmallVector<kernel::ColumnsOp> loops;
  int64_t vector = 1;
};
} // namespace

static llvm::SmallVector<ColumnGroup> groupColumns(kernel::RowsOp rows) {
  llvm::SmallVector<ColumnGroup> groups;
  for (auto columns : rows.getBody().getOps<kernel::ColumnsOp>()) {
    std::optional<int64_t> constant = constantOf(columns.getExtent());
    auto found = llvm::find_if(groups, [&](const ColumnGroup &group) {
      return constant ? group.constant == constant : group.extent == columns.getExtent();
    });
    if (found == groups.end()) {
      groups.push_back({columns.getExtent(), constant, {}, 1});
      found = std::prev(groups.end());
    }
    found->loops.push_back(columns);
  }
  return groups;
}

/// The widest vector that the element types want: the narrowest moves in 16 bytes at most, the widest in two
/// times 16.
static int64_t wantedVector(const ColumnGroup &group) {
  int64_t narrowest = 0, widest = 0;
  bool sums = false;
  for (kernel::ColumnsOp columns : group.loops) {
    sums |= !columns.getBody().getOps<kernel::AccumulateOp>().empty();
    VectorWalk walk(columns, 1);
    llvm::SmallVector<Access> accesses = accessesOf(columns);
    for (const Access &access : accesses) {
      int64_t bytes = access.elementBytes() * contiguity(access, accesses, walk);
      if (bytes == 0)
        continue;
      narrowest = narrowest ? std::min(narrowest, access.elementBytes()) : access.elementBytes();
      widest = std::max(widest, bytes);
    }
  }
  if (widest == 0)
    return 1;
  int64_t vector = std::max<int64_t>(1, std::min(kAccessBytes / narrowest, 2 * kAccessBytes / widest));
  // Sums take registers as long as the kernel runs: one access of them.
  return sums ? std::min<int64_t>(vector, kAccessBytes / 4) : vector;
}

/// True where vectors of `vector` columns start aligned in every access to neighbouring elements.
static bool isAligned(const ColumnGroup &group, int64_t vector) {
  for (kernel::ColumnsOp columns : group.loops) {
    VectorWalk walk(columns, vector);
    llvm::SmallVector<Access> accesses = accessesOf(columns);
    for (const Access &access : accesses) {
      int64_t stride = contiguity(access, accesses, walk);
      if (stride == 0)
        continue;
      // An access is at most 16 bytes; longer vectors go in several.
      int64_t bytes = std::min(kAccessBytes, vector * stride * access.elementBytes());
      if (alignmentOf(access.buffer) % bytes != 0)
        return false;
      // Halves of pairs start at the pair or one element after it.
      std::optional<int64_t> position = walk.positionModulo(access, vector * stride);
      if (!position || *position >= stride)
        return false;
    }
    for (auto sums : columns.getBody().getOps<kernel::AccumulateOp>())
      if (alignmentOf(sums.getSums()) % std::min(kAccessBytes, vector * 4) != 0)
        return false;
  }
  return true;
}

static void setVectors(ColumnGroup &group, mlir::OpBuilder &builder) {
  int64_t vector = wantedVector(group);
  int64_t divisor = group.constant ? (*group.constant & -*group.constant) : powerOfTwoDivisor(group.extent);
  while (vector > 1 && (divisor % vector != 0 || !isAligned(group, vector)))
    vector /= 2;
  group.vector = vector;
  for (kernel::ColumnsOp columns : group.loops) {
    columns.setVector(vector);
    VectorWalk walk(columns, vector);
    llvm::SmallVector<Access> accesses = accessesOf(columns);
    for (const Access &access : accesses) {
      int64_t stride = contiguity(access, accesses, walk);
      access.op->setAttr("width", builder.getI64IntegerAttr(std::max<int64_t>(1, stride * vector)));
    }
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Slots without a column when `threads` threads take `vectors` vectors.
static int64_t wasteOf(int64_t vectors, int64_t threads) { return llvm::alignTo(vectors, threads) - vectors; }

/// Threads for rows of `vectors` column vectors, or nothing where no number of threads has `fits`. Up to a
/// warp the most threads without waste; beyond, as few as `fits` allows, or up to twice as many where that
/// wastes less.
static std::optional<int64_t> chooseThreads(int64_t vectors, llvm::function_ref<bool(int64_t)> fits) {
  int64_t smallest = std::min<int64_t>(8, llvm::PowerOf2Ceil(vectors));
  std::optional<int64_t> best;
  for (int64_t threads = smallest; threads <= 32; threads *= 2)
    if (fits(threads) && (!best || wasteOf(vectors, threads) <= wasteOf(vectors, *best)))
      best = threads;
  if (best)
    return best;
  int64_t limit = kMaxThreads;
  for (int64_t threads = 64; threads <= limit; threads += 32) {
    if (!fits(threads))
      continue;
    if (!best)
      limit = std::min(kMaxThreads, 2 * threads);
    if (!best || wasteOf(vectors, threads) < wasteOf(vectors, *best))
      best = threads;
  }
  return best;
}

/// Kept rows and sums in registers are indexed at compile time: the number of columns must be a constant.
static LogicalResult checkKept(llvm::ArrayRef<ColumnGroup> groups) {
  for (const ColumnGroup &group : groups)
    for (kernel::ColumnsOp columns : group.loops) {
      if (columns.getNumKept() != 0 && !group.constant)
        return columns.emitError(
            "keeps a row whose number of columns is known only at run time; registers hold rows of a "
            "constant number of columns, so compute the value again where it is read");
      if (!columns.getBody().getOps<kernel::AccumulateOp>().empty() && !group.constant)
        return columns.emitError(
            "sums rows whose number of columns is known only at run time; registers hold "
            "sums of a constant number of columns");
    }
  return success();
}

/// Threads of a row whose neighbour rows are read together, and elements of a sector, the least that memory
/// gives: so many neighbouring rows share a block.
static constexpr int64_t kCrossedThreads = 128;
static constexpr int64_t kSectorBytes = 32;

/// By how much an expression grows with one of its dimensions; nothing where that is no constant.
static std::optional<int64_t> coefficientOf(mlir::AffineExpr expr, unsigned dim) {
  if (!expr.isFunctionOfDim(dim))
    return 0;
  auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  std::optional<int64_t> left = coefficientOf(binary.getLHS(), dim);
  if (expr.getKind() == mlir::AffineExprKind::Add) {
    std::optional<int64_t> right = coefficientOf(binary.getRHS(), dim);
    return left && right ? std::optional(*left + *right) : std::nullopt;
  }
  auto factor = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == mlir::AffineExprKind::Mul && left && factor)
    return *left * factor.getValue();
  return std::nullopt;
}

/// How far a read moves from one row to the next; nothing where that is no constant.
static std::optional<int64_t> rowStride(const Access &access, mlir::Value row) {
  // Of an index that is computed nothing is known.
  if (!llvm::all_of(access.indices, llvm::IsaPred<mlir::BlockArgument>))
    return std::nullopt;
  auto found = llvm::find(access.indices, row);
  if (found == access.indices.end())
    return 0;
  return coefficientOf(access.map.getResult(0), found - access.indices.begin());
}

/// Rows that share a block where all that is reduced is contiguous from row to row and not along a row: sums
/// over the rows of a matrix. 0 where that is not so, or where a row is short.
static int64_t crossedRows(kernel::RowsOp rows, llvm::ArrayRef<ColumnGroup> groups) {
  if (rows.getBody().getNumArguments() == 0 || groups.empty() || rows.getParts())
    return 0;
  mlir::Value row = rows.getBody().getArguments().back();
  int64_t narrowest = 0;
  for (const ColumnGroup &group : groups) {
    if (group.vector != 1 || (group.constant && *group.constant < kCrossedThreads))
      return 0;
    for (kernel::ColumnsOp columns : group.loops) {
      if (columns.getNumKept() != 0 || columns.getNumReductions() == 0)
        return 0;
      VectorWalk walk(columns, 1);
      for (const Access &access : accessesOf(columns)) {
        if (access.isStore || walk.stride(access) == 1)
          return 0;
        std::optional<int64_t> stride = rowStride(access, row);
        if (!stride || (*stride != 1 && *stride != 0))
          return 0;
        if (*stride == 1)
          narrowest = narrowest ? std::min(narrowest, access.elementBytes()) : access.elementBytes();
      }
    }
  }
  return narrowest ? std::min<int64_t>(kSectorBytes / narrowest, kMaxThreads / kCrossedThreads) : 0;
}

static LogicalResult mapRows(kernel::FuncOp func, kernel::RowsOp rows, LegalizeCounts &counts) {
  mlir::OpBuilder builder(func.getContext());
  llvm::SmallVector<ColumnGroup> groups = groupColumns(rows);
  if (failed(checkKept(groups)))
    return failure();
  for (ColumnGroup &group : groups)
    setVectors(group, builder);

  if (rows.isFlat()) {
    func.setMappingAttr(kernel::MappingAttr::get(func.getContext(), kFlatBlock, 1, /*flat=*/true));
    ++counts.flat;
    return success();
  }

  if (int64_t crossed = crossedRows(rows, groups)) {
    func.setMappingAttr(
        kernel::MappingAttr::get(func.getContext(), kCrossedThreads, crossed, /*flat=*/false));
    ++counts.rows;
    return success();
  }

  // Without columns a thread has a row of its own.
  int64_t vectors = 1, threadsPerRow = 1;
  bool runtime = false;
  for (const ColumnGroup &group : groups) {
    runtime |= !group.constant;
    if (group.constant)
      vectors = std::max(vectors, *group.constant / group.vector);
  }
  if (vectors > 1 || !runtime) {
    auto fitsRegisters = [&](int64_t threads) { return keptRegisters(rows, threads) <= kKeptRegisters; };
    // Blocks are no more than the parts: with parts it takes more threads of each to keep memory busy.
    int64_t perThread = rows.getParts() ? llvm::divideCeilSigned(vectors, kPartThreads) : kVectorsPerThread;
    auto fits = [&](int64_t threads) {
      return fitsRegisters(threads) && llvm::divideCeilSigned(vectors, threads) <= perThread;
    };
    if (int64_t sums = sumRegisters(rows, kMaxThreads); sums > kKeptRegisters)
      return rows.emitError() << "sums its columns in " << sums << " registers of a thread, more than "
                              << kKeptRegisters;
    if (!fitsRegisters(kMaxThreads)) {
      mlir::FailureOr<int64_t> recomputed = recomputeKeptRows(rows);
      if (failed(recomputed))
        return failure();
      counts.recomputed += *recomputed;
      // Loops have taken over accesses of others: widths are decided anew.
      return mapRows(func, rows, counts);
    }
    threadsPerRow = chooseThreads(vectors, fits).value_or(kMaxThreads);
  }
  if (runtime)
    threadsPerRow = std::max(threadsPerRow, kRuntimeRowThreads);
  int64_t rowsPerBlock = threadsPerRow > 32 ? 1 : kSmallBlock / threadsPerRow;
  func.setMappingAttr(
      kernel::MappingAttr::get(func.getContext(), threadsPerRow, rowsPerBlock, /*flat=*/false));
  ++counts.rows;
  return success();
}

/// True where all rows of the operands with strides start at multiples of 16 bytes.
static bool isAligned(kernel::SkeletonOp skeleton) {
  int64_t elements = kAccessBytes / bytesOf(skeleton.getElementType());
  for (auto [index, operand] : llvm::enumerate(skeleton.getOperandList()))
    if (operand.kind == kernel::SkeletonOperand::Heads &&
        (alignmentOf(skeleton.getBuffers()[index]) % kAccessBytes != 0 ||
         !llvm::all_of(skeleton.getStrides(index),
                       [&](mlir::Value stride) { return powerOfTwoDivisor(stride) % elements == 0; })))
      return false;
  return true;
}

AttentionPass heddle::cuda::passOf(kernel::SkeletonOp skeleton) {
  return llvm::StringSwitch<AttentionPass>(skeleton.getName())
      .Case(kernel::kAttentionForward, AttentionPass::Forward)
      .Case(kernel::kAttentionBackward, AttentionPass::Backward)
      .Case(kernel::kAttentionKeys, AttentionPass::Keys)
      .Case(kernel::kAttentionQueries, AttentionPass::Queries)
      .Case(kernel::kAttentionBias, AttentionPass::Bias);
}

bool heddle::cuda::masksKeysAlone(kernel::SkeletonOp skeleton) {
  constexpr unsigned kQuery = 2; // of batch, head, query, key
  return !skeleton.getMask().empty() && skeleton.getMask().getArgument(kQuery).use_empty();
}

AttentionRequest heddle::cuda::requestOf(kernel::SkeletonOp skeleton) {
  const AttentionPass pass = passOf(skeleton);
  const bool askedForScores =
      !skeleton.getMask().empty() && !(pass == AttentionPass::Forward && masksKeysAlone(skeleton));
  const bool generated = !skeleton.getScore().empty() || askedForScores;
  return {pass,
          skeleton.getElementType(),
          static_cast<int64_t>(skeleton.getHeadDim()),
          static_cast<int64_t>(skeleton.getValueDim()),
          skeleton.getCausal(),
          generated,
          isAligned(skeleton),
          skeleton.getBroadcast()};
}

static LogicalResult chooseVersion(kernel::SkeletonOp skeleton, const TargetInfo &target) {
  AttentionRequest request = requestOf(skeleton);
  std::optional<AttentionChoice> choice = target.attention(request);
  if (!choice)
    return skeleton.emitError() << "no tile for " << skeleton.getName() << " over " << request.element
                                << " heads of " << request.headDim << " and " << request.valueDim
                                << " elements on " << target.arch();
  skeleton.setVersion(choice->version);
  if (!choice->reason.empty())
    skeleton.setReason(choice->reason);
  skeleton.setTileM(choice->tile.tileM);
  skeleton.setTileN(choice->tile.tileN);
  skeleton.setThreads(choice->tile.warps * 32);
  skeleton.setMinBlocks(choice->tile.minBlocks);
  skeleton.setStages(choice->tile.stages);
  skeleton.setAligned(request.aligned);
  skeleton.setSharedBytes(choice->sharedBytes);
  return success();
}

/// Vectors as wide as accesses of 16 bytes on the narrower side, and threads for a row's vectors: where there
/// are more than a block has threads, blocks share the row; where there are fewer, rows share the block.
static void mapRowSums(kernel::RowSumsOp sums) {
  auto width = static_cast<int64_t>(sums.getWidth());
  int64_t source = bytesOf(sums.getSource().getType().getElementType()),
          out = bytesOf(sums.getOut().getType().getElementType());
  auto isAligned = [&](mlir::Value buffer, int64_t bytes, int64_t vector) {
    return alignmentOf(buffer) % std::min(kAccessBytes, vector * bytes) == 0;
  };
  int64_t vector = std::min(kAccessBytes / std::min(source, out), 2 * kAccessBytes / std::max(source, out));
  while (vector > 1 &&
         (width % vector != 0 || powerOfTwoDivisor(sums.getStride()) % vector != 0 ||
          !isAligned(sums.getSource(), source, vector) || !isAligned(sums.getOut(), out, vector)))
    vector /= 2;
  int64_t vectors = width / vector, chunks = llvm::divideCeil(vectors, kRowSumsThreads);
  int64_t rowThreads = llvm::divideCeil(vectors, chunks);
  sums.setVector(vector);
  sums.setRowThreads(rowThreads);
  sums.setThreads(llvm::alignTo(kRowSumsThreads / rowThreads * rowThreads, 32));
}

LogicalResult heddle::cuda::legalizeKernel(kernel::FuncOp func, const TargetInfo &target,
                                           LegalizeCounts *counts) {
  LegalizeCounts unused;
  LegalizeCounts &to = counts ? *counts : unused;
  mlir::OpBuilder builder(func.getContext());
  to.collapsed += collapseRows(func);
  // Outside of columns loops everything goes one element at a time.
  func.walk([&](mlir::Operation *op) {
    if (Access::of(op))
      op->setAttr("width", builder.getI64IntegerAttr(1));
  });
  // One of the two, and one of it: mapping replaces ops of the body, so that the list is made first.
  for (auto rows : llvm::to_vector(func.getBody().getOps<kernel::RowsOp>()))
    if (failed(mapRows(func, rows, to)))
      return failure();
  for (auto skeleton : func.getBody().getOps<kernel::SkeletonOp>()) {
    if (failed(chooseVersion(skeleton, target)))
      return failure();
    ++to.skeletons;
  }
  for (auto sums : func.getBody().getOps<kernel::RowSumsOp>()) {
    mapRowSums(sums);
    ++to.skeletons;
  }
  return verifyKernel(func, target);
}
