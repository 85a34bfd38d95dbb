// Recognises reductions that take the better of two elements, with what is
// carried along with it (arg-max).
#include "ReductionMatcher.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Which operand of a comparison is an accumulator, and that the other one is
/// free.
bool ReductionMatcher::orientComparison(Value lhs, Value rhs,
                                        ReductionPart &part, bool &swapped) {
  std::optional<unsigned> number = numberOf(rhs);
  swapped = !number;
  if (swapped)
    number = numberOf(lhs);
  Value element = swapped ? rhs : lhs;
  if (!number || !isFree(element))
    return false;
  part.compared = *number;
  part.elements.push_back(element);
  return true;
}

bool ReductionMatcher::readComparison(arith::CmpFOp compare, bool negated,
                                      ReductionPart &part) {
  using Predicate = arith::CmpFPredicate;
  bool swapped;
  if (!orientComparison(compare.getLhs(), compare.getRhs(), part, swapped))
    return false;
  bool larger, equal, unordered;
  switch (compare.getPredicate()) {
  case Predicate::OGT:
  case Predicate::UGT:
    larger = true, equal = false;
    break;
  case Predicate::OGE:
  case Predicate::UGE:
    larger = true, equal = true;
    break;
  case Predicate::OLT:
  case Predicate::ULT:
    larger = false, equal = false;
    break;
  case Predicate::OLE:
  case Predicate::ULE:
    larger = false, equal = true;
    break;
  default:
    return false;
  }
  Predicate predicate = compare.getPredicate();
  unordered = predicate == Predicate::UGT || predicate == Predicate::UGE ||
              predicate == Predicate::ULT || predicate == Predicate::ULE;
  // The negation of a comparison holds for a NaN if that does not.
  part.larger = larger ^ swapped ^ negated;
  part.last = equal ^ negated;
  part.nanWins = part.nanNeedsOrder = unordered ^ negated;
  return true;
}

bool ReductionMatcher::readComparison(arith::CmpIOp compare, bool negated,
                                      ReductionPart &part) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool swapped;
  if (predicate == Predicate::eq || predicate == Predicate::ne ||
      !orientComparison(compare.getLhs(), compare.getRhs(), part, swapped))
    return false;
  bool larger = predicate == Predicate::sgt || predicate == Predicate::sge ||
                predicate == Predicate::ugt || predicate == Predicate::uge;
  bool equal = predicate == Predicate::sge || predicate == Predicate::sle ||
               predicate == Predicate::uge || predicate == Predicate::ule;
  part.larger = larger ^ swapped ^ negated;
  part.last = equal ^ negated;
  part.isUnsigned = predicate == Predicate::ugt ||
                    predicate == Predicate::uge ||
                    predicate == Predicate::ult || predicate == Predicate::ule;
  return true;
}

/// When `predicate` (or its negation) holds, the element is taken.
bool ReductionMatcher::readPredicate(Value predicate, bool negated,
                                     ReductionPart &part) {
  part.op = predicate.getDefiningOp();
  if (auto compare = dyn_cast_or_null<arith::CmpFOp>(part.op))
    return readComparison(compare, negated, part);
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(part.op))
    return readComparison(compare, negated, part);
  // TOSA's: larger or a NaN, but nothing replaces a NaN.
  arith::AndIOp both = dyn_cast_or_null<arith::AndIOp>(part.op);
  if (!both || negated)
    return false;
  auto compare = both.getLhs().getDefiningOp<arith::CmpFOp>();
  auto ordered = both.getRhs().getDefiningOp<arith::CmpFOp>();
  if (compare && compare.getPredicate() == arith::CmpFPredicate::ORD)
    std::swap(compare, ordered);
  if (!compare || !ordered ||
      ordered.getPredicate() != arith::CmpFPredicate::ORD ||
      ordered.getLhs() != ordered.getRhs() || !compare->hasOneUse() ||
      !ordered->hasOneUse() || !readComparison(compare, false, part) ||
      part.last || !part.nanWins ||
      ordered.getLhs() != accumulators[part.compared])
    return false;
  part.op = compare;
  part.nanNeedsOrder = false;
  comparisons.insert(ordered);
  return true;
}

