// What the default quantities of `CostModel` count, in one walk over a kernel.
#ifndef FUSE_MLIR_COSTMODEL_KERNELCOUNTS_H
#define FUSE_MLIR_COSTMODEL_KERNELCOUNTS_H

#include "fuse-mlir/CostModel/CostModel.h"

namespace mlir::fuse::cost {

/// Work of one iteration of an operator.
struct OpWork {
  /// Product of its loop sizes; elements of the result for other operators.
  double iterations = 0;
  /// Arithmetic operations, a multiply-add counting two.
  double flops = 0;
  /// Instruction slots, special-function slots, f64 slots.
  double instructions = 0, special = 0, f64 = 0;
};

/// Totals over a kernel. Sums are taken in program order, so they are the same
/// in every run.
struct KernelCounts {
  bool known = false;
  double flops = 0, recomputedFlops = 0;
  double instructions = 0, special = 0, f64 = 0;
  /// Operations of matrix units, and of contractions on the usual units.
  double tensorFlops = 0, contractionFmas = 0;
  /// Bytes between L2 and the multiprocessors.
  double l2Bytes = 0;
  /// Instructions of one element of everything: code before unrolling.
  double staticInstructions = 0;
  /// Unique bytes of the inputs; a gather's table counts whole, or as far as it
  /// is read.
  double bytesRead = 0, bytesReadSparsely = 0;
  double bytesWritten = 0;
  /// Most values alive at once, in 4-byte words per element, when the
  /// operators run in program order.
  double liveWords = 0;
  bool contracts = false;
};

/// Lanes of one contraction tile in each direction: an operand that does not
/// depend on a parallel loop is read again once per so many iterations.
inline constexpr int64_t kContractionTile = 128;

/// Number of elements of a static shaped type; nothing otherwise.
std::optional<double> getElements(Type type);
/// Bytes of a value (1 for sub-byte elements, as they are stored).
std::optional<double> getBytes(Type type);
/// Bytes of one element.
int64_t getElementBytes(Type type);

/// The value under `value` when views that cost nothing are looked through.
Value lookThroughViews(Value value);
/// Whether `op` gives another view of the same memory: collapse, expand,
/// static casts and reshapes.
bool isView(Operation *op);
/// Whether `op` needs no kernel and moves no bytes: views, empties, constants,
/// fills.
bool isFree(Operation *op);
/// Whether `op` contracts: products summed over a loop that two operands share.
bool isContraction(Operation *op);

OpWork getWork(Operation *op);
/// Counts a view; one walk over its operators.
KernelCounts countKernel(const KernelView &kernel);

/// Threads that share a row on the row path.
int64_t getThreadsPerRow(const GroupShape &shape);
/// Neighbouring elements that a thread handles at once.
int64_t getVectorWidth(const KernelView &kernel);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_COSTMODEL_KERNELCOUNTS_H
