//===- heddle-opt.cpp - Runs passes on text -------------------------------===//
#include "compiler/Pipelines/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  heddle::registerDialects(registry);
  heddle::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Heddle's optimizer driver\n", registry));
}
