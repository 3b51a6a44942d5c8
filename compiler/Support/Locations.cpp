#include "compiler/Support/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

static std::string textOf(mlir::Location loc, bool withFolders) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
    return name.getName().str();
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(loc)) {
    llvm::StringRef path = file.getFilename().getValue();
    return (withFolders ? path : llvm::sys::path::filename(path)).str() + ":" +
           std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn());
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(loc))
    for (mlir::Location part : fused.getLocations())
      if (std::string text = textOf(part, withFolders); !text.empty())
        return text;
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(loc))
    return textOf(call.getCallee(), withFolders);
  return "";
}

std::string heddle::locationText(mlir::Location loc) { return textOf(loc, /*withFolders=*/true); }
std::string heddle::locationInPlan(mlir::Location loc) { return textOf(loc, /*withFolders=*/false); }

mlir::Location heddle::commonLocation(llvm::ArrayRef<mlir::Location> locations) {
  mlir::MLIRContext *context = locations.front().getContext();
  llvm::SmallVector<llvm::StringRef> common, parts;
  for (auto [index, loc] : llvm::enumerate(locations)) {
    auto name = llvm::dyn_cast<mlir::NameLoc>(loc);
    if (!name)
      return mlir::FusedLoc::get(context, locations);
    parts.clear();
    name.getName().getValue().split(parts, '.');
    if (index == 0)
      common = parts;
    size_t same = 0;
    while (same < common.size() && same < parts.size() && common[same] == parts[same])
      ++same;
    common.truncate(same);
  }
  if (common.empty())
    return mlir::FusedLoc::get(context, locations);
  return mlir::NameLoc::get(mlir::StringAttr::get(context, llvm::join(common, ".")),
                            llvm::cast<mlir::NameLoc>(locations.front()).getChildLoc());
}
