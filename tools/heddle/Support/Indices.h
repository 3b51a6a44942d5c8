//===- Indices.h - Values of inputs that index something --------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_INDICES_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_INDICES_H

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <span>

namespace heddle::driver {

/// Kernels read tables at the values of such an input and do not look whether they are inside: whoever gives
/// an executor an input calls this first. `data` is in the input's own type. InvalidInput names the first
/// value that is neither in [0, Buffer::indexLimit) nor Buffer::ignoredIndex; an input without a limit takes
/// any.
runtime::Status checkIndices(const runtime::Buffer &input, std::span<const uint8_t> data);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_INDICES_H
