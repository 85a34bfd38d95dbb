// Combiners of reductions and their neutral elements.
#include "fuse-mlir/Codegen/Combiner.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

Value Combiner::combine(OpBuilder &builder, Location loc, Value a,
                        Value b) const {
  OperationState state(loc, op->getName());
  state.addOperands({a, b});
  state.addTypes(a.getType());
  state.addAttributes(op->getAttrDictionary().getValue());
  return builder.create(state)->getResult(0);
}

static TypedAttr floatNeutral(Operation *op, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  bool hasInf = APFloat::semanticsHasInf(semantics);
  auto extreme = [&](bool negative) {
    return FloatAttr::get(type, hasInf
                                    ? APFloat::getInf(semantics, negative)
                                    : APFloat::getLargest(semantics, negative));
  };
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case([&](arith::AddFOp) {
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
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return make(APInt::getZero(width)); })
      .Case([&](arith::MulIOp) { return make(APInt(width, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](auto) { return make(APInt::getAllOnes(width)); })
      .Case(
          [&](arith::MaxSIOp) { return make(APInt::getSignedMinValue(width)); })
      .Case(
          [&](arith::MinSIOp) { return make(APInt::getSignedMaxValue(width)); })
      .Default([](Operation *) { return TypedAttr(); });
}

TypedAttr Combiner::getNeutral() const {
  if (FloatType type = dyn_cast<FloatType>(getType()))
    return floatNeutral(op, type);
  if (getType().isIntOrIndex())
    return intNeutral(op, getType());
  return {};
}

std::optional<SmallVector<Combiner>> fuse::matchCombiners(linalg::LinalgOp op) {
  if (!hasCombinablePartials(op))
    return std::nullopt;
  SmallVector<Combiner> combiners;
  for (auto [i, accumulator] : llvm::enumerate(op.getRegionOutputArgs())) {
    Operation *combiner =
        op.getBlock()->getTerminator()->getOperand(i).getDefiningOp();
    unsigned other = combiner->getOperand(0) == accumulator ? 1 : 0;
    combiners.push_back({combiner, combiner->getOperand(other)});
    if (!combiners.back().getNeutral())
      return std::nullopt;
  }
  return combiners;
}
