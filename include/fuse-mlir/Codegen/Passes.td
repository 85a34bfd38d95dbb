// Passes of the Codegen component.
#ifndef FUSE_MLIR_CODEGEN_PASSES_TD
#define FUSE_MLIR_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // FUSE_MLIR_CODEGEN_PASSES_TD
