#include "compiler/Plan/KernelForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace heddle;
using namespace heddle::plan;

/// The constant that `expr` adds at its end, where affine maps keep it.
static int64_t constantTerm(mlir::AffineExpr expr) {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() != mlir::AffineExprKind::Add)
    return 0;
  auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  return constant ? constant.getValue() : 0;
}

/// Takes the constant that all accesses of a buffer start at out of their maps; returns it, in bytes.
static int64_t takeOffset(mlir::BlockArgument buffer) {
  std::optional<int64_t> offset;
  auto mapOf = [](mlir::Operation *user) {
    auto load = llvm::dyn_cast<kernel::LoadOp>(user);
    return load ? load.getMap() : llvm::cast<kernel::StoreOp>(user).getMap();
  };
  for (mlir::Operation *user : buffer.getUsers()) {
    int64_t term = constantTerm(mapOf(user).getResult(0));
    if (offset.value_or(term) != term)
      return 0;
    offset = term;
  }
  // A reference cannot start before its buffer.
  if (offset.value_or(0) <= 0)
    return 0;
  for (mlir::Operation *user : buffer.getUsers()) {
    mlir::AffineMap map = mapOf(user);
    auto rest = mlir::AffineMap::get(map.getNumDims(), map.getNumSymbols(), map.getResult(0) - *offset);
    if (auto load = llvm::dyn_cast<kernel::LoadOp>(user))
      load.setMap(rest);
    else
      llvm::cast<kernel::StoreOp>(user).setMap(rest);
  }
  mlir::Type element = llvm::cast<kernel::BufferType>(buffer.getType()).getElementType();
  return *offset * std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

std::optional<KernelForm> heddle::plan::formOf(kernel::FuncOp source) {
  auto nests = source.getBody().getOps<kernel::RowsOp>();
  // Parts follow from how many rows there are: kernels of other rows would sum in another order.
  if (nests.empty() || llvm::any_of(nests, [](kernel::RowsOp rows) { return rows.getParts().has_value(); }))
    return std::nullopt;
  KernelForm form;
  form.func = source.clone();
  kernel::FuncOp func = *form.func;
  for (mlir::BlockArgument buffer : func.getBuffers())
    form.offsets.push_back(takeOffset(buffer));

  kernel::RowsOp rows = *func.getBody().getOps<kernel::RowsOp>().begin();
  mlir::OpOperand *outermost = nullptr;
  if (!rows.getExtents().empty()) {
    outermost = &rows->getOpOperand(0);
  } else if (rows.isFlat()) {
    auto columns = *rows.getBody().getOps<kernel::ColumnsOp>().begin();
    outermost = &columns->getOpOperand(0);
    form.columns = true;
  }
  llvm::APInt extent;
  if (outermost && matchPattern(outermost->get(), mlir::m_ConstantInt(&extent))) {
    form.extent = extent.getSExtValue();
    unsigned last = func.getBody().getNumArguments();
    mlir::Operation *constant = outermost->get().getDefiningOp();
    auto name =
        mlir::NameLoc::get(mlir::StringAttr::get(func.getContext(), form.columns ? "elements" : "rows"));
    (void)func.insertArgument(last, mlir::IndexType::get(func.getContext()), {}, name);
    outermost->set(func.getBody().getArgument(last));
    if (constant->use_empty())
      constant->erase();
  }
  std::string name = func.getName().str();
  func.setSymName("kernel");
  llvm::raw_string_ostream(form.text) << *func.getOperation();
  func.setSymName(name);
  return form;
}
