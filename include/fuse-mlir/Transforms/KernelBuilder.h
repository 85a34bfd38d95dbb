// Makes a self-contained kernel of operators that stand in a block or group.
#ifndef FUSE_MLIR_TRANSFORMS_KERNELBUILDER_H
#define FUSE_MLIR_TRANSFORMS_KERNELBUILDER_H

#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse {

/// Operators to become one kernel.
struct KernelRequest {
  /// In program order, of one block.
  SmallVector<Operation *> ops;
  /// Results of `ops` that others need: ranked tensors, each once.
  SmallVector<Value> outputs;
  /// The region of a group whose views, fills and constants are copied into
  /// the kernel along with `ops`; null if what stands outside of `ops` is host
  /// code.
  Region *inner = nullptr;
  Location loc;
  StringAttr name;
  ClassAttr opClass;
  CostAttr cost;
};

/// Builds the kernel at the insertion point of `builder`, from copies of the
/// operators. Tensors and scalars from outside become `ins`; splats, constants
/// of at most 64 bytes, `tensor.empty` and fills are copied into the body; each
/// result gets a `tensor.empty` as its `outs`. `host` says where values of a
/// group that is being split stand outside of it.
///
/// Fails, with an error, if an output is no ranked tensor or the size of a
/// dynamic one cannot be had outside of the kernel.
FailureOr<KernelOp> buildKernel(OpBuilder &builder,
                                const KernelRequest &request,
                                const IRMapping &host);

/// Names of kernels: letters, digits and underscores, unique.
class KernelNames {
public:
  /// `wanted`, made an identifier and, if it is taken, numbered.
  std::string make(StringRef wanted);
  /// The name for a kernel whose most important operator is `hero`.
  std::string makeFor(Operation *hero);

private:
  llvm::StringSet<> taken;
};

/// A copy of the tensor `value`, as an operator.
linalg::CopyOp createCopy(OpBuilder &builder, Location loc, Value value);

/// Of `ops`, the last reduction or contraction, else the last that computes.
Operation *findHero(ArrayRef<Operation *> ops);

} // namespace mlir::fuse

#endif // FUSE_MLIR_TRANSFORMS_KERNELBUILDER_H
