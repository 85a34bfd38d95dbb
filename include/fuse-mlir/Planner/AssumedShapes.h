// Prices need numbers. While an `AssumedShapes` lives, tensors of sizes that
// are known at run time only have static types, with sizes that are assumed:
// equal ones where they are proven equal, and unequal ones otherwise, which no
// other size in the program has either. Legality is checked with the real
// types. What is decided holds at these sizes; what it costs at others is asked
// for with `getRange`.
#ifndef FUSE_MLIR_PLANNER_ASSUMEDSHAPES_H
#define FUSE_MLIR_PLANNER_ASSUMEDSHAPES_H

#include "fuse-mlir/Planner/GroupConstraint.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

/// Changes the types of values in place and gives them back at the end. Nothing
/// else may look at them meanwhile, the verifier included.
class AssumedShapes : public GroupConstraint {
public:
  /// Values that are made or used in `regions`.
  explicit AssumedShapes(ArrayRef<Region *> regions);
  explicit AssumedShapes(Operation *op);
  ~AssumedShapes() override;
  AssumedShapes(const AssumedShapes &) = delete;
  AssumedShapes &operator=(const AssumedShapes &) = delete;

  /// All shapes are static: nothing has changed.
  bool isEmpty() const { return types.empty(); }

  /// The least and the most that `kernel` costs while each unknown size is an
  /// eighth of the assumed one, the assumed one, and eight times as large.
  /// Nothing if all sizes are known, or if a price is not.
  std::optional<PriceRange> getRange(const KernelView &kernel,
                                     const CostModel &model,
                                     const DeviceInfo &device);

  /// Refuses what is legal at the assumed sizes only.
  std::optional<RuleViolation> check(const GroupView &group) const override;

private:
  struct Types {
    Type real, assumed, small, large;
  };
  void assume(Region &region);
  void assume(Value value, const TensorSizes &sizes);
  void setTypes(Type Types::*which);

  llvm::MapVector<Value, Types> types;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_ASSUMEDSHAPES_H
