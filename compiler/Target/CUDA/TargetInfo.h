//===- TargetInfo.h - What a GPU architecture offers ------------*- C++ -*-===//
//
// Passes ask a description and never the architecture's name: a new target is a new entry in TargetInfo.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_TARGETINFO_H
#define HEDDLE_COMPILER_TARGET_CUDA_TARGETINFO_H

#include "compiler/Target/CUDA/device/attention_tiles.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Type;
}

namespace heddle::cuda {

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
  /// 32-bit registers of a multiprocessor, shared by its threads.
  virtual int64_t registerFile() const { return 65536; }
  /// Registers that one thread can have.
  virtual int64_t maxRegisters() const { return 255; }
  /// Tile for attention over heads of `headDim` and `valueDim` elements (multiples of 8, up to 256) of f32,
  /// bf16 or f16; `generated` where there is a score or mask function, `causal` where later keys are not
  /// seen. Nothing where the target has none that fits.
  virtual std::optional<AttentionTile> attentionTile(mlir::Type element, int64_t headDim, int64_t valueDim,
                                                     bool causal, bool generated) const;
};

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_TARGETINFO_H
