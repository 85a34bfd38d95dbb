// Launches of kernels that move windows over their input.
#include "LaunchChoice.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

/// Iterations of all reductions for one element.
static int64_t countIterations(const GroupShape &shape) {
  int64_t sum = 0;
  for (Operation *root : shape.roots) {
    int64_t count = 1;
    linalg::LinalgOp op = cast<linalg::LinalgOp>(root);
    for (auto [size, kind] :
         llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        count *= size;
    sum += count;
  }
  return sum;
}

LaunchShape fuse::chooseWindow(const GroupShape &shape,
                               const Footprint &footprint) {
  // Elements that a thread loads at once.
  constexpr int64_t kMostLoads = 64;
  LaunchShape launch;
  int64_t elements = std::max<int64_t>(shape.rows, 1);
  launch.vector = std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  // Threads for the device come before wide accesses: windows overlap, and
  // what is read twice comes from a cache.
  while (launch.vector > 1 &&
         (shape.neighbours % launch.vector || elements % launch.vector ||
          countIterations(shape) * launch.vector > kMostLoads ||
          elements / launch.vector < kFullDevice * kWarp))
    launch.vector /= 2;
  launch.threads = std::min<int64_t>(
      128, llvm::alignTo(ceilDiv(elements, launch.vector), kWarp));
  launch.grid = ceilDiv(elements, launch.threads * launch.vector);
  return launch;
}
