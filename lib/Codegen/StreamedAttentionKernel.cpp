// Path `attention` with a tile: where a block's queries and keys are, its tiles
// in shared memory, and the passes over the keys.
#include "StreamedAttentionKernel.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SmallVector<Value> StreamedAttentionKernel::State::flatten() const {
  SmallVector<Value> all(maxima);
  llvm::append_range(all, totals);
  llvm::append_range(all, sums);
  llvm::append_range(all, partials);
  return all;
}

StreamedAttentionKernel::State
StreamedAttentionKernel::State::unflatten(ValueRange all) const {
  State next;
  auto take = [&](SmallVector<Value> &part, size_t size) {
    part = all.take_front(size);
    all = all.drop_front(size);
  };
  take(next.maxima, maxima.size());
  take(next.totals, totals.size());
  take(next.sums, sums.size());
  take(next.partials, partials.size());
  return next;
}

/// More queries or keys than fit any memory, but few enough for 32 bits.
static constexpr int64_t kMostPlaces = INT32_MAX;

StreamedAttentionKernel::StreamedAttentionKernel(KernelContext &context,
                                                 StreamedAttention given)
    : context(context), emitter(context.emitter), shape(context.shape),
      tile(context.schedule.getTile()), attention(std::move(given)),
      warp(context, tile.getUnit(), tile.getRows() / tile.getRowWarps()),
      usesFragments(tile.getUnit() == TileUnit::Mma),
      width(llvm::alignTo(attention.sums.columns, usesFragments ? 16 : 32)) {
  steps = emitter.simplify((shape.columnExtent + (tile.getColumns() - 1))
                               .floorDiv(tile.getColumns()));
  mostSteps = kMostPlaces / tile.getColumns();
  if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(steps))
    mostSteps = known.getValue();
  else
    steps = emitter.addVariable(emitter.materialize(steps), {0, mostSteps});
}

/// The number of a step, or a count of them, as at least `low` and at most
/// `high`; where no bound decides, in a variable.
AffineExpr StreamedAttentionKernel::clampStep(AffineExpr expr, int64_t low,
                                              AffineExpr high) {
  expr = emitter.simplify(expr);
  if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(high))
    return emitter.clamp(expr, low, known.getValue());
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Value value =
      arith::MaxSIOp::create(builder, loc, emitter.materializeIndex(expr),
                             emitter.materializeIndex(emitter.constant(low)));
  value = arith::MinSIOp::create(builder, loc, value,
                                 emitter.materializeIndex(high));
  return emitter.addVariable(value, {0, mostSteps});
}

/// Of the steps of a tile of queries, those of the block.
void StreamedAttentionKernel::shareSteps() {
  int64_t parts = tile.getParts();
  AffineExpr each = emitter.simplify((visited + (parts - 1)).floorDiv(parts));
  AffineExpr before = emitter.simplify(part * each);
  visited = emitter.clampBelow(emitter.simplify(visited - before),
                               emitter.simplify(each + 1));
  firstStep = clampStep(firstStep + before, 0, emitter.simplify(steps - 1));
}

/// The steps of the block by its tile of queries (`getFirstStep`,
/// `countSteps`). Without keys, there are none.
void StreamedAttentionKernel::placeSteps() {
  const KeyRange &seen = attention.keys;
  AffineExpr first = tileNumber * tile.getRows();
  firstStep = emitter.constant(0);
  if (seen.first)
    firstStep = clampStep((first + *seen.first).floorDiv(tile.getColumns()), 0,
                          emitter.simplify(steps - 1));
  AffineExpr end = steps;
  if (seen.last)
    end = clampStep((first + (tile.getRows() - 1 + *seen.last))
                            .floorDiv(tile.getColumns()) +
                        1,
                    1, steps);
  visited = emitter.simplify(end - firstStep);
  if (seen.first)
    visited = clampStep(visited, 1, steps);
}

AffineExpr StreamedAttentionKernel::asVariable(AffineExpr expr) {
  expr = emitter.simplify(expr);
  return emitter.addVariable(emitter.materialize(expr),
                             getRange(expr, emitter.getRanges()));
}

/// Which tile of queries the block has. The number of tiles may be one that
/// only the running kernel knows; it is not above that of the blocks, which
/// fits 32 bits.
void StreamedAttentionKernel::placeBlock() {
  AffineExpr block = context.block;
  if (tile.getParts() > 1) {
    part = asVariable(block % tile.getParts());
    block = team = asVariable(block.floorDiv(tile.getParts()));
  }
  AffineExpr tiles = emitter.simplify(
      (shape.queryExtent + (tile.getRows() - 1)).floorDiv(tile.getRows()));
  IndexRange heads = IndexRange::ofSize(shape.headExtent);
  AffineExpr head;
  if (isa<AffineConstantExpr>(tiles)) {
    tileNumber = asVariable(block % tiles);
    head = emitter.addVariable(
        emitter.materialize(emitter.simplify(block.floorDiv(tiles))), heads);
  } else {
    OpBuilder &builder = context.builder();
    Location loc = context.loc();
    Value number = emitter.materialize(block);
    Value count = arith::IndexCastOp::create(builder, loc, number.getType(),
                                             emitter.materializeIndex(tiles));
    tileNumber =
        emitter.addVariable(arith::RemUIOp::create(builder, loc, number, count),
                            IndexRange::ofSize(kMostPlaces / tile.getRows()));
    head = emitter.addVariable(
        arith::DivUIOp::create(builder, loc, number, count), heads);
  }
  batch = emitter.simplify(head * shape.queryExtent);
}

