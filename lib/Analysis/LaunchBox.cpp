// Launches of transposing kernels: a block for each box.
#include "LaunchChoice.h"

#include "fuse-mlir/Analysis/BoxShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isBoxed(const GroupShape &shape, bool isOutput, unsigned number) {
  return llvm::any_of(shape.boxed, [&](const BoxOperand &operand) {
    return operand.isOutput == isOutput && operand.number == number;
  });
}

/// Bytes of the smallest element of an operand that threads access directly.
static int64_t getSmallestBytes(const GroupShape &shape) {
  constexpr int64_t kFraction = 32;
  int64_t smallest = 8;
  auto add = [&](Value value) {
    int64_t elements = shape.sizes.assume(shape.sizes.getElements(value));
    if (elements * kFraction >= shape.rows)
      smallest = std::min(smallest, bytesOf(value.getType()));
  };
  for (auto [i, output] : llvm::enumerate(shape.outputs))
    if (!isBoxed(shape, /*isOutput=*/true, i))
      add(output.value);
  for (auto [i, access] : llvm::enumerate(shape.accesses))
    if (!isBoxed(shape, /*isOutput=*/false, i))
      add(access.value);
  return smallest;
}

/// Neighbours of a thread. If their number is known at run time only, that is
/// asked there.
static int64_t chooseWidth(const GroupShape &shape) {
  int64_t most = kAccessBytes / getSmallestBytes(shape);
  const BoxAxis &axis = shape.axes[shape.order.front()];
  if (isa<AffineConstantExpr>(axis.places))
    return getBoxWidth(shape, shape.order, most);
  while (axis.extent % most != 0)
    most /= 2;
  return most;
}

LaunchShape fuse::chooseBoxLaunch(const GroupShape &shape) {
  constexpr int64_t kThreads = 256;
  LaunchShape launch;
  launch.residency = Residency::Shared;
  launch.vector = chooseWidth(shape);
  launch.grid = countBoxes(shape);
  int64_t chunks = ceilDiv(countBoxItems(shape, shape.order), launch.vector);
  // Two chunks for a thread: addresses are worked out once for both.
  launch.threads =
      std::min<int64_t>(kThreads, llvm::alignTo(ceilDiv(chunks, 2), kWarp));
  launch.positions = ceilDiv(chunks, launch.threads);
  for (const BoxOperand &operand : shape.boxed)
    launch.stagedBytes += llvm::alignTo(countBoxItems(shape, operand.order) *
                                            getElementBytes(shape, operand),
                                        kAccessBytes);
  return launch;
}

void fuse::widenBox(const GroupShape &shape, int64_t threads,
                    LaunchShape &launch) {
  launch.threads = threads;
  launch.positions =
      ceilDiv(countBoxItems(shape, shape.order), threads * launch.vector);
}

AffineMap fuse::getBoxLayout(MLIRContext *context, const GroupShape &shape,
                             const LaunchShape &launch) {
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  AffineExpr item = (position * launch.threads + thread) * launch.vector + lane;
  SmallVector<AffineExpr> index = getBoxOrigin(shape, block);
  for (auto [at, inBox] :
       llvm::zip(index, getBoxIndex(shape, shape.order, item)))
    at = at + inBox;
  return AffineMap::get(4, 0, index, context);
}
