//===- Passes.td - What is kept between phases -------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_CHECKPOINT_PASSES_TD
#define HEDDLE_COMPILER_CHECKPOINT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChunkLoss : Pass<"chunk-loss", "::mlir::func::FuncOp"> {
  let summary = "The last product, its cross-entropy and their gradients in chunks of rows";
  let description = [{
    The logits of all tokens are the largest tensor of a model with a large vocabulary, and their gradient is another. Where
    nothing but a cross-entropy reads them, and what its gradient is multiplied with is known beforehand (a mean's is: it
    depends on the targets alone), each chunk of rows goes through the product, the loss and the products of the gradient
    before the next one; so do a bias between product and loss, and the sum that is its gradient. Chunks have at most about `max-bytes` of logits, whole multiples of 128 rows. Nothing changes where
    all fit into one, or where more is needed than is saved: the weight's sum is float32, and the input's gradient lives in parts
    and side by side (a model wider than its vocabulary).

    The input's gradient and the losses are put side by side, bit for bit as without chunks; the weight's gradient and the
    bias's are sums over chunks in float32, which are rounded no more than those of one product.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "int64_t{1} << 27", "Most bytes of a chunk's logits">];
  let statistics = [Statistic<"numChunks", "chunks", "Chunks that were made">];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

def KeepLeast : Pass<"keep-least", "::mlir::func::FuncOp"> {
  let summary = "Computes cheap values again where they are read, rather than keep them";
  let description = [{
    What backward reads of forward, and the optimizer of backward, has to be kept in memory from one to the other. Some of
    it costs nothing to compute again: elementwise ops, in the kernel that reads them, from what is kept anyway or is smaller. A
    float32 copy of a bf16 product, for one, or SwiGLU's gate.

    Which values to keep is a minimum cut: the fewest bytes from which the later phase computes all it reads. Elementwise ops
    alone are computed again, in chains of at most `max-chain`:

    - in passing, at no cost, those whose results forward, too, has in registers: no product, reduction or attention reads
      them from memory. Casts to a wider type always are.
    - others where kernels of the later phase read all that they need in any case (what a product of SwiGLU's or GELU's result
      reads): such a kernel stores one thing more. The cut counts half of its bytes as the price.

    Of cuts of the same size the one that recomputes least is taken. The same bits: the ops and what they read are the same.

    An op that is computed again is cloned before its first reader of the later phase.
  }];
  let options = [Option<"maxChain", "max-chain", "int64_t", "16", "Most ops one after another that are computed again">];
  let statistics = [Statistic<"numAgain", "again", "Ops that are computed again">,
                    Statistic<"numBytes", "bytes", "Bytes that are not kept">];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

#endif
