#include "compiler/Support/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"

std::string heddle::locationText(mlir::Location loc) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
    return name.getName().str();
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(loc))
    return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn());
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(loc))
    for (mlir::Location part : fused.getLocations())
      if (std::string text = locationText(part); !text.empty())
        return text;
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(loc))
    return locationText(call.getCallee());
  return "";
}
