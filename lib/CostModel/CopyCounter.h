// Sectors of one tensor's elements on the way to the tiles of a factor in
// shared memory: pieces of a tile are looked at lane by lane, as code
// generation gives them to threads (lib/Codegen/TileMemory.cpp).
#ifndef FUSE_MLIR_LIB_COSTMODEL_COPYCOUNTER_H
#define FUSE_MLIR_LIB_COSTMODEL_COPYCOUNTER_H

#include "CountScratch.h"
#include "WarpAccess.h"

#include "fuse-mlir/Analysis/ContractionShape.h"
#include "fuse-mlir/Analysis/LaunchShape.h"

namespace mlir::fuse::cost {

/// A tile of a factor: `outers` places of `outer`, `depths` steps of `depth`.
struct FactorTile {
  int64_t outer, depth, outers, depths;
  bool isLeft;
};

/// How threads take a tile: neighbours of a piece, along the depth or along the
/// outer places.
struct PieceOrder {
  int64_t piece = 1;
  bool alongDepth = true, async = false;
  /// Neighbouring threads take pieces of different lines.
  bool acrossLines = false;
  /// Lines that a thread takes together.
  int64_t window = 1;
  /// Elements of a piece that are a run in memory which begins anywhere, and
  /// their distance there: vectors around it are loaded. 0 if there are none.
  int64_t run = 0, stride = 1;
};

/// The elements that a warp takes at once, one for each neighbour of a piece.
struct WarpPiece {
  SmallVector<Lanes, 8> numbers;
  SmallVector<std::array<bool, kWarp>, 8> active;
  /// Whether a lane has a piece.
  std::array<bool, kWarp> exists;
};

/// Where the pieces of a warp begin.
struct WarpStart {
  Lanes outer, depth;
  std::array<bool, kWarp> exists;
};

/// Counts the reads of one tensor on the way to the tiles of a factor.
class CopyCounter {
public:
  CopyCounter(const ContractionShape &contraction, const LaunchShape &launch,
              const PlacedRead &read, int64_t elementBytes, int64_t elements);

  /// Whether neighbours of the tensor are neighbours along the depth.
  bool hasNeighbours(bool alongDepth) const;
  /// Elements of the largest pieces that lie side by side and aligned in
  /// memory; 0 if these are of fewer than four bytes.
  int64_t findWidth(bool alongDepth) const;
  /// Whether pieces of `order` are such runs.
  bool findRun(PieceOrder &order) const;
  double count(const PieceOrder &order) const;
  /// The part of the sectors of a tile that is asked for the first time.
  double findDistinct(const PieceOrder &order) const;
  double getTileBytes() const {
    return double((dependsOnOuter ? tile.outer : 1) * tile.depth *
                  elementBytes);
  }

private:
  int64_t measure(unsigned dim) const;
  WarpStart findStart(const PieceOrder &order, int64_t tile, int64_t step,
                      int64_t firstPiece) const;
  WarpPiece evaluate(const PieceOrder &order, int64_t tile, int64_t step,
                     int64_t firstPiece) const;
  double countPiece(const PieceOrder &order, const WarpPiece &piece,
                    std::vector<int64_t> *seen = nullptr) const;
  double countRuns(const PieceOrder &order, const WarpPiece &piece,
                   std::vector<int64_t> *seen) const;
  template <typename Use>
  void forEachSample(const PieceOrder &order, Use use) const;
  int64_t countPieces(const PieceOrder &order) const;
  int64_t getSteps() const { return llvm::divideCeil(tile.depths, tile.depth); }

  FactorTile tile;
  /// Of the tensor: bytes of an element, and how many there are.
  int64_t elementBytes, elements;
  int64_t threads, batches;
  /// Whether it is another place for another row (or column).
  bool dependsOnOuter;
  /// Over the row, the column and the step of the sum.
  std::optional<LaneProgram> linear;
  /// Distances of neighbours, outer ones and along the depth, if they are the
  /// same everywhere.
  std::optional<std::pair<int64_t, int64_t>> distances;
  SmallVector<std::pair<LaneProgram, int64_t>, 2> guards;
  SmallVector<int64_t> indices;
};

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_LIB_COSTMODEL_COPYCOUNTER_H
