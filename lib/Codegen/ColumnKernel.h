// How a block works on a strip of rows that are neighbours in memory: path
// `column`.
#ifndef FUSE_MLIR_LIB_CODEGEN_COLUMNKERNEL_H
#define FUSE_MLIR_LIB_CODEGEN_COLUMNKERNEL_H

#include "fuse-mlir/Codegen/KernelCodegen.h"

namespace mlir::fuse {

/// Partial results: of each accumulator, one for each of the thread's rows.
using ColumnPartials = SmallVector<SmallVector<Value>>;

class ColumnKernel {
public:
  explicit ColumnKernel(KernelContext &context)
      : context(context), emitter(context.emitter), schedule(context.schedule) {
  }

  void run();

private:
  bool readLayout();
  void chooseBlocks();
  void chooseRows();
  void keepStrip();
  void readKept(AffineExpr column);
  AffineExpr keptPlace(AffineExpr column, unsigned lane);
  void emitStage(const Accumulators &accumulators);
  ColumnPartials reduce(const Accumulators &accumulators);
  void reducePosition(const Accumulators &accumulators, AffineExpr position,
                      ColumnPartials &partials);
  void exchange(const Accumulators &accumulators, ColumnPartials &partials);
  void fold(const Accumulators &accumulators, ArrayRef<Value> buffers,
            int64_t groups, ColumnPartials &partials);
  void finishAlone(const Accumulators &accumulators,
                   const ColumnPartials &partials);
  void finishParts(const Accumulators &accumulators,
                   const ColumnPartials &partials);
  void remember(const Accumulators &accumulators,
                const ColumnPartials &partials);
  void storeColumns();
  void storePerRow();
  void storeLanes(unsigned number, AffineExpr column, Condition exists);
  ColumnPartials neutrals(const Accumulators &accumulators);
  void combine(const Accumulators &accumulators, ColumnPartials &partials,
               function_ref<Value(unsigned number, unsigned lane)> other);

  Chunk columnAt(AffineExpr position) {
    AffineExpr layout = schedule.getLayout().getResult(1);
    return makeChunk(emitter, 1, context.shape.columnExtent, [&](int64_t lane) {
      return layout.replaceDims(
          {block, context.thread, position, emitter.constant(lane)});
    });
  }
  /// Calls `visit` for all positions; with `carried` values if looped.
  void forEachPosition(ColumnPartials &carried,
                       function_ref<void(AffineExpr, ColumnPartials &)> visit);
  /// Place in a shared buffer of what thread `inRow` of a row has for `lane`.
  AffineExpr slot(const Accumulator &accumulator, AffineExpr inRow,
                  int64_t lane) {
    AffineExpr thread = inRow * across + context.thread % across;
    return emitter.simplify(getSharedPlace(accumulator, thread,
                                           schedule.getThreads(), lane, lanes));
  }

  KernelContext &context;
  ElementEmitter &emitter;
  ScheduleAttr schedule;
  /// Threads along the rows, and those that share a row.
  int64_t across = 1, sharing = 1;
  /// The blocks that may share the rows of this one, by the schedule or at run
  /// time.
  bool shares = false;
  BlockTeam team;
  /// The block as the layout has it: only the schedule's parts are in it.
  AffineExpr block;
  /// Steps of the loop over positions, from which one on, with how many
  /// positions each.
  AffineExpr steps, firstStep;
  int64_t unroll = 1;
  /// Rows of a thread.
  int64_t lanes = 1;
  Chunk rows;
  bool looped = false;
  /// Operands that the block keeps in shared memory, where they are read and
  /// in which buffer.
  SmallVector<std::pair<const LeafAccess *, Value>> kept;
  /// What the kernel exchanges does not fit static shared memory.
  bool large = false;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_COLUMNKERNEL_H
