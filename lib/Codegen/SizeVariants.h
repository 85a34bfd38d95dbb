// Versions of a kernel for sizes that are known at run time only.
#ifndef FUSE_MLIR_LIB_CODEGEN_SIZEVARIANTS_H
#define FUSE_MLIR_LIB_CODEGEN_SIZEVARIANTS_H

#include "fuse-mlir/Codegen/KernelCodegen.h"

namespace mlir::fuse {

/// Emits `emitPath` for each version of a kernel with dynamic sizes, and the
/// choice between them. What `emitPath` gets differs from `context` in the
/// schedule and in what is known of the sizes.
void emitForSizes(KernelContext &context,
                  function_ref<void(KernelContext &)> emitPath);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_SIZEVARIANTS_H
