// Path `attention` with a tile: one pass over the keys. A block owns a tile of
// queries; it walks along the keys, of which a tile and their values lie in
// shared memory while the next ones are copied. The scores of a step stay in
// registers: the elements of the softmax cascade are ordinary element code at
// each score's row and column.
//
// For each query a thread carries the maximum m so far, its own part of the sum
// l of e = exp(x - m), and its own part of the sums of values by e. When m
// grows, what has been summed up is multiplied by exp(old m - new m). Order of
// l: the columns of a thread, step by step, then butterflies over the threads
// of a row. Order of the values: steps of keys, and within one as on path
// `tile`.
#include "StreamedAttentionKernel.h"
#include "WarpTile.h"

#include "fuse-mlir/Analysis/StreamedAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class StreamedAttentionKernel {
public:
  StreamedAttentionKernel(KernelContext &context, StreamedAttention attention);
  void run();

private:
  /// What a thread carries along the keys.
  struct State {
    /// One for each row.
    SmallVector<Value> maxima, totals;
    /// The sums of values, as `WarpTile` orders them.
    SmallVector<Value> sums;

    SmallVector<Value> flatten() const;
    State unflatten(ValueRange values) const;
  };
  struct Row {
    AffineExpr row;
    Condition exists;
  };

  // Places.
  void placeRows();
  AffineExpr countVisited();
  SmallVector<AffineExpr> loopsAt(Operation *root, unsigned stage,
                                  AffineExpr row, AffineExpr column,
                                  AffineExpr product);
  SmallVector<AffineExpr> indexOf(Operation *root,
                                  ArrayRef<AffineExpr> loops);
  KernelContext getStage(unsigned number);
  Value emitPlaced(const PlacedValue &at, AffineExpr row, AffineExpr column);
  void rememberRow(Operation *root, AffineExpr row, Value value);
  Chunk getKeys(AffineExpr step, int64_t group);

  // Operands.
  std::unique_ptr<TileFiller> makeFiller(const ContractionShape &shape,
                                         bool isLeft, AffineExpr firstOuter,
                                         SharedLayout layout, int64_t stages);
  void addOperands();
  void fill(TileFiller &filler, AffineExpr step, AffineExpr stage);
  void fillKeys(AffineExpr step, AffineExpr stage);

  // A step.
  State start();
  State visit(AffineExpr step, AffineExpr stage, const State &before);
  SmallVector<Value> emitScores(AffineExpr step, AffineExpr stage);
  Value emitMaximum(const Row &row, ArrayRef<Chunk> keys, Value before);
  SmallVector<Value> multiplyValues(ArrayRef<Value> weights, AffineExpr stage,
                                    ArrayRef<Value> sums);
  State walk();

  // Results.
  void emitResults(State state);
  Value scale(Value sum, const Row &row, Value isMasked);
  void storeRow(const Row &row, ArrayRef<Value> sums);

  Value constant(double value) {
    return arith::ConstantOp::create(
        context.builder(), context.loc(),
        context.builder().getF32FloatAttr(value));
  }
  Value isMinusInfinity(Value value) {
    return arith::CmpFOp::create(context.builder(), context.loc(),
                                 arith::CmpFPredicate::OEQ, value,
                                 constant(-INFINITY));
  }

  KernelContext &context;
  ElementEmitter &emitter;
  const GroupShape &shape;
  TileAttr tile;
  StreamedAttention attention;
  WarpTile warp;
  /// The tile of queries, and the number of the first one with the same keys.
  AffineExpr tileNumber, batch;
  SmallVector<Row> rows;
  std::unique_ptr<TileFiller> queries, keys, values;
  /// Fragments of the queries, and the weights of a step, if on the other unit.
  WarpTile::Fragments queryFragments;
  std::optional<SharedTile> weights;
  SmallVector<Operation *> queryCasts, keyCasts, weightCasts, valueCasts;
  bool usesFragments;
  /// Whether the fragments of the queries stay in registers.
  bool holdsQueries = false;
  /// Tiles of keys, and columns of values that a warp computes.
  int64_t steps, width;
  /// The tiles that the block visits: beyond them, all is masked.
  AffineExpr visited;
};
} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SmallVector<Value> StreamedAttentionKernel::State::flatten() const {
  SmallVector<Value> all(maxima);
  llvm::append_range(all, totals);
  llvm::append_range(all, sums);
  return all;
}

