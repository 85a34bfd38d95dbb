// Constraints on groups: the registry, and the limits of our code generator.
#include "fuse-mlir/Planner/GroupConstraint.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

GroupConstraint::~GroupConstraint() = default;

std::optional<RuleViolation>
CodegenConstraint::check(const GroupView &group) const {
  if (group.shapeViolation)
    return *group.shapeViolation;
  // Each tensor is one pointer: sizes are static.
  int64_t bytes =
      8 * int64_t(group.kernel.inputs.size() + group.kernel.outputs.size());
  if (bytes > group.device.parameterBytes)
    return RuleViolation{"kernel-parameters",
                         "the operands take " + std::to_string(bytes) +
                             " bytes of parameters, but there are " +
                             std::to_string(group.device.parameterBytes)};
  return std::nullopt;
}

GroupConstraintRegistry::GroupConstraintRegistry() {
  add("fuse-codegen", std::make_shared<CodegenConstraint>());
}

bool GroupConstraintRegistry::add(
    StringRef name, std::shared_ptr<const GroupConstraint> constraint) {
  return constraints.try_emplace(name, std::move(constraint)).second;
}

const GroupConstraint *GroupConstraintRegistry::lookup(StringRef name) const {
  auto it = constraints.find(name);
  return it == constraints.end() ? nullptr : it->second.get();
}

SmallVector<StringRef> GroupConstraintRegistry::names() const {
  SmallVector<StringRef> sorted(constraints.keys());
  llvm::sort(sorted);
  return sorted;
}
