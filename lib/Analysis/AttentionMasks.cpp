// Which keys a query may see, by comparisons of their numbers: causal masks,
// sliding windows, and both.
#include "PlaceWalker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

KeyRange KeyRange::intersect(const KeyRange &a, const KeyRange &b) {
  KeyRange both = a;
  if (b.first)
    both.first = both.first ? std::max(*a.first, *b.first) : *b.first;
  if (b.last)
    both.last = both.last ? std::min(*a.last, *b.last) : *b.last;
  return both;
}

KeyRange KeyRange::unite(const KeyRange &a, const KeyRange &b) {
  KeyRange either;
  if (a.first && b.first)
    either.first = std::min(*a.first, *b.first);
  if (a.last && b.last)
    either.last = std::max(*a.last, *b.last);
  return either;
}

namespace {
/// Walks from a value to the comparisons that mask it.
class MaskFinder {
public:
  MaskFinder(const PlaceWalker &walker, AffineExpr queries)
      : walker(walker), queries(queries) {}

  KeyRange findFinite(PlacedValue at, unsigned depth = 0) const;
  KeyRange findNonzero(PlacedValue at, unsigned depth = 0) const;

private:
  static constexpr unsigned kDeepest = 12;

  KeyRange findChosen(const PlacedValue &select, bool isSelected,
                      function_ref<KeyRange(PlacedValue)> find) const;
  KeyRange findWhere(PlacedValue condition, bool holds,
                     unsigned depth = 0) const;
  KeyRange findCompared(const PlacedValue &compare, bool holds) const;

  const PlaceWalker &walker;
  AffineExpr queries;
};
} // namespace

/// The keys for which a comparison of integers may hold (or not).
KeyRange MaskFinder::findCompared(const PlacedValue &at, bool holds) const {
  auto compare = cast<arith::CmpIOp>(walker.getScalarOp(at));
  AffineExpr a = walker.getInteger(walker.getOperand(at, 0));
  AffineExpr b = walker.getInteger(walker.getOperand(at, 1));
  if (!a || !b)
    return {};
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  using P = arith::CmpIPredicate;
  bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                    predicate == P::ugt || predicate == P::uge;
  // Numbers that are not negative compare alike either way.
  if (isUnsigned && (getRange(a, walker.getRanges()).lo < 0 ||
                     getRange(b, walker.getRanges()).lo < 0))
    return {};
  bool isEqual = predicate == P::eq;
  bool isLess = predicate == P::slt || predicate == P::sle ||
                predicate == P::ult || predicate == P::ule;
  bool isStrict = predicate == P::slt || predicate == P::sgt ||
                  predicate == P::ult || predicate == P::ugt;
  if (predicate == P::ne)
    return {};
  // a - b as ±(key - query) + shift.
  MLIRContext *context = compare.getContext();
  AffineExpr distance =
      getAffineDimExpr(1, context) - getAffineDimExpr(0, context) % queries;
  auto getShift = [&](AffineExpr difference) {
    auto shift = dyn_cast<AffineConstantExpr>(
        simplifyIndex(difference, walker.getRanges()));
    return shift ? std::optional(shift.getValue()) : std::nullopt;
  };
  KeyRange keys;
  if (std::optional<int64_t> shift = getShift(a - b - distance)) {
    if (isLess || isEqual)
      keys.last = -*shift - (isStrict ? 1 : 0);
    if (!isLess || isEqual)
      keys.first = -*shift + (isStrict ? 1 : 0);
  } else if (std::optional<int64_t> shift = getShift(a - b + distance)) {
    if (isLess || isEqual)
      keys.first = *shift + (isStrict ? 1 : 0);
    if (!isLess || isEqual)
      keys.last = *shift - (isStrict ? 1 : 0);
  }
  return keys;
}

