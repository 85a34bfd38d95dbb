// Combiners of arg-reductions: a value and what is carried along with the best
// one. Of equal values the first (or last) iteration's is kept, whatever the
// order in which partial results are combined.
#include "fuse-mlir/Codegen/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class ExtremeCombiner : public Combiner {
public:
  ExtremeCombiner(linalg::LinalgOp root, const ReductionPart &part);

  void accumulate(ElementEmitter &emitter, ArrayRef<AffineExpr> loops,
                  Condition exists,
                  MutableArrayRef<Value> partial) const override;
  SmallVector<Value> combine(OpBuilder &builder, Location loc,
                             ArrayRef<Value> a,
                             ArrayRef<Value> b) const override;
  SmallVector<Value> finish(OpBuilder &builder, Location loc,
                            ArrayRef<Value> inits,
                            ArrayRef<Value> total) const override;
  Value needsOrder(OpBuilder &builder, Location loc, ArrayRef<Value> inits,
                   ArrayRef<Value> total) const override;

private:
  /// Where a partial result has the compared value and the position.
  unsigned valueAt() const { return part.elements.size() - 1; }
  unsigned positionAt() const {
    return part.position.value_or(part.elements.size());
  }
  bool isFloat() const { return isa<FloatType>(part.state[valueAt()]); }
  /// The value only decides, and a NaN only has to be noticed: then it is a
  /// maximum, and what is carried along with a NaN does not matter.
  bool onlyDecides() const {
    return isFloat() && part.nanNeedsOrder &&
           part.results.size() < part.elements.size();
  }
  Value getLarger(OpBuilder &builder, Location loc, Value a, Value b) const {
    if (part.larger)
      return arith::MaximumFOp::create(builder, loc, a, b);
    return arith::MinimumFOp::create(builder, loc, a, b);
  }
  Value isNaN(OpBuilder &builder, Location loc, Value value) const {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value,
                                 value);
  }
  Value isBetter(OpBuilder &builder, Location loc, Value a, Value b) const;
  Value isEqual(OpBuilder &builder, Location loc, Value a, Value b) const;
  Value precedes(OpBuilder &builder, Location loc, ArrayRef<Value> a,
                 ArrayRef<Value> b) const;
  Value replaces(OpBuilder &builder, Location loc, Value old, Value next) const;
  Value replaces(OpBuilder &builder, Location loc, ArrayRef<Value> old,
                 ArrayRef<Value> next) const;
};
} // namespace

/// The worst value, and a position that loses against all others.
ExtremeCombiner::ExtremeCombiner(linalg::LinalgOp root,
                                 const ReductionPart &part)
    : Combiner(root, part) {
  for (Type type : part.state) {
    Builder builder(type.getContext());
    neutral.push_back(builder.getZeroAttr(type));
  }
  Type type = part.state[valueAt()];
  if (FloatType floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    neutral[valueAt()] = FloatAttr::get(
        floats, APFloat::semanticsHasInf(semantics)
                    ? APFloat::getInf(semantics, part.larger)
                    : APFloat::getLargest(semantics, part.larger));
  } else {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    APInt least = part.isUnsigned ? APInt::getMinValue(width)
                                  : APInt::getSignedMinValue(width);
    APInt most = part.isUnsigned ? APInt::getMaxValue(width)
                                 : APInt::getSignedMaxValue(width);
    neutral[valueAt()] = IntegerAttr::get(type, part.larger ? least : most);
  }
  Type position = part.state[positionAt()];
  unsigned width = position.isIndex() ? 64 : position.getIntOrFloatBitWidth();
  neutral[positionAt()] =
      IntegerAttr::get(position, part.last ? APInt::getAllOnes(width)
                                           : APInt::getSignedMaxValue(width));
}

/// Whether `b` is better than `a`; no if one is a NaN.
Value ExtremeCombiner::isBetter(OpBuilder &builder, Location loc, Value a,
                                Value b) const {
  if (isFloat())
    return arith::CmpFOp::create(builder, loc,
                                 part.larger ? arith::CmpFPredicate::OGT
                                             : arith::CmpFPredicate::OLT,
                                 b, a);
  arith::CmpIPredicate larger =
      part.isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  arith::CmpIPredicate smaller =
      part.isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loc, part.larger ? larger : smaller, b,
                               a);
}

/// Whether `a` and `b` are the same number.
Value ExtremeCombiner::isEqual(OpBuilder &builder, Location loc, Value a,
                               Value b) const {
  if (isFloat())
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
}

/// Whether of equal values `b` is taken, by its position.
Value ExtremeCombiner::precedes(OpBuilder &builder, Location loc,
                                ArrayRef<Value> a, ArrayRef<Value> b) const {
  return arith::CmpIOp::create(builder, loc,
                               part.last ? arith::CmpIPredicate::sgt
                                         : arith::CmpIPredicate::slt,
                               b[positionAt()], a[positionAt()]);
}

/// Whether the partial result `next` of later iterations replaces `old`.
Value ExtremeCombiner::replaces(OpBuilder &builder, Location loc,
                                ArrayRef<Value> old,
                                ArrayRef<Value> next) const {
  Value better = replaces(builder, loc, old[valueAt()], next[valueAt()]);
  if (!part.smallerWins)
    return better;
  Value tie = arith::AndIOp::create(
      builder, loc, isEqual(builder, loc, old[valueAt()], next[valueAt()]),
      precedes(builder, loc, old, next));
  return arith::OrIOp::create(builder, loc, better, tie);
}

