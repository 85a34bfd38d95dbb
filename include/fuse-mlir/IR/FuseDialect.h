// The fuse dialect, its enums, attributes and the classification interface.
#ifndef FUSE_MLIR_IR_FUSEDIALECT_H
#define FUSE_MLIR_IR_FUSEDIALECT_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include <memory>
#include <mutex>
#include <string>

#include "fuse-mlir/IR/FuseDialect.h.inc"
#include "fuse-mlir/IR/FuseEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fuse-mlir/IR/FuseAttributes.h.inc"

#include "fuse-mlir/IR/FuseInterfaces.h.inc"

#endif // FUSE_MLIR_IR_FUSEDIALECT_H