/// The keys for which the condition may hold (or not).
KeyRange MaskFinder::findWhere(PlacedValue at, bool holds,
                               unsigned depth) const {
  at = walker.resolve(std::move(at));
  Operation *op = walker.getScalarOp(at);
  if (!op || depth > kDeepest)
    return {};
  auto operand = [&](unsigned i) { return walker.getOperand(at, i); };
  auto isBit = [&](unsigned i, bool bit) {
    return bit ? matchPattern(operand(i).value, m_One())
               : matchPattern(operand(i).value, m_Zero());
  };
  if (isa<arith::CmpIOp>(op) && walker.getInteger(operand(0)) &&
      walker.getInteger(operand(1)))
    return findCompared(at, holds);
  // Bits that are kept as integers.
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && isBit(1, false) &&
      compare.getPredicate() == arith::CmpIPredicate::ne)
    return findWhere(operand(0), holds, depth + 1);
  if (isa<arith::ExtUIOp, arith::ExtSIOp>(op))
    return findWhere(operand(0), holds, depth + 1);
  if (isa<arith::XOrIOp>(op) && isBit(1, true))
    return findWhere(operand(0), !holds, depth + 1);
  if (isa<arith::SelectOp>(op) && isBit(1, true) && isBit(2, false))
    return findWhere(operand(0), holds, depth + 1);
  if (isa<arith::SelectOp>(op) && isBit(1, false) && isBit(2, true))
    return findWhere(operand(0), !holds, depth + 1);
  bool isAnd = isa<arith::AndIOp>(op);
  if (!isAnd && !isa<arith::OrIOp>(op))
    return {};
  KeyRange a = findWhere(operand(0), holds, depth + 1);
  KeyRange b = findWhere(operand(1), holds, depth + 1);
  return isAnd == holds ? KeyRange::intersect(a, b) : KeyRange::unite(a, b);
}

/// A choice gives what is looked for unless it takes a side without it.
KeyRange
MaskFinder::findChosen(const PlacedValue &select, bool isSelected,
                       function_ref<KeyRange(PlacedValue)> find) const {
  KeyRange side = find(walker.getOperand(select, isSelected ? 1 : 2));
  return KeyRange::intersect(
      side, findWhere(walker.getOperand(select, 0), isSelected));
}

KeyRange MaskFinder::findFinite(PlacedValue at, unsigned depth) const {
  // No key at all.
  constexpr KeyRange kNone = {std::numeric_limits<int32_t>::max(),
                              std::numeric_limits<int32_t>::min()};
  at = walker.resolve(std::move(at));
  if (matchPattern(at.value, m_NegInfFloat()))
    return kNone;
  Operation *op = walker.getScalarOp(at);
  if (!op || depth > kDeepest)
    return {};
  auto find = [&](PlacedValue value) {
    return findFinite(std::move(value), depth + 1);
  };
  auto operand = [&](unsigned i) { return walker.getOperand(at, i); };
  if (isa<arith::SelectOp>(op))
    return KeyRange::unite(findChosen(at, true, find),
                           findChosen(at, false, find));
  if (isa<arith::AddFOp>(op))
    return KeyRange::intersect(find(operand(0)), find(operand(1)));
  if (isa<arith::SubFOp, arith::ExtFOp, arith::TruncFOp>(op))
    return find(operand(0));
  if (isa<arith::MulFOp>(op)) {
    APFloat factor(0.0f);
    if (matchPattern(operand(1).value, m_ConstantFloat(&factor)) &&
        factor.isFiniteNonZero() && !factor.isNegative())
      return find(operand(0));
  }
  return {};
}

KeyRange MaskFinder::findNonzero(PlacedValue at, unsigned depth) const {
  at = walker.resolve(std::move(at));
  Operation *op = walker.getScalarOp(at);
  if (!op || depth > kDeepest)
    return {};
  auto find = [&](PlacedValue value) {
    return findNonzero(std::move(value), depth + 1);
  };
  auto operand = [&](unsigned i) { return walker.getOperand(at, i); };
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return findFinite(operand(0), depth + 1);
  if (isa<arith::SelectOp>(op)) {
    // A side that is 0 has no key.
    auto ofSide = [&](bool isSelected) {
      bool isZero =
          matchPattern(operand(isSelected ? 1 : 2).value, m_AnyZeroFloat());
      return isZero ? std::nullopt
                    : std::optional(findChosen(at, isSelected, find));
    };
    std::optional<KeyRange> a = ofSide(true), b = ofSide(false);
    if (a && b)
      return KeyRange::unite(*a, *b);
    return a ? *a : b.value_or(KeyRange());
  }
  if (isa<arith::MulFOp>(op))
    return KeyRange::intersect(find(operand(0)), find(operand(1)));
  if (isa<arith::DivFOp, arith::ExtFOp, arith::TruncFOp>(op))
    return find(operand(0));
  return {};
}

KeyRange fuse::findFinite(const PlaceWalker &walker, PlacedValue at,
                          AffineExpr queries) {
  return MaskFinder(walker, queries).findFinite(std::move(at));
}

KeyRange fuse::findNonzero(const PlaceWalker &walker, PlacedValue at,
                           AffineExpr queries) {
  return MaskFinder(walker, queries).findNonzero(std::move(at));
}
