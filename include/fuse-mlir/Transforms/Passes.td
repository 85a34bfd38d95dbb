// Passes that plan: normalize, classify, form groups, isolate, schedule.
#ifndef FUSE_MLIR_TRANSFORMS_PASSES_TD
#define FUSE_MLIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintGroupShapesPass : Pass<"fuse-print-group-shapes"> {
  let summary = "print how each group would run as one kernel";
  let description = [{
    For each `fuse.group` and `fuse.kernel`: the path, the rows × columns
    space, the loops of each reduction and the element of each output that a
    thread owns; or the rule by which the group is refused. Nothing is changed.
    Linear in the number of elements accesses of the group.
  }];
}

def SelectSchedulesPass : Pass<"fuse-select-schedules"> {
  let summary = "decide how the threads of each kernel share its elements";
  let description = [{
    Writes `#fuse.schedule` on each `fuse.kernel` that has none: the path (see
    `fuse-print-group-shapes`), the rows × columns space, grid and block size,
    and the layout that says which thread owns which element. A schedule given
    by the user is left alone.

    - `pointwise`: chunks of 16 bytes of the smallest element type, two per
      thread if there is work for all multiprocessors.
    - `general`: one element per thread.
    - `row`: a row belongs to part of a warp, a warp, or a block, by its
      length; it stays in registers up to 32 words per thread (32768 f32), else
      its positions are visited by a loop and read again. Rows that do not
      start at a sector of 32 bytes get a layout shifted by the misalignment,
      so that no sector is asked for twice.

    Dynamic shapes are refused, with an error. Linear in the size of the body.
  }];
}

#endif // FUSE_MLIR_TRANSFORMS_PASSES_TD
