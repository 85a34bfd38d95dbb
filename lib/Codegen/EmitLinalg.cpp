// Elements of linalg operators: the body is cloned with its arguments replaced
// by the elements that the indexing maps name; reductions that are demanded
// run as loops in source order.
#include "fuse-mlir/Codegen/ElementEmitter.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/Analysis/ReductionParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

SmallVector<AffineExpr>
ElementEmitter::operandIndex(linalg::LinalgOp op, OpOperand &operand,
                             ArrayRef<AffineExpr> loops) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<AffineExpr> index;
  // Loops of a reduction may be null where a map does not use them.
  SmallVector<AffineExpr> known(loops);
  for (AffineExpr &loop : known)
    if (!loop)
      loop = constant(0);
  for (AffineExpr result : map.getResults())
    index.push_back(simplify(result.replaceDims(known)));
  return index;
}

Value ElementEmitter::emitLinalg(linalg::LinalgOp op, unsigned number,
                                 ArrayRef<AffineExpr> index) {
  if (linalg::FillOp fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return emitScalar(fill.value());
  SmallVector<AffineExpr> loops = getLoopsOfResult(op, number, index);
  SmallVector<Value> results = op.getNumReductionLoops() == 0
                                   ? emitIteration(op, loops, {})
                                   : emitInOrder(op, loops);
  for (auto [i, result] : llvm::enumerate(results))
    if (i != number)
      remember(op->getResult(i),
               operandIndex(op, *op.getDpsInitOperand(i), loops), result);
  return results[number];
}

SmallVector<Value> ElementEmitter::emitInits(linalg::LinalgOp op,
                                             ArrayRef<AffineExpr> loops) {
  SmallVector<Value> inits;
  for (OpOperand &operand : op.getDpsInitsMutable())
    inits.push_back(emit(operand.get(), operandIndex(op, operand, loops)));
  return inits;
}

Value ElementEmitter::emitIterationNumber(linalg::LinalgOp op,
                                          ArrayRef<AffineExpr> loops,
                                          Type type) {
  SmallVector<AffineExpr> at, extents;
  for (auto [loop, size, kind] :
       llvm::zip(loops, sizes.getLoops(op), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction) {
      at.push_back(loop);
      extents.push_back(size);
    }
  return castInteger(materialize(linearize(getContext(), at, extents, ranges)),
                     type);
}

/// How many iterations of each of `loops` (outermost first, those of a window) stand
/// side by side in the code: all of the innermost loops, as long as these are no
/// more than a thread loads at once, and as many of the next one as that leaves.
static SmallVector<int64_t> chooseUnrolling(ArrayRef<AffineExpr> extents) {
  constexpr int64_t kMostIterations = 64;
  SmallVector<int64_t> together(extents.size(), 1);
  int64_t left = kMostIterations;
  for (auto [extent, count] : llvm::reverse(llvm::zip(extents, together))) {
    AffineConstantExpr known = dyn_cast<AffineConstantExpr>(extent);
    if (!known)
      break;
    count = std::clamp<int64_t>(known.getValue(), 1, left);
    left /= count;
    if (count < known.getValue())
      break;
  }
  return together;
}

SmallVector<Value> ElementEmitter::emitInOrder(linalg::LinalgOp op,
                                               ArrayRef<AffineExpr> loops) {
  SmallVector<AffineExpr> all = sizes.getLoops(op);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<AffineExpr> extents = llvm::map_to_vector(
      reductions, [&](unsigned loop) { return all[loop]; });
  SmallVector<int64_t> together(reductions.size(), 1);
  if (unrollsWindows)
    together = chooseUnrolling(extents);
  SmallVector<AffineExpr> current(loops);
  std::function<SmallVector<Value>(unsigned, ValueRange)> nest =
      [&](unsigned depth, ValueRange carried) -> SmallVector<Value> {
    if (depth == reductions.size())
      return emitIteration(op, current, SmallVector<Value>(carried));
    int64_t count = together[depth];
    auto emitSome = [&](AffineExpr first, int64_t number, ValueRange before) {
      SmallVector<Value> values(before);
      for (int64_t i = 0; i < number; ++i) {
        current[reductions[depth]] = simplify(first + i);
        values = nest(depth + 1, values);
      }
      return values;
    };
    AffineExpr whole = simplify(extents[depth].floorDiv(count));
    SmallVector<Value> values =
        whole == constant(1)
            ? emitSome(constant(0), count, carried)
            : emitLoop(whole, carried,
                       [&](AffineExpr counter, ValueRange inner) {
                         return emitSome(counter * count, count, inner);
                       });
    // What is left of a known number.
    if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(extents[depth]))
      values = emitSome(simplify(whole * count), known.getValue() % count,
                        values);
    return values;
  };
  return nest(0, emitInits(op, loops));
}

/// Maps the block arguments for which `needed` holds to elements.
void ElementEmitter::bindInputs(linalg::LinalgOp op, ArrayRef<AffineExpr> loops,
                                function_ref<bool(Value)> needed,
                                IRMapping &mapping) {
  Block *block = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.getOperandNumber() >= block->getNumArguments())
      break;
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty() || mapping.contains(argument) || !needed(argument))
      continue;
    mapping.map(argument,
                isa<RankedTensorType>(operand.get().getType())
                    ? emit(operand.get(), operandIndex(op, operand, loops))
                    : emitScalar(operand.get()));
  }
}

