//===- TargetInfo.cpp - What a GPU architecture offers --------------------===//
#include "compiler/Target/CUDA/TargetInfo.h"
#include "compiler/Target/CUDA/ResourceModel.h"

#include "mlir/IR/Types.h"

using namespace heddle::cuda;

namespace {

/// Ampere: mma.sync and cp.async. Later targets run the same code.
class Sm80 : public TargetInfo {
public:
  llvm::StringRef arch() const override { return "sm_80"; }
  int64_t maxSharedBytes() const override { return 163 * 1024; }
};

class Sm90a final : public Sm80 {
public:
  llvm::StringRef arch() const override { return "sm_90a"; }
  int64_t maxSharedBytes() const override { return 227 * 1024; }
};

const Sm80 kSm80;
const Sm90a kSm90a;
const TargetInfo *const kTargets[] = {&kSm80, &kSm90a};

} // namespace

std::optional<heddle::AttentionTile> TargetInfo::attentionTile(mlir::Type element, int64_t headDim,
                                                               int64_t valueDim, bool causal,
                                                               bool generated) const {
  int64_t least = std::min(headDim, valueDim), most = std::max(headDim, valueDim);
  if (least < 8 || headDim % 8 != 0 || valueDim % 8 != 0 || most > 256)
    return std::nullopt;
  AttentionTile tile = element.isF32() ? attentionSimtTile(int(headDim), int(valueDim), generated, causal,
                                                           int(maxSharedBytes()))
                                       : attentionMmaTile(int(headDim), int(valueDim), generated);
  if (attentionSharedBytes(element, headDim, valueDim, tile) > maxSharedBytes())
    return std::nullopt;
  return tile;
}

const TargetInfo *TargetInfo::get(llvm::StringRef arch) {
  for (const TargetInfo *target : kTargets)
    if (target->arch() == arch)
      return target;
  return nullptr;
}

llvm::SmallVector<llvm::StringRef> TargetInfo::names() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const TargetInfo *target : kTargets)
    names.push_back(target->arch());
  return names;
}
