// What a walk along the keys leaves: statistics of rows, and the sums of values
// with what follows them.
#include "StreamedAttentionKernel.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// `value`, or `without` where there are no keys.
Value StreamedAttentionKernel::selectWithKeys(Value value, Value without) {
  if (isa<AffineConstantExpr>(steps))
    return value;
  OpBuilder &builder = context.builder();
  Value count = emitter.materialize(steps);
  Value zero = arith::ConstantOp::create(
      builder, context.loc(), builder.getZeroAttr(count.getType()));
  Value hasKeys = arith::CmpIOp::create(
      builder, context.loc(), arith::CmpIPredicate::ne, count, zero);
  return arith::SelectOp::create(builder, context.loc(), hasKeys, value,
                                 without);
}

/// Makes m and l of all rows known. If the kernel has a single one, those beyond
/// have its place, too: it comes last.
void StreamedAttentionKernel::finishStatistics(const State &state) {
  KernelContext cascade = getStage(1);
  AffineExpr zero = emitter.constant(0);
  for (size_t i = rows.size(); i-- > 0;) {
    const Row &row = rows[i];
    rememberRow(attention.maximum, row.row, state.maxima[i]);
    if (!attention.sum)
      continue;
    Accumulators accumulators(cascade, {attention.sum});
    SmallVector<Value> total = combineAcrossThreads(
        cascade, accumulators, {state.totals[i]}, warp.getTeam());
    // exp(-inf - -inf) is NaN.
    total.front() = arith::SelectOp::create(context.builder(), context.loc(),
                                            isMinusInfinity(state.maxima[i]),
                                            selectWithKeys(constant(NAN),
                                                           total.front()),
                                            total.front());
    accumulators.remember(cascade, total, row.row, zero);
  }
}

/// Makes the results of the pass's reductions known.
void StreamedAttentionKernel::finishPass(const Pass &pass, const State &state) {
  if (pass.isOnline)
    finishStatistics(state);
  KernelContext cascade = getStage(1);
  Accumulators accumulators(cascade, pass.reductions);
  unsigned width = accumulators.size();
  for (auto [i, row] : llvm::enumerate(rows)) {
    if (width == 0)
      continue;
    SmallVector<Value> totals = combineAcrossThreads(
        cascade, accumulators, ArrayRef(state.partials).slice(i * width, width),
        warp.getTeam());
    accumulators.remember(cascade, totals, row.row, emitter.constant(0));
  }
}

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
  Value instead =
      attention.masked ? sum : selectWithKeys(constant(NAN), sum);
  return arith::SelectOp::create(builder, loc, isMasked, instead, scaled);
}

/// The outputs at neighbouring `places`, where the sums of values are `sums`.
void StreamedAttentionKernel::store(ArrayRef<Place> places, Condition common,
                                    ArrayRef<Condition> exists,
                                    ArrayRef<Value> sums) {
  Operation *root = attention.sums.op;
  for (auto [place, given] : llvm::zip(places, sums)) {
    SmallVector<AffineExpr> loops =
        loopsAt(root, 2, place.first, place.second, emitter.constant(0));
    Value init =
        emitter.emitInits(cast<linalg::LinalgOp>(root), loops).front();
    Value sum = given;
    if (!matchPattern(init, m_AnyZeroFloat()))
      sum = arith::AddFOp::create(context.builder(), context.loc(), init, sum);
    emitter.remember(root->getResult(0), indexOf(root, loops), sum);
  }
  KernelContext last = getStage(2);
  storePlaces(last, places, common, exists);
}

void StreamedAttentionKernel::storeRow(const Row &row, ArrayRef<Value> sums) {
  int64_t lanes = warp.getWidth();
  for (int64_t group = 0; group < int64_t(sums.size()) / lanes; ++group) {
    AffineExpr first = warp.columnAt(group);
    Chunk chunk = makeChunk(emitter, lanes, attention.sums.columns,
                            [&](int64_t lane) { return first + lane; });
    store(placesOf(row.row, chunk), row.exists, chunk.exists,
          sums.slice(group * lanes, lanes));
  }
}

