//===- Grid.cpp - Blocks and tensor maps of a launch ----------------------===//
#include "compiler/Target/CUDA/Access.h"
#include "compiler/Target/CUDA/Kernels.h"
#include "compiler/Target/CUDA/ResourceModel.h"
#include "dialects/Plan/PlanDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace heddle::cuda;
using mlir::failure;

int64_t heddle::cuda::threadsOf(kernel::FuncOp func) {
  for (auto skeleton : func.getBody().getOps<kernel::SkeletonOp>())
    return skeleton.getThreads();
  for (auto sums : func.getBody().getOps<kernel::RowSumsOp>())
    return sums.getThreads();
  return func.getMapping()->getThreadsPerRow() * func.getMapping()->getRowsPerBlock();
}

/// The value of an extent; failure after an error on `launch` where there is none.
static mlir::FailureOr<int64_t> extentOf(mlir::Value value, kernel::FuncOp func,
                                         llvm::ArrayRef<int64_t> counts, mlir::Operation *launch) {
  if (std::optional<int64_t> number = kernel::evaluate(value, func, counts))
    return *number;
  launch->emitError() << "kernel '" << func.getName()
                      << "' has an extent that is no arithmetic on constants and counts"
                      << (value.getDefiningOp() ? ", or that overflows" : "");
  return failure();
}

/// Blocks that row sums of `rows` rows are cut into: a few for each multiprocessor, since each block reads
/// all indices, and more where a block would own too many rows.
static int64_t rowSumsBlocks(kernel::RowSumsOp sums, int64_t rows, const TargetInfo &target) {
  constexpr int64_t kBlocksPerProcessor = 4;
  int64_t chunks = llvm::divideCeil(static_cast<int64_t>(sums.getWidth()),
                                    static_cast<int64_t>(sums.getRowThreads() * sums.getVector()));
  int64_t wanted = std::max<int64_t>(1, kBlocksPerProcessor * target.processors() / chunks);
  int64_t range = std::min(kRowSumsRange, static_cast<int64_t>(llvm::divideCeil(rows, wanted)));
  return llvm::divideCeil(rows, range) * chunks;
}

/// Positions are 32-bit on the device, with room for a step of the loop over them.
static constexpr int64_t kMaxIndices = int64_t(1) << 30;

