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

//===----------------------------------------------------------------------===//
// Results where their sums are
//===----------------------------------------------------------------------===//

void TileKernel::emitFragmentResults(const Sums &sums) {
  ResultRow row;
  for (int64_t group = 0; group < threadGroups; ++group)
    row.chunks.push_back(columnsOf(columnInTile(group), width));
  for (int64_t i = 0; i < threadRows; ++i) {
    row.inTile = rowInTile(i);
    row.row = rowInSpace(row.inTile, row.exists);
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
      row.inTile = emitter.simplify(warpRow + down);
      row.row = rowInSpace(row.inTile, row.exists);
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
  finishRows();
}
