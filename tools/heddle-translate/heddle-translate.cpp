//===- heddle-translate.cpp - Between MLIR and what is not MLIR -----------===//
#include "tools/heddle-translate/Translations.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  heddle::registerKernelToCuda();
  return failed(mlir::mlirTranslateMain(argc, argv, "Heddle's translation driver"));
}
