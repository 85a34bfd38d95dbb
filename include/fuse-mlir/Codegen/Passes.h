// Passes of the Codegen component and their registration.
#ifndef FUSE_MLIR_CODEGEN_PASSES_H
#define FUSE_MLIR_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#include "fuse-mlir/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse-mlir/Codegen/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_MLIR_CODEGEN_PASSES_H