void StreamedAttentionKernel::placeRows() {
  placeBlock();
  placeSteps();
  if (tile.getParts() > 1)
    shareSteps();
  for (int64_t i = 0; i < warp.getRows(); ++i) {
    AffineExpr inBatch =
        emitter.simplify(tileNumber * tile.getRows() + warp.rowAt(i));
    Row row;
    row.exists = emitter.isBelow(inBatch, shape.queryExtent);
    row.row = emitter.simplify(batch +
                               emitter.clampBelow(inBatch, shape.queryExtent));
    rows.push_back(row);
  }
}

/// The loops of a contraction or a reduction of a stage.
SmallVector<AffineExpr> StreamedAttentionKernel::loopsAt(Operation *root,
                                                         unsigned stage,
                                                         AffineExpr row,
                                                         AffineExpr column,
                                                         AffineExpr product) {
  AffineExpr symbol =
      getAffineSymbolExpr(shape.sizes.getNumSymbols(), emitter.getContext());
  return llvm::map_to_vector(
      shape.stages[stage].shape.rootLoops.find(root)->second,
      [&](AffineExpr loop) {
        return emitter.simplify(
            loop.replaceDims({row, column}).replace(symbol, product));
      });
}

SmallVector<AffineExpr>
StreamedAttentionKernel::indexOf(Operation *root, ArrayRef<AffineExpr> loops) {
  auto op = cast<linalg::LinalgOp>(root);
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return emitter.simplify(expr.replaceDims(loops));
  });
}

/// The stage as a kernel of its own, for what works on one.
KernelContext StreamedAttentionKernel::getStage(unsigned number) {
  const KernelPart &part = shape.stages[number];
  return {context.kernel, part.ops,
          part.outputs,   context.schedule,
          part.shape,     context.function,
          emitter,        context.block,
          context.thread, context.dynamicSharedBytes};
}

Value StreamedAttentionKernel::emitPlaced(const PlacedValue &at, AffineExpr row,
                                          AffineExpr column) {
  SmallVector<AffineExpr> index =
      llvm::map_to_vector(at.index, [&](AffineExpr expr) {
        return emitter.simplify(expr.replaceDims({row, column}));
      });
  if (at.op)
    return emitter.emitBodyValue(cast<linalg::LinalgOp>(at.op), index,
                                 at.value);
  return isa<RankedTensorType>(at.value.getType())
             ? emitter.emit(at.value, index)
             : emitter.emitScalar(at.value);
}

void StreamedAttentionKernel::rememberRow(Operation *root, AffineExpr row,
                                          Value value) {
  AffineExpr zero = emitter.constant(0);
  emitter.remember(root->getResult(0),
                   indexOf(root, loopsAt(root, 1, row, zero, zero)), value);
}

/// The thread's keys of a step.
SmallVector<Chunk> StreamedAttentionKernel::getKeys(AffineExpr step) {
  SmallVector<Chunk> keys;
  int64_t groups = tile.getColumns() / warp.getGroupColumns();
  for (int64_t group = 0; group < groups; ++group) {
    AffineExpr first = step * tile.getColumns() + warp.columnAt(group);
    keys.push_back(makeChunk(emitter, warp.getWidth(), shape.columnExtent,
                             [&](int64_t lane) { return first + lane; }));
  }
  return keys;
}

