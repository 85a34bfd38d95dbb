// Passes that plan: normalize, classify, form groups, isolate, schedule.
#ifndef FUSE_MLIR_TRANSFORMS_PASSES_TD
#define FUSE_MLIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // FUSE_MLIR_TRANSFORMS_PASSES_TD
