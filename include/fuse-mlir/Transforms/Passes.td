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

#endif // FUSE_MLIR_TRANSFORMS_PASSES_TD
