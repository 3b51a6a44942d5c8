//===- Passes.td - Passes of the CUDA target ---------------*- tablegen -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_PASSES_TD
#define HEDDLE_COMPILER_TARGET_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LegalizeCuda : Pass<"legalize-cuda", "::mlir::ModuleOp"> {
  let summary = "Decides vector widths, access widths and thread mappings of all kernels";
  let description = [{
    For each `kernel.func` below the module. Sets `vector` of columns loops, `width` of loads and stores,
    `mapping` of the kernel, or a skeleton's tile, threads and shared memory. Ends in the checks of
    `verify-cuda-kernel`.

    Row indices that appear only together become one first. A vector has so many columns that the narrowest
    element moves in at most 16 bytes and the widest in at most two times 16 (min(16 / narrowest,
    32 / widest), interleaved pairs counting double), halved until it divides the number of columns and
    every access to neighbouring elements is aligned to it.

    A warp or less shares a row of up to eight vectors a thread, more threads a wider one, so that kept rows
    take at most 32 registers of a thread. Rows that do not fit with 1,024 threads are computed again where
    they are read.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "Architecture: sm_80 or sm_90a">
  ];
  let statistics = [
    Statistic<"flat", "flat-kernels", "Kernels with one thread for a column vector">,
    Statistic<"rows", "row-kernels", "Kernels with threads that share a row">,
    Statistic<"skeletons", "skeletons", "Hand-written structures that got a tile">,
    Statistic<"collapsed", "collapsed-indices", "Row indices that became one with their neighbour">,
    Statistic<"recomputed", "recomputed-rows",
              "Kept rows that no thread's registers hold, computed again instead">
  ];
}

def VerifyCudaKernel : Pass<"verify-cuda-kernel", "::mlir::ModuleOp"> {
  let summary = "Checks that kernels are legal for the printer";
  let description = [{
    Every op has a rule in the printer, widths and mappings are set and fit the target, and no thread reads what another thread
    of its row writes without a barrier between them.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "Architecture: sm_80 or sm_90a">
  ];
}

def TargetCuda : Pass<"target-cuda", "::mlir::ModuleOp"> {
  let summary = "Kernels of a plan become CUDA C++ text";
  let description = [{
    In each `plan.program`: legalises every `kernel.func`, prints it, replaces it by a `plan.kernel` of the
    same symbol and sets `grid` on the launches. The text holds the device library: nothing else is needed to
    compile it.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "Architecture: sm_80 or sm_90a">
  ];
  let dependentDialects = ["::heddle::plan::PlanDialect"];
  let statistics = [Statistic<"kernels", "kernels", "Kernels printed">];
}

#endif
