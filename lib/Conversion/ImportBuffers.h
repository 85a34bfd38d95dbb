// Copies of buffers from elsewhere, which may be placed where kernels reach
// them.
#ifndef FUSE_MLIR_LIB_CONVERSION_IMPORTBUFFERS_H
#define FUSE_MLIR_LIB_CONVERSION_IMPORTBUFFERS_H

#include "BufferClasses.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fuse {

/// The functions of a module that work with device memory.
using DeviceFunctions = llvm::SmallDenseSet<Operation *>;

/// The callee of a call; null if `op` is no call of a known function.
FunctionOpInterface getCallee(Operation *op, SymbolTableCollection &symbols);

/// Which uses of buffers need memory that the device reaches.
struct DeviceUses {
  /// Whether arguments are device memory.
  bool deviceMemory;
  const DeviceFunctions &functions;
  SymbolTableCollection &symbols;

  /// A launch, or a call that gives the buffer to one.
  bool contains(OpOperand &use) const;
  FunctionOpInterface getCallee(Operation *op) const {
    return fuse::getCallee(op, symbols);
  }
};

/// Allocates a host buffer of the shape of `buffer`.
Value allocateLike(OpBuilder &builder, Location loc, Value buffer);

/// Gives arguments, constants and results of calls that kernels of `function`
/// read a copy that is ours to place. Callees must not be rewritten yet.
void importBuffers(FunctionOpInterface function, const DeviceUses &deviceUses);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CONVERSION_IMPORTBUFFERS_H
