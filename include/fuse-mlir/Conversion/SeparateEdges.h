// Branches that reach one block twice.
#ifndef FUSE_MLIR_CONVERSION_SEPARATEEDGES_H
#define FUSE_MLIR_CONVERSION_SEPARATEEDGES_H

namespace mlir {
class Operation;
namespace fuse {

/// Gives each further edge of a branch below `root` to one and the same block a
/// block of its own, which branches on. Upstream bufferizes the arguments of a
/// block once for each edge of a branch, and fails at the second.
void separateEdges(Operation *root);

} // namespace fuse
} // namespace mlir

#endif // FUSE_MLIR_CONVERSION_SEPARATEEDGES_H
