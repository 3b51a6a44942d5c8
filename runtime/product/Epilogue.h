//===- Epilogue.h - What a CPU product adds after the sum -------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_PRODUCT_EPILOGUE_H
#define HEDDLE_RUNTIME_PRODUCT_EPILOGUE_H

#include "runtime/plan/Plan.h"

namespace heddle::runtime {

/// Applies `epilogue` to a rows×columns tile of float32 in place: adds bias[j] to column j, then relu, max(x,
/// 0), or gelu in its tanh form (see Epilogue). `bias` may be null where the epilogue has none.
void applyEpilogue(Epilogue epilogue, float *tile, int64_t rows, int64_t columns, int64_t ld,
                   const float *bias);

/// gate[j] = silu(gate[j]) * up[j].
void siluMultiply(float *gate, const float *up, int64_t columns);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_EPILOGUE_H