StreamedAttentionKernel::State
StreamedAttentionKernel::State::unflatten(ValueRange all) const {
  size_t rows = maxima.size();
  State next;
  next.maxima = all.take_front(rows);
  next.totals = all.slice(rows, rows);
  next.sums = all.drop_front(2 * rows);
  return next;
}

StreamedAttentionKernel::StreamedAttentionKernel(KernelContext &context,
                                                 StreamedAttention given)
    : context(context), emitter(context.emitter), shape(context.shape),
      tile(context.schedule.getTile()), attention(std::move(given)),
      warp(context, tile.getUnit(), tile.getRows() / tile.getRowWarps()),
      usesFragments(tile.getUnit() == TileUnit::Mma),
      steps(llvm::divideCeil(shape.columns, tile.getColumns())),
      width(llvm::alignTo(attention.sums.columns, usesFragments ? 16 : 32)) {}

/// The steps of the block by its tile of queries (`countSteps`).
AffineExpr StreamedAttentionKernel::countVisited() {
  if (!attention.causalShift)
    return emitter.constant(steps);
  AffineExpr last = tileNumber * tile.getRows() +
                    (tile.getRows() - 1 + *attention.causalShift);
  return emitter.clamp(
      emitter.simplify(last.floorDiv(tile.getColumns()) + 1), 1, steps);
}

void StreamedAttentionKernel::placeRows() {
  int64_t tiles = llvm::divideCeil(shape.queries, tile.getRows());
  auto asVariable = [&](AffineExpr expr) {
    expr = emitter.simplify(expr);
    return emitter.addVariable(emitter.materialize(expr),
                               getRange(expr, emitter.getRanges()));
  };
  tileNumber = asVariable(context.block % tiles);
  batch = emitter.simplify(asVariable(context.block.floorDiv(tiles)) *
                           shape.queries);
  visited = countVisited();
  for (int64_t i = 0; i < warp.getRows(); ++i) {
    AffineExpr inBatch =
        emitter.simplify(tileNumber * tile.getRows() + warp.rowAt(i));
    Row row;
    row.exists = emitter.isWithin(inBatch, 0, shape.queries - 1);
    row.row = emitter.simplify(
        batch + emitter.clamp(inBatch, 0, shape.queries - 1));
    rows.push_back(row);
  }
}

