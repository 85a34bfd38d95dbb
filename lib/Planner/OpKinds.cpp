// Kinds of operators, by upstream's equivalence of operations.
#include "OpKinds.h"

#include "fuse-mlir/IR/FuseDialect.h"
#include "fuse-mlir/Planner/OpRoles.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

static constexpr OperationEquivalence::Flags kIgnored =
    OperationEquivalence::Flags(OperationEquivalence::IgnoreLocations |
                                OperationEquivalence::IgnoreDiscardableAttrs);

static llvm::hash_code hashOperator(Operation *op) {
  llvm::hash_code hash = OperationEquivalence::computeHash(
      op, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue, kIgnored);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        hash = llvm::hash_combine(hash, hashOperator(&inner));
  return hash;
}

/// Whether the two have the same discardable attributes but for the ordinal.
static bool haveSameMarks(Operation *a, Operation *b) {
  auto isMark = [](NamedAttribute attribute) {
    return attribute.getName() != FuseDialect::kOrdinalAttrName;
  };
  auto marksOfA = llvm::make_filter_range(a->getDiscardableAttrs(), isMark);
  auto marksOfB = llvm::make_filter_range(b->getDiscardableAttrs(), isMark);
  return llvm::equal(marksOfA, marksOfB);
}

static bool areOfOneKind(Operation *a, Operation *b) {
  if (!haveSameMarks(a, b))
    return false;
  // Values made inside must agree; those from outside are not looked at.
  llvm::SmallDenseMap<Value, Value, 16> inside, reverse;
  auto mark = [&](Value left, Value right) {
    inside[left] = right;
    reverse[right] = left;
  };
  auto check = [&](Value left, Value right) {
    auto it = inside.find(left);
    return success(it == inside.end() ? !reverse.contains(right)
                                      : it->second == right);
  };
  return OperationEquivalence::isEquivalentTo(a, b, check, mark, kIgnored);
}

unsigned OpKinds::get(Operation *op) {
  SmallVector<unsigned, 1> &known =
      byHash[unsigned(size_t(hashOperator(op))) >> 1];
  for (unsigned kind : known)
    if (areOfOneKind(examples[kind], op))
      return kind;
  known.push_back(examples.size());
  examples.push_back(op);
  return known.back();
}

unsigned OpKinds::getOutside(Value value) {
  Operation *def = value.getDefiningOp();
  bool copied =
      def && (isFreeOp(def) || isGeneratorOp(def)) && !isLargeConstant(def);
  unsigned own = copied ? get(def) + 1 : 0;
  return outside.try_emplace({value.getType(), own}, outside.size())
      .first->second;
}