SmallVector<Value> ElementEmitter::emitIteration(linalg::LinalgOp op,
                                                 ArrayRef<AffineExpr> loops,
                                                 ArrayRef<Value> accumulators) {
  Block *block = op.getBlock();
  IRMapping mapping;
  if (!accumulators.empty())
    for (auto [argument, value] :
         llvm::zip(op.getRegionOutputArgs(), accumulators))
      mapping.map(argument, value);
  bindInputs(op, loops, [](Value) { return true; }, mapping);
  emitBlock(*block, mapping, loops);
  SmallVector<Value> results;
  for (Value yielded : block->getTerminator()->getOperands())
    results.push_back(mapped(yielded, mapping));
  return results;
}

Value ElementEmitter::emitBodyValue(linalg::LinalgOp op,
                                    ArrayRef<AffineExpr> loops, Value wanted) {
  Block *block = op.getBlock();
  // The part of the body that `wanted` is computed from.
  llvm::DenseSet<Value> needed{wanted};
  llvm::DenseSet<Operation *> ops;
  for (Operation &inner : llvm::reverse(block->without_terminator())) {
    if (llvm::none_of(inner.getResults(),
                      [&](Value v) { return needed.contains(v); }) &&
        isMemoryEffectFree(&inner))
      continue;
    ops.insert(&inner);
    inner.walk([&](Operation *nested) {
      needed.insert(nested->operand_begin(), nested->operand_end());
    });
  }
  IRMapping mapping;
  bindInputs(op, loops, [&](Value v) { return needed.contains(v); }, mapping);
  for (Operation &inner : block->without_terminator())
    if (ops.contains(&inner))
      emitBodyOp(&inner, mapping, loops);
  return mapped(wanted, mapping);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The emitted value of a body's value: in the body, or captured.
Value ElementEmitter::mapped(Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  return emitScalar(value);
}

/// An emitted integer as an index expression: derived, or a new variable that
/// is known to be an index into `size` elements.
AffineExpr ElementEmitter::exprOf(Value value, AffineExpr size) {
  if (AffineExpr known = exprs.lookup(value))
    return known;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return constant(number.getSExtValue());
  AffineExpr variable = addVariable(value, IndexRange::ofSize(size));
  exprs[value] = variable;
  return variable;
}

void ElementEmitter::emitBlock(Block &block, IRMapping &mapping,
                               ArrayRef<AffineExpr> loops) {
  for (Operation &op : block.without_terminator())
    emitBodyOp(&op, mapping, loops);
}

void ElementEmitter::emitBodyOp(Operation *op, IRMapping &mapping,
                                ArrayRef<AffineExpr> loops) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    mapping.map(index.getResult(), materializeIndex(loops[index.getDim()]));
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<AffineExpr> index;
    for (auto [at, size] :
         llvm::zip(extract.getIndices(), sizes.getShape(extract.getTensor())))
      index.push_back(exprOf(mapped(at, mapping), size));
    mapping.map(extract.getResult(), emit(extract.getTensor(), index));
    return;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (!number || !type) {
      mapping.map(dim.getResult(),
                  fail(op, "has a size that is not known", dim.getType()));
      return;
    }
    mapping.map(dim.getResult(),
                materializeIndex(sizes.getSize(dim.getSource(), *number)));
    return;
  }
  if (emitFusedMultiplyAdd(op, mapping))
    return;
  cloneBodyOp(op, mapping, loops);
}

