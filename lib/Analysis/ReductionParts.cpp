// Recognises the updates of reductions that can be split (see the header for
// why each of them can); ReductionExtremes.cpp has those that take the better
// of two elements.
#include "ReductionMatcher.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fuse;

void ReductionMatcher::findDependent() {
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

bool ReductionMatcher::matchUpdate(unsigned number) {
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

Type ReductionMatcher::getPositionType() {
  int64_t count = 1;
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction &&
        (ShapedType::isDynamic(size) || llvm::MulOverflow(count, size, count) ||
         count > INT32_MAX))
      return IndexType::get(op.getContext());
  return IntegerType::get(op.getContext(), 32);
}

bool ReductionMatcher::matchChoice(unsigned number) {
  BlockArgument accumulator = accumulators[number];
  auto choice = yielded[number].getDefiningOp<arith::SelectOp>();
  if (!choice || !isFree(choice.getCondition()) || !accumulator.hasOneUse() ||
      !yielded[number].hasOneUse())
    return false;
  ReductionPart part;
  part.kind = ReductionPart::Choice;
  part.results = {number};
  part.guard = choice.getCondition();
  part.leftOut = choice.getTrueValue() == accumulator;
  part.elements = {part.leftOut ? choice.getFalseValue()
                                : choice.getTrueValue()};
  Type type = part.elements.front().getType();
  if (!isFree(part.elements.front()) || !type.isIntOrIndexOrFloat() ||
      !part.guard.getType().isInteger(1))
    return false;
  part.state = {type, getPositionType()};
  parts.push_back(std::move(part));
  return true;
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
bool ReductionMatcher::matchMoments() {
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

std::optional<SmallVector<ReductionPart, 2>> ReductionMatcher::run() {
  if (matchMoments())
    return parts;
  matchExtremes();
  for (unsigned i = 0; i < yielded.size(); ++i)
    if (!taken[i] && !matchUpdate(i) && !matchChoice(i))
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
  return ReductionMatcher(op).run();
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
  return parts && !(llvm::any_of(*parts, roundsPartials) && isOrderStrict(op));
}

bool fuse::needOrder(ArrayRef<Operation *> roots) {
  return !llvm::all_of(roots, hasCombinablePartials);
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
