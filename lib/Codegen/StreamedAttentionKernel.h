// The form of path `attention` that passes over the keys once.
#ifndef FUSE_MLIR_LIB_CODEGEN_STREAMEDATTENTIONKERNEL_H
#define FUSE_MLIR_LIB_CODEGEN_STREAMEDATTENTIONKERNEL_H

#include "fuse-mlir/Codegen/KernelCodegen.h"

namespace mlir::fuse {

/// Emits the kernel of an attention whose schedule has a tile: `rows` queries
/// of a block, `columns` keys of a step, head elements rounded up to `depth`.
void emitStreamedAttention(KernelContext &context);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_STREAMEDATTENTIONKERNEL_H
