// The kernels of the suite `emulator`: as PTX, shaped like nvcc's, and the same
// in C++ for the host.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_EMULATORKERNELS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_EMULATORKERNELS_H

#include "fuse-mlir/Emulator/Emulator.h"
#include "mlir/Support/LLVM.h"

#include <vector>

namespace mlir::fuse::bench {

/// Kernel `name` takes its buffers and then a size as 32-bit number.
struct EmulatedKernel {
  StringRef name;
  uint32_t size;
  emu::Dim3 grid, block;
  /// Floats of each buffer; the last is the result.
  std::vector<uint64_t> buffers;
  void (*onHost)(const std::vector<std::vector<float>> &in,
                 std::vector<float> &out, uint32_t size);
};

/// A pointwise kernel, a matrix product without tiles, a row reduction. With
/// `isSmall`, of sizes that serve to compare samples of blocks with the whole.
std::vector<EmulatedKernel> getEmulatedKernels(bool isSmall);

/// The PTX module that has all of them.
extern const char *const emulatedKernelsPtx;

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_EMULATORKERNELS_H
