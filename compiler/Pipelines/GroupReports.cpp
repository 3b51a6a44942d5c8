#include "compiler/Pipelines/GroupReports.h"
#include "compiler/Layout/Access.h"
#include "compiler/Support/Locations.h"
#include "dialects/Graph/GraphDialect.h"

#include "llvm/ADT/SetVector.h"

using namespace heddle;
using namespace heddle::graph;

/// What reading an operand moves: the view's own extents, without the repetitions of a broadcast.
static int64_t bytesRead(mlir::Value operand) {
  if (auto constant = baseOf(operand).getDefiningOp<ConstantOp>();
      constant && llvm::isa<mlir::SplatElementsAttr>(constant.getValue()))
    return 0;
  int64_t bytes = bytesOf(operand);
  for (mlir::Value value = operand; mlir::Operation *op = value.getDefiningOp();) {
    if (!op->hasTrait<ViewLike>())
      break;
    value = op->getOperand(0);
    bytes = std::min(bytes, bytesOf(value));
  }
  return bytes;
}

std::vector<GroupReport> heddle::groupReports(mlir::ModuleOp module) {
  std::vector<GroupReport> reports;
  module.walk([&](GroupOp group) {
    GroupReport report;
    report.kind = stringifyGroupKind(group.getKind()).str();
    report.name = group.getLabel().str();
    report.location = locationText(group.getLoc());
    llvm::SetVector<mlir::Value> inputs;
    for (mlir::Operation &op : group.getBody().front().without_terminator()) {
      if (op.hasTrait<ViewLike>())
        continue;
      report.ops.push_back(op.getName().stripDialect().str());
      for (mlir::Value operand : op.getOperands()) {
        report.bytesBefore += bytesRead(operand);
        mlir::Value base = baseOf(operand);
        if (base.getParentRegion() != &group.getBody() && inputs.insert(base))
          report.bytesAfter += bytesRead(operand);
      }
      for (mlir::Value result : op.getResults())
        report.bytesBefore += bytesOf(result);
    }
    for (mlir::Value result : group.getResults())
      report.bytesAfter += bytesOf(result);
    if (mlir::ArrayAttr reasons = group.getReasonsAttr())
      for (mlir::Attribute reason : reasons)
        report.reasons.push_back(llvm::cast<mlir::StringAttr>(reason).str());
    reports.push_back(std::move(report));
  });
  return reports;
}
