// Passes of the Conversion component and their registration.
#ifndef FUSE_MLIR_CONVERSION_PASSES_H
#define FUSE_MLIR_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#include "fuse-mlir/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse-mlir/Conversion/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_MLIR_CONVERSION_PASSES_H
