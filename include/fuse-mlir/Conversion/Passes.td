// Passes of the Conversion component.
#ifndef FUSE_MLIR_CONVERSION_PASSES_TD
#define FUSE_MLIR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // FUSE_MLIR_CONVERSION_PASSES_TD
