// In which layout the lanes of a warp store results: the one in which a lane has
// neighbours of memory.
#include "LaunchChoice.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t ResultLayout::countLanes() const {
  return downRows ? kSlabRows / vector
                  : std::min<int64_t>(columns / vector, kWarp);
}

std::pair<AffineExpr, AffineExpr> ResultLayout::place(AffineExpr number,
                                                      AffineExpr lane) const {
  int64_t lanes = countLanes(), others = kWarp / lanes;
  AffineExpr beside = lane % lanes, other = lane.floorDiv(lanes);
  int64_t across = columns / (downRows ? others : lanes * vector);
  AffineExpr down = number.floorDiv(across), along = number % across;
  if (downRows)
    return {down * kSlabRows + beside * vector, along * others + other};
  return {down * others + other, (along * lanes + beside) * vector};
}

namespace {
/// Where the elements of an output are in memory, by row and column.
class StoredPlaces {
public:
  StoredPlaces(const GroupShape &shape, const OutputSeed &output)
      : shape(shape) {
    ranges.dims = {IndexRange::ofSize(shape.rowExtent),
                   IndexRange::ofSize(shape.columnExtent)};
    ranges.symbols.assign(shape.sizes.getNumSymbols(),
                          IndexRange::ofSizeSymbol());
    place = linearize(output.value.getContext(), output.index,
                      shape.sizes.getShape(output.value), ranges);
  }

  int64_t findRun(bool downRows, AffineExpr extent, int64_t most) const {
    while (most > 1 && !isRun(downRows, extent, most))
      most /= 2;
    return most;
  }

private:
  bool isRun(bool downRows, AffineExpr extent, int64_t width) const;

  const GroupShape &shape;
  IndexRanges ranges;
  AffineExpr place;
};
} // namespace

/// Whether `width` neighbours, of `extent` in all that follow each other without
/// a break, are neighbours in memory that begin at a multiple of their size.
bool StoredPlaces::isRun(bool downRows, AffineExpr extent,
                         int64_t width) const {
  if (!extent.isMultipleOf(width))
    return false;
  MLIRContext *context = place.getContext();
  unsigned moving = downRows ? 0 : 1;
  AffineExpr size = downRows ? shape.rowExtent : shape.columnExtent;
  IndexRanges chunks = ranges;
  chunks.dims[moving] =
      IndexRange::ofSize(simplifyIndex(size.floorDiv(width), ranges));
  auto at = [&](int64_t lane) {
    SmallVector<AffineExpr> dims = {getAffineDimExpr(0, context),
                                    getAffineDimExpr(1, context)};
    dims[moving] = dims[moving] * width + lane;
    return simplifyIndex(place.replaceDims(dims), chunks);
  };
  AffineExpr first = at(0);
  auto follows = [&](int64_t lane) {
    return simplifyIndex(at(lane) - first, chunks) ==
           getAffineConstantExpr(lane, context);
  };
  return first.isMultipleOf(width) && follows(1) && follows(width - 1);
}

ResultLayout fuse::chooseResultLayout(const GroupShape &shape,
                                      AffineExpr rowsOfBatch) {
  constexpr int64_t kMostNeighbours = 8;
  ResultLayout layout;
  const OutputSeed *widest = nullptr;
  int64_t bytes = 0;
  for (const OutputSeed &output : shape.outputs) {
    int64_t own = bytesOf(output.value.getType());
    if (!output.isFull() || own <= bytes)
      continue;
    widest = &output;
    bytes = own;
  }
  if (!widest)
    return layout;
  StoredPlaces places(shape, *widest);
  int64_t most = std::min(kAccessBytes / bytes, kMostNeighbours);
  layout.vector =
      places.findRun(/*downRows=*/false, shape.columnExtent, most);
  if (layout.vector > 1 || !rowsOfBatch)
    return layout;
  int64_t down = places.findRun(/*downRows=*/true, rowsOfBatch, most);
  layout.downRows = down > 1;
  layout.vector = down;
  return layout;
}
