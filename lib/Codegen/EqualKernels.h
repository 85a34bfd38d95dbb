// Kernels that the same device function serves.
#ifndef FUSE_CODEGEN_EQUALKERNELS_H
#define FUSE_CODEGEN_EQUALKERNELS_H

#include "fuse-mlir/IR/FuseOps.h"

#include "llvm/ADT/Hashing.h"

#include <map>

namespace mlir::fuse {

/// Sorts kernels by what code is generated from: body, schedule, types of the
/// operands, attributes, and the function around, whose attributes count, too.
/// Names, locations, prices and numbers of operators do not.
class EqualKernels {
public:
  /// The first kernel that was passed and is equal to `kernel`: `kernel` itself
  /// if there is none. Linear in the size of the
  /// kernel, but for collisions.
  KernelOp getFirst(KernelOp kernel);

private:
  std::multimap<llvm::hash_code, KernelOp> kernels;
};

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_EQUALKERNELS_H
