// Elements of operators that move elements: views and slices are index
// arithmetic; pads, concatenations and insertions are guarded, so that nothing
// is read or computed where the source does not.
#include "fuse-mlir/Codegen/ElementEmitter.h"

#include "fuse-mlir/Analysis/ElementAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

Value ElementEmitter::emitView(Value source, Value result,
                               ArrayRef<AffineExpr> index) {
  return emit(source, delinearize(linearIndex(result, index),
                                  sizes.getShape(source), ranges));
}

AffineExpr ElementEmitter::exprOf(OpFoldResult value, AffineExpr size) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return constant(*known);
  return exprOf(emitScalar(cast<Value>(value)), size);
}

/// The place in `whole` of an element of the part that `op` takes or inserts.
SmallVector<AffineExpr>
ElementEmitter::placeInWhole(OffsetSizeAndStrideOpInterface op,
                             const llvm::SmallBitVector &dropped, Value whole,
                             ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> extents = sizes.getShape(whole), place;
  unsigned next = 0;
  for (auto [i, offset, stride] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
    AffineExpr at = dropped[i] ? constant(0) : index[next++];
    place.push_back(exprOf(offset, extents[i]) +
                    at * *getConstantIntValue(stride));
  }
  return place;
}

Value ElementEmitter::emitSlice(tensor::ExtractSliceOp op,
                                ArrayRef<AffineExpr> index) {
  if (!llvm::all_of(op.getMixedStrides(), [](OpFoldResult stride) {
        return getConstantIntValue(stride).has_value();
      }))
    return fail(op, "has a stride that is not constant",
                op.getType().getElementType());
  return emit(op.getSource(), placeInWhole(op, op.getDroppedDims(),
                                           op.getSource(), index));
}

Value ElementEmitter::emitInsertSlice(tensor::InsertSliceOp op,
                                      ArrayRef<AffineExpr> index) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<AffineExpr> extents = sizes.getShape(op.getDest());
  Type type = op.getDestType().getElementType();
  SmallVector<AffineExpr> source;
  Condition inside;
  SmallVector<Guard> asked;
  SmallVector<AffineExpr> counts = sizes.getShape(op.getSource());
  unsigned next = 0;
  for (auto [i, offset, stride] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
    std::optional<int64_t> step = getConstantIntValue(stride);
    AffineExpr count = dropped[i] ? constant(1) : counts[next++];
    if (!step || *step < 1)
      return fail(op, "has a stride that is not constant", type);
    AffineExpr at = simplify(index[i] - exprOf(offset, extents[i]));
    if (*step != 1) {
      inside = conjunction(inside, isWithin(simplify(at % *step), 0, 0));
      at = simplify(at.floorDiv(*step));
    }
    inside = conjunction(inside, isBelow(at, count));
    asked.push_back({at, constant(0), simplify(count - 1)});
    if (!dropped[i])
      source.push_back(count == constant(1) ? constant(0) : at);
  }
  if (inside.kind != Condition::Runtime)
    asked.clear();
  auto emitSource = [&] {
    for (const Guard &guard : asked)
      pushKnown(guard, 1, true);
    Value element = emit(op.getSource(), source);
    for (size_t i = 0; i < asked.size(); ++i)
      popKnown();
    return element;
  };
  return emitIf(inside, type, emitSource,
                [&] { return emit(op.getDest(), index); });
}

AffineExpr ElementEmitter::placeOfInserted(tensor::InsertSliceOp op,
                                           ArrayRef<AffineExpr> index) {
  return linearIndex(op.getDest(), placeInWhole(op, op.getDroppedDims(),
                                                op.getDest(), index));
}

Value ElementEmitter::emitPad(tensor::PadOp op, ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> extents = sizes.getShape(op.getSource());
  Type type = op.getType().getElementType();
  SmallVector<AffineExpr> source;
  Condition inside;
  SmallVector<Guard> borders;
  for (auto [i, low] : llvm::enumerate(op.getMixedLowPad())) {
    AffineExpr at = simplify(index[i] - exprOf(low, extents[i] + 1));
    Condition own = isBelow(at, extents[i]);
    if (own.kind != Condition::Always)
      borders.push_back({at, constant(0), simplify(extents[i] - 1)});
    inside = conjunction(inside, own);
    source.push_back(at);
  }
  if (borderLog && padsWithZeros(op)) {
    llvm::append_range(*borderLog, borders);
    return emit(op.getSource(), source);
  }
  if (unrollsWindows && inside.kind == Condition::Runtime &&
      !llvm::is_contained(extents, constant(0))) {
    for (auto [at, size] : llvm::zip(source, extents))
      at = clampBelow(at, size);
    Value nearest = emit(op.getSource(), source);
    return arith::SelectOp::create(builder, loc, inside.value, nearest,
                                   emitGenerate(op.getRegion(), index));
  }
  return emitIf(
      inside, type, [&] { return emit(op.getSource(), source); },
      [&] { return emitGenerate(op.getRegion(), index); });
}

/// The element from one of the operands `first` to `last - 1`; operand `i`
/// begins at `starts[i]`. A tree of comparisons, not a chain.
Value ElementEmitter::emitConcat(tensor::ConcatOp op, unsigned first,
                                 unsigned last, ArrayRef<AffineExpr> starts,
                                 ArrayRef<AffineExpr> index) {
  uint64_t dim = op.getDim();
  if (last - first == 1) {
    SmallVector<AffineExpr> shifted(index);
    bool isUnit = sizes.getSize(op.getInputs()[first], dim) == constant(1);
    shifted[dim] = isUnit ? constant(0) : simplify(index[dim] - starts[first]);
    return emit(op.getInputs()[first], shifted);
  }
  unsigned middle = first + (last - first) / 2;
  Condition below = isBelow(index[dim], starts[middle]);
  // Within the branches the same is not asked again: else a chain of these
  // would be as much code as there are ways through it.
  auto emitPart = [&](unsigned from, unsigned to) {
    if (below.kind != Condition::Runtime)
      return emitConcat(op, from, to, starts, index);
    pushKnown({index[dim], starts[from], simplify(starts[to] - 1)}, 1, true);
    Value element = emitConcat(op, from, to, starts, index);
    popKnown();
    return element;
  };
  return emitIf(
      below, op.getType().getElementType(),
      [&] { return emitPart(first, middle); },
      [&] { return emitPart(middle, last); });
}

Value ElementEmitter::emitConcat(tensor::ConcatOp op,
                                 ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> starts = {constant(0)};
  for (Value input : op.getInputs())
    starts.push_back(
        simplify(starts.back() + sizes.getSize(input, op.getDim())));
  return emitConcat(op, 0, op.getInputs().size(), starts, index);
}

/// What `region` yields at `index` (the body of a generate or pad).
Value ElementEmitter::emitGenerate(Region &region, ArrayRef<AffineExpr> index) {
  Block &block = region.front();
  IRMapping mapping;
  for (auto [argument, expr] : llvm::zip(block.getArguments(), index))
    if (!argument.use_empty())
      mapping.map(argument, materializeIndex(expr));
  emitBlock(block, mapping, {});
  return mapped(block.getTerminator()->getOperand(0), mapping);
}