/// Whether the value `next` of a later iteration replaces `old`.
Value ExtremeCombiner::replaces(OpBuilder &builder, Location loc, Value old,
                                Value next) const {
  if (!isFloat()) {
    // b >= a unless a > b.
    if (!part.last)
      return isBetter(builder, loc, old, next);
    Value one =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return arith::XOrIOp::create(builder, loc,
                                 isBetter(builder, loc, next, old), one);
  }
  using Predicate = arith::CmpFPredicate;
  Predicate predicate;
  bool nanWins = part.nanWins && !onlyDecides();
  if (nanWins)
    predicate = part.larger ? (part.last ? Predicate::UGE : Predicate::UGT)
                            : (part.last ? Predicate::ULE : Predicate::ULT);
  else
    predicate = part.larger ? (part.last ? Predicate::OGE : Predicate::OGT)
                            : (part.last ? Predicate::OLE : Predicate::OLT);
  Value better = arith::CmpFOp::create(builder, loc, predicate, next, old);
  if (!nanWins)
    return better;
  // Nothing replaces a NaN.
  Value ordered = arith::CmpFOp::create(builder, loc, Predicate::ORD, old, old);
  return arith::AndIOp::create(builder, loc, better, ordered);
}

void ExtremeCombiner::accumulate(ElementEmitter &emitter,
                                 ArrayRef<AffineExpr> loops, Condition exists,
                                 MutableArrayRef<Value> partial) const {
  if (exists.kind == Condition::Never)
    return;
  OpBuilder &builder = emitter.getBuilder();
  Location loc = root.getLoc();
  SmallVector<Value> element;
  for (Value value : part.elements)
    element.push_back(emitter.emitBodyValue(root, loops, value));
  if (!part.position)
    element.push_back(
        emitter.emitIterationNumber(root, loops, part.state.back()));
  Value taken;
  if (partial.front())
    taken = replaces(builder, loc, partial, element);
  else if (isFloat() && !part.nanWins)
    // A NaN is no partial result.
    taken = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD,
                                  element[valueAt()], element[valueAt()]);
  if (exists.kind == Condition::Runtime)
    taken = taken ? arith::AndIOp::create(builder, loc, taken, exists.value)
                        .getResult()
                  : exists.value;
  Value before = partial[valueAt()];
  for (auto [value, next, none] : llvm::zip(partial, element, neutral)) {
    if (!value)
      value = arith::ConstantOp::create(builder, loc, none);
    value = taken ? arith::SelectOp::create(builder, loc, taken, next, value)
                        .getResult()
                  : next;
  }
  if (!onlyDecides() || !before)
    return;
  Value next = element[valueAt()];
  if (exists.kind == Condition::Runtime)
    next = arith::SelectOp::create(builder, loc, exists.value, next, before);
  partial[valueAt()] = getLarger(builder, loc, before, next);
}

SmallVector<Value> ExtremeCombiner::combine(OpBuilder &builder, Location loc,
                                            ArrayRef<Value> a,
                                            ArrayRef<Value> b) const {
  Value valueA = a[valueAt()], valueB = b[valueAt()];
  Value better = isBetter(builder, loc, valueA, valueB);
  Value equal = isEqual(builder, loc, valueA, valueB);
  if (part.nanWins && !onlyDecides()) {
    Value nanA = isNaN(builder, loc, valueA);
    Value nanB = isNaN(builder, loc, valueB);
    Value one =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value only = arith::AndIOp::create(
        builder, loc, nanB, arith::XOrIOp::create(builder, loc, nanA, one));
    better = arith::OrIOp::create(builder, loc, better, only);
    equal = arith::OrIOp::create(
        builder, loc, equal, arith::AndIOp::create(builder, loc, nanA, nanB));
  }
  // A NaN that wins is the first one, whichever of equal numbers is kept.
  Value before = precedes(builder, loc, a, b);
  Value taken = arith::OrIOp::create(
      builder, loc, better, arith::AndIOp::create(builder, loc, equal, before));
  SmallVector<Value> result;
  for (auto [fromA, fromB] : llvm::zip(a, b))
    result.push_back(
        arith::SelectOp::create(builder, loc, taken, fromB, fromA));
  if (onlyDecides())
    result[valueAt()] = getLarger(builder, loc, valueA, valueB);
  return result;
}

SmallVector<Value> ExtremeCombiner::finish(OpBuilder &builder, Location loc,
                                           ArrayRef<Value> inits,
                                           ArrayRef<Value> total) const {
  SmallVector<Value> initial;
  for (unsigned number : part.results)
    initial.push_back(inits[number]);
  Value taken = part.smallerWins ? replaces(builder, loc, initial, total)
                                 : replaces(builder, loc, inits[part.compared],
                                            total[valueAt()]);
  if (part.last && isFloat()) {
    // A row of nothing but NaN has no best one.
    Value none = arith::ConstantOp::create(builder, loc, neutral[positionAt()]);
    Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      total[positionAt()], none);
    taken = arith::AndIOp::create(builder, loc, taken, any);
  }
  SmallVector<Value> results;
  for (auto [i, number] : llvm::enumerate(part.results))
    results.push_back(
        arith::SelectOp::create(builder, loc, taken, total[i], inits[number]));
  return results;
}

Value ExtremeCombiner::needsOrder(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> inits,
                                  ArrayRef<Value> total) const {
  if (!part.nanNeedsOrder)
    return {};
  return arith::OrIOp::create(builder, loc,
                              isNaN(builder, loc, inits[part.compared]),
                              isNaN(builder, loc, total[valueAt()]));
}

std::unique_ptr<Combiner> fuse::makeExtremeCombiner(linalg::LinalgOp root,
                                                    const ReductionPart &part) {
  return std::make_unique<ExtremeCombiner>(root, part);
}
