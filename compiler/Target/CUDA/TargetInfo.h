//===- TargetInfo.h - What a GPU architecture offers ------------*- C++ -*-===//
//
// Passes ask a description and never the architecture's name: a new target is a new entry in TargetInfo.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_TARGETINFO_H
#define HEDDLE_COMPILER_TARGET_CUDA_TARGETINFO_H

#include "compiler/Target/CUDA/device/attention_tiles.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::cuda {

/// What an attention kernel computes: forward; all of the gradient but a bias's, its keys and values, its
/// queries, its bias.
enum class AttentionPass { Forward, Backward, Keys, Queries, Bias };

/// Attention as one kernel has it: heads of `headDim` and `valueDim` elements of f32, bf16 or f16;
/// `generated` where there is a score or mask function, `causal` where later keys are not seen, `aligned`
/// where all rows keep to multiples of 16 bytes, `broadcast` where an operand repeats itself.
struct AttentionRequest {
  AttentionPass pass;
  mlir::Type element;
  int64_t headDim;
  int64_t valueDim;
  bool causal;
  bool generated; ///< A function is called for every score, which takes registers.
  bool aligned;
  bool broadcast;
};

/// How a target computes it.
struct AttentionChoice {
  llvm::StringRef version; ///< device/attention_forward_<version>.cuh, or attention_backward_<version>.cuh
  AttentionTile tile;
  int64_t sharedBytes; ///< Dynamic, of a block; the printed text asserts it.
  /// Why the target's fastest version for the type does not serve; empty where it is the choice.
  std::string reason;
};

class TargetInfo {
public:
  virtual ~TargetInfo() = default;

  /// The description of "sm_80" or "sm_90a"; null for any other name.
  static const TargetInfo *get(llvm::StringRef arch);
  /// The names that `get` knows.
  static llvm::SmallVector<llvm::StringRef> names();

  virtual llvm::StringRef arch() const = 0;
  /// Shared memory that one block may ask for, in bytes.
  virtual int64_t maxSharedBytes() const = 0;
  /// Multiprocessors of the GPU that launches are sized for, where their number matters; others run the same
  /// launch.
  virtual int processors() const = 0;
  /// 32-bit registers of a multiprocessor, shared by its threads.
  virtual int64_t registerFile() const { return 65536; }
  /// Registers that one thread can have.
  virtual int64_t maxRegisters() const { return 255; }
  /// Whether NVRTC spills registers of the kernel for the gradients of keys and values where tiles of 64
  /// queries and 128 keys have heads of 56 or 64 elements. For sm_80 that of CUDA 13.0 does: 32 bytes a
  /// thread for 64 elements, causal, of rows off 16 bytes; of 56 it takes 243 of 255 registers.
  virtual bool spillsWideKeys() const = 0;
  /// Version and tile for attention over heads of multiples of 8 elements, up to 256. Nothing where the
  /// target has none that fits. Of gradients the one pass is float32's, and those of keys and queries are
  /// bf16's and f16's.
  virtual std::optional<AttentionChoice> attention(const AttentionRequest &request) const {
    return portableAttention(request);
  }
  /// The same of the versions that every target runs: what serves where a target's own does not.
  std::optional<AttentionChoice> portableAttention(const AttentionRequest &request) const;
};

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_TARGETINFO_H