/// Chunk `number` of the lane, of all slabs.
void StreamedAttentionKernel::storeChunk(const ResultLayout &layout,
                                         int64_t number, ArrayRef<Value> sums) {
  auto [down, along] =
      layout.place(emitter.constant(number), context.thread % 32);
  AffineExpr firstRow =
      tileNumber * tile.getRows() + warp.getFirstRow() + down;
  Chunk rows = makeChunk(emitter, layout.downRows ? layout.vector : 1,
                         shape.queryExtent,
                         [&](int64_t lane) { return firstRow + lane; });
  Chunk columns = makeChunk(emitter, layout.downRows ? 1 : layout.vector,
                            attention.sums.columns,
                            [&](int64_t lane) { return along + lane; });
  for (AffineExpr &row : rows.places)
    row = emitter.simplify(batch + row);
  if (!layout.downRows)
    return store(placesOf(rows.places.front(), columns), rows.exists.front(),
                 columns.exists, sums);
  SmallVector<Place> places;
  for (AffineExpr row : rows.places)
    places.emplace_back(row, columns.places.front());
  store(places, columns.exists.front(), rows.exists, sums);
}

/// `scaled` are the sums of all rows.
void StreamedAttentionKernel::storeExchanged(ResultLayout layout,
                                             ArrayRef<Value> scaled) {
  layout.columns = width;
  // In the memory of the tiles, which other warps may still read.
  int64_t end = std::exchange(context.dynamicSharedBytes, firstSharedByte);
  gpu::BarrierOp::create(context.builder(), context.loc());
  AffineExpr number = emitter.simplify(context.thread.floorDiv(32));
  ResultExchange exchange(context, layout, number, tile.getRowWarps());
  context.dynamicSharedBytes = std::max(end, context.dynamicSharedBytes);
  int64_t perSlab = 2 * int64_t(scaled.size() / rows.size());
  int64_t chunks = layout.countChunks();
  for (int64_t slab = 0; slab < int64_t(rows.size()) / 2; ++slab) {
    exchange.write(scaled.slice(slab * perSlab, perSlab));
    exchange.wait();
    SmallVector<Value> read = exchange.read(scaled.front().getType());
    exchange.wait();
    for (int64_t i = 0; i < chunks; ++i)
      storeChunk(layout, slab * chunks + i,
                 ArrayRef(read).slice(i * layout.vector, layout.vector));
  }
}

/// The row's elements of outputs that have one for each row, by one thread.
void StreamedAttentionKernel::storeStatistics(const Row &row) {
  KernelContext cascade = getStage(1);
  AffineExpr zero = emitter.constant(0);
  Condition stores =
      emitter.conjunction(row.exists, emitter.isWithin(warp.columnAt(0), 0, 0));
  for (auto [i, output] : llvm::enumerate(cascade.outputs)) {
    if (cascade.shape.outputs[i].isFull() ||
        !llvm::is_contained(shape.stored, output))
      continue;
    emitter.emitIf(stores, [&] {
      cascade.storeOutput(i, row.row, zero,
                          cascade.emitOutput(i, row.row, zero));
    });
  }
}

void StreamedAttentionKernel::emitResults(const State &state) {
  bool isOnline = !state.maxima.empty();
  if (isOnline)
    finishStatistics(state);
  ResultLayout layout = attention.getResults(shape, tile.getUnit());
  int64_t perRow = state.sums.size() / rows.size();
  SmallVector<Value> scaled;
  for (auto [i, row] : llvm::enumerate(rows)) {
    SmallVector<Value> sums(ArrayRef(state.sums).slice(i * perRow, perRow));
    if (isOnline) {
      Value isMasked = isMinusInfinity(state.maxima[i]);
      if (attention.masked)
        rememberRow(attention.masked, row.row, isMasked);
      for (Value &sum : sums)
        sum = scale(sum, row, isMasked);
    }
    storeStatistics(row);
    if (layout.isFragment())
      storeRow(row, sums);
    else
      llvm::append_range(scaled, sums);
  }
  if (!layout.isFragment())
    storeExchanged(layout, scaled);
}