mlir::FailureOr<std::array<int64_t, 3>> heddle::cuda::gridOf(kernel::FuncOp func,
                                                             llvm::ArrayRef<int64_t> counts,
                                                             const TargetInfo &target,
                                                             mlir::Operation *launch) {
  // The factors' product is the number of items; `perBlock` of them share a block.
  llvm::SmallVector<int64_t> factors;
  int64_t perBlock = 1;
  int64_t parts = 0; // Where not 0, items are parts of the rows, however many rows these are.
  kernel::SkeletonOp attention;
  auto add = [&](mlir::Value value, int64_t divisor) {
    mlir::FailureOr<int64_t> number = extentOf(value, func, counts, launch);
    if (succeeded(number))
      factors.push_back(llvm::divideCeil(*number, divisor));
    return llvm::LogicalResult(number);
  };
  // Tiles of queries or keys of all heads that have them; of a bias both, of all its matrices.
  auto addTiles = [&](kernel::SkeletonOp skeleton) {
    auto counts = skeleton.getCounts(); // batch, heads, key heads, query length, key length, …
    const AttentionRequest request = requestOf(skeleton);
    const auto tileM = static_cast<int64_t>(skeleton.getTileM()),
               tileN = static_cast<int64_t>(skeleton.getTileN());
    auto tiles = [&](mlir::Value batch, mlir::Value heads) {
      return llvm::success(succeeded(add(batch, 1)) && succeeded(add(heads, 1)));
    };
    switch (request.pass) {
    case AttentionPass::Forward:
    case AttentionPass::Queries:
      return llvm::success(succeeded(tiles(counts[0], counts[1])) && succeeded(add(counts[3], tileM)));
    case AttentionPass::Keys:
      factors.push_back(attentionBackwardMmaKeysPasses(int(request.headDim), int(request.valueDim)));
      [[fallthrough]];
    case AttentionPass::Backward:
      return llvm::success(succeeded(tiles(counts[0], counts[2])) && succeeded(add(counts[4], tileN)));
    case AttentionPass::Bias: {
      mlir::ValueRange ofBias = skeleton.getBiasCounts();
      return llvm::success(succeeded(tiles(ofBias[0], ofBias[1])) && succeeded(add(counts[3], tileM)) &&
                           succeeded(add(counts[4], tileN)));
    }
    }
    llvm_unreachable("covered switch");
  };
  for (mlir::Operation &op : func.getBody().front()) {
    if (auto skeleton = llvm::dyn_cast<kernel::SkeletonOp>(op)) {
      if (failed(addTiles(skeleton)))
        return failure();
      attention = skeleton;
    }
    if (auto sums = llvm::dyn_cast<kernel::RowSumsOp>(op)) {
      mlir::FailureOr<int64_t> count = extentOf(sums.getCount(), func, counts, launch),
                               rows = extentOf(sums.getRows(), func, counts, launch);
      if (failed(count) || failed(rows))
        return failure();
      if (*count > kMaxIndices)
        return launch->emitError() << "kernel '" << func.getName() << "' has " << *count
                                   << " indices, wanted at most " << kMaxIndices;
      factors.push_back(*rows < 1 ? *rows : rowSumsBlocks(sums, *rows, target));
    }
    if (auto rows = llvm::dyn_cast<kernel::RowsOp>(op)) {
      for (mlir::Value extent : rows.getExtents())
        if (failed(add(extent, 1)))
          return failure();
      perBlock = func.getMapping()->getRowsPerBlock();
      parts = static_cast<int64_t>(rows.getParts().value_or(0));
      if (func.getMapping()->getFlat()) {
        perBlock = threadsOf(func);
        auto columns = *rows.getBody().getOps<kernel::ColumnsOp>().begin();
        if (failed(add(columns.getExtent(), *columns.getVector())))
          return failure();
      }
    }
  }
  int64_t items = 1;
  for (int64_t factor : factors)
    if (factor < 1)
      return launch->emitError() << "kernel '" << func.getName() << "' has nothing to do: an extent is "
                                 << factor;
    else if (llvm::MulOverflow(items, factor, items))
      return launch->emitError() << "kernel '" << func.getName() << "' has more items than 2^63";
  int64_t blocks = llvm::divideCeil(parts ? parts : items, perBlock);
  if (blocks > kMaxBlocks)
    return launch->emitError() << "kernel '" << func.getName() << "' needs " << blocks
                               << " blocks; a grid has at most " << kMaxBlocks;
  if (attention && takesTensorMaps(attention)) {
    mlir::FailureOr<int64_t> keys = extentOf(attention.getCounts()[4], func, counts, launch);
    if (failed(keys))
      return failure();
    bool window = attention.getWindow() != 0;
    int64_t keysSeen =
        window ? std::min<int64_t>(*keys, attention.getWindow()) : *keys; // by a query, at most
    if (attentionWgmmaPersistent(blocks, keysSeen, attention.getCausal(), window, target.processors()))
      blocks = target.processors();
  }
  return std::array<int64_t, 3>{blocks, 1, 1};
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// What strides of a map are multiples of.
static constexpr int64_t kAccessBytes = 16;

bool heddle::cuda::takesTensorMaps(kernel::SkeletonOp skeleton) { return skeleton.getVersion() == "wgmma"; }

mlir::FailureOr<mlir::ArrayAttr>
heddle::cuda::tensorMapsOf(kernel::FuncOp func, llvm::ArrayRef<int64_t> counts, mlir::Operation *launch) {
  auto skeletons = func.getBody().getOps<kernel::SkeletonOp>();
  if (skeletons.empty() || !takesTensorMaps(*skeletons.begin()))
    return mlir::ArrayAttr();
  kernel::SkeletonOp skeleton = *skeletons.begin();
  auto numbersOf = [&](mlir::ValueRange values) -> mlir::FailureOr<llvm::SmallVector<int64_t>> {
    llvm::SmallVector<int64_t> numbers;
    for (mlir::Value value : values) {
      mlir::FailureOr<int64_t> number = extentOf(value, func, counts, launch);
      if (failed(number))
        return failure();
      numbers.push_back(*number);
    }
    return numbers;
  };
  mlir::FailureOr<llvm::SmallVector<int64_t>> lengths =
      numbersOf(skeleton.getCounts().take_front(kernel::kAttentionLengths));
  if (failed(lengths))
    return failure();
  const int64_t batch = (*lengths)[0], heads = (*lengths)[1], keyHeads = (*lengths)[2],
                queries = (*lengths)[3], keys = (*lengths)[4], bytes = bytesOf(skeleton.getElementType());
  llvm::SmallVector<mlir::Attribute> maps;
  for (int64_t operand = 0; operand < 3; ++operand) { // query, key, value
    mlir::FailureOr<llvm::SmallVector<int64_t>> strides = numbersOf(skeleton.getStrides(operand));
    if (failed(strides))
      return failure();
    bool query = operand == 0;
    const int64_t extents[] = {
        static_cast<int64_t>(operand == 2 ? skeleton.getValueDim() : skeleton.getHeadDim()),
        query ? queries : keys, query ? heads : keyHeads, batch};
    int64_t steps[] = {(*strides)[2] * bytes, (*strides)[1] * bytes, (*strides)[0] * bytes};
    for (auto [step, extent] : llvm::zip(steps, llvm::ArrayRef(extents).drop_front()))
      if (extent == 1)
        step = kAccessBytes; // Not used, and maybe 0.
    const int64_t box[] = {kAttentionWgmmaColumns,
                           query ? kAttentionWgmmaRows : static_cast<int64_t>(skeleton.getTileN()), 1, 1};
    auto argument = llvm::cast<mlir::BlockArgument>(skeleton.getBuffers()[operand]);
    maps.push_back(plan::TensorMapAttr::get(func.getContext(), argument.getArgNumber(),
                                            skeleton.getElementType(), extents, steps, box,
                                            plan::Swizzle::Bytes128));
  }
  return mlir::ArrayAttr::get(func.getContext(), maps);
}
