// Operations of the fuse dialect.
#ifndef FUSE_MLIR_IR_FUSEOPS_H
#define FUSE_MLIR_IR_FUSEOPS_H

#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "fuse-mlir/IR/FuseOps.h.inc"

#endif // FUSE_MLIR_IR_FUSEOPS_H
