//===- Workspace.h - Memory for the product library -------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_PLAN_WORKSPACE_H
#define HEDDLE_RUNTIME_PLAN_WORKSPACE_H

#include <cstdint>

namespace heddle::runtime {

/// What plans give cuBLASLt beside a product's operands, in bytes: what PyTorch gives it on Hopper, so that
/// choices compare. Without any, products that are split along k are not among its choices.
inline constexpr int64_t kCublasWorkspaceBytes = int64_t(32) << 20;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_WORKSPACE_H
