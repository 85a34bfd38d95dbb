// One call each to register everything this project has.
#ifndef FUSE_MLIR_INITALL_H
#define FUSE_MLIR_INITALL_H

namespace mlir {
class DialectRegistry;
namespace fuse {

/// Registers the fuse dialect and upstream's dialects that the passes of this
/// project read or make.
void registerAllDialects(DialectRegistry &registry);

/// Registers the external models that the passes rely on: classification,
/// bufferization, translation to LLVM IR, GPU targets; and the cost model
/// `ptxas`.
void registerAllExtensions(DialectRegistry &registry);

/// Registers the passes of this project.
void registerPasses();

/// Registers the pipelines `fuse-plan`, `fuse-groups-to-gpu` and
/// `fuse-to-ptx`.
void registerPipelines();

} // namespace fuse
} // namespace mlir

#endif // FUSE_MLIR_INITALL_H
