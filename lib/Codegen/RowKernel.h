// How a thread works on the row that it owns, with others: for the paths `row`
// and `mixed`.
#ifndef FUSE_MLIR_LIB_CODEGEN_ROWKERNEL_H
#define FUSE_MLIR_LIB_CODEGEN_ROWKERNEL_H

#include "fuse-mlir/Codegen/KernelCodegen.h"

namespace mlir::fuse {

class RowKernel {
public:
  explicit RowKernel(KernelContext &context)
      : context(context), emitter(context.emitter), schedule(context.schedule),
        block(context.block), ownColumns(context.schedule.getColumns()),
        firstColumn(context.emitter.constant(0)),
        positions(context.schedule.getPositions()),
        firstPosition(context.emitter.constant(0)) {}

  void run();

protected:
  void emitRow();
  Chunk chunkAt(AffineExpr position);
  Chunk ownChunkAt(AffineExpr position);
  bool chooseOwnColumns();
  void emitStage(const Accumulators &accumulators);
  SmallVector<Value> reduce(const Accumulators &accumulators);
  void reduceChunk(const Accumulators &accumulators, const Chunk &chunk,
                   SmallVectorImpl<Value> &partials);
  void chooseBlocks();
  void finishParts(const Accumulators &accumulators, ArrayRef<Value> partials);
  void storeChunk(const Chunk &chunk);
  void storePerRow();
  void keepRow();
  bool hasStaticRow() const;
  int64_t getOwnUnroll() const;
  OwnSteps getSteps(int64_t unroll);
  void emitRange(int64_t rowsPerBlock);

  KernelContext &context;
  ElementEmitter &emitter;
  ScheduleAttr schedule;
  AffineExpr row;
  Condition rowExists;
  /// Threads of a block that share a row, and blocks that do by the schedule.
  int64_t group = 1, parts = 1;
  /// Blocks that leave partial results may share the row: `parts`, or as many
  /// as are there at run time.
  bool shares = false;
  BlockTeam team;
  /// The block as the layout has it.
  AffineExpr block;
  /// These blocks are a cluster. Each has `ownColumns` columns of the row from
  /// `firstColumn` on, of which the last chunk is number `lastChunk`.
  bool clustered = false;
  int64_t ownColumns;
  AffineExpr firstColumn;
  AffineExpr lastChunk;
  /// Arguments that are kept in shared memory, as far as the block owns them.
  SmallVector<std::pair<Value, Value>> kept;
  /// The positions are visited by a loop, for each reduction again.
  bool looped = false;
  /// Positions of a row; the first one of the row that is visited now.
  int64_t positions;
  AffineExpr firstPosition;
  /// The positions of a thread, unless they are visited by a loop.
  SmallVector<Chunk> chunks;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_ROWKERNEL_H
