//===- Passes.td - Passes of the plan phase ----------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_PLAN_PASSES_TD
#define HEDDLE_COMPILER_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def BatchLaunches : Pass<"batch-launches", "::heddle::plan::ProgramOp"> {
  let summary = "Alike launches that do not depend on each other become one";
  let description = [{
    Launches of row kernels that differ in buffers, in how many rows, or for flat kernels elements, there are, and in where
    they start, become instances of one launch of a batched kernel, in the place of the last: the optimizer's updates of all
    parameters, the sums of squares of their gradients, the copies of those sums into one tensor. Kernels must be
    `kernel.func` ops: this runs before the target phase, since a batched kernel has a text of its own.

    A launch moves past steps that touch nothing of what it writes, and write nothing of what it touches, byte by byte;
    it stays where the most memory that lives at once would grow, or the arena by more than 1/512 of all memory, and where it reads more than `most-moved` bytes of
    a buffer that one of the two steps before it has written, which a second-level cache may still hold. Instances have one
    phase, and alignments and divisors that allow the same vectors. Steps of phase init are left alone.

    Every instance computes what its launch did, element by element in the same order: results keep their bits.
  }];
  let options = [
    Option<"mostMoved", "most-moved", "int64_t", "int64_t{16} << 20",
           "Bytes just written that a launch may be moved away from">,
    Option<"remarks", "remarks", "bool", "false", "Emit each batch and each launch that joined none as a remark">
  ];
  let statistics = [
    Statistic<"numBatches", "batches", "Launches of several instances">,
    Statistic<"numBatched", "batched", "Launches that became instances">,
    Statistic<"numDependent", "dependent", "Launches that could not wait for a later one: a step between needs them">,
    Statistic<"numPeak", "peak", "Launches that did not wait for a later one: more memory would live at once">,
    Statistic<"numUndone", "undone", "Programs left as they were: no order of batches had about as small an arena">,
    Statistic<"numHot", "hot", "Launches that did not wait for a later one: they read much that was just written">,
  ];
}

def PlanMemory : Pass<"plan-memory", "::heddle::plan::ProgramOp"> {
  let summary = "Lifetimes of all buffers, and places in the arena for scratch and saved ones";
  let description = [{
    Moves the steps of phase init to the front, in their order; sets `firstStep` and `lastStep`; removes scratch, saved and
    constant buffers that no step touches; places scratch and saved buffers in the arena such that no two that live at
    once overlap; sets `arenaBytes`. Outputs lie there, too, from the step that writes them to the end of the run: the
    caller reads them before the next one. Inputs, parameters, constants and state keep allocations of their own: they
    live throughout and could share nothing.

    Fails where a scratch or saved buffer is touched by init steps and by later ones: init runs once, and what it leaves
    for the runs is a constant. Fails where a product or a copy is the first to touch a scratch or saved buffer and reads
    it; launches are not judged.
  }];
  let statistics = [
    Statistic<"arena", "arena-bytes", "Bytes of the arena">,
    Statistic<"bound", "lower-bound-bytes", "The most bytes that live at once: no arena is smaller">,
    Statistic<"removed", "removed-buffers", "Buffers that no step touches">,
  ];
}

def PlanEagerMemory : Pass<"plan-eager-memory", "::heddle::plan::ProgramOp"> {
  let summary = "Lifetimes of all buffers, for an executor that allocates";
  let description = [{
    As `plan-memory`, without the arena: the executor allocates each scratch and saved buffer at its first step and frees
    it after its last.
  }];
  let statistics = [Statistic<"removed", "removed-buffers", "Buffers that no step touches">];
}

def PlanProductLayouts : Pass<"plan-product-layouts", "::heddle::plan::ProgramOp"> {
  let summary = "Stores what products touch as they want it";
  let description = [{
    For plans of device cuda: an output that one product writes gets a `pitch` where its rows would not begin at multiples
    of 16 bytes (vocabularies such as GPT-2's 50257), and the product as many columns; its weight, which is n x k and whole,
    gets the bytes of their rows.

    For plans of device cpu: in mode forward, where every step that touches a parameter is a tiled product that reads all of
    it as b, transposed, sets the parameter's `panel` to what the target's inner loop reads, and the products' algorithm
    to that of b in panels. Otherwise the parameter stays in rows: a table that an embedding looks up as well, a bias, a
    weight stored as k x n, halves of a gate that are no whole panels.

    Scratch buffers that tiled products alone touch, as whole float32 matrices, and whose rows are a multiple of 4096 bytes
    apart get 16 elements more a row: 14 rows are read side by side, and would share one set of a first-level cache.
  }];
  let statistics = [
    Statistic<"numPacked", "packed", "Parameters in panels">,
    Statistic<"numOtherReader", "other-reader", "Parameters that others than tiled products read, too">,
    Statistic<"numForm", "form", "Parameters that a product reads in part or not transposed">,
    Statistic<"numNoProduct", "no-product", "Parameters that no product reads">,
    Statistic<"numSeparated", "separated", "Outputs whose rows lie apart">,
    Statistic<"numPadded", "padded", "Scratch buffers with longer rows">,
  ];
}

def VerifyPlan : Pass<"verify-plan", "::heddle::plan::ProgramOp"> {
  let summary = "What the plan phase leaves";
  let description = [{
    Every kernel is a `plan.kernel`, every launch has its grid (CUDA) or items (CPU), and the plan means something to the
    runtime: its own verifier accepts it (bounds, lifetimes, overlaps, names).
  }];
}

#endif
