// How op-agnostic passes find the functions they work on.
#ifndef FUSE_MLIR_TRANSFORMS_FUNCTIONS_H
#define FUSE_MLIR_TRANSFORMS_FUNCTIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fuse {

/// `root` itself if it is a function, else the functions below it that are not
/// below another function, in order. Device functions are none of ours.
SmallVector<FunctionOpInterface> collectFunctions(Operation *root);

} // namespace mlir::fuse

#endif // FUSE_MLIR_TRANSFORMS_FUNCTIONS_H
