//===- Chunks.h - Ops that run chunk by chunk -------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_SUPPORT_CHUNKS_H
#define HEDDLE_COMPILER_SUPPORT_CHUNKS_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Number of the chunk of a loss that an op belongs to, -1 for what all of them read (compiler/Checkpoint,
/// chunk-loss). Fusion keeps ops of different chunks, and those of none, apart: a kernel of two chunks would
/// keep the logits of both.
constexpr llvm::StringLiteral kChunkAttr = "graph.chunk";

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_CHUNKS_H
