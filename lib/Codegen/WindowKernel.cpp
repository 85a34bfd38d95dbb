// Path `window`. Each thread owns a few neighbouring elements of the output and
// loads what their windows cover: all at once, without a branch, so that the
// loads are under way together, and what the windows of one thread share is
// loaded once (the emitter remembers it). Elements of several threads' windows
// come from a cache. Within a window the order is that of the source.
#include "fuse-mlir/Codegen/KernelCodegen.h"

using namespace mlir;
using namespace mlir::fuse;

void fuse::emitWindowKernel(KernelContext &context) {
  context.emitter.unrollWindows(true);
  emitFlatKernel(context);
  context.emitter.unrollWindows(false);
}
