//===- TargetInfo.cpp - What a GPU architecture offers --------------------===//
#include "compiler/Target/CUDA/TargetInfo.h"

#include "llvm/Support/ErrorHandling.h"

using namespace heddle;
using namespace heddle::cuda;

namespace {

/// Ampere: mma.sync and cp.async. Later targets run the same code where they have nothing better.
class Sm80 : public TargetInfo {
public:
  llvm::StringRef arch() const override { return "sm_80"; }
  int64_t maxSharedBytes() const override { return 163 * 1024; }
  int processors() const override { return 108; } // A100
  bool spillsWideKeys() const override { return true; }
};

class Sm90a final : public Sm80 {
public:
  llvm::StringRef arch() const override { return "sm_90a"; }
  int64_t maxSharedBytes() const override { return 227 * 1024; }
  int processors() const override { return 132; } // H100 SXM, H200
  bool spillsWideKeys() const override { return false; }
  std::optional<AttentionChoice> attention(const AttentionRequest &request) const override;
};

const Sm80 kSm80;
const Sm90a kSm90a;
const TargetInfo *const kTargets[] = {&kSm80, &kSm90a};

} // namespace

/// The sizes that the device library's copies and products are made for.
static bool isSupported(const AttentionRequest &request) {
  int64_t least = std::min(request.headDim, request.valueDim);
  int64_t most = std::max(request.headDim, request.valueDim);
  return least >= 8 && request.headDim % 8 == 0 && request.valueDim % 8 == 0 && most <= 256;
}

/// No version where float32 has no such pass.
static AttentionChoice simtChoice(const AttentionRequest &request, int sharedLimit) {
  int headDim = int(request.headDim), valueDim = int(request.valueDim);
  switch (request.pass) {
  case AttentionPass::Forward: {
    AttentionTile tile = attentionSimtTile(headDim, valueDim, request.generated, request.causal, sharedLimit);
    return {"simt", tile, attentionSimtSharedBytes(headDim, valueDim, tile), ""};
  }
  case AttentionPass::Backward:
  case AttentionPass::Bias: {
    AttentionTile tile = attentionBackwardSimtTile(headDim, valueDim, request.generated, sharedLimit);
    return {"simt", tile, attentionBackwardSimtSharedBytes(headDim, valueDim, tile), ""};
  }
  case AttentionPass::Keys:
  case AttentionPass::Queries:
    return {};
  }
  llvm_unreachable("covered switch");
}

/// The same for bf16 and f16.
static AttentionChoice mmaChoice(const AttentionRequest &request, const TargetInfo &target) {
  const int sharedLimit = int(target.maxSharedBytes());
  int headDim = int(request.headDim), valueDim = int(request.valueDim);
  auto backward = [&](AttentionTile tile, int owned, int stream) -> AttentionChoice {
    return {"mma", tile, attentionBackwardMmaSharedBytes(headDim, valueDim, owned, stream, tile.stages), ""};
  };
  switch (request.pass) {
  case AttentionPass::Forward: {
    AttentionTile tile = attentionMmaTile(headDim, valueDim, request.generated);
    return {"mma", tile, attentionMmaSharedBytes(headDim, valueDim, tile), ""};
  }
  case AttentionPass::Keys: {
    AttentionTile tile =
        attentionBackwardMmaKeysTile(headDim, valueDim, sharedLimit, target.spillsWideKeys());
    return backward(tile, tile.tileN, tile.tileM);
  }
  case AttentionPass::Queries: {
    AttentionTile tile = attentionBackwardMmaQueriesTile(headDim, valueDim, sharedLimit);
    return backward(tile, tile.tileM, tile.tileN);
  }
  case AttentionPass::Bias: {
    AttentionTile tile = attentionBackwardMmaBiasTile(headDim, valueDim);
    return backward(tile, tile.tileM, tile.tileN);
  }
  case AttentionPass::Backward:
    return {};
  }
  llvm_unreachable("covered switch");
}

std::optional<AttentionChoice> TargetInfo::portableAttention(const AttentionRequest &request) const {
  if (!isSupported(request))
    return std::nullopt;
  AttentionChoice choice =
      request.element.isF32() ? simtChoice(request, int(maxSharedBytes())) : mmaChoice(request, *this);
  if (choice.version.empty() || choice.sharedBytes > maxSharedBytes())
    return std::nullopt;
  return choice;
}

std::optional<AttentionChoice> Sm90a::attention(const AttentionRequest &request) const {
  std::optional<AttentionChoice> portable = portableAttention(request);
  if (!portable || request.element.isF32() || request.pass != AttentionPass::Forward)
    return portable;
  int headDim = int(request.headDim), valueDim = int(request.valueDim);
  if (std::max(headDim, valueDim) > kAttentionWgmmaDim) {
    // Its accumulators would leave a thread no registers for tiles that keep the tensor cores busy.
    portable->reason = "no wgmma: heads of more than " + std::to_string(kAttentionWgmmaDim) + " elements";
    return portable;
  }
  if (!request.aligned) {
    portable->reason = "no wgmma: rows do not keep to multiples of 16 bytes";
    return portable;
  }
  if (request.broadcast) {
    portable->reason = "no wgmma: an operand is repeated, which a tensor map does not describe";
    return portable;
  }
  AttentionTile tile = attentionWgmmaTile(headDim, valueDim, request.causal, request.generated);
  return AttentionChoice{"wgmma", tile, attentionWgmmaSharedBytes(headDim, valueDim, tile), ""};
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
