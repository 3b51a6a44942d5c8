//===- PrintSkeleton.cpp - Attention and row sums in CUDA C++ -------------===//
//
// Both are templates of the device library. The text instantiates attention with a struct of the generated
// score and mask functions, which carries what they read.
//
//===----------------------------------------------------------------------===//
#include "compiler/Target/CUDA/Kernels.h"
#include "compiler/Target/CUDA/Printer.h"
#include "compiler/Target/CUDA/ResourceModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace heddle;
using namespace heddle::cuda;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

/// Values from outside that the generated functions use, but constants.
static llvm::SetVector<mlir::Value> capturesOf(kernel::SkeletonOp skeleton) {
  llvm::SetVector<mlir::Value> captures;
  for (mlir::Region *region : {&skeleton.getScore(), &skeleton.getMask()})
    region->walk([&](mlir::Operation *op) {
      for (mlir::Value operand : op->getOperands())
        if (!region->isAncestor(operand.getParentRegion()) &&
            !operand.getDefiningOp<mlir::arith::ConstantOp>())
          captures.insert(operand);
    });
  return captures;
}

static const char *truth(bool value) { return value ? "true" : "false"; }

/// A member function of the struct from a region; `missing` is what it returns where the region is empty.
LogicalResult Printer::printGenerated(kernel::SkeletonOp skeleton, mlir::Region &region,
                                      const std::string &head, const std::string &missing) {
  if (region.empty()) {
    line(head + " const { return " + missing + "; }");
    return success();
  }
  llvm::StringSet<> outside = names.snapshot();
  for (const char *parameter : {"s", "b", "h", "i", "j"})
    names.fresh(parameter);
  open(head + " const");
  // Positions are 64-bit: products of two of them may pass 2^31.
  static constexpr const char *kParameters[] = {"b", "h", "i", "j"};
  auto indices = region.getArguments();
  if (indices.size() > std::size(kParameters)) {
    bind(indices.front(), {"s"});
    indices = indices.drop_front();
  }
  for (auto [index, parameter] : llvm::zip(indices, kParameters))
    if (!index.use_empty())
      line("const long long " + name(index) + " = " + parameter + ";");
  for (mlir::Operation &op : region.front()) {
    if (auto yield = llvm::dyn_cast<kernel::YieldOp>(op))
      line("return " + exprOf(yield.getValues().front()).text + ";");
    else if (failed(define(&op)))
      return failure();
  }
  close();
  names.restore(std::move(outside));
  return success();
}

