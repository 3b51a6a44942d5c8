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
#include "llvm/ADT/StringSwitch.h"

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

namespace {
/// How the device library has a skeleton: its header, the function that a kernel calls, the struct of its
/// parameters, and the sizes that it is held against.
struct DeviceForm {
  std::string header, function, params, sizes;
};
} // namespace

static DeviceForm deviceFormOf(kernel::SkeletonOp skeleton) {
  const AttentionPass pass = passOf(skeleton);
  std::string version = skeleton.getVersion()->str();
  std::string shape = llvm::StringRef(version).take_front().upper() + version.substr(1) + "Shape<" +
                      std::to_string(skeleton.getHeadDim()) + ", " + std::to_string(skeleton.getValueDim());
  auto add = [&](int64_t size) { shape += ", " + std::to_string(size); };
  const int64_t tileM = skeleton.getTileM(), tileN = skeleton.getTileN(), warps = skeleton.getThreads() / 32;
  const bool keys = pass == AttentionPass::Keys; // What a block owns comes first.
  llvm::for_each(llvm::ArrayRef<int64_t>{keys ? tileN : tileM, keys ? tileM : tileN, warps}, add);
  if (skeleton.getStages() != 0)
    add(skeleton.getStages());
  if (pass == AttentionPass::Forward)
    return {"attention_forward_" + version, "attention_forward", "AttentionParams",
            "Attention" + shape + ">"};
  std::string function =
      pass == AttentionPass::Backward ? kernel::kAttentionKeys.str() : skeleton.getName().str();
  return {"attention_backward_" + version, function, "AttentionBackwardParams",
          "AttentionBackward" + shape + ">"};
}

/// The field of the parameters that a buffer is, and what its strides' names begin with.
static llvm::StringRef fieldOf(llvm::StringRef operand) {
  return llvm::StringSwitch<llvm::StringRef>(operand)
      .Case("query", "q")
      .Case("key", "k")
      .Case("value", "v")
      .Case("gradient", "dout")
      .Case("dquery", "dq")
      .Case("dkey", "dk")
      .Case("dvalue", "dv")
      .Default(operand);
}

/// Whether the score function gives its derivative, too.
static bool yieldsSlope(kernel::SkeletonOp skeleton) {
  return !skeleton.getScore().empty() && skeleton.getScore().front().back().getNumOperands() > 1;
}

/// Parameters of the struct's functions, after a score, in the order of the regions' arguments.
static constexpr llvm::StringLiteral kScorePlaces[] = {"b", "h", "i", "j"};
/// What else the struct and its functions name: no captured operand, which becomes a member, may be called
/// so.
static constexpr llvm::StringLiteral kScoreNames[] = {
    "s", "slope", "score", "keep", "kCausal", "kWindow", "kHasScore", "kHasMask", "kMaskOfKeys", "kHasSlope"};

void Printer::takeScoreNames() {
  scoreNames = names.take(kScorePlaces);
  scoreNames.append(names.take(kScoreNames));
}

/// A member function of the struct from a region; `missing` is what it returns where the region is empty.
LogicalResult Printer::printGenerated(kernel::SkeletonOp skeleton, mlir::Region &region,
                                      const std::string &head, const std::string &missing) {
  if (region.empty()) {
    line(head + " const { return " + missing + "; }");
    return success();
  }
  llvm::StringSet<> outside = names.snapshot();
  names.take(kScorePlaces);
  names.take({"s"});
  if (yieldsSlope(skeleton))
    names.take({"slope"});
  open(head + " const");
  // Positions are 64-bit: products of two of them may pass 2^31.
  auto indices = region.getArguments();
  if (indices.size() > std::size(kScorePlaces)) {
    bind(indices.front(), {"s"});
    indices = indices.drop_front();
  }
  for (auto [index, parameter] : llvm::zip(indices, kScorePlaces))
    if (!index.use_empty())
      line("const long long " + name(index) + " = " + parameter.str() + ";");
  for (mlir::Operation &op : region.front()) {
    if (auto yield = llvm::dyn_cast<kernel::YieldOp>(op)) {
      if (yield.getNumOperands() > 1)
        line("slope = " + exprOf(yield.getOperand(1)).text + ";");
      line("return " + exprOf(yield.getOperand(0)).text + ";");
    } else if (failed(define(&op)))
      return failure();
  }
  close();
  names.restore(std::move(outside));
  return success();
}