/// The step of a walk's counter.
AffineExpr StreamedAttentionKernel::getStep(AffineExpr counter) {
  AffineExpr step = emitter.simplify(firstStep + counter);
  if (getRange(step, emitter.getRanges()).within(0, mostSteps - 1))
    return step;
  return emitter.addVariable(emitter.materialize(step),
                             IndexRange::ofSize(mostSteps));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::unique_ptr<TileFiller>
StreamedAttentionKernel::makeFiller(const ContractionShape &contraction,
                                    bool isLeft, AffineExpr firstOuter,
                                    SharedLayout layout, int64_t stages) {
  bool isScores = contraction.op == attention.scores.op;
  Value kept = getKeptFactor(isLeft ? contraction.left : contraction.right);
  TileSource source;
  source.element = kept.getType();
  source.firstOuter = firstOuter;
  source.outer = isLeft ? shape.queryExtent : contraction.columnExtent;
  source.depth = contraction.depthExtent;
  source.emit = [=, this, op = contraction.op](AffineExpr outer,
                                               AffineExpr depth) {
    AffineExpr row = isLeft ? batch + outer : batch;
    AffineExpr column = isLeft ? emitter.constant(0) : outer;
    return emitter.emitBodyValue(
        cast<linalg::LinalgOp>(op),
        loopsAt(op, isScores ? 0 : 2, emitter.simplify(row), column, depth),
        kept);
  };
  layout.lineGroup = usesFragments ? 1 : 4;
  return std::make_unique<TileFiller>(context, std::move(source), layout,
                                      stages, tile.getAsync());
}

void StreamedAttentionKernel::addOperands() {
  OpBuilder &builder = context.builder();
  // Any step, as far as the choice of how to copy goes.
  AffineExpr step =
      emitter.addVariable(arith::ConstantIntOp::create(builder, context.loc(),
                                                       builder.getI32Type(), 0),
                          IndexRange::ofSize(mostSteps));
  int64_t stages = tile.getStages();
  firstSharedByte = context.dynamicSharedBytes;
  queries = makeFiller(attention.scores, /*isLeft=*/true,
                       emitter.simplify(tileNumber * tile.getRows()),
                       {tile.getRows(), tile.getDepth()}, 1);
  keys = makeFiller(attention.scores, /*isLeft=*/false,
                    emitter.simplify(step * tile.getColumns()),
                    {tile.getColumns(), tile.getDepth()}, stages);
  values = makeFiller(attention.sums, /*isLeft=*/false, emitter.constant(0),
                      {int64_t(llvm::PowerOf2Ceil(width)), tile.getColumns()},
                      stages);
  getKeptFactor(attention.scores.left, &queryCasts);
  getKeptFactor(attention.scores.right, &keyCasts);
  getKeptFactor(attention.sums.left, &weightCasts);
  getKeptFactor(attention.sums.right, &valueCasts);
  if (usesFragments)
    return;
  SharedLayout layout{tile.getRows(), tile.getColumns(), /*alongDepth=*/true,
                      /*lineGroup=*/4};
  weights.emplace(context, builder.getF32Type(), layout, 1);
}

/// Begins to fill a stage of a tile, or fills it at once.
void StreamedAttentionKernel::fill(TileFiller &filler, AffineExpr step,
                                   AffineExpr stage) {
  if (filler.isAsync())
    return filler.copy(step, stage);
  // Words beside those that a thread keeps, and code.
  constexpr int64_t kMostWords = 96, kMostEmitted = 2048;
  int64_t mostWords = std::min(kMostWords, kMostKept - keptWords);
  if (filler.countHeldWords() > mostWords ||
      filler.countEmitted() > kMostEmitted)
    return filler.fillInTurn(step, stage, mostWords);
  filler.store(filler.load(step), stage);
}

void StreamedAttentionKernel::fillKeys(const Pass &pass, AffineExpr counter,
                                       AffineExpr stage) {
  AffineExpr step = getStep(counter);
  keys->moveTo(emitter.simplify(step * tile.getColumns()));
  fill(*keys, emitter.constant(0), stage);
  if (pass.multiplies)
    fill(*values, step, stage);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void StreamedAttentionKernel::run() {
  placeRows();
  addOperands();
  if (emitter.hasFailed())
    return;
  keptWords = warp.getRows() * (width + tile.getColumns()) / warp.getTeam();
  int64_t queryWords = warp.getRows() * attention.scores.depth / 8;
  holdsQueries = usesFragments && keptWords + queryWords <= kMostKept;
  if (holdsQueries)
    keptWords += queryWords;
  fill(*queries, emitter.constant(0), emitter.constant(0));
  for (auto [number, reductions] : llvm::enumerate(attention.passes)) {
    bool isOnline = attention.maximum && number == attention.onlinePass;
    Pass pass = {isOnline, /*multiplies=*/false, reductions};
    finishPass(pass, walk(pass));
  }
  Pass last = {attention.isOnline(), /*multiplies=*/true, {}};
  State state = walk(last);
  if (tile.getParts() == 1)
    return emitResults(state);
  emitShare(state);
  emitLastBlock(context, team, context.schedule.getGrid() / tile.getParts(),
                emitter.constant(tile.getParts()),
                [&] { emitResults(mergeShares()); });
}

void fuse::emitStreamedAttention(KernelContext &context) {
  std::optional<StreamedAttention> attention = matchStreamed(context.shape);
  TileAttr tile = context.schedule.getTile();
  StringRef error;
  if (!attention)
    error = "has a tile, but no attention that can be streamed";
  else if (tile.getParts() > 1 && !attention->maySplit())
    error = "has blocks that share keys, but an attention of several passes";
  if (!error.empty()) {
    context.emitter.fail(context.kernel, error, context.builder().getI32Type());
    return;
  }
  StreamedAttentionKernel(context, std::move(*attention)).run();
}
