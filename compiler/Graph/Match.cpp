#include "compiler/Graph/Match.h"
#include "compiler/Support/Locations.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

void match::Log::matched(llvm::StringRef pattern, mlir::Operation *made) {
  if (reports_)
    reports_->push_back({pattern.str(), true, locationText(made->getLoc()), ""});
  if (remarks_)
    made->emitRemark() << pattern << ": raised";
}

void match::Log::missed(llvm::StringRef pattern, mlir::Operation *root, const NearMiss &miss) {
  std::string reason = miss.op && miss.op != root ? describe(miss.op) + " " + miss.reason : miss.reason;
  if (reports_)
    reports_->push_back({pattern.str(), false, locationText(root->getLoc()), reason});
  if (remarks_)
    root->emitRemark() << pattern << ": not raised: " << reason;
}

std::optional<double> match::splatValue(Value value) {
  mlir::DenseElementsAttr attr = splatConstant(value);
  if (!attr)
    return std::nullopt;
  if (llvm::isa<mlir::FloatType>(attr.getElementType())) {
    llvm::APFloat splat = attr.getSplatValue<llvm::APFloat>();
    bool inexact = false;
    splat.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return splat.convertToDouble();
  }
  llvm::APInt splat = attr.getSplatValue<llvm::APInt>();
  return splat.getBitWidth() == 1 ? static_cast<double>(splat.getZExtValue())
                                  : static_cast<double>(splat.getSExtValue());
}

Value match::broadcastSource(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast ? broadcast.getOperand() : Value();
}

Value match::stretchedVector(Value value) {
  Value source = broadcastSource(value);
  if (!source)
    return {};
  llvm::ArrayRef<int64_t> shape = typeOf(source).getShape();
  bool vector = llvm::all_of(shape.drop_back(), [](int64_t extent) { return extent == 1; });
  return vector && shape.back() == typeOf(value).getShape().back() ? source : Value();
}

Value match::asVector(GraphBuilder &g, Value value) {
  SymbolicShape shape = symbolicShape(typeOf(value));
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (reshape && typeOf(reshape.getOperand()).getRank() == 1)
    return reshape.getOperand();
  return g.reshape(value, shape.back());
}

bool match::reducesLast(ReduceOp op) {
  return op.getAxes().size() == 1 && op.getAxes().front() == typeOf(op.getOperand()).getRank() - 1;
}

std::string match::describe(mlir::Operation *op) {
  std::string place = locationText(op->getLoc());
  return "'" + op->getName().getStringRef().str() + "'" + (place.empty() ? "" : " at " + place);
}

void match::eraseDead(mlir::ModuleOp module) {
  for (mlir::Operation &function : *module.getBody())
    for (mlir::Region &region : function.getRegions())
      for (mlir::Block &block : region)
        for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
          if (mlir::isOpTriviallyDead(&op))
            op.erase();
}