LogicalResult Printer::printSkeleton(kernel::SkeletonOp skeleton) {
  llvm::StringRef version = *skeleton.getVersion();
  std::string shape = "Attention" + version.take_front().upper() + version.drop_front().str() + "Shape";
  std::string element = typeName(skeleton.getElementType());
  std::string sizes = std::to_string(skeleton.getHeadDim()) + ", " + std::to_string(skeleton.getValueDim()) +
                      ", " + std::to_string(skeleton.getTileM()) + ", " +
                      std::to_string(skeleton.getTileN()) + ", " + std::to_string(skeleton.getThreads() / 32);
  if (skeleton.getStages() != 0)
    sizes += ", " + std::to_string(skeleton.getStages());
  // What the kernel is given beyond its operands, and passes on.
  std::string maps;
  llvm::SmallVector<std::string> parameters;
  if (takesTensorMaps(skeleton))
    for (const char *operand : {"q_map", "k_map", "v_map"}) {
      std::string name = names.fresh(operand);
      parameters.push_back("const __grid_constant__ heddle::TensorMap " + name);
      maps += ", " + name;
    }

  // The kernel's index arithmetic comes first in names, and later in the text.
  std::string before = std::move(out);
  out.clear();
  depth = 1;
  if (failed(printIndexArithmetic()))
    return failure();
  std::string arithmetic = std::move(out);
  out = std::move(before);
  depth = 0;

  if (skeleton.getReason())
    directive("// " + skeleton.getReason()->str());
  directive("#include \"attention_forward_" + version.str() + ".cuh\"");
  directive("#include \"row.cuh\"");
  directive("");
  llvm::SetVector<mlir::Value> captures = capturesOf(skeleton);
  open("struct Score");
  line(std::string("static constexpr bool kCausal = ") + truth(skeleton.getCausal()) + ";");
  if (skeleton.getWindow() != 0)
    line("static constexpr int kWindow = " + std::to_string(skeleton.getWindow()) + ";");
  line(std::string("static constexpr bool kHasScore = ") + truth(!skeleton.getScore().empty()) + ";");
  line(std::string("static constexpr bool kHasMask = ") + truth(!skeleton.getMask().empty()) + ";");
  std::string members;
  for (mlir::Value capture : captures) {
    std::string member = exprOf(capture).text;
    auto buffer = llvm::dyn_cast<kernel::BufferType>(capture.getType());
    line((buffer ? "const " + typeName(buffer.getElementType()) + " *__restrict__ " : "long long ") + member +
         ";");
    members += (members.empty() ? "" : ", ") + member;
  }
  if (failed(printGenerated(skeleton, skeleton.getScore(),
                            "__device__ float score(float s, int b, int h, int i, int j)", "s")) ||
      failed(printGenerated(skeleton, skeleton.getMask(), "__device__ bool keep(int b, int h, int i, int j)",
                            "true")))
    return failure();
  close(";");
  directive("");
  line("static_assert(heddle::" + shape + "<" + sizes + ">::kSharedBytes == " +
       std::to_string(skeleton.getSharedBytes()) + ", \"the launch's shared memory\");");
  directive("");
  printHead(std::to_string(skeleton.getThreads()) + ", " + std::to_string(skeleton.getMinBlocks()),
            parameters);
  out += arithmetic;
  std::string params = names.fresh("params"), score = names.fresh("score");
  line("heddle::AttentionParams<" + element + "> " + params + ";");
  auto assign = [&](const char *field, const std::string &value) {
    line(params + "." + field + " = " + value + ";");
  };
  static constexpr const char *kBuffers[] = {"q", "k", "v", "out"};
  static constexpr const char *kLengths[] = {"batch", "heads", "kv_heads", "q_len", "kv_len"};
  static constexpr const char *kStrides[] = {"q_batch", "q_head",    "q_row",    "k_batch",
                                             "k_head",  "k_row",     "v_batch",  "v_head",
                                             "v_row",   "out_batch", "out_head", "out_row"};
  static_assert(std::size(kBuffers) == kernel::kAttentionBuffers &&
                std::size(kLengths) == kernel::kAttentionLengths &&
                std::size(kStrides) == kernel::kAttentionStrides);
  for (auto [field, buffer] : llvm::zip(kBuffers, skeleton.getBuffers()))
    assign(field, exprOf(buffer).text);
  assign("lse",
         skeleton.getLogsumexp() ? exprOf(skeleton.getBuffers()[kernel::kAttentionBuffers]).text : "nullptr");
  for (auto [field, count] : llvm::zip(kLengths, skeleton.getCounts()))
    assign(field, "int(" + exprOf(count).text + ")");
  for (auto [field, count] : llvm::zip(kStrides, skeleton.getCounts().drop_front(kernel::kAttentionLengths)))
    assign(field, exprOf(count).text);
  assign("scale", floatLiteral(skeleton.getScale().convertToDouble()).text);
  line("const Score " + score + " = {" + members + "};");
  std::string aligned = maps.empty() ? std::string(", ") + truth(skeleton.getAligned()) : "";
  line("heddle::attention_forward<" + element + ", " + sizes + ", Score" + aligned + ">(" + params + ", " +
       score + maps + ");");
  close();
  return success();
}

LogicalResult Printer::printRowSums(kernel::RowSumsOp sums) {
  directive("#include \"row_sums.cuh\"");
  directive("");
  line("static_assert(sizeof(heddle::RowSumsShared) == " + std::to_string(kRowSumsSharedBytes) +
       " && heddle::kRowSumsRange == " + std::to_string(kRowSumsRange) + ", \"what the launch goes by\");");
  directive("");
  printHead(std::to_string(sums.getThreads()) + ", " + std::to_string(kRowSumsMinBlocks));
  if (failed(printIndexArithmetic()))
    return failure();
  std::string sizes;
  for (uint64_t size : {sums.getWidth(), sums.getVector(), sums.getThreads(), sums.getRowThreads()})
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  std::string arguments;
  for (mlir::Value value : sums->getOperands())
    arguments += (arguments.empty() ? "" : ", ") + exprOf(value).text;
  line("heddle::row_sums<" + sizes + ">(" + arguments + ");");
  close();
  return success();
}