/// The update of a sum by a product, `acc + a * b`, rounds once.
bool ElementEmitter::emitFusedMultiplyAdd(Operation *op, IRMapping &mapping) {
  arith::AddFOp add = dyn_cast<arith::AddFOp>(op);
  if (!add || !(add.getType().isF32() || add.getType().isF64()))
    return false;
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op->getParentOp());
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0 ||
      isOrderStrict(linalgOp))
    return false;
  for (unsigned i : {0u, 1u}) {
    BlockArgument acc = dyn_cast<BlockArgument>(add->getOperand(i));
    arith::MulFOp mul = add->getOperand(1 - i).getDefiningOp<arith::MulFOp>();
    if (!acc || !mul || !mul->hasOneUse() ||
        mul->getBlock() != op->getBlock() ||
        !llvm::is_contained(linalgOp.getRegionOutputArgs(), acc))
      continue;
    Value fma = math::FmaOp::create(builder, loc, mapped(mul.getLhs(), mapping),
                                    mapped(mul.getRhs(), mapping),
                                    mapped(acc, mapping));
    mapping.map(add.getResult(), fma);
    return true;
  }
  return false;
}

void ElementEmitter::cloneBodyOp(Operation *op, IRMapping &mapping,
                                 ArrayRef<AffineExpr> loops) {
  for (Value operand : op->getOperands()) {
    if (isa<ShapedType>(operand.getType())) {
      for (Value result : op->getResults())
        mapping.map(result, fail(op, "has no code generation in a body",
                                 result.getType()));
      return;
    }
    if (!mapping.contains(operand))
      mapping.map(operand, emitScalar(operand));
  }
  Operation *clone = builder.insert(op->cloneWithoutRegions(mapping));
  for (auto [from, to] : llvm::zip(op->getRegions(), clone->getRegions())) {
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(builder);
      SmallVector<Location> locations(block.getNumArguments(), loc);
      Block *copy = builder.createBlock(&to, to.end(), block.getArgumentTypes(),
                                        locations);
      mapping.map(block.getArguments(), copy->getArguments());
      pushScope(clone);
      emitBlock(block, mapping, loops);
      Operation *terminator = block.getTerminator();
      for (Value operand : terminator->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand, emitScalar(operand));
      builder.insert(terminator->cloneWithoutRegions(mapping));
      popScope();
    }
  }
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    mapping.map(from, to);
  deriveExpr(clone);
}

/// Keeps the index expression of integer arithmetic, so that computed indices
/// (a reversal, a rotation) stay analysable. Only where no wrap-around can
/// happen.
void ElementEmitter::deriveExpr(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
    return;
  auto operand = [&](unsigned i) -> AffineExpr {
    APInt number;
    if (matchPattern(op->getOperand(i), m_ConstantInt(&number)))
      return number.getBitWidth() <= 64 ? constant(number.getSExtValue())
                                        : AffineExpr();
    return exprs.lookup(op->getOperand(i));
  };
  AffineExpr result;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    AffineExpr a = operand(0), b = operand(1);
    if (!a || !b)
      return;
    if (isa<arith::AddIOp>(op))
      result = a + b;
    else if (isa<arith::SubIOp>(op))
      result = a - b;
    else if (isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b))
      result = a * b;
  } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                 arith::ExtUIOp, arith::TruncIOp>(op)) {
    result = operand(0);
  } else if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp,
                 arith::RemSIOp>(op)) {
    AffineExpr a = operand(0);
    AffineConstantExpr c = dyn_cast_or_null<AffineConstantExpr>(operand(1));
    if (!a || !c || c.getValue() < 1 || getRange(a, ranges).lo < 0)
      return;
    result = isa<arith::DivUIOp, arith::DivSIOp>(op) ? a.floorDiv(c) : a % c;
  }
  if (!result)
    return;
  result = simplify(result);
  // Index expressions live in scopes; a bound of 32 bits (or fewer) keeps
  // narrowing and widening exact.
  unsigned width = op->getResult(0).getType().isIndex()
                       ? 64
                       : op->getResult(0).getType().getIntOrFloatBitWidth();
  int64_t limit = int64_t(1) << std::min<unsigned>(width - 1, 31);
  if (width > 1 && getRange(result, ranges).within(0, limit - 1))
    exprs[op->getResult(0)] = result;
}
