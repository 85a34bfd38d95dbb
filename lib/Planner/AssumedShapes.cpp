// Static types for the time of planning, see the header.
#include "fuse-mlir/Planner/AssumedShapes.h"

#include "fuse-mlir/Analysis/TensorSizes.h"
#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// Prices are looked at from an eighth to eight times the assumed sizes.
static constexpr int64_t kScale = 8;

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

AssumedShapes::~AssumedShapes() { setTypes(&Types::real); }

void AssumedShapes::setTypes(Type Types::*which) {
  for (auto &[value, own] : types)
    Value(value).setType(own.*which);
}

std::optional<PriceRange> AssumedShapes::getRange(const KernelView &kernel,
                                                  const CostModel &model,
                                                  const DeviceInfo &device) {
  auto isUnknown = [&](Value value) { return types.contains(value); };
  if (llvm::none_of(kernel.inputs, isUnknown) &&
      llvm::none_of(kernel.outputs, isUnknown))
    return std::nullopt;
  SmallVector<Quantity, 3> prices;
  // Last those that are assumed, which stay.
  for (Type Types::*which : {&Types::small, &Types::large, &Types::assumed}) {
    setTypes(which);
    FailureOr<GroupShape> shape = analyzeGroup(kernel.ops, kernel.outputs);
    KernelView view{kernel.ops,     kernel.inputs,
                    kernel.outputs, succeeded(shape) ? &*shape : nullptr,
                    nullptr,        kernel.residentInputs};
    prices.push_back(model.estimateNanoseconds(view, device));
  }
  if (llvm::is_contained(prices, std::nullopt))
    return std::nullopt;
  return PriceRange{**llvm::min_element(prices), **llvm::max_element(prices)};
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

/// `size` with `factor / divisor` times the assumed sizes.
static int64_t evaluate(AffineExpr size, const TensorSizes &sizes,
                        int64_t factor, int64_t divisor) {
  SmallVector<AffineExpr> values;
  for (unsigned i = 0; i < sizes.getNumSymbols(); ++i) {
    int64_t assumed = TensorSizes::getAssumedSize(i) / sizes.getMultiple(i);
    values.push_back(getAffineConstantExpr(
        std::max<int64_t>(1, assumed * factor / divisor), size.getContext()));
  }
  return cast<AffineConstantExpr>(size.replaceSymbols(values)).getValue();
}

void AssumedShapes::assume(Value value, const TensorSizes &sizes) {
  if (!isDynamic(value))
    return;
  RankedTensorType type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> assumed, small, large;
  for (AffineExpr size : sizes.getShape(value)) {
    assumed.push_back(sizes.assume(size));
    small.push_back(evaluate(size, sizes, 1, kScale));
    large.push_back(evaluate(size, sizes, kScale, 1));
  }
  types.insert(
      {value,
       {type, type.clone(assumed), type.clone(small), type.clone(large)}});
  value.setType(type.clone(assumed));
}

std::optional<RuleViolation>
AssumedShapes::check(const GroupView &group) const {
  if (!group.kernel.shape)
    return std::nullopt; // Others say why.
  SmallVector<std::pair<Value, Type>> assumed;
  auto restore = [&](Value value) {
    auto it = types.find(value);
    if (it == types.end() || value.getType() == it->second.real)
      return;
    assumed.push_back({value, value.getType()});
    value.setType(it->second.real);
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
