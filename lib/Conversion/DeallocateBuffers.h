// Frees what a bufferized function allocates.
#ifndef FUSE_MLIR_LIB_CONVERSION_DEALLOCATEBUFFERS_H
#define FUSE_MLIR_LIB_CONVERSION_DEALLOCATEBUFFERS_H

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {

/// Frees every allocation of `function`, and every result of its calls, after
/// its last use; results of `function` become the caller's, each by itself.
///
/// Where each buffer has one origin and stays in its block, as in straight-line
/// code, this takes linear time and adds nothing but `memref.dealloc`. Other
/// functions (loops that carry buffers, branches) get upstream's
/// ownership-based deallocation with its run-time checks.
LogicalResult deallocateBuffers(FunctionOpInterface function,
                                SymbolTableCollection &symbols);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CONVERSION_DEALLOCATEBUFFERS_H
