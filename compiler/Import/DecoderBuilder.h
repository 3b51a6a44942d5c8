//===- DecoderBuilder.h - From a decoder's description to a graph -*- C++ -*-===//
//
// Writes norms, rotary positions, masks and attention out op by op, as a PyTorch user's model does: eager
// execution runs these ops one by one, and the compiler has to find the structure again.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_IMPORT_DECODERBUILDER_H
#define HEDDLE_COMPILER_IMPORT_DECODERBUILDER_H

#include "compiler/Import/DecoderSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle::import {

/// What is built for training.
struct DecoderTraining {
  bool loss = false; ///< `loss` instead of the logits.
  /// Drops elements of the embedding, of attention's output and of the MLP's, where these are added to the
  /// residual stream (GPT-2's and BERT's places): an input `dropout_key`, i64 [1], more. 0: nowhere.
  double dropout = 0;
};

/// A module with func.func @main: the inputs i32 [batch, seq], each with graph.bound, and the outputs of the
/// description; batch and seq are symbolic. Parameters have the names and shapes of the state dict, so that
/// loading is by name. The description must be valid (`validate`). Every op's location is a path such as
/// "blocks.3.attention.scores" inside the description's name. With a loss there is an input `targets`, i32
/// [batch, seq], and the only output is `loss`, f32: the mean of the logits' cross-entropies over the targets
/// that are not -100. A pooler is then not there: no loss reaches it.
mlir::OwningOpRef<mlir::ModuleOp> buildDecoder(mlir::MLIRContext *context, const DecoderSpec &spec,
                                               const DecoderExtents &extents,
                                               const DecoderTraining &training = {});

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_DECODERBUILDER_H
