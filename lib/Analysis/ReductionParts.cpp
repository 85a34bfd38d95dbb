// Recognises the updates of reductions that can be split (see the header for
// why each of them can).
#include "fuse-mlir/Analysis/ReductionParts.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class Matcher {
public:
  explicit Matcher(linalg::LinalgOp op)
      : op(op), accumulators(op.getRegionOutputArgs()),
        yielded(op.getBlock()->getTerminator()->getOperands()),
        taken(yielded.size()) {
    findDependent();
  }

  std::optional<SmallVector<ReductionPart, 2>> run();

private:
  void findDependent();
  bool isFree(Value value) const { return !dependent.contains(value); }
  bool matchMoments();
  void matchExtremes();
  bool matchExtreme(Value predicate);
  bool readPredicate(Value predicate, bool negated, ReductionPart &part);
  bool readComparison(arith::CmpFOp compare, bool negated, ReductionPart &part);
  bool readComparison(arith::CmpIOp compare, bool negated, ReductionPart &part);
  bool orientComparison(Value lhs, Value rhs, ReductionPart &part,
                        bool &swapped);
  bool matchUpdate(unsigned number);
  std::optional<unsigned> numberOf(Value accumulator) const {
    auto it = llvm::find(accumulators, accumulator);
    if (it == accumulators.end())
      return std::nullopt;
    return it - accumulators.begin();
  }
  bool isPosition(Value value);

  linalg::LinalgOp op;
  SmallVector<BlockArgument> accumulators;
  SmallVector<Value> yielded;
  /// Results that belong to a part.
  SmallVector<bool> taken;
  /// Values of the body that depend on an accumulator.
  llvm::DenseSet<Value> dependent;
  /// Comparisons of parts found so far: they read accumulators of others.
  llvm::DenseSet<Operation *> comparisons;
  SmallVector<ReductionPart, 2> parts;
};
} // namespace

void Matcher::findDependent() {
  dependent.insert(accumulators.begin(), accumulators.end());
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool depends = false;
    inner.walk([&](Operation *nested) {
      depends |= llvm::any_of(nested->getOperands(),
                              [&](Value v) { return dependent.contains(v); });
    });
    if (depends)
      dependent.insert(inner.result_begin(), inner.result_end());
  }
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

