// Reductions of rows behind the sums of a tile. A warp may hold whole rows.
// Rows that tiles beside each other share are finished by the last of their
// blocks, or, where what follows at each element needs them, by a cluster of
// all.
#include "TileKernel.h"

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

void TileKernel::storeRow(const ResultRow &row) {
  for (const Chunk &columns : row.chunks)
    storePlaces(context, placesOf(row.row, columns), row.exists,
                columns.exists);
}

/// All that depends on a row's sums, which are known.
void TileKernel::finishRow(const ResultRow &row) {
  if (joinsRows) {
    joinedRows.push_back(row);
    return;
  }
  if (sharesRows) {
    shareRow(row);
    return storeRow(row);
  }
  reduceRow(row);
  storeRow(row);
  storePerRow(row.row, ownsRow(row));
}

/// What depends on more than a warp has of its rows.
void TileKernel::finishRows() {
  if (joinsRows)
    return finishJoinedRows();
  if (!sharesRows)
    return;
  int64_t down = llvm::divideCeil(space.rows, tile.getRows());
  emitLastBlock(context, emitter.simplify(batch * down + tileRow),
                space.batches * down, emitter.constant(countTilesAcross()),
                [&] { finishSharedRows(); });
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
// Rows of a cluster
//===----------------------------------------------------------------------===//

/// The warps of all blocks that have some of a row, one block after the other,
/// leave their partial results of the tile's rows in shared memory. Then each
/// block has a thread for each row, which combines them in this order, so that
/// all blocks have the same totals.
void TileKernel::joinStage(ArrayRef<Operation *> stage) {
  Accumulators accumulators(context, stage);
  int64_t warps = tile.getColumnWarps(),
          threads = context.schedule.getThreads();
  SmallVector<Value> partials, totals;
  for (const Accumulator &accumulator : accumulators) {
    Type type = accumulator.getStoredType();
    partials.push_back(addSharedBuffer(context, tile.getRows() * warps, type));
    totals.push_back(addSharedBuffer(context, tile.getRows(), type));
  }
  for (const ResultRow &row : joinedRows) {
    SmallVector<Value> own = combineRow(accumulators, row);
    AffineExpr place = emitter.simplify(row.inTile * warps + warp % warps);
    Condition isFirst = emitter.isWithin(
        emitter.simplify(context.thread % getRowLanes()), 0, 0);
    emitter.emitIf(isFirst, [&] {
      for (auto [accumulator, buffer, partial] :
           llvm::zip(accumulators, partials, own))
        storePartial(context, accumulator, buffer, place, partial);
    });
  }
  emitClusterBarrier(context);
  for (int64_t first = 0; first < tile.getRows(); first += threads) {
    AffineExpr inTile = emitter.simplify(context.thread + first);
    AffineExpr rows = emitter.constant(tile.getRows());
    emitter.emitIf(emitter.isBelow(inTile, rows), [&] {
      AffineExpr at = emitter.clampBelow(inTile, rows);
      SmallVector<Value> sum;
      for (int64_t block = 0; block < countTilesAcross(); ++block)
        for (int64_t number = 0; number < warps; ++number) {
          SmallVector<Value> other =
              loadPartials(context, accumulators, partials,
                           emitter.simplify(at * warps + number), block);
          if (sum.empty())
            sum = other;
          else
            accumulators.combine(context, sum, other);
        }
      for (auto [accumulator, buffer, total] :
           llvm::zip(accumulators, totals, sum))
        storePartial(context, accumulator, buffer, at, total);
    });
  }
  gpu::BarrierOp::create(context.builder(), context.loc());
  for (const ResultRow &row : joinedRows) {
    SmallVector<Value> known;
    for (auto [accumulator, buffer] : llvm::zip(accumulators, totals))
      known.push_back(loadPartial(context, accumulator, buffer, row.inTile));
    accumulators.remember(context, known, row.row, emitter.constant(0));
  }
}

/// All blocks of a cluster come to each of its barriers. None leaves before the
/// others have read what it has left.
void TileKernel::finishJoinedRows() {
  for (ArrayRef<Operation *> stage : rowStages)
    joinStage(stage);
  for (const ResultRow &row : joinedRows)
    storeRow(row);
  Condition isFirst =
      emitter.isWithin(emitter.simplify(tileColumn * tile.getColumnWarps() +
                                        warp % tile.getColumnWarps()),
                       0, 0);
  for (const ResultRow &row : joinedRows)
    storePerRow(row.row, emitter.conjunction(ownsRow(row), isFirst));
  emitClusterBarrier(context);
}
