// Path `attention` with a tile: passes over the keys (see "Attention" in
// docs/Rationale.md). A block owns a tile of queries; it walks along the keys,
// of which a tile and their values lie in shared memory while the next ones are
// copied. The scores of a step stay in registers: the elements of the softmax
// cascade are ordinary element code at each score's row and column.
#ifndef FUSE_MLIR_LIB_CODEGEN_STREAMEDATTENTIONKERNEL_H
#define FUSE_MLIR_LIB_CODEGEN_STREAMEDATTENTIONKERNEL_H

#include "ResultExchange.h"
#include "WarpTile.h"

#include "fuse-mlir/Analysis/StreamedAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fuse {

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
    /// Partial results of a pass's other reductions, row by row.
    SmallVector<Value> partials;

    SmallVector<Value> flatten() const;
    State unflatten(ValueRange values) const;
  };
  struct Row {
    AffineExpr row;
    Condition exists;
  };
  /// What is done at each step of a walk along the keys.
  struct Pass {
    /// m and l grow.
    bool isOnline = false;
    /// Values are summed up by weights.
    bool multiplies = false;
    ArrayRef<Operation *> reductions;
  };

  // Places.
  AffineExpr asVariable(AffineExpr expr);
  AffineExpr clampStep(AffineExpr expr, int64_t low, AffineExpr high);
  void placeBlock();
  void placeRows();
  void placeSteps();
  void shareSteps();
  SmallVector<AffineExpr> loopsAt(Operation *root, unsigned stage,
                                  AffineExpr row, AffineExpr column,
                                  AffineExpr product);
  SmallVector<AffineExpr> indexOf(Operation *root, ArrayRef<AffineExpr> loops);
  KernelContext getStage(unsigned number);
  Value emitPlaced(const PlacedValue &at, AffineExpr row, AffineExpr column);
  void rememberRow(Operation *root, AffineExpr row, Value value);
  SmallVector<Chunk> getKeys(AffineExpr step);

  // Operands.
  std::unique_ptr<TileFiller> makeFiller(const ContractionShape &shape,
                                         bool isLeft, AffineExpr firstOuter,
                                         SharedLayout layout, int64_t stages);
  void addOperands();
  void fill(TileFiller &filler, AffineExpr step, AffineExpr stage);
  void fillKeys(const Pass &pass, AffineExpr counter, AffineExpr stage);
  AffineExpr getStep(AffineExpr counter);

  // Steps (StreamedAttentionSteps.cpp).
  State start(const Pass &pass);
  void loadQueries();
  State walk(const Pass &pass);
  State visit(const Pass &pass, AffineExpr step, AffineExpr stage,
              const State &before);
  void emitScores(ArrayRef<Chunk> columns, AffineExpr stage);
  Value emitExponential(AffineExpr row, AffineExpr column);
  Value emitMaximum(const Row &row, ArrayRef<Chunk> keys, Value before);
  Value emitExisting(const Condition &exists, Value element);
  void visitOnline(const Pass &pass, unsigned row, ArrayRef<Chunk> keys,
                   const State &before, State &next,
                   SmallVectorImpl<Value> &weights);
  void visitReductions(const Pass &pass, unsigned row, ArrayRef<Chunk> keys,
                       State &next);
  void emitWeights(unsigned row, ArrayRef<Chunk> keys,
                   SmallVectorImpl<Value> &weights);
  SmallVector<Value> multiplyValues(ArrayRef<Value> weights, AffineExpr stage,
                                    ArrayRef<Value> sums);

  // Blocks that share keys (StreamedAttentionShares.cpp).
  SmallVector<Value> getShared(const State &state, unsigned row) const;
  SmallVector<AffineExpr> getShares(AffineExpr part, unsigned row);
  void emitShare(const State &state);
  State loadShare(AffineExpr part);
  State merge(const State &before, const State &share);
  State mergeShares();

  // Results (StreamedAttentionResults.cpp).
  void finishStatistics(const State &state);
  void finishPass(const Pass &pass, const State &state);
  void emitResults(const State &state);
  Value selectWithKeys(Value value, Value without);
  Value scale(Value sum, const Row &row, Value isMasked);
  void store(ArrayRef<Place> places, Condition common,
             ArrayRef<Condition> exists, ArrayRef<Value> sums);
  void storeRow(const Row &row, ArrayRef<Value> sums);
  void storeChunk(const ResultLayout &layout, int64_t number,
                  ArrayRef<Value> sums);
  void storeExchanged(ResultLayout layout, ArrayRef<Value> scaled);
  void storeStatistics(const Row &row);

  Value constant(double value) {
    return arith::ConstantOp::create(context.builder(), context.loc(),
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
  /// Of the blocks that share keys: the number of this one, and of those it
  /// belongs to.
  AffineExpr part, team;
  SmallVector<Row> rows;
  std::unique_ptr<TileFiller> queries, keys, values;
  /// Fragments of the queries, and the weights of a step, if on the other unit.
  WarpTile::Fragments queryFragments;
  std::optional<SharedTile> weights;
  SmallVector<Operation *> queryCasts, keyCasts, weightCasts, valueCasts;
  bool usesFragments;
  /// Where the tiles begin in shared memory.
  int64_t firstSharedByte = 0;
  /// Whether the fragments of the queries stay in registers.
  bool holdsQueries = false;
  /// Words that a thread keeps for scores, sums and queries, and how many there may
  /// be of these and of keys and values that are under way.
  int64_t keptWords = 0;
  static constexpr int64_t kMostKept = 176;
  /// Tiles of keys, and how many these can be.
  AffineExpr steps;
  int64_t mostSteps;
  /// Columns of values that a warp computes.
  int64_t width;
  /// The first tile that the block visits, and how many: all is masked in
  /// others.
  AffineExpr firstStep, visited;
};

/// Fills in the kernel of `context`, whose schedule has a tile.
void emitStreamedAttention(KernelContext &context);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_STREAMEDATTENTIONKERNEL_H