/// The loops of a contraction or a reduction of a stage.
SmallVector<AffineExpr>
StreamedAttentionKernel::loopsAt(Operation *root, unsigned stage,
                                 AffineExpr row, AffineExpr column,
                                 AffineExpr product) {
  return llvm::map_to_vector(
      shape.stages[stage].shape.rootLoops.find(root)->second,
      [&](AffineExpr loop) {
        return emitter.simplify(
            loop.replaceDimsAndSymbols({row, column}, {product}));
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
  return {context.kernel,   part.ops,         part.outputs,
          context.schedule, part.shape,       context.function,
          emitter,          context.block,    context.thread,
          context.dynamicSharedBytes};
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

Chunk StreamedAttentionKernel::getKeys(AffineExpr step, int64_t group) {
  AffineExpr first = step * tile.getColumns() + warp.columnAt(group);
  return makeChunk(emitter, warp.getWidth(), shape.columns,
                   [&](int64_t lane) { return first + lane; });
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
  source.outer =
      emitter.constant(isLeft ? shape.queries : contraction.columns);
  source.depth = emitter.constant(contraction.depth);
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
  AffineExpr step = emitter.addVariable(
      arith::ConstantIntOp::create(builder, context.loc(),
                                   builder.getI32Type(), 0),
      IndexRange::ofSize(steps));
  int64_t stages = tile.getStages();
  queries = makeFiller(attention.scores, /*isLeft=*/true,
                       emitter.simplify(tileNumber * tile.getRows()),
                       {tile.getRows(), tile.getDepth()}, 1);
  keys = makeFiller(attention.scores, /*isLeft=*/false,
                    emitter.simplify(step * tile.getColumns()),
                    {tile.getColumns(), tile.getDepth()}, stages);
  values = makeFiller(
      attention.sums, /*isLeft=*/false, emitter.constant(0),
      {int64_t(llvm::PowerOf2Ceil(width)), tile.getColumns()}, stages);
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
  filler.store(filler.load(step), stage);
}

void StreamedAttentionKernel::fillKeys(AffineExpr step, AffineExpr stage) {
  keys->moveTo(emitter.simplify(step * tile.getColumns()));
  fill(*keys, emitter.constant(0), stage);
  fill(*values, step, stage);
}

//===----------------------------------------------------------------------===//
// A step along the keys
//===----------------------------------------------------------------------===//

StreamedAttentionKernel::State StreamedAttentionKernel::start() {
  State state;
  for (int64_t i = 0; i < warp.getRows(); ++i) {
    state.maxima.push_back(constant(-INFINITY));
    state.totals.push_back(constant(0.0));
  }
  state.sums.assign(warp.getRows() * width / warp.getTeam(), constant(0.0));
  return state;
}

/// The scores of the step, and what the cascade finds them by.
SmallVector<Value>
StreamedAttentionKernel::emitScores(AffineExpr step, AffineExpr stage) {
  Operation *root = attention.scores.op;
  AffineExpr zero = emitter.constant(0);
  int64_t groups = tile.getColumns() / warp.getGroupColumns();
  SmallVector<Chunk> columns;
  for (int64_t group = 0; group < groups; ++group)
    columns.push_back(getKeys(step, group));
  SmallVector<Value> scores;
  for (const Row &row : rows)
    for (const Chunk &chunk : columns)
      for (AffineExpr column : chunk.places)
        llvm::append_range(
            scores,
            emitter.emitInits(cast<linalg::LinalgOp>(root),
                              loopsAt(root, 0, row.row, column, zero)));
  SharedFactor right{&keys->getTile(), stage, keyCasts};
  if (usesFragments) {
    WarpTile::Fragments loaded;
    if (!holdsQueries)
      loaded = warp.loadRows(
          queries->getTile(),
          llvm::alignTo(attention.scores.depth, kFragmentDepth));
    scores =
        warp.multiply(holdsQueries ? queryFragments : loaded, right, scores);
  } else {
    scores = warp.multiply({&queries->getTile(), zero, queryCasts}, right,
                           attention.scores.depth, scores);
  }
  unsigned number = 0;
  for (const Row &row : rows)
    for (const Chunk &chunk : columns)
      for (AffineExpr column : chunk.places)
        emitter.remember(
            root->getResult(0),
            indexOf(root, loopsAt(root, 0, row.row, column, zero)),
            scores[number++]);
  return scores;
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
  partial = combineAcrossThreads(cascade, accumulators, partial,
                                 warp.getTeam());
  SmallVector<Value> maximum = {before};
  accumulators.combine(cascade, maximum, partial);
  return maximum.front();
}

SmallVector<Value>
StreamedAttentionKernel::multiplyValues(ArrayRef<Value> elements,
                                        AffineExpr stage,
                                        ArrayRef<Value> sums) {
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
  SmallVector<Value> next = warp.multiply({&*weights, zero, {}}, right,
                                          tile.getColumns(), sums);
  wait();
  return next;
}

StreamedAttentionKernel::State
StreamedAttentionKernel::visit(AffineExpr step, AffineExpr stage,
                               const State &before) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  emitScores(step, stage);
  int64_t groups = tile.getColumns() / warp.getGroupColumns();
  SmallVector<Chunk> columns;
  for (int64_t group = 0; group < groups; ++group)
    columns.push_back(getKeys(step, group));
  State next;
  SmallVector<Value> elements;
  int64_t perRow = before.sums.size() / rows.size();
  for (auto [i, row] : llvm::enumerate(rows)) {
    Value maximum = emitMaximum(row, columns, before.maxima[i]);
    next.maxima.push_back(maximum);
    // Where all are -inf so far, e is 0, as after any later maximum.
    Value used = arith::SelectOp::create(
        builder, loc, isMinusInfinity(maximum), constant(0.0), maximum);
    rememberRow(attention.maximum, row.row, used);
    Value factor = emitCopy(
        context, attention.exponentiation,
        arith::SubFOp::create(builder, loc, before.maxima[i], used)
            .getResult());
    Value total =
        arith::MulFOp::create(builder, loc, before.totals[i], factor);
    for (const Chunk &chunk : columns)
      for (auto [column, exists] : llvm::zip(chunk.places, chunk.exists)) {
        Value element = emitPlaced(attention.exponential, row.row, column);
        if (exists.kind == Condition::Never)
          element = constant(0.0);
        else if (exists.kind == Condition::Runtime)
          element = arith::SelectOp::create(builder, loc, exists.value,
                                            element, constant(0.0));
        total = arith::AddFOp::create(builder, loc, total, element);
        for (Operation *cast : attention.casts)
          element = emitCopy(context, cast, element);
        elements.push_back(element);
      }
    next.totals.push_back(total);
    for (Value sum : ArrayRef(before.sums).slice(i * perRow, perRow))
      next.sums.push_back(arith::MulFOp::create(builder, loc, sum, factor));
  }
  next.sums = multiplyValues(elements, stage, next.sums);
  return next;
}

StreamedAttentionKernel::State StreamedAttentionKernel::walk() {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  AffineExpr zero = emitter.constant(0);
  int64_t stages = tile.getStages();
  bool isPipelined = stages > 1 && keys->isAsync() && values->isAsync();
  fill(*queries, zero, zero);
  Value token = commitCopies(context);
  if (isPipelined) {
    fillKeys(zero, zero);
    commitCopies(context);
  }
  awaitCopies(context, token, isPipelined ? 1 : 0);
  gpu::BarrierOp::create(builder, loc);
  if (holdsQueries)
    queryFragments = warp.loadRows(
        queries->getTile(),
        llvm::alignTo(attention.scores.depth, kFragmentDepth));
  State first = start();
  SmallVector<Value> last = emitter.emitLoop(
      visited, first.flatten(), [&](AffineExpr step, ValueRange carried) {
        if (isPipelined) {
          awaitCopies(context, token, 0);
          gpu::BarrierOp::create(builder, loc);
          AffineExpr next = emitter.simplify(step + 1);
          emitter.emitIf(emitter.isBelow(next, visited), [&] {
            fillKeys(emitter.addVariable(emitter.materialize(next),
                                         IndexRange::ofSize(steps)),
                     emitter.simplify(next % stages));
          });
          commitCopies(context);
          return visit(step, emitter.simplify(step % stages),
                       first.unflatten(carried))
              .flatten();
        }
        fillKeys(step, zero);
        commitCopies(context);
        awaitCopies(context, token, 0);
        gpu::BarrierOp::create(builder, loc);
        SmallVector<Value> next =
            visit(step, zero, first.unflatten(carried)).flatten();
        gpu::BarrierOp::create(builder, loc);
        return next;
      });
  return first.unflatten(last);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The sum of values by weights from that by e.
Value StreamedAttentionKernel::scale(Value sum, const Row &row,
                                     Value isMasked) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Value scaled = sum;
  for (const RowScale &scale : attention.scales) {
    Value factor = emitPlaced(scale.factor, row.row, emitter.constant(0));
    scaled = emitCopy(context, scale.by, {scaled, factor});
  }
  // The weights of a row of -inf are NaN, or zeros where the source says so.
  Value instead = attention.masked ? sum : constant(NAN);
  return arith::SelectOp::create(builder, loc, isMasked, instead, scaled);
}

void StreamedAttentionKernel::storeRow(const Row &row, ArrayRef<Value> sums) {
  Operation *root = attention.sums.op;
  auto op = cast<linalg::LinalgOp>(root);
  AffineExpr zero = emitter.constant(0);
  KernelContext last = getStage(2);
  int64_t lanes = warp.getWidth();
  for (int64_t group = 0; group < int64_t(sums.size()) / lanes; ++group) {
    AffineExpr first = warp.columnAt(group);
    Chunk chunk = makeChunk(emitter, lanes, attention.sums.columns,
                            [&](int64_t lane) { return first + lane; });
    for (auto [lane, column] : llvm::enumerate(chunk.places)) {
      SmallVector<AffineExpr> loops = loopsAt(root, 2, row.row, column, zero);
      Value init = emitter.emitInits(op, loops).front();
      Value sum = sums[group * lanes + lane];
      if (!matchPattern(init, m_AnyZeroFloat()))
        sum = arith::AddFOp::create(context.builder(), context.loc(), init,
                                    sum);
      emitter.remember(root->getResult(0), indexOf(root, loops), sum);
    }
    for (unsigned i = 0; i < last.outputs.size(); ++i) {
      SmallVector<Value> elements;
      for (AffineExpr column : chunk.places)
        elements.push_back(last.emitOutput(i, row.row, column));
      for (auto [lane, column] : llvm::enumerate(chunk.places))
        emitter.emitIf(emitter.conjunction(row.exists, chunk.exists[lane]),
                       [&] { last.storeOutput(i, row.row, column,
                                              elements[lane]); });
    }
  }
}

void StreamedAttentionKernel::emitResults(State state) {
  OpBuilder &builder = context.builder();
  KernelContext cascade = getStage(1);
  int64_t perRow = state.sums.size() / rows.size();
  for (auto [i, row] : llvm::enumerate(rows)) {
    Value isMasked = isMinusInfinity(state.maxima[i]);
    rememberRow(attention.maximum, row.row, state.maxima[i]);
    if (attention.sum) {
      Accumulators accumulators(cascade, {attention.sum});
      SmallVector<Value> total = combineAcrossThreads(
          cascade, accumulators, {state.totals[i]}, warp.getTeam());
      total.front() = arith::SelectOp::create(builder, context.loc(), isMasked,
                                              constant(NAN), total.front());
      accumulators.remember(cascade, total, row.row, emitter.constant(0));
    }
    if (attention.masked)
      rememberRow(attention.masked, row.row, isMasked);
    SmallVector<Value> sums;
    for (Value sum : ArrayRef(state.sums).slice(i * perRow, perRow))
      sums.push_back(scale(sum, row, isMasked));
    storeRow(row, sums);
  }
}

void StreamedAttentionKernel::run() {
  placeRows();
  addOperands();
  if (emitter.hasFailed())
    return;
  // Words of a thread for queries, scores and sums.
  constexpr int64_t kMostWords = 176;
  int64_t blocks = warp.getRows() / 2;
  int64_t words = blocks * (width + tile.getColumns()) / 2 +
                  blocks * attention.scores.depth / 4;
  holdsQueries = usesFragments && words <= kMostWords;
  emitResults(walk());
}

void fuse::emitStreamedAttention(KernelContext &context) {
  std::optional<StreamedAttention> attention = matchStreamed(context.shape);
  if (!attention) {
    context.emitter.fail(context.kernel,
                         "has a tile, but no softmax that can be streamed",
                         context.builder().getI32Type());
    return;
  }
  StreamedAttentionKernel(context, std::move(*attention)).run();
}
