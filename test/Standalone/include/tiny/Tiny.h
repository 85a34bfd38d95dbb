// The dialect of the example compiler and what it registers.
#ifndef TINY_TINY_H
#define TINY_TINY_H

#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tiny/TinyDialect.h.inc"

#define GET_OP_CLASSES
#include "tiny/TinyOps.h.inc"

namespace tiny {

/// The dialect, and the cost model `tiny` for fuse's registry.
void registerDialect(mlir::DialectRegistry &registry);
void registerCostModel(mlir::DialectRegistry &registry);

/// The pass `tiny-lower-ops` and the pipeline `tiny-plan`.
void registerPasses();

} // namespace tiny

#endif // TINY_TINY_H
