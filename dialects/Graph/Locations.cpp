#include "dialects/Graph/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

std::string heddle::graph::locationText(mlir::Location loc) {
  return llvm::TypeSwitch<mlir::LocationAttr, std::string>(loc)
      .Case([](mlir::NameLoc name) { return name.getName().str(); })
      .Case([](mlir::FileLineColRange file) {
        return file.getFilename().str() + ":" + std::to_string(file.getStartLine()) + ":" +
               std::to_string(file.getStartColumn());
      })
      .Case([](mlir::CallSiteLoc call) { return locationText(call.getCallee()); })
      .Case([](mlir::FusedLoc fused) {
        for (mlir::Location part : fused.getLocations())
          if (std::string text = locationText(part); text != "unknown")
            return text;
        return std::string("unknown");
      })
      .Default([](mlir::LocationAttr) { return std::string("unknown"); });
}
