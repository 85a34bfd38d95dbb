// Where the threads of a tile are.
#include "LaunchChoice.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t fuse::countTiles(const ContractionShape &contraction,
                         const TileShape &tile) {
  return std::max<int64_t>(contraction.batches *
                               ceilDiv(contraction.rows, tile.rows) *
                               ceilDiv(contraction.columns, tile.columns),
                           1);
}

SmallVector<SmallVector<unsigned>> fuse::getWalks(const GroupShape &shape) {
  llvm::MapVector<AffineExpr, SmallVector<unsigned>> walks;
  for (auto [number, contraction] : llvm::enumerate(shape.contractions))
    walks[contraction.depthExtent].push_back(number);
  return llvm::map_to_vector(walks, [](auto &walk) { return walk.second; });
}

TilePlace fuse::placeTile(const ContractionShape &contraction,
                          const TileShape &tile, AffineExpr block) {
  int64_t down = ceilDiv(contraction.rows, tile.rows);
  int64_t across = ceilDiv(contraction.columns, tile.columns);
  AffineExpr inBatch = block % (down * across);
  AffineExpr inGroup = inBatch % (tile.group * across);
  return {block.floorDiv(down * across),
          inBatch.floorDiv(tile.group * across) * tile.group +
              inGroup % tile.group,
          inGroup.floorDiv(tile.group)};
}

AffineMap fuse::getTileLayout(MLIRContext *context, const GroupShape &shape,
                              const LaunchShape &launch) {
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  const ContractionShape &contraction = shape.contractions.front();
  const TileShape &tile = *launch.tile;
  TilePlace place =
      placeTile(contraction, tile, block % countTiles(contraction, tile));
  int64_t down = ceilDiv(contraction.rows, tile.rows);
  AffineExpr warp = thread.floorDiv(kWarp);
  int64_t warpRows = tile.rows / tile.rowWarps;
  int64_t warpColumns = tile.columns / tile.columnWarps;
  AffineExpr row = (place.batch * down + place.row) * tile.rows +
                   warp.floorDiv(tile.columnWarps) * warpRows;
  AffineExpr column =
      place.column * tile.columns + (warp % tile.columnWarps) * warpColumns;
  ResultLayout results{warpColumns, launch.vector, launch.downRows};
  if (tile.unit == TileUnit::Mma && !results.isFragment()) {
    auto [down, along] = results.place(position, thread % kWarp);
    row = row + down;
    column = column + along;
    (results.downRows ? row : column) =
        (results.downRows ? row : column) + lane;
    return AffineMap::get(4, 0, {row, column}, context);
  }
  if (tile.unit == TileUnit::Mma) {
    // Fragments of 16 rows and eight columns: a thread has two neighbours in
    // each half of the rows.
    int64_t across = warpColumns / 8;
    row = row + position.floorDiv(across) * 8 + (thread % kWarp).floorDiv(4);
    column = column + (position % across) * 8 + (thread % 4) * 2 + lane;
    return AffineMap::get(4, 0, {row, column}, context);
  }
  // Four rows and eight columns of threads, each with groups of four.
  int64_t across = warpColumns / 32;
  AffineExpr inRow = position.floorDiv(across);
  row = row + inRow.floorDiv(4) * 16 + (thread % kWarp).floorDiv(8) * 4 +
        inRow % 4;
  column = column + (position % across) * 32 + (thread % 8) * 4 + lane;
  return AffineMap::get(4, 0, {row, column}, context);
}