LogicalResult Printer::printSkeleton(kernel::SkeletonOp skeleton) {
  DeviceForm form = deviceFormOf(skeleton);
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
  names.give(scoreNames); // What is named from here on is no member.

  if (skeleton.getReason())
    directive("// " + skeleton.getReason()->str());
  directive("#include \"" + form.header + ".cuh\"");
  directive("#include \"row.cuh\"");
  directive("");
  llvm::SetVector<mlir::Value> captures = capturesOf(skeleton);
  open("struct Score");
  line(std::string("static constexpr bool kCausal = ") + truth(skeleton.getCausal()) + ";");
  if (skeleton.getWindow() != 0)
    line("static constexpr int kWindow = " + std::to_string(skeleton.getWindow()) + ";");
  line(std::string("static constexpr bool kHasScore = ") + truth(!skeleton.getScore().empty()) + ";");
  line(std::string("static constexpr bool kHasMask = ") + truth(!skeleton.getMask().empty()) + ";");
  if (passOf(skeleton) == AttentionPass::Forward && masksKeysAlone(skeleton))
    line("static constexpr bool kMaskOfKeys = true;");
  const bool slope = yieldsSlope(skeleton);
  if (slope)
    line("static constexpr bool kHasSlope = true;");
  std::string members;
  for (mlir::Value capture : captures) {
    std::string member = exprOf(capture).text;
    auto buffer = llvm::dyn_cast<kernel::BufferType>(capture.getType());
    line((buffer ? "const " + typeName(buffer.getElementType()) + " *__restrict__ " : "long long ") + member +
         ";");
    members += (members.empty() ? "" : ", ") + member;
  }
  std::string scoreHead = "__device__ float score(float s, int b, int h, int i, int j";
  if (failed(printGenerated(skeleton, skeleton.getScore(), scoreHead + (slope ? ", float &slope)" : ")"),
                            "s")) ||
      failed(printGenerated(skeleton, skeleton.getMask(), "__device__ bool keep(int b, int h, int i, int j)",
                            "true")))
    return failure();
  close(";");
  directive("");
  line("static_assert(heddle::" + form.sizes + "::kSharedBytes == " +
       std::to_string(skeleton.getSharedBytes()) + ", \"the launch's shared memory\");");
  AttentionRequest request = requestOf(skeleton);
  if (request.pass == AttentionPass::Keys) {
    std::string dims = std::to_string(request.headDim) + ", " + std::to_string(request.valueDim);
    int passes = attentionBackwardMmaKeysPasses(int(request.headDim), int(request.valueDim));
    line("static_assert(heddle::attention_keys_passes(" + dims + ") == " + std::to_string(passes) +
         ", \"the launch's blocks\");");
  }
  directive("");
  printHead(std::to_string(skeleton.getThreads()) + ", " + std::to_string(skeleton.getMinBlocks()),
            parameters);
  out += arithmetic;
  std::string params = names.fresh("params"), score = names.fresh("score");
  // Forward's has no fields that are not set.
  line("heddle::" + form.params + "<" + element + "> " + params +
       (request.pass == AttentionPass::Forward ? ";" : " = {};"));
  std::string further = printSkeletonParams(skeleton, params);
  line("const Score " + score + " = {" + members + "};");
  std::string aligned = maps.empty() ? std::string(", ") + truth(skeleton.getAligned()) : "";
  line("heddle::" + form.function + "<" + element + ", " + sizes + ", Score" + aligned + ">(" + params +
       further + ", " + score + maps + ");");
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

std::string Printer::printSkeletonParams(kernel::SkeletonOp skeleton, const std::string &params) {
  auto assign = [&](const std::string &field, const std::string &value) {
    line(params + "." + field + " = " + value + ";");
  };
  llvm::SmallVector<kernel::SkeletonOperand, 10> operands = skeleton.getOperandList();
  std::string biasGradient;
  for (auto [operand, buffer] : llvm::zip(operands, skeleton.getBuffers())) {
    std::string value = exprOf(buffer).text;
    if (operand.kind == kernel::SkeletonOperand::Scores)
      biasGradient = value;
    else
      assign(fieldOf(operand.name).str(), value);
  }
  if (passOf(skeleton) == AttentionPass::Forward && !skeleton.getStatistics())
    assign("statistics", "nullptr");
  static constexpr const char *kLengths[] = {"batch", "heads", "kv_heads", "q_len", "kv_len"};
  static_assert(std::size(kLengths) == kernel::kAttentionLengths);
  for (auto [field, count] : llvm::zip(kLengths, skeleton.getCounts()))
    assign(field, "int(" + exprOf(count).text + ")");
  static constexpr const char *kStrides[] = {"_batch", "_head", "_row"};
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand.kind == kernel::SkeletonOperand::Heads)
      for (auto [name, stride] : llvm::zip(kStrides, skeleton.getStrides(index)))
        assign(fieldOf(operand.name).str() + name, exprOf(stride).text);
  assign("scale", floatLiteral(skeleton.getScale().convertToDouble()).text);
  if (biasGradient.empty())
    return "";
  std::string gradient = names.fresh("gradient");
  line("heddle::AttentionBiasGradient " + gradient + ";");
  auto set = [&](const char *field, const std::string &value) {
    line(gradient + "." + field + " = " + value + ";");
  };
  set("data", biasGradient);
  mlir::ValueRange ofBias = skeleton.getBiasCounts();
  set("batch", "int(" + exprOf(ofBias[0]).text + ")");
  set("heads", "int(" + exprOf(ofBias[1]).text + ")");
  std::string queries = exprOf(skeleton.getCounts()[3]).text, keys = exprOf(skeleton.getCounts()[4]).text;
  set("batch_stride", exprOf(ofBias[1]).text + " * " + queries + " * " + keys);
  set("head_stride", queries + " * " + keys);
  set("row_stride", keys);
  return ", " + gradient;
}
