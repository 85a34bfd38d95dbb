// Kinds of operators, by upstream's equivalence of operations.
#include "fuse-mlir/Analysis/OpKinds.h"

#include "fuse-mlir/IR/FuseDialect.h"

using namespace mlir;
using namespace mlir::fuse;

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

/// Whether the two have the same discardable attributes but for the ordinal and
/// the one of the name `ignored`.
static bool haveSameMarks(Operation *a, Operation *b, StringRef ignored) {
  auto isMark = [&](NamedAttribute attribute) {
    return attribute.getName() != FuseDialect::kOrdinalAttrName &&
           attribute.getName() != ignored;
  };
  auto marksOfA = llvm::make_filter_range(a->getDiscardableAttrs(), isMark);
  auto marksOfB = llvm::make_filter_range(b->getDiscardableAttrs(), isMark);
  return llvm::equal(marksOfA, marksOfB);
}

bool OpKinds::areOfOneKind(Operation *a, Operation *b) const {
  if (!haveSameMarks(a, b, ignored))
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

unsigned OpKinds::getOutside(Value value, bool isCopied) {
  unsigned own = isCopied ? get(value.getDefiningOp()) + 1 : 0;
  return outside.try_emplace({value.getType(), own}, outside.size())
      .first->second;
}
