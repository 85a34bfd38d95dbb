// What follows from the sums of a tile: element code at each result's row and
// column, in the layout in which results are stored. Those of the matrix units
// are exchanged between the lanes of a warp before, a slab of rows at a time,
// so that results, and what the epilogue reads at their places, are accessed in
// as many bytes as memory has neighbours.
#include "TileKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t TileKernel::getRowLanes() const {
  if (exchanges())
    return results.countLanes();
  return usesFragments ? 4 : 8;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// What the elements of a row that the lanes have combine to: each lane its own
/// columns in their order, then the lanes.
SmallVector<Value> TileKernel::combineRow(const Accumulators &accumulators,
                                          const ResultRow &row) {
  SmallVector<Value> partials = accumulators.emitNeutral(context);
  for (const Chunk &columns : row.chunks)
    for (auto [column, exists] : llvm::zip(columns.places, columns.exists))
      accumulators.accumulate(context, row.row, column, exists, partials);
  return combineAcrossThreads(context, accumulators, partials, getRowLanes());
}

void TileKernel::reduceRow(const ResultRow &row) {
  for (ArrayRef<Operation *> stage : rowStages) {
    Accumulators accumulators(context, stage);
    accumulators.remember(context, combineRow(accumulators, row), row.row,
                          emitter.constant(0));
  }
}

/// Whether the row exists and this is the first lane that has some of it.
Condition TileKernel::ownsRow(const ResultRow &row) {
  return emitter.conjunction(
      row.exists,
      emitter.isWithin(emitter.simplify(context.thread % getRowLanes()), 0, 0));
}

void TileKernel::storePerRow(AffineExpr row, Condition exists) {
  AffineExpr zero = emitter.constant(0);
  for (auto [i, output] : llvm::enumerate(context.shape.outputs)) {
    if (!output.perRow)
      continue;
    Value value = context.emitOutput(i, row, zero);
    emitter.emitIf(exists, [&] { context.storeOutput(i, row, zero, value); });
  }
}

/// All that depends on a row's sums, which are known.
void TileKernel::finishRow(const ResultRow &row) {
  if (sharesRows)
    shareRow(row);
  else
    reduceRow(row);
  for (const Chunk &columns : row.chunks)
    storePlaces(context, placesOf(row.row, columns), row.exists,
                columns.exists);
  if (!sharesRows)
    storePerRow(row.row, ownsRow(row));
}

//===----------------------------------------------------------------------===//
// Rows that tiles beside each other share
//===----------------------------------------------------------------------===//

/// Where warp `share` of those along a row leaves its partial results.
AffineExpr TileKernel::getRowShare(AffineExpr share, AffineExpr row) {
  return emitter.simplify(share * context.shape.rows + row);
}

void TileKernel::shareRow(const ResultRow &row) {
  Accumulators accumulators(context, rowStages.front());
  SmallVector<Value> partials = combineRow(accumulators, row);
  AffineExpr share =
      tileColumn * tile.getColumnWarps() + warp % tile.getColumnWarps();
  AffineExpr place = getRowShare(share, row.row);
  emitter.emitIf(ownsRow(row), [&] {
    for (auto [number, accumulator] : llvm::enumerate(accumulators))
      storePartial(context, accumulator, context.scratch[number], place,
                   partials[number]);
  });
}

/// The last block of a row of tiles has a thread for each row, which takes the
/// partial results in their order, several at a time.
void TileKernel::finishSharedRows() {
  constexpr int64_t kWordsTogether = 32;
  int64_t shares =
      countRowShares(context.shape, tile.getColumns(), tile.getColumnWarps());
  int64_t threads = context.schedule.getThreads();
  Accumulators accumulators(context, rowStages.front());
  int64_t words = 0;
  for (const Accumulator &accumulator : accumulators)
    words += accumulator.getType().isIndex()
                 ? 2
                 : llvm::divideCeil(
                       accumulator.getType().getIntOrFloatBitWidth(), 32);
  int64_t together = std::clamp<int64_t>(kWordsTogether / words, 1, shares);
  auto load = [&](AffineExpr share, AffineExpr row) {
    Condition exists = emitter.isBelow(share, emitter.constant(shares));
    share = emitter.clampBelow(share, emitter.constant(shares));
    SmallVector<Value> partials;
    for (auto [accumulator, buffer] : llvm::zip(accumulators, context.scratch))
      partials.push_back(selectExisting(
          context, accumulator, exists,
          loadPartial(context, accumulator, buffer, getRowShare(share, row))));
    return partials;
  };
  for (int64_t first = 0; first < tile.getRows(); first += threads) {
    AffineExpr inTile = emitter.simplify(context.thread + first);
    AffineExpr rows = emitter.constant(tile.getRows());
    Condition isInTile = emitter.isBelow(inTile, rows), exists;
    AffineExpr row = rowInSpace(emitter.clampBelow(inTile, rows), exists);
    exists = emitter.conjunction(exists, isInTile);
    SmallVector<Value> totals = emitter.emitLoop(
        llvm::divideCeil(shares, together), accumulators.emitNeutral(context),
        [&](AffineExpr step, ValueRange carried) {
          SmallVector<SmallVector<Value>> others;
          for (int64_t i = 0; i < together; ++i)
            others.push_back(load(emitter.simplify(step * together + i), row));
          SmallVector<Value> next(carried);
          for (ArrayRef<Value> other : others)
            accumulators.combine(context, next, other);
          return next;
        });
    accumulators.remember(context, totals, row, emitter.constant(0));
    storePerRow(row, exists);
  }
}

