#include "dialects/Graph/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
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

mlir::Location heddle::graph::commonLocation(llvm::ArrayRef<mlir::Location> locations) {
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
