// A walk along the keys. For each query a thread carries the maximum m so far,
// its own part of the sum l of e = exp(x - m), and its own part of the sums of
// values by e. When m grows, what has been summed up is multiplied by
// exp(old m - new m). Where weights have a pass of their own, they are
// evaluated as the source has them, and nothing is rescaled. Order of l and of
// other reductions: the columns of a thread, step by step, then butterflies
// over the threads of a row. Order of the values: steps of keys, and within one
// as on path `tile`.
#include "StreamedAttentionKernel.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse;

StreamedAttentionKernel::State
StreamedAttentionKernel::start(const Pass &pass) {
  State state;
  KernelContext cascade = getStage(1);
  AffineExpr zero = emitter.constant(0);
  Accumulators accumulators(cascade, pass.reductions);
  for (const Row &row : rows) {
    if (pass.isOnline) {
      auto maximum = cast<linalg::LinalgOp>(attention.maximum);
      state.maxima.push_back(
          emitter
              .emitInits(maximum,
                         loopsAt(attention.maximum, 1, row.row, zero, zero))
              .front());
      state.totals.push_back(constant(0.0));
    }
    llvm::append_range(state.partials, accumulators.emitNeutral(cascade));
  }
  if (pass.multiplies)
    state.sums.assign(warp.getRows() * width / warp.getTeam(), constant(0.0));
  return state;
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

/// The scores of the step, and what the cascade finds them by.
void StreamedAttentionKernel::emitScores(ArrayRef<Chunk> columns,
                                         AffineExpr stage) {
  Operation *root = attention.scores.op;
  AffineExpr zero = emitter.constant(0);
  SmallVector<Value> scores;
  auto forEachPlace = [&](function_ref<void(ArrayRef<AffineExpr>)> visit) {
    for (const Row &row : rows)
      for (const Chunk &chunk : columns)
        for (AffineExpr column : chunk.places)
          visit(loopsAt(root, 0, row.row, column, zero));
  };
  forEachPlace([&](ArrayRef<AffineExpr> loops) {
    llvm::append_range(scores,
                       emitter.emitInits(cast<linalg::LinalgOp>(root), loops));
  });
  SharedFactor right{&keys->getTile(), stage, keyCasts};
  if (usesFragments) {
    WarpTile::Fragments loaded;
    if (!holdsQueries)
      loaded =
          warp.loadRows(queries->getTile(),
                        llvm::alignTo(attention.scores.depth, kFragmentDepth));
    scores =
        warp.multiply(holdsQueries ? queryFragments : loaded, right, scores);
  } else {
    scores = warp.multiply({&queries->getTile(), zero, queryCasts}, right,
                           attention.scores.depth, scores);
  }
  unsigned number = 0;
  forEachPlace([&](ArrayRef<AffineExpr> loops) {
    emitter.remember(root->getResult(0), indexOf(root, loops),
                     scores[number++]);
  });
}

/// The maximum of a row after this step.
Value StreamedAttentionKernel::emitMaximum(const Row &row,
                                           ArrayRef<Chunk> columns,
                                           Value before) {
  KernelContext cascade = getStage(1);
  Accumulators accumulators(cascade, {attention.maximum});
  SmallVector<Value> partial(1);
  for (const Chunk &chunk : columns)
    for (auto [column, exists] : llvm::zip(chunk.places, chunk.exists))
      accumulators.accumulate(cascade, row.row, column, exists, partial);
  partial =
      combineAcrossThreads(cascade, accumulators, partial, warp.getTeam());
  SmallVector<Value> maximum = {before};
  accumulators.combine(cascade, maximum, partial);
  return maximum.front();
}

/// The element of a key, 0 beyond the last one.
Value StreamedAttentionKernel::emitExisting(const Condition &exists,
                                            Value element) {
  OpBuilder &builder = context.builder();
  if (exists.kind == Condition::Always)
    return element;
  Value zero = arith::ConstantOp::create(
      builder, context.loc(), builder.getZeroAttr(element.getType()));
  if (exists.kind == Condition::Never)
    return zero;
  return arith::SelectOp::create(builder, context.loc(), exists.value, element,
                                 zero);
}

/// e of a score.
Value StreamedAttentionKernel::emitExponential(AffineExpr row,
                                               AffineExpr column) {
  if (!attention.mayApproximate())
    return emitPlaced(attention.exponential, row, column);
  Value exponent = emitPlaced(attention.exponent, row, column);
  OpBuilder &builder = context.builder();
  constexpr arith::FastMathFlags kApproximate = arith::FastMathFlags::afn;
  if (isa<math::ExpOp>(attention.exponentiation))
    return math::ExpOp::create(builder, context.loc(), exponent, kApproximate);
  return math::Exp2Op::create(builder, context.loc(), exponent, kApproximate);
}

/// m, l, and if values are summed up, these and what e weighs them by.
void StreamedAttentionKernel::visitOnline(const Pass &pass, unsigned number,
                                          ArrayRef<Chunk> columns,
                                          const State &before, State &next,
                                          SmallVectorImpl<Value> &weights) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  const Row &row = rows[number];
  Value maximum = emitMaximum(row, columns, before.maxima[number]);
  next.maxima.push_back(maximum);
  // Where all are -inf so far, e is 0, as after any later maximum.
  Value used = arith::SelectOp::create(builder, loc, isMinusInfinity(maximum),
                                       constant(0.0), maximum);
  rememberRow(attention.maximum, row.row, used);
  Value factor =
      emitCopy(context, attention.exponentiation,
               arith::SubFOp::create(builder, loc, before.maxima[number], used)
                   .getResult());
  Value total =
      arith::MulFOp::create(builder, loc, before.totals[number], factor);
  for (const Chunk &chunk : columns)
    for (auto [column, exists] : llvm::zip(chunk.places, chunk.exists)) {
      Value element = emitExisting(exists, emitExponential(row.row, column));
      total = arith::AddFOp::create(builder, loc, total, element);
      if (!pass.multiplies)
        continue;
      for (Operation *cast : attention.casts)
        element = emitCopy(context, cast, element);
      weights.push_back(element);
    }
  next.totals.push_back(total);
  int64_t perRow = before.sums.size() / rows.size();
  for (Value sum : ArrayRef(before.sums).slice(number * perRow, perRow))
    next.sums.push_back(arith::MulFOp::create(builder, loc, sum, factor));
}

