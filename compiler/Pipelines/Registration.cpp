#include "compiler/Pipelines/Registration.h"
#include "compiler/Autodiff/Passes.h"
#include "compiler/Checkpoint/Passes.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Plan/Passes.h"
#include "compiler/Precision/Passes.h"
#include "compiler/Target/CPU/Passes.h"
#include "compiler/Target/CUDA/Passes.h"
#include "dialects/Graph/GraphDialect.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

void heddle::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, kernel::KernelDialect, plan::PlanDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::math::MathDialect>();
}

void heddle::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  registerGraphPasses();
  registerLayoutPasses();
  registerAutodiffPasses();
  registerPrecisionPasses();
  registerCheckpointPasses();
  registerHeddleFusionPasses();
  registerHeddleLoweringPasses();
  registerCudaTargetPasses();
  registerCpuTargetPasses();
  plan::registerPlanPasses();
}
