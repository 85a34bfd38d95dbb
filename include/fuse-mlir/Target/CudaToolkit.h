// Finds the parts of an installed CUDA toolkit that we can use.
#ifndef FUSE_MLIR_TARGET_CUDATOOLKIT_H
#define FUSE_MLIR_TARGET_CUDATOOLKIT_H

#include <optional>
#include <string>

namespace mlir::fuse {

/// The paths of `ptxas` and `nvdisasm`: on the PATH, else in a CUDA toolkit
/// (see below).
std::optional<std::string> findPtxas();
std::optional<std::string> findNvdisasm();

/// The path of CUDA's device math library, `libdevice.10.bc`. The toolkit is
/// the one that CUDA_HOME, CUDA_PATH or CUDA_ROOT names; if none does, it is
/// looked for beside `nvcc` and `ptxas` on the PATH, and in /usr/local/cuda.
std::optional<std::string> findLibdevice();

} // namespace mlir::fuse

#endif // FUSE_MLIR_TARGET_CUDATOOLKIT_H
