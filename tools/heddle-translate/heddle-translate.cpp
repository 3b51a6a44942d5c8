//===- heddle-translate.cpp - Between dialects and other formats ----------===//
#include "tools/heddle-translate/Translations.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  heddle::registerPlanTranslations();
  heddle::registerKernelToCuda();
  return failed(mlir::mlirTranslateMain(argc, argv, "Heddle's translation tool\n"));
}
