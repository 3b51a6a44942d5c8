//===- AttentionLike.h - What attention and its gradient share --*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_INTERFACES_ATTENTIONLIKE_H
#define HEDDLE_DIALECTS_INTERFACES_ATTENTIONLIKE_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/APFloat.h"

#include <optional>

#include "dialects/Interfaces/AttentionLike.h.inc"

#endif // HEDDLE_DIALECTS_INTERFACES_ATTENTIONLIKE_H
