// Static types for the time of planning, see the header.
#include "fuse-mlir/Planner/AssumedShapes.h"

#include "fuse-mlir/Analysis/TensorSizes.h"
#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isDynamic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape();
}

AssumedShapes::AssumedShapes(ArrayRef<Region *> regions) {
  for (Region *region : regions)
    assume(*region);
}

AssumedShapes::AssumedShapes(Operation *op) {
  for (Region &region : op->getRegions())
    assume(region);
}

AssumedShapes::~AssumedShapes() {
  for (auto &[value, type] : real)
    Value(value).setType(type);
}

/// Functions have nothing in common: each has symbols of its own.
void AssumedShapes::assume(Region &region) {
  SmallVector<Operation *> ops;
  bool dynamic = false;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FunctionOpInterface>(op)) {
      for (Region &body : op->getRegions())
        assume(body);
      return WalkResult::skip();
    }
    dynamic |= llvm::any_of(op->getOperands(), isDynamic) ||
               llvm::any_of(op->getResults(), isDynamic);
    ops.push_back(op);
    return WalkResult::advance();
  });
  if (!dynamic)
    return;
  const TensorSizes sizes(ops);
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      assume(operand, sizes);
    for (Value result : op->getResults())
      assume(result, sizes);
  }
}

void AssumedShapes::assume(Value value, const TensorSizes &sizes) {
  if (!isDynamic(value))
    return;
  RankedTensorType type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (AffineExpr size : sizes.getShape(value))
    shape.push_back(sizes.assume(size));
  real.insert({value, type});
  value.setType(type.clone(shape));
}

std::optional<RuleViolation>
AssumedShapes::check(const GroupView &group) const {
  if (!group.kernel.shape)
    return std::nullopt; // Others say why.
  SmallVector<std::pair<Value, Type>> assumed;
  auto restore = [&](Value value) {
    auto it = real.find(value);
    if (it == real.end() || value.getType() == it->second)
      return;
    assumed.push_back({value, value.getType()});
    value.setType(it->second);
  };
  for (Operation *op : group.kernel.ops)
    op->walk([&](Operation *nested) {
      llvm::for_each(nested->getOperands(), restore);
      llvm::for_each(nested->getResults(), restore);
    });
  RuleViolation why;
  bool legal =
      assumed.empty() ||
      succeeded(analyzeGroup(group.kernel.ops, group.kernel.outputs, &why));
  for (auto [value, type] : assumed)
    value.setType(type);
  if (legal)
    return std::nullopt;
  return why;
}
