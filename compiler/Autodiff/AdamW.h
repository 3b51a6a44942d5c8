//===- AdamW.h - One optimizer step as graph ops ----------------*- C++ -*-===//
//
// AdamW as PyTorch computes it (Loshchilov and Hutter, arXiv:1711.05101; torch.optim.AdamW), after clipping
// by the global norm of the gradients (torch.nn.utils.clip_grad_norm_):
//
//   norm = sqrt(sum of all g^2);  g *= min(1, max_norm / (norm + 1e-6))
//   m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v)
//   c1 += (1 - beta1) (1 - c1);  c2 += (1 - beta2) (1 - c2)      which is 1 - beta^t at step t
//   p -= lr * weight_decay * p + lr / c1 * m / (sqrt(v) / sqrt(c2) + epsilon)
//
// Vectors (norms, biases) do not decay. All scalars are states of one element that a run reads from memory,
// so that another learning rate compiles nothing: adamw.lr, adamw.one_minus_beta1, adamw.one_minus_beta2 (in
// float32 1 - 0.999 would be off by 5e-5), adamw.epsilon, adamw.weight_decay, adamw.max_norm (1e30: no
// clipping), adamw.correction1, adamw.correction2, adamw.step, adamw.skipped. Moments are exp_avg.NAME and
// exp_avg_sq.NAME, float32. Where the norm is not finite nothing changes but adamw.skipped, which counts.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_AUTODIFF_ADAMW_H
#define HEDDLE_COMPILER_AUTODIFF_ADAMW_H

#include "dialects/Graph/GraphBuilder.h"

namespace heddle {

struct Trained {
  graph::ParameterOp parameter;
  mlir::Value gradient; ///< Of the parameter's shape, in any floating type.
};

/// Builds the step where `builder` stands; returns the norm of the gradients before clipping, f32 [].
mlir::Value buildAdamW(mlir::OpBuilder &builder, llvm::ArrayRef<Trained> trained);

} // namespace heddle

#endif // HEDDLE_COMPILER_AUTODIFF_ADAMW_H
