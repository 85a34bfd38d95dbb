// A kernel on path `tile`: what its parts share. A block owns a tile of the
// results; `TileOperands.cpp` brings the factors to shared memory,
// `TileWalk.cpp` has the loop along the sums, `TileKernel.cpp` the places of threads
// and the sums of several blocks, `TileResults.cpp` what follows from the sums, and
// `TileRows.cpp` reductions of rows.
#ifndef FUSE_MLIR_LIB_CODEGEN_TILEKERNEL_H
#define FUSE_MLIR_LIB_CODEGEN_TILEKERNEL_H

#include "Fragments.h"
#include "ResultExchange.h"
#include "TileMemory.h"
#include "WarpTile.h"

#include "fuse-mlir/Analysis/LaunchShape.h"

namespace mlir::fuse {

/// A factor of a contraction: what is kept in shared memory, and what the body
/// makes of it before it multiplies.
struct Factor {
  Value kept;
  SmallVector<Operation *> casts;
  /// The filler that keeps it, of those of its walk.
  unsigned operand = 0;
};

struct Product {
  const ContractionShape &shape;
  Factor left, right;
  /// Of kernels on the matrix units.
  std::optional<MatrixForm> form;

  linalg::LinalgOp getRoot() const { return cast<linalg::LinalgOp>(shape.op); }
};

/// Contractions with equally many steps, and the operands of their tiles.
struct Walk {
  std::vector<Product> products;
  std::vector<std::unique_ptr<TileFiller>> operands;
  /// The block's first step, and how many it has.
  AffineExpr firstStep, steps;

  bool isPipelined() const {
    return llvm::all_of(operands, [](const auto &operand) {
      return operand->isAsync();
    });
  }
};

class TileKernel {
public:
  explicit TileKernel(KernelContext &context);

  void run();

private:
  // Places.
  AffineExpr asVariable(AffineExpr expr);
  void placeBlock();
  void placeTileOfBlock();
  void placeTileAtRunTime();
  void placeThread();
  AffineExpr rowInTile(int64_t number);
  AffineExpr columnInTile(int64_t group);
  AffineExpr rowInSpace(AffineExpr inTile, Condition &exists);
  Chunk columnsOf(AffineExpr inTile, int64_t count);
  SmallVector<AffineExpr> loopsAt(const ContractionShape &shape,
                                  AffineExpr outer, AffineExpr depth,
                                  bool isLeft);
  SmallVector<AffineExpr> resultIndex(const ContractionShape &shape,
                                      AffineExpr row, AffineExpr column);
  /// Whether reductions of rows follow.
  bool reducesRows() const { return !rowStages.empty(); }
  bool exchanges() const { return usesFragments && !results.isFragment(); }
  /// Sums of a thread for each product.
  int64_t countSums() const { return threadRows * threadGroups * width; }

  // Operands.
  Walk makeWalk(ArrayRef<unsigned> numbers);
  Factor makeFactor(Walk &walk, const ContractionShape &shape,
                    const std::optional<MatrixForm> &form, bool isLeft);
  bool isSame(const ContractionShape &a, const ContractionShape &b,
              const Factor &factor, const Factor &other, bool isLeft);
  Value applyCasts(const Factor &factor, Value value);

  // The loop along the sums.
  SmallVector<Value> emitWalk(const Walk &walk, SmallVector<Value> sums);
  SmallVector<Value> emitPipelined(const Walk &walk, SmallVector<Value> sums);
  int64_t countSumWords(const Walk &walk);
  SmallVector<Value> emitThroughRegisters(const Walk &walk,
                                          SmallVector<Value> sums);
  SmallVector<Value> multiply(const Walk &walk, AffineExpr stage,
                              ValueRange sums);
  SmallVector<Value> multiplyThread(const Walk &walk, AffineExpr stage,
                                    ValueRange sums);
  void multiplyFragmentsOf(const Walk &walk, const Product &product,
                           AffineExpr stage, int64_t step,
                           MutableArrayRef<Value> sums);
  SmallVector<Value> multiplyWarp(const Walk &walk, AffineExpr stage,
                                  ValueRange sums);
  SmallVector<Value> loadValues(const Walk &walk, const Factor &factor,
                                AffineExpr stage, AffineExpr depth,
                                int64_t steps, bool isLeft);
  Value multiplyAdd(const Product &product, Value left, Value right, Value sum);

  // Sums of the products.
  using Sums = SmallVector<SmallVector<Value>>;
  Sums emitInits();
  Sums emitZeros();
  void emitSums(Sums &sums);
  void limitRegisters(const Walk &walk);
  void emitShare(const Sums &sums);
  AffineExpr getShare(AffineExpr part, int64_t number);
  void addShares(Sums &sums);

  // Results (TileResults.cpp).
  /// A row of the thread and its columns there.
  struct ResultRow {
    /// Its numbers in the tile and in the space.
    AffineExpr inTile, row;
    Condition exists;
    SmallVector<Chunk> chunks;
  };
  void emitResults(const Sums &sums);
  void emitFragmentResults(const Sums &sums);
  void emitExchangedResults(const Sums &sums);
  void readSlab(ResultExchange &exchange, int64_t slab, const Sums &sums);
  void emitSlabRows(int64_t slab, ArrayRef<Value> read);
  void emitSlabColumns(int64_t slab, ArrayRef<Value> read);
  void remember(const ContractionShape &shape, AffineExpr row,
                AffineExpr column, Value sum);

  // Reductions of rows (TileRows.cpp).
  void finishRow(const ResultRow &row);
  void finishRows();
  void storeRow(const ResultRow &row);
  SmallVector<Value> combineRow(const Accumulators &accumulators,
                                const ResultRow &row);
  void reduceRow(const ResultRow &row);
  Condition ownsRow(const ResultRow &row);
  void storePerRow(AffineExpr row, Condition exists);
  AffineExpr getRowShare(AffineExpr share, AffineExpr row);
  void shareRow(const ResultRow &row);
  void finishSharedRows();
  void joinStage(ArrayRef<Operation *> stage);
  void finishJoinedRows();
  int64_t countTilesAcross() const {
    return llvm::divideCeil(space.columns, tile.getColumns());
  }

  KernelContext &context;
  ElementEmitter &emitter;
  TileAttr tile;
  bool usesFragments;
  /// Neighbouring columns of a thread.
  int64_t width;
  const ContractionShape &space;
  /// The batch of the block and its tile in there.
  AffineExpr batch, tileRow, tileColumn;
  /// The number of the tile, and of the block among those that share it.
  AffineExpr tileNumber, part;
  /// How lanes have the results that they store.
  ResultLayout results;
  /// The warp's number, and its first row and column in the tile.
  AffineExpr warp, warpRow, warpColumn;
  /// The thread's first row and column.
  AffineExpr threadRow, threadColumn;
  /// Lanes that store columns of the same rows.
  int64_t getRowLanes() const;
  /// Reductions of rows, those that need others' results after these.
  SmallVector<SmallVector<Operation *>> rowStages;
  /// Tiles beside each other leave partial results of rows, or are a cluster,
  /// whose rows wait for their reductions.
  bool sharesRows, joinsRows;
  SmallVector<ResultRow> joinedRows;
  /// Where the tiles begin in shared memory.
  int64_t firstSharedByte = 0;
  /// Rows of a thread, and its groups of neighbouring columns.
  int64_t threadRows = 0, threadGroups = 0;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_TILEKERNEL_H