/// Whether `value` grows from iteration to iteration: the index of the only
/// reduction loop.
bool ReductionMatcher::isPosition(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (auto index = dyn_cast<linalg::IndexOp>(def)) {
      SmallVector<int64_t> sizes = op.getStaticLoopRanges();
      for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
        if (kind == utils::IteratorType::reduction && i != index.getDim() &&
            sizes[i] != 1)
          return false;
      return op.getIteratorTypesArray()[index.getDim()] ==
                 utils::IteratorType::reduction &&
             sizes[index.getDim()] <= INT32_MAX;
    }
    if (!isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(def))
      return false;
    if (!def->getResult(0).getType().isIndex() &&
        def->getResult(0).getType().getIntOrFloatBitWidth() < 32)
      return false;
    value = def->getOperand(0);
  }
  return false;
}

/// Whether `update`, which may be null, keeps the extreme that `part` looks
/// for.
static bool agrees(Operation *update, const ReductionPart &part) {
  bool keeps = part.larger
                   ? isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp,
                                     arith::MaxSIOp, arith::MaxUIOp>(update)
                   : isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp,
                                     arith::MinSIOp, arith::MinUIOp>(update);
  return keeps &&
         part.isUnsigned == isa<arith::MaxUIOp, arith::MinUIOp>(update);
}

bool ReductionMatcher::matchExtreme(Value predicate) {
  ReductionPart part;
  part.kind = ReductionPart::Extreme;
  SmallVector<unsigned> chosen;
  std::optional<bool> negated;
  for (auto [i, value] : llvm::enumerate(yielded)) {
    arith::SelectOp choice = value.getDefiningOp<arith::SelectOp>();
    if (!choice || choice.getCondition() != predicate)
      continue;
    bool keeps = choice.getTrueValue() == accumulators[i];
    if ((!keeps && choice.getFalseValue() != accumulators[i]) ||
        !value.hasOneUse() || (negated && *negated != keeps))
      return false;
    negated = keeps;
    chosen.push_back(i);
  }
  auto elementOf = [&](unsigned number) {
    auto choice = yielded[number].getDefiningOp<arith::SelectOp>();
    return *negated ? choice.getFalseValue() : choice.getTrueValue();
  };
  if (chosen.size() != static_cast<size_t>(std::distance(predicate.use_begin(),
                                                         predicate.use_end())))
    return false;
  if (!readPredicate(predicate, *negated, part))
    return false;
  unsigned compared = part.compared;
  Value element = part.elements.pop_back_val();
  for (unsigned number : chosen) {
    if (number == compared)
      continue;
    if (!isFree(elementOf(number)) || !accumulators[number].hasOneUse())
      return false;
    if (isPosition(elementOf(number)))
      part.position = part.results.size();
    part.results.push_back(number);
    part.elements.push_back(elementOf(number));
  }
  part.elements.push_back(element);
  comparisons.insert(part.op);
  if (llvm::is_contained(chosen, compared)) {
    if (elementOf(compared) != element)
      return false;
    part.results.push_back(compared);
    for (Operation *user : accumulators[compared].getUsers())
      if (!comparisons.contains(user) &&
          user != yielded[compared].getDefiningOp())
        return false;
  } else {
    // The value has an update of its own (a maximum), which must agree.
    Operation *update = yielded[compared].getDefiningOp();
    if (!agrees(update, part) ||
        !llvm::is_contained(update->getOperands(), element))
      return false;
    part.nanWins = part.nanNeedsOrder = isa<FloatType>(element.getType());
  }
  for (Value value : part.elements)
    part.state.push_back(value.getType());
  if (!part.position)
    part.state.push_back(getPositionType());
  for (unsigned number : part.results)
    taken[number] = true;
  parts.push_back(std::move(part));
  return true;
}

/// The operand of the `OpTy` that gives `value` beside one that `isOther` holds
/// for; null if it is no such operator.
template <typename OpTy>
static Value getBeside(Value value, llvm::function_ref<bool(Value)> isOther) {
  OpTy op = value.getDefiningOp<OpTy>();
  if (!op)
    return {};
  if (isOther(op.getRhs()))
    return op.getLhs();
  return isOther(op.getLhs()) ? op.getRhs() : Value();
}

