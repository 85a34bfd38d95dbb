// Versions of a kernel for sizes that are known at run time only.
#ifndef FUSE_MLIR_LIB_CODEGEN_SIZEVARIANTS_H
#define FUSE_MLIR_LIB_CODEGEN_SIZEVARIANTS_H

#include "fuse-mlir/Codegen/KernelCodegen.h"

namespace mlir::fuse {

/// A version of a kernel of path `column` with dynamic sizes: threads along the
/// rows, and the positions of a thread, which are kept in registers or those of
/// one step of a loop. It is taken if `size` is at most `most`; the last one
/// always (`size` is null).
struct ColumnVersion {
  int64_t across = 1, positions = 1;
  Residency residency = Residency::None;
  AffineExpr size;
  int64_t most = 0;

  int64_t getRowsPerBlock(ScheduleAttr schedule) const {
    return across * schedule.getVector();
  }
  /// Columns that a block takes in one step.
  int64_t getColumnsPerStep(ScheduleAttr schedule) const {
    return schedule.getThreads() / across * positions;
  }
};

/// The versions of a kernel of path `column`, in the order in which the sizes
/// are asked. Host code asks the same for the number of blocks.
SmallVector<ColumnVersion> getColumnVersions(const GroupShape &shape,
                                             ScheduleAttr schedule);

/// Rows of up to `most` columns, and of one at least, have `threads` threads
/// each in a kernel of path `row` whose rows are of unknown length: several
/// rows a block. Others have a block each.
struct ShortRows {
  int64_t threads = 1, most = 0;
};

/// The kinds of short rows, the shortest first. Host code asks the same for the
/// number of blocks.
SmallVector<ShortRows> getShortRows(ScheduleAttr schedule);

/// Emits `emitPath` for each version of a kernel with dynamic sizes, and the
/// choice between them. What `emitPath` gets differs from `context` in the
/// schedule and in what is known of the sizes.
void emitForSizes(KernelContext &context,
                  function_ref<void(KernelContext &)> emitPath);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_SIZEVARIANTS_H
