// Walks from a scalar at a place of a row kernel up through bodies, views and
// element-wise operators to what it is computed from.
#include "PlaceWalker.h"

#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/Analysis/ReductionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// Where the value comes from: through arguments of bodies, results of
/// element-wise linalg operators, and views.
PlacedValue PlaceWalker::resolve(PlacedValue at) const {
  while (true) {
    if (at.op) {
      BlockArgument argument = dyn_cast<BlockArgument>(at.value);
      auto op = cast<linalg::LinalgOp>(at.op);
      if (!argument || argument.getOwner() != op.getBlock())
        return at;
      OpOperand *operand = op.getMatchingOpOperand(argument);
      SmallVector<AffineExpr> index;
      for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
        index.push_back(simplifyIndex(expr.replaceDims(at.index), ranges));
      at = {nullptr, operand->get(), index};
      continue;
    }
    Operation *def = at.value.getDefiningOp();
    if (!def || !members.contains(def) || isRootOp(def))
      return at;
    if (auto op = dyn_cast<linalg::LinalgOp>(def)) {
      unsigned number = cast<OpResult>(at.value).getResultNumber();
      at = {def, op.getBlock()->getTerminator()->getOperand(number),
            getLoopsOfResult(def, number, at.index)};
      continue;
    }
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
            def))
      return at;
    PlacedValue source;
    LogicalResult followed = forEachOperandElement(
        def, 0, at.index, ranges, sizes,
        [](Operation *, unsigned, AffineExpr) { return AffineExpr(); },
        [&](Value operand, ArrayRef<AffineExpr> index) {
          source = {nullptr, operand, llvm::to_vector(index)};
          return success();
        });
    if (failed(followed) || !source.value)
      return at;
    at = std::move(source);
  }
}

/// The operator that computes a resolved value; null if it is read from
/// memory, a result of a reduction, or moved by something else than a view.
Operation *PlaceWalker::getScalarOp(const PlacedValue &at) const {
  Operation *def = at.value.getDefiningOp();
  if (!def || def->getNumRegions() > 0 || def->getNumResults() != 1)
    return nullptr;
  bool inBody = at.op && def->getParentOp() == at.op;
  if (inBody || def->hasTrait<OpTrait::ConstantLike>())
    return def;
  return members.contains(def) && OpTrait::hasElementwiseMappableTraits(def)
             ? def
             : nullptr;
}

PlacedValue PlaceWalker::getOperand(const PlacedValue &at,
                                    unsigned number) const {
  return resolve(
      {at.op, at.value.getDefiningOp()->getOperand(number), at.index});
}

/// Whether both are the same scalar at every place.
bool PlaceWalker::isSame(PlacedValue a, PlacedValue b, unsigned depth) const {
  constexpr unsigned kDeepest = 32;
  a = resolve(std::move(a));
  b = resolve(std::move(b));
  if (a.op == b.op && a.value == b.value && a.index == b.index)
    return true;
  Operation *first = getScalarOp(a), *second = getScalarOp(b);
  if (!first || !second || depth > kDeepest ||
      first->getName() != second->getName() ||
      first->getAttrDictionary() != second->getAttrDictionary() ||
      first->getNumOperands() != second->getNumOperands() ||
      !isMemoryEffectFree(first))
    return false;
  if (linalg::IndexOp index = dyn_cast<linalg::IndexOp>(first))
    return a.index[index.getDim()] ==
           b.index[cast<linalg::IndexOp>(second).getDim()];
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (!isSame({a.op, first->getOperand(i), a.index},
                {b.op, second->getOperand(i), b.index}, depth + 1))
      return false;
  return true;
}

/// Whether the value is the same for all keys.
bool PlaceWalker::isRowValue(PlacedValue at, unsigned depth) const {
  constexpr unsigned kDeepest = 32;
  at = resolve(std::move(at));
  Operation *op = getScalarOp(at);
  if (!op)
    return !at.op && llvm::none_of(at.index, [](AffineExpr expr) {
      return expr.isFunctionOfDim(1);
    });
  if (linalg::IndexOp index = dyn_cast<linalg::IndexOp>(op))
    return !at.index[index.getDim()].isFunctionOfDim(1);
  if (depth > kDeepest || !isMemoryEffectFree(op))
    return false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!isRowValue({at.op, op->getOperand(i), at.index}, depth + 1))
      return false;
  return true;
}

bool PlaceWalker::isResultOf(PlacedValue at, Operation *root) const {
  at = resolve(std::move(at));
  return root && !at.op && at.value.getDefiningOp() == root;
}

std::optional<PlacedValue> PlaceWalker::getElement(Operation *root) const {
  auto loops = part.shape.rootLoops.find(root);
  if (loops == part.shape.rootLoops.end() ||
      llvm::is_contained(loops->second, AffineExpr()))
    return std::nullopt;
  auto parts = matchReduction(cast<linalg::LinalgOp>(root));
  if (!parts || parts->size() != 1 || parts->front().elements.size() != 1)
    return std::nullopt;
  return PlacedValue{root, parts->front().elements.front(), loops->second};
}

/// An integer that follows from the place alone, in (d0, d1); else null.
/// Indices are small: casts do not change them.
AffineExpr PlaceWalker::getInteger(PlacedValue at, unsigned depth) const {
  constexpr unsigned kDeepest = 16;
  at = resolve(std::move(at));
  Operation *op = getScalarOp(at);
  APInt number;
  if (op && matchPattern(op, m_ConstantInt(&number)))
    return getAffineConstantExpr(number.getSExtValue(), op->getContext());
  if (!op || depth > kDeepest)
    return {};
  if (linalg::IndexOp index = dyn_cast<linalg::IndexOp>(op))
    return at.index[index.getDim()];
  auto operand = [&](unsigned i) {
    return getInteger({at.op, op->getOperand(i), at.index}, depth + 1);
  };
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return operand(0);
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return {};
  AffineExpr a = operand(0), b = operand(1);
  if (!a || !b)
    return {};
  return simplifyIndex(isa<arith::AddIOp>(op) ? a + b : a - b, ranges);
}