/// Whether `value` compares `lhs` with `rhs` by `predicate`.
template <typename OpTy, typename PredicateTy>
static bool compares(Value value, PredicateTy predicate, Value lhs, Value rhs) {
  OpTy op = value.getDefiningOp<OpTy>();
  return op && op.getPredicate() == predicate && op.getLhs() == lhs &&
         op.getRhs() == rhs;
}

/// The arg-max of StableHLO, of which a first element and an accumulator are
/// told apart by nothing: what came before is kept if it is better or a NaN,
/// and what is carried along also if the values are equal and it is smaller.
bool ReductionMatcher::matchPair(unsigned value, unsigned carried) {
  using FloatPredicate = arith::CmpFPredicate;
  using IntPredicate = arith::CmpIPredicate;
  Value best = accumulators[value], label = accumulators[carried];
  auto chosen = yielded[value].getDefiningOp<arith::SelectOp>();
  auto chosenLabel = yielded[carried].getDefiningOp<arith::SelectOp>();
  if (!chosen || !chosenLabel || chosen.getTrueValue() != best ||
      chosenLabel.getTrueValue() != label)
    return false;
  Value element = chosen.getFalseValue();
  Value elementLabel = chosenLabel.getFalseValue();
  Value kept = chosen.getCondition();
  if (!isFree(element) || !isFree(elementLabel) ||
      !elementLabel.getType().isIntOrIndex())
    return false;

  auto isSmaller = [&](Value v) {
    return compares<arith::CmpIOp>(v, IntPredicate::slt, label, elementLabel);
  };
  Value tie = getBeside<arith::OrIOp>(chosenLabel.getCondition(),
                                      [&](Value v) { return v == kept; });
  Value equal = tie ? getBeside<arith::AndIOp>(tie, isSmaller) : Value();
  if (!equal)
    return false;

  ReductionPart part;
  part.kind = ReductionPart::Extreme;
  if (isa<FloatType>(best.getType())) {
    // Of -0 and 0 the value is the last, unlike what is carried along.
    if (!compares<arith::CmpFOp>(equal, FloatPredicate::OEQ, best, element) ||
        !op->getResult(value).use_empty())
      return false;
    Value ordered = getBeside<arith::OrIOp>(kept, [&](Value v) {
      return compares<arith::CmpFOp>(v, FloatPredicate::UNE, best, best) ||
             compares<arith::CmpFOp>(v, FloatPredicate::UNO, best, best);
    });
    part.nanWins = true;
    part.nanNeedsOrder = !ordered || !isPosition(elementLabel);
    kept = ordered ? ordered : kept;
    part.larger =
        compares<arith::CmpFOp>(kept, FloatPredicate::OGT, best, element);
    if (!part.larger &&
        !compares<arith::CmpFOp>(kept, FloatPredicate::OLT, best, element))
      return false;
  } else {
    part.larger =
        compares<arith::CmpIOp>(kept, IntPredicate::sgt, best, element);
    if (!compares<arith::CmpIOp>(equal, IntPredicate::eq, best, element) ||
        (!part.larger &&
         !compares<arith::CmpIOp>(kept, IntPredicate::slt, best, element)))
      return false;
  }
  part.op = kept.getDefiningOp();
  part.results = {carried, value};
  part.elements = {elementLabel, element};
  part.compared = value;
  part.position = 0;
  part.smallerWins = true;
  part.state = {elementLabel.getType(), element.getType()};
  taken[value] = taken[carried] = true;
  parts.push_back(std::move(part));
  return true;
}

void ReductionMatcher::matchExtremes() {
  if (yielded.size() == 2 && (matchPair(0, 1) || matchPair(1, 0)))
    return;
  llvm::DenseSet<Value> tried;
  for (Value value : yielded) {
    arith::SelectOp choice = value.getDefiningOp<arith::SelectOp>();
    if (!choice || isFree(choice.getCondition()) ||
        !tried.insert(choice.getCondition()).second)
      continue;
    matchExtreme(choice.getCondition());
  }
}
