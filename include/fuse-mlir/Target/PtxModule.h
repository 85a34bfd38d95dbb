// The PTX text inside a compiled module.
#ifndef FUSE_MLIR_TARGET_PTXMODULE_H
#define FUSE_MLIR_TARGET_PTXMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::fuse {

/// One PTX module: the assembly object of a `gpu.binary`.
struct PtxModule {
  std::string name; // symbol of the `gpu.binary`
  std::string chip; // of its target, such as `sm_90`
  std::string text;
  Location loc;
};

/// The PTX modules in `module`, in order. Objects of other formats are left
/// out.
SmallVector<PtxModule> collectPtxModules(ModuleOp module);

/// Names of the kernels of a PTX module, in their order in the text.
SmallVector<StringRef> getKernelNames(StringRef ptx);

/// The PTX module with `kernel` as its only kernel: all that is at module
/// level stays (variables, device functions), other kernels go. Fails if there
/// is no such kernel.
FailureOr<std::string> extractKernel(StringRef ptx, StringRef kernel);

} // namespace mlir::fuse

#endif // FUSE_MLIR_TARGET_PTXMODULE_H
