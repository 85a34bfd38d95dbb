// Device memory of a program whose kernels run one after the other: which
// buffers are there at once, and how many bytes that is at the most.
#ifndef FUSE_MLIR_PLANNER_PEAKMEMORY_H
#define FUSE_MLIR_PLANNER_PEAKMEMORY_H

#include "fuse-mlir/CostModel/CostModel.h"

namespace mlir::fuse {

struct Plan;

/// One kernel, or one operation of the host, of a program.
struct MemoryStep {
  bool isKernel = false;
  /// Tensors that it reads and makes, views looked through.
  SmallVector<Value, 4> reads, makes;
  /// Bytes beyond that while it runs: scratch memory of a kernel, and what the
  /// regions of a host operation take.
  int64_t extraBytes = 0;
};

/// The most device memory at one time, in bytes, and the step at which it is.
struct PeakMemory {
  int64_t bytes = 0;
  size_t step = 0;
};

/// Peak of `steps`, which run in this order in `block`; values of `kept` stay
/// to the end. Unknown if a size is.
///
/// On the device is what a kernel reads or makes. A value is there from the
/// step that makes it to the last one that uses it; an argument or constant
/// from the first kernel that reads it to the last one, as host code with
/// `memory=host` uploads it. What comes from another block belongs to the step
/// there that holds `block`.
std::optional<PeakMemory> findPeakMemory(ArrayRef<MemoryStep> steps,
                                         ArrayRef<Value> kept, Block &block);

/// Peak of the whole of `plan`: of the function that takes most, regions inside
/// of it included. Unknown if a size is.
Quantity getPeakBytes(const Plan &plan);

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_PEAKMEMORY_H
