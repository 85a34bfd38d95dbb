// The plug point for legality: what a code generator can make one kernel of.
// Ours is the first implementation; a compiler with its own code generator adds
// its own and leaves ours out.
#ifndef FUSE_MLIR_PLANNER_GROUPCONSTRAINT_H
#define FUSE_MLIR_PLANNER_GROUPCONSTRAINT_H

#include "fuse-mlir/CostModel/CostModel.h"

#include <memory>

namespace mlir::fuse {

/// What a constraint sees of a candidate group.
struct GroupView {
  KernelView kernel;
  /// Why `kernel.shape` is null; null if there is a shape.
  const RuleViolation *shapeViolation = nullptr;
  DeviceInfo device;
};

/// Accepts or refuses groups. Implementations are const, thread-safe and
/// deterministic. A subgroup of an accepted group need not be accepted.
class GroupConstraint {
public:
  virtual ~GroupConstraint();
  /// Nothing if the group is fine; else the id of a rule and a reason.
  virtual std::optional<RuleViolation> check(const GroupView &group) const = 0;
};

/// The limits of this project's code generator: the rules of `analyzeGroup`,
/// and `kernel-parameters` (all operands must fit the parameter space).
class CodegenConstraint : public GroupConstraint {
public:
  std::optional<RuleViolation> check(const GroupView &group) const override;
};

/// Constraints by name; one per context, in the fuse dialect's slot.
class GroupConstraintRegistry {
public:
  /// A registry with `fuse-codegen`.
  GroupConstraintRegistry();

  /// Adds a constraint. False, and no change, if the name is taken.
  bool add(StringRef name, std::shared_ptr<const GroupConstraint> constraint);
  /// The constraint `name`; null if there is none.
  const GroupConstraint *lookup(StringRef name) const;
  /// All names, sorted.
  SmallVector<StringRef> names() const;

private:
  llvm::StringMap<std::shared_ptr<const GroupConstraint>> constraints;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_GROUPCONSTRAINT_H
