// Bufferization of the dialect's operations, as external models.
#ifndef FUSE_MLIR_CONVERSION_BUFFERIZABLEOPINTERFACEIMPL_H
#define FUSE_MLIR_CONVERSION_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
namespace fuse {

/// Lets one-shot bufferization handle `fuse.launch` and `fuse.boundary`.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace fuse
} // namespace mlir

#endif // FUSE_MLIR_CONVERSION_BUFFERIZABLEOPINTERFACEIMPL_H
