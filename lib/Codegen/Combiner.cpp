// Combiners of single results: `acc = op(acc, x)` and what comes down to that.
#include "fuse-mlir/Codegen/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Neutral elements
//===----------------------------------------------------------------------===//

static TypedAttr floatNeutral(Operation *op, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  bool hasInf = APFloat::semanticsHasInf(semantics);
  auto extreme = [&](bool negative) {
    return FloatAttr::get(type, hasInf
                                    ? APFloat::getInf(semantics, negative)
                                    : APFloat::getLargest(semantics, negative));
  };
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddFOp, arith::SubFOp>([&](auto) {
        return FloatAttr::get(type, APFloat::getZero(semantics, true));
      })
      .Case([&](arith::MulFOp) { return FloatAttr::get(type, 1.0); })
      .Case([&](arith::MaximumFOp) { return extreme(true); })
      .Case([&](arith::MinimumFOp) { return extreme(false); })
      // These ignore a NaN, so that a row of NaN stays one.
      .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) {
        return FloatAttr::get(type, APFloat::getNaN(semantics));
      })
      .Default([](Operation *) { return TypedAttr(); });
}

static TypedAttr intNeutral(Operation *op, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto make = [&](const APInt &value) -> TypedAttr {
    return IntegerAttr::get(type, value);
  };
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp,
            arith::MaxUIOp>([&](auto) { return make(APInt::getZero(width)); })
      .Case([&](arith::MulIOp) { return make(APInt(width, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](auto) { return make(APInt::getAllOnes(width)); })
      .Case(
          [&](arith::MaxSIOp) { return make(APInt::getSignedMinValue(width)); })
      .Case(
          [&](arith::MinSIOp) { return make(APInt::getSignedMaxValue(width)); })
      .Default([](Operation *) { return TypedAttr(); });
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

namespace {
class UpdateCombiner : public Combiner {
public:
  UpdateCombiner(linalg::LinalgOp root, const ReductionPart &part)
      : Combiner(root, part) {
    Type type = part.state.front();
    if (FloatType floatType = dyn_cast<FloatType>(type))
      neutral = {floatNeutral(part.op, floatType)};
    else
      neutral = {intNeutral(part.op, type)};
  }

  void accumulate(ElementEmitter &emitter, ArrayRef<AffineExpr> loops,
                  Condition exists,
                  MutableArrayRef<Value> partial) const override;
  SmallVector<Value> combine(OpBuilder &builder, Location loc,
                             ArrayRef<Value> a,
                             ArrayRef<Value> b) const override {
    return {combineOne(builder, loc, a.front(), b.front())};
  }
  SmallVector<Value> finish(OpBuilder &builder, Location loc,
                            ArrayRef<Value> inits,
                            ArrayRef<Value> total) const override {
    Value init = inits[part.results.front()];
    return {part.subtracts ? clone(builder, loc, part.op, init, total.front())
                           : combineOne(builder, loc, init, total.front())};
  }

private:
  static Value clone(OpBuilder &builder, Location loc, Operation *op, Value a,
                     Value b) {
    OperationState state(loc, op->getName());
    state.addOperands({a, b});
    state.addTypes(a.getType());
    state.addAttributes(op->getAttrDictionary().getValue());
    return builder.create(state)->getResult(0);
  }
  Value combineOne(OpBuilder &builder, Location loc, Value a, Value b) const {
    if (auto subtract = dyn_cast<arith::SubFOp>(part.op))
      return arith::AddFOp::create(builder, loc, a, b, subtract.getFastmath());
    if (auto subtract = dyn_cast<arith::SubIOp>(part.op))
      return arith::AddIOp::create(builder, loc, a, b,
                                   subtract.getOverflowFlags());
    return clone(builder, loc, part.op, a, b);
  }
};
} // namespace

void UpdateCombiner::accumulate(ElementEmitter &emitter,
                                ArrayRef<AffineExpr> loops, Condition exists,
                                MutableArrayRef<Value> partial) const {
  if (exists.kind == Condition::Never)
    return;
  OpBuilder &builder = emitter.getBuilder();
  Location loc = root.getLoc();
  Type type = part.state.front();
  Value operand = part.elements.front(), &sum = partial.front();
  arith::MulFOp product = operand.getDefiningOp<arith::MulFOp>();
  bool fused = sum && exists.kind == Condition::Always && !part.guard &&
               product && product->hasOneUse() && isa<arith::AddFOp>(part.op) &&
               (type.isF32() || type.isF64());
  if (fused) {
    sum = math::FmaOp::create(
        builder, loc, emitter.emitBodyValue(root, loops, product.getLhs()),
        emitter.emitBodyValue(root, loops, product.getRhs()), sum);
    return;
  }
  Value element = emitter.emitBodyValue(root, loops, operand);
  auto replaceUnless = [&](Value holds) {
    Value none = arith::ConstantOp::create(builder, loc, neutral.front());
    element = arith::SelectOp::create(builder, loc, holds, element, none);
  };
  if (part.guard) {
    Value guard = emitter.emitBodyValue(root, loops, part.guard);
    if (part.leftOut) {
      Value one =
          arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      guard = arith::XOrIOp::create(builder, loc, guard, one);
    }
    replaceUnless(guard);
  }
  if (exists.kind == Condition::Runtime)
    replaceUnless(exists.value);
  sum = sum ? combineOne(builder, loc, sum, element) : element;
}

std::unique_ptr<Combiner> fuse::makeUpdateCombiner(linalg::LinalgOp root,
                                                   const ReductionPart &part) {
  return std::make_unique<UpdateCombiner>(root, part);
}

void Combiner::fillIn(OpBuilder &builder, Location loc,
                      MutableArrayRef<Value> partial) const {
  for (auto [value, none] : llvm::zip_equal(partial, neutral))
    if (!value)
      value = arith::ConstantOp::create(builder, loc, none);
}

std::unique_ptr<Combiner> Combiner::create(linalg::LinalgOp root,
                                           const ReductionPart &part) {
  std::unique_ptr<Combiner> combiner;
  switch (part.kind) {
  case ReductionPart::Update:
    combiner = makeUpdateCombiner(root, part);
    break;
  case ReductionPart::Choice:
    combiner = makeChoiceCombiner(root, part);
    break;
  case ReductionPart::Extreme:
    combiner = makeExtremeCombiner(root, part);
    break;
  case ReductionPart::Moments:
    combiner = makeMomentsCombiner(root, part);
    break;
  }
  if (llvm::is_contained(combiner->neutral, TypedAttr()))
    return nullptr;
  return combiner;
}