/// The partial results of other reductions after this step.
void StreamedAttentionKernel::visitReductions(const Pass &pass, unsigned number,
                                              ArrayRef<Chunk> columns,
                                              State &next) {
  KernelContext cascade = getStage(1);
  Accumulators accumulators(cascade, pass.reductions);
  MutableArrayRef<Value> partial =
      MutableArrayRef(next.partials)
          .slice(number * accumulators.size(), accumulators.size());
  for (const Chunk &chunk : columns)
    for (auto [column, exists] : llvm::zip(chunk.places, chunk.exists))
      accumulators.accumulate(cascade, rows[number].row, column, exists,
                              partial);
}

/// The weights of a row as the source has them; they, and other values of each
/// place, are stored if the kernel gives them.
void StreamedAttentionKernel::emitWeights(unsigned number,
                                          ArrayRef<Chunk> columns,
                                          SmallVectorImpl<Value> &weights) {
  KernelContext cascade = getStage(1);
  const Row &row = rows[number];
  for (const Chunk &chunk : columns) {
    for (auto [column, exists] : llvm::zip(chunk.places, chunk.exists))
      weights.push_back(
          emitExisting(exists, cascade.emitOutput(0, row.row, column)));
    for (auto [i, output] : llvm::enumerate(cascade.outputs)) {
      if (!cascade.shape.outputs[i].isFull() ||
          !llvm::is_contained(shape.stored, output))
        continue;
      SmallVector<Value> elements;
      for (AffineExpr column : chunk.places)
        elements.push_back(cascade.emitOutput(i, row.row, column));
      for (auto [lane, column] : llvm::enumerate(chunk.places))
        emitter.emitIf(
            emitter.conjunction(row.exists, chunk.exists[lane]),
            [&] { cascade.storeOutput(i, row.row, column, elements[lane]); });
    }
  }
}