//===----------------------------------------------------------------------===//
// Results where their sums are
//===----------------------------------------------------------------------===//

void TileKernel::emitFragmentResults(const Sums &sums) {
  ResultRow row;
  for (int64_t group = 0; group < threadGroups; ++group)
    row.chunks.push_back(columnsOf(columnInTile(group), width));
  for (int64_t i = 0; i < threadRows; ++i) {
    row.row = rowInSpace(rowInTile(i), row.exists);
    for (auto [group, columns] : llvm::enumerate(row.chunks)) {
      int64_t first = (i * threadGroups + group) * width;
      for (auto [shape, own] : llvm::zip(context.shape.contractions, sums))
        for (auto [lane, column] : llvm::enumerate(columns.places))
          emitter.remember(shape.op->getResult(0),
                           resultIndex(shape, row.row, column),
                           own[first + lane]);
    }
    finishRow(row);
  }
}

//===----------------------------------------------------------------------===//
// Results that lanes exchange
//===----------------------------------------------------------------------===//

/// A sum of products and the initial value are the result at its place.
void TileKernel::remember(const ContractionShape &shape, AffineExpr row,
                          AffineExpr column, Value sum) {
  SmallVector<AffineExpr> index = resultIndex(shape, row, column);
  Value init = emitter.emit(
      cast<linalg::LinalgOp>(shape.op).getDpsInitOperand(0)->get(), index);
  if (!matchPattern(init, m_AnyZeroFloat()) && !matchPattern(init, m_Zero()))
    sum = emitCopy(context, shape.add, {init, sum});
  emitter.remember(shape.op->getResult(0), index, sum);
}

/// Chunks along the columns, row by row: `read` are those of all contractions.
void TileKernel::emitSlabRows(int64_t slab, ArrayRef<Value> read) {
  AffineExpr lane = context.thread % 32;
  int64_t chunks = results.countChunks();
  int64_t lanes = results.countLanes();
  int64_t across = results.columns / (lanes * results.vector);
  for (int64_t first = 0; first < chunks; first += across) {
    ResultRow row;
    for (int64_t number = first; number < first + across; ++number) {
      auto [down, along] =
          results.place(emitter.constant(slab * chunks + number), lane);
      row.row = rowInSpace(emitter.simplify(warpRow + down), row.exists);
      row.chunks.push_back(
          columnsOf(emitter.simplify(warpColumn + along), results.vector));
      for (auto [i, shape] : llvm::enumerate(context.shape.contractions))
        for (auto [own, column] : llvm::enumerate(row.chunks.back().places))
          remember(shape, row.row, column,
                   read[(i * chunks + number) * results.vector + own]);
    }
    finishRow(row);
  }
}

/// Chunks down the rows.
void TileKernel::emitSlabColumns(int64_t slab, ArrayRef<Value> read) {
  AffineExpr lane = context.thread % 32;
  int64_t chunks = results.countChunks();
  for (int64_t number = 0; number < chunks; ++number) {
    auto [down, along] =
        results.place(emitter.constant(slab * chunks + number), lane);
    AffineExpr first = tileRow * tile.getRows() + warpRow + down;
    Chunk rows = makeChunk(emitter, results.vector, space.rowExtent,
                           [&](int64_t lane) { return first + lane; });
    Chunk column = columnsOf(emitter.simplify(warpColumn + along), 1);
    SmallVector<Place> places;
    for (AffineExpr row : rows.places)
      places.emplace_back(emitter.simplify(batch * space.rowExtent + row),
                          column.places.front());
    for (auto [i, shape] : llvm::enumerate(context.shape.contractions))
      for (auto [own, place] : llvm::enumerate(places))
        remember(shape, place.first, place.second,
                 read[(i * chunks + number) * results.vector + own]);
    storePlaces(context, places, column.exists.front(), rows.exists);
  }
}

/// Hands over the sums of a slab, contraction by contraction, and goes on with
/// them.
void TileKernel::readSlab(ResultExchange &exchange, int64_t slab,
                          const Sums &sums) {
  int64_t perSlab = 2 * threadGroups * width;
  SmallVector<Value> read;
  for (const SmallVector<Value> &own : sums) {
    exchange.write(ArrayRef(own).slice(slab * perSlab, perSlab));
    exchange.wait();
    llvm::append_range(read, exchange.read(own.front().getType()));
    exchange.wait();
  }
  if (results.downRows)
    emitSlabColumns(slab, read);
  else
    emitSlabRows(slab, read);
}

void TileKernel::emitExchangedResults(const Sums &sums) {
  // In the memory of the tiles, which other warps may still read.
  int64_t end = std::exchange(context.dynamicSharedBytes, firstSharedByte);
  gpu::BarrierOp::create(context.builder(), context.loc());
  ResultExchange exchange(context, results, warp,
                          tile.getRowWarps() * tile.getColumnWarps());
  context.dynamicSharedBytes = std::max(end, context.dynamicSharedBytes);
  for (int64_t slab = 0; slab < threadRows / 2; ++slab)
    readSlab(exchange, slab, sums);
}

void TileKernel::emitResults(const Sums &sums) {
  if (exchanges())
    emitExchangedResults(sums);
  else
    emitFragmentResults(sums);
  if (!sharesRows)
    return;
  AffineExpr down =
      emitter.constant(llvm::divideCeil(space.rows, tile.getRows()));
  int64_t across = llvm::divideCeil(space.columns, tile.getColumns());
  emitLastBlock(context, emitter.simplify(batch * down + tileRow),
                space.batches * llvm::divideCeil(space.rows, tile.getRows()),
                emitter.constant(across), [&] { finishSharedRows(); });
}
