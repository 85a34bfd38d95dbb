// Follows an element to the operators that made it, as far as its value is an
// expression of loop indices. Nothing here depends on data.
#include "IndexValues.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class IndexValues {
public:
  explicit IndexValues(const IndexRanges &ranges) : ranges(ranges) {}
  AffineExpr find(Value tensor, ArrayRef<AffineExpr> index);

private:
  AffineExpr findView(Operation *view, Value source,
                      ArrayRef<AffineExpr> index);
  AffineExpr findInserted(tensor::InsertSliceOp insert,
                          ArrayRef<AffineExpr> index);
  AffineExpr findYielded(linalg::GenericOp op, unsigned result,
                         ArrayRef<AffineExpr> index);
  AffineExpr evaluate(linalg::GenericOp op, Value value,
                      ArrayRef<AffineExpr> loops);
  AffineExpr convert(AffineExpr value, Type type) const;

  const IndexRanges &ranges;
  /// Operators that are still followed: chains are short where this helps.
  unsigned left = 64;
};
} // namespace

AffineExpr IndexValues::find(Value tensor, ArrayRef<AffineExpr> index) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || left == 0)
    return {};
  --left;
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto view) { return findView(view, view.getSrc(), index); })
      .Case([&](tensor::CastOp cast) { return find(cast.getSource(), index); })
      .Case([&](tensor::InsertSliceOp insert) {
        return findInserted(insert, index);
      })
      .Case([&](linalg::GenericOp generic) {
        return findYielded(generic, cast<OpResult>(tensor).getResultNumber(),
                           index);
      })
      .Default(AffineExpr());
}

AffineExpr IndexValues::findView(Operation *view, Value source,
                                 ArrayRef<AffineExpr> index) {
  auto from = dyn_cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(view->getResult(0).getType());
  if (!from || !from.hasStaticShape())
    return {};
  AffineExpr linear =
      linearize(view->getContext(), index, to.getShape(), ranges);
  return find(source, delinearize(linear, from.getShape(), ranges));
}

/// From the slice or from the destination, where it is clear which one.
AffineExpr IndexValues::findInserted(tensor::InsertSliceOp insert,
                                     ArrayRef<AffineExpr> index) {
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  SmallVector<AffineExpr> inner;
  bool inside = true;
  for (auto [i, expr] : llvm::enumerate(index)) {
    int64_t offset = insert.getStaticOffsets()[i];
    int64_t size = insert.getStaticSizes()[i];
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
        insert.getStaticStrides()[i] != 1)
      return {};
    IndexRange range = getRange(expr, ranges);
    if (range.hi < offset || range.lo >= offset + size)
      return find(insert.getDest(), index);
    inside &= range.within(offset, offset + size - 1);
    if (!dropped[i])
      inner.push_back(simplifyIndex(expr - offset, ranges));
  }
  return inside ? find(insert.getSource(), inner) : AffineExpr();
}

AffineExpr IndexValues::findYielded(linalg::GenericOp op, unsigned result,
                                    ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> loops = getLoopsOfResult(op, result, index);
  return evaluate(op, op.getBlock()->getTerminator()->getOperand(result),
                  loops);
}

/// `value` as an integer of `type`, if that can hold it.
AffineExpr IndexValues::convert(AffineExpr value, Type type) const {
  if (!value)
    return {};
  IndexRange range = getRange(value, ranges);
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return range.within(0, bits > 32 ? INT32_MAX : llvm::maxUIntN(bits - 1))
             ? value
             : AffineExpr();
}

/// A value in the body of `op`. Quotients and remainders are of numbers that
/// are not negative, so that all kinds of them agree.
AffineExpr IndexValues::evaluate(linalg::GenericOp op, Value value,
                                 ArrayRef<AffineExpr> loops) {
  if (!value.getType().isIntOrIndex() || value.getType().isInteger(1))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock() ||
        argument.getArgNumber() >= op.getNumDpsInputs())
      return {};
    OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
    AffineMap map = op.getMatchingIndexingMap(operand);
    SmallVector<AffineExpr> at;
    for (AffineExpr expr : map.getResults()) {
      for (auto [i, loop] : llvm::enumerate(loops))
        if (expr.isFunctionOfDim(i) && !loop)
          return {};
      at.push_back(simplifyIndex(expr.replaceDims(loops), ranges));
    }
    return find(operand->get(), at);
  }
  auto divide = [&](Operation *by, auto combine) -> AffineExpr {
    APInt divisor;
    if (!matchPattern(by->getOperand(1), m_ConstantInt(&divisor)) ||
        !divisor.isStrictlyPositive() || divisor.getActiveBits() > 31)
      return {};
    AffineExpr number = evaluate(op, by->getOperand(0), loops);
    return number
               ? simplifyIndex(combine(number, divisor.getSExtValue()), ranges)
               : AffineExpr();
  };
  return llvm::TypeSwitch<Operation *, AffineExpr>(value.getDefiningOp())
      .Case([&](linalg::IndexOp index) {
        return convert(loops[index.getDim()], index.getType());
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>([&](auto cast) {
        return convert(evaluate(op, cast.getIn(), loops), cast.getType());
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto by) {
        return divide(by, [](AffineExpr a, int64_t b) { return a % b; });
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([&](auto by) {
        return divide(by,
                      [](AffineExpr a, int64_t b) { return a.floorDiv(b); });
      })
      .Default(AffineExpr());
}

AffineExpr fuse::findIndexValue(Value tensor, ArrayRef<AffineExpr> index,
                                const IndexRanges &ranges) {
  return IndexValues(ranges).find(tensor, index);
}