SmallVector<Value> StreamedAttentionKernel::multiplyValues(
    ArrayRef<Value> elements, AffineExpr stage, ArrayRef<Value> sums) {
  SharedFactor right{&values->getTile(), stage, valueCasts};
  if (usesFragments)
    return warp.multiply(warp.packRows(elements, tile.getColumns()), right,
                         sums);
  // Only threads of the warp read what it writes.
  int64_t groups = tile.getColumns() / warp.getGroupColumns();
  int64_t lanes = warp.getWidth();
  AffineExpr zero = emitter.constant(0);
  for (int64_t i = 0; i < warp.getRows(); ++i)
    for (int64_t group = 0; group < groups; ++group) {
      AffineExpr first =
          weights->locate(zero, warp.rowAt(i), warp.columnAt(group));
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value element = elements[(i * groups + group) * lanes + lane];
        for (Operation *cast : weightCasts)
          element = emitCopy(context, cast, element);
        emitter.storeTo(weights->getBuffer(), emitter.simplify(first + lane),
                        element);
      }
    }
  auto wait = [&] {
    Value all = arith::ConstantIntOp::create(
        context.builder(), context.loc(), context.builder().getI32Type(), -1);
    NVVM::SyncWarpOp::create(context.builder(), context.loc(), all);
  };
  wait();
  SmallVector<Value> next =
      warp.multiply({&*weights, zero, {}}, right, tile.getColumns(), sums);
  wait();
  return next;
}

StreamedAttentionKernel::State
StreamedAttentionKernel::visit(const Pass &pass, AffineExpr step,
                               AffineExpr stage, const State &before) {
  SmallVector<Chunk> columns = getKeys(step);
  emitScores(columns, stage);
  State next;
  next.partials = before.partials;
  SmallVector<Value> elements;
  for (unsigned row = 0; row < rows.size(); ++row) {
    visitReductions(pass, row, columns, next);
    if (pass.isOnline)
      visitOnline(pass, row, columns, before, next, elements);
    else if (pass.multiplies)
      emitWeights(row, columns, elements);
  }
  if (!pass.multiplies)
    return next;
  next.sums =
      multiplyValues(elements, stage, pass.isOnline ? next.sums : before.sums);
  return next;
}

//===----------------------------------------------------------------------===//
// A walk
//===----------------------------------------------------------------------===//

/// After the queries have arrived.
void StreamedAttentionKernel::loadQueries() {
  if (holdsQueries && queryFragments.empty())
    queryFragments =
        warp.loadRows(queries->getTile(),
                      llvm::alignTo(attention.scores.depth, kFragmentDepth));
}

StreamedAttentionKernel::State StreamedAttentionKernel::walk(const Pass &pass) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  AffineExpr zero = emitter.constant(0);
  int64_t stages = tile.getStages();
  bool isPipelined =
      stages > 1 && keys->isAsync() && (!pass.multiplies || values->isAsync());
  // The queries, which are copied before the first walk.
  Value token = commitCopies(context);
  if (isPipelined) {
    emitter.emitIf(emitter.isBelow(zero, visited),
                   [&] { fillKeys(pass, zero, zero); });
    commitCopies(context);
  }
  awaitCopies(context, token, isPipelined ? 1 : 0);
  gpu::BarrierOp::create(builder, loc);
  loadQueries();
  State first = start(pass);
  SmallVector<Value> last = emitter.emitLoop(
      visited, first.flatten(), [&](AffineExpr counter, ValueRange carried) {
        State before = first.unflatten(carried);
        if (isPipelined) {
          awaitCopies(context, token, 0);
          gpu::BarrierOp::create(builder, loc);
          AffineExpr next = emitter.simplify(counter + 1);
          emitter.emitIf(emitter.isBelow(next, visited), [&] {
            fillKeys(pass,
                     emitter.addVariable(emitter.materialize(next),
                                         IndexRange::ofSize(mostSteps)),
                     emitter.simplify(next % stages));
          });
          commitCopies(context);
          return visit(pass, getStep(counter),
                       emitter.simplify(counter % stages), before)
              .flatten();
        }
        fillKeys(pass, counter, zero);
        commitCopies(context);
        awaitCopies(context, token, 0);
        gpu::BarrierOp::create(builder, loc);
        State next = visit(pass, getStep(counter), zero, before);
        gpu::BarrierOp::create(builder, loc);
        return next.flatten();
      });
  // Another walk begins to fill the tiles again.
  if (isPipelined && !pass.multiplies)
    gpu::BarrierOp::create(builder, loc);
  return first.unflatten(last);
}