static bool isAssociative(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::MulFOp,
                         arith::MulIOp, arith::MaximumFOp, arith::MinimumFOp,
                         arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp,
                         arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
                         arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

bool Matcher::matchUpdate(unsigned number) {
  BlockArgument accumulator = accumulators[number];
  ReductionPart part;
  part.results = {number};
  Value updated = yielded[number];
  arith::SelectOp choice = updated.getDefiningOp<arith::SelectOp>();
  if (choice && isFree(choice.getCondition())) {
    part.leftOut = choice.getTrueValue() == accumulator;
    if (!part.leftOut && choice.getFalseValue() != accumulator)
      return false;
    part.guard = choice.getCondition();
    updated = part.leftOut ? choice.getFalseValue() : choice.getTrueValue();
  }
  part.op = updated.getDefiningOp();
  part.subtracts = isa_and_nonnull<arith::SubFOp, arith::SubIOp>(part.op);
  if (!isAssociative(part.op) && !part.subtracts)
    return false;
  bool isFirst = part.op->getOperand(0) == accumulator;
  if (!isFirst && (part.subtracts || part.op->getOperand(1) != accumulator))
    return false;
  part.elements = {part.op->getOperand(isFirst ? 1 : 0)};
  part.state = {part.elements[0].getType()};
  if (!isFree(part.elements[0]) || !updated.hasOneUse() ||
      !yielded[number].hasOneUse() || !part.state[0].isIntOrIndexOrFloat())
    return false;
  for (Operation *user : accumulator.getUsers())
    if (user != part.op && !(part.guard && user == choice) &&
        !comparisons.contains(user))
      return false;
  parts.push_back(std::move(part));
  return true;
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

/// Which operand of a comparison is an accumulator, and that the other one is
/// free.
bool Matcher::orientComparison(Value lhs, Value rhs, ReductionPart &part,
                               bool &swapped) {
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

bool Matcher::readComparison(arith::CmpFOp compare, bool negated,
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

bool Matcher::readComparison(arith::CmpIOp compare, bool negated,
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
bool Matcher::readPredicate(Value predicate, bool negated,
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
bool Matcher::isPosition(Value value) {
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

/// A type for the number of an iteration of the reduction loops.
static Type getPositionType(linalg::LinalgOp op) {
  int64_t count = 1;
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction &&
        (ShapedType::isDynamic(size) || llvm::MulOverflow(count, size, count) ||
         count > INT32_MAX))
      return IndexType::get(op.getContext());
  return IntegerType::get(op.getContext(), 32);
}

bool Matcher::matchExtreme(Value predicate) {
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
    bool agrees = part.larger
                      ? isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp,
                                        arith::MaxSIOp, arith::MaxUIOp>(update)
                      : isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp,
                                        arith::MinSIOp, arith::MinUIOp>(update);
    if (!agrees ||
        part.isUnsigned != isa<arith::MaxUIOp, arith::MinUIOp>(update) ||
        !llvm::is_contained(update->getOperands(), element))
      return false;
    part.nanWins = part.nanNeedsOrder = isa<FloatType>(element.getType());
  }
  for (Value value : part.elements)
    part.state.push_back(value.getType());
  if (!part.position)
    part.state.push_back(getPositionType(op));
  for (unsigned number : part.results)
    taken[number] = true;
  parts.push_back(std::move(part));
  return true;
}

void Matcher::matchExtremes() {
  llvm::DenseSet<Value> tried;
  for (Value value : yielded) {
    arith::SelectOp choice = value.getDefiningOp<arith::SelectOp>();
    if (!choice || isFree(choice.getCondition()) ||
        !tried.insert(choice.getCondition()).second)
      continue;
    matchExtreme(choice.getCondition());
  }
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// The operand of the addition or product `value` beside `one`; null if it is
/// no such thing.
template <typename OpTy>
static Value getOther(Value value, Value one) {
  OpTy op = value.getDefiningOp<OpTy>();
  if (!op)
    return {};
  if (op.getLhs() == one)
    return op.getRhs();
  return op.getRhs() == one ? op.getLhs() : Value();
}

/// count + 1, mean + (x - mean) / count', squares + (x - mean) * (x - mean').
bool Matcher::matchMoments() {
  if (yielded.size() < 2 || yielded.size() > 3)
    return false;
  for (unsigned count = 0; count < yielded.size(); ++count)
    for (unsigned mean = 0; mean < yielded.size(); ++mean) {
      if (count == mean)
        continue;
      Value one = getOther<arith::AddFOp>(yielded[count], accumulators[count]);
      Value step = getOther<arith::AddFOp>(yielded[mean], accumulators[mean]);
      if (!one || !step || !matchPattern(one, m_OneFloat()))
        continue;
      auto quotient = step.getDefiningOp<arith::DivFOp>();
      if (!quotient || quotient.getRhs() != yielded[count])
        continue;
      auto distance = quotient.getLhs().getDefiningOp<arith::SubFOp>();
      if (!distance || distance.getRhs() != accumulators[mean] ||
          !isFree(distance.getLhs()))
        continue;
      ReductionPart part;
      part.kind = ReductionPart::Moments;
      part.results = {count, mean};
      part.elements = {distance.getLhs()};
      if (yielded.size() == 3) {
        unsigned squares = 3 - count - mean;
        Value square =
            getOther<arith::AddFOp>(yielded[squares], accumulators[squares]);
        Value after =
            square ? getOther<arith::MulFOp>(square, distance) : Value();
        auto second = after ? after.getDefiningOp<arith::SubFOp>() : nullptr;
        if (!second || second.getLhs() != distance.getLhs() ||
            second.getRhs() != yielded[mean])
          continue;
        part.results.push_back(squares);
      }
      part.state.assign(part.results.size(), distance.getType());
      parts.push_back(std::move(part));
      return true;
    }
  return false;
}

std::optional<SmallVector<ReductionPart, 2>> Matcher::run() {
  if (matchMoments())
    return parts;
  matchExtremes();
  for (unsigned i = 0; i < yielded.size(); ++i)
    if (!taken[i] && !matchUpdate(i))
      return std::nullopt;
  llvm::sort(parts, [](const ReductionPart &a, const ReductionPart &b) {
    return a.results.front() < b.results.front();
  });
  return parts;
}

std::optional<SmallVector<ReductionPart, 2>>
fuse::matchReduction(linalg::LinalgOp op) {
  if (op->getNumRegions() == 0)
    return std::nullopt;
  return Matcher(op).run();
}

bool fuse::isOrderStrict(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto order = op->getAttrOfType<StringAttr>(kFpOrderAttrName))
      return order == "strict";
  return false;
}

/// Whether another order of the elements can give other bits.
static bool roundsPartials(const ReductionPart &part) {
  return part.kind == ReductionPart::Moments ||
         (part.kind == ReductionPart::Update &&
          isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(part.op));
}

bool fuse::hasCombinablePartials(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  std::optional<SmallVector<ReductionPart, 2>> parts = matchReduction(linalgOp);
  return parts &&
         !(llvm::any_of(*parts, roundsPartials) && isOrderStrict(op));
}

SmallVector<Type> fuse::getPartialTypes(Operation *op) {
  SmallVector<Type> types;
  std::optional<SmallVector<ReductionPart, 2>> parts =
      matchReduction(cast<linalg::LinalgOp>(op));
  if (!parts)
    for (Type result : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(result));
  else
    for (const ReductionPart &part : *parts)
      llvm::append_range(types, part.state);
  return types;
}
