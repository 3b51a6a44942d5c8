//===- Verify.h - Whether a plan means something ----------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_PLAN_VERIFY_H
#define HEDDLE_RUNTIME_PLAN_VERIFY_H

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace heddle::runtime {

/// Verifies a plan's meaning, so that an executor may follow it blindly:
///  - buffers: known role and type, bytes that hold the shape, offsets that are multiples of 256 inside the
///  arena,
///    parts inside their buffer and disjoint, constant data of the buffer's size; what is stored in panels is
///    read whole, by tiled products of the same panels;
///  - memory: no two placed buffers that live at once share bytes. Scratch and Saved buffers live from
///  firstStep to
///    lastStep, every other role lives throughout; no step may touch a buffer outside its life, and what
///    lives within a run does not reach from phase Init into it;
///  - kernels: unique names, the device's language, a binary or a source, a legal block;
///  - steps: operands inside their buffers (with strides, batches and offsets), a grid above zero, a dtype
///  that the
///    math mode takes, steps of phase Init before all others;
///  - outputs: each is written by some step;
///  - names: inputs, outputs and parameter parts are unique.
/// What it cannot vouch for is a kernel: how much of its operands, counts and items one touches is known to
/// its machine code alone, so that a plan is to be trusted as a program is. The error is InvalidInput; its
/// message names the buffer, kernel or step, what was wanted and what was found.
Status verifyPlan(const Plan &plan);

/// Elements of a shape, or -1 where a dimension is negative or the product does not fit.
int64_t elementsOf(const std::vector<int64_t> &shape);

/// Whether the buffer's life is the whole run whatever its steps say: all roles but Scratch and Saved.
bool livesThroughout(const Buffer &buffer);

namespace detail {
/// Bounds of one step's operands; part of verifyPlan (VerifySteps.cpp).
Status verifyStep(const Plan &plan, const Step &step);
/// "buffer 3 (hidden)".
std::string describe(const Plan &plan, int32_t buffer);
} // namespace detail

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_VERIFY_H
