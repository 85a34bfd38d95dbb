// What the default quantities of `CostModel` count, in one walk over a kernel.
#ifndef FUSE_MLIR_COSTMODEL_KERNELCOUNTS_H
#define FUSE_MLIR_COSTMODEL_KERNELCOUNTS_H

#include "fuse-mlir/CostModel/CostModel.h"
#include "fuse-mlir/CostModel/OpFacts.h"

namespace mlir::fuse::cost {

struct PartCounts;

/// What a thread holds side by side, in words of registers.
struct HeldWords {
  /// Chunks of all reads; of those under conditions the largest one.
  double read = 0;
  double written = 0;
};

/// Totals over a kernel. Sums are taken in program order, so they are the same
/// in every run.
struct KernelCounts {
  bool known = false;
  double flops = 0, recomputedFlops = 0;
  double instructions = 0, special = 0, f64 = 0, integer = 0;
  /// Operations of matrix units, and of contractions on the usual units.
  double tensorFlops = 0, contractionFmas = 0;
  /// Of contractions, if a thread's loop multiplies; not in `f64` and
  /// `integer`.
  double contractionF64 = 0, contractionInteger = 0;
  /// Bytes that the tiles of contractions read.
  double tileBytes = 0;
  /// Instructions of the code: one element of everything, as often as elements
  /// stand side by side; of packed kernels those of all parts.
  double staticInstructions = 0;
  /// Unique bytes of the inputs; a gather's table counts whole, or as far as it
  /// is read.
  double bytesRead = 0, bytesReadSparsely = 0;
  double bytesWritten = 0;
  /// Of `bytesReadSparsely`, what `KernelView::residentInputs` says is in L2.
  double bytesResident = 0;
  /// Most values alive at once, in 4-byte words per element, when the
  /// operators run in program order.
  double liveWords = 0;
  bool contracts = false;
  /// Some operand is read at places that come from the data.
  bool dataDependent = false;
  /// Launch, what its threads hold, and sectors, if the view has a shape. Those
  /// of a packed kernel are summed up over its parts; `launch` then has blocks
  /// and threads only, and `held` is nothing.
  std::optional<LaunchShape> launch;
  HeldWords held;
  KernelTraffic traffic;
  /// Of a packed kernel: its parts as kernels of their own.
  std::vector<PartCounts> parts;
};

/// A part of a packed kernel and the inputs that it reads.
struct PartCounts {
  SmallVector<Value> inputs;
  KernelCounts counts;
};

/// Counts a view; one walk over its operators. `cache` only saves time.
KernelCounts countKernel(const KernelView &kernel,
                         OpFactsCache *cache = nullptr);
/// The same with the facts about `kernel` at hand.
KernelCounts countKernel(const KernelView &kernel, const KernelFacts &facts,
                         OpFactsCache &cache);

/// A view with its counts, which are made if it has none: whoever asks for
/// several quantities of one view counts it once.
class CountedView {
public:
  /// `cache` only saves time.
  explicit CountedView(const KernelView &kernel, OpFactsCache *cache = nullptr);
  CountedView(const CountedView &) = delete;
  CountedView &operator=(const CountedView &) = delete;

  const KernelView &get() const { return view; }
  const KernelCounts &getCounts() const { return *view.counts; }

private:
  KernelView view;
  KernelCounts own;
};

/// Elements of a thread whose code stands side by side.
double getElementsSideBySide(const GroupShape &shape,
                             const LaunchShape &launch);

/// The launch of `kernel`, whose shape is no packed one.
LaunchShape getLaunch(const KernelView &kernel);

/// Fills `launch`, `held`, `traffic` and `parts` of the counts of `kernel`;
/// `facts` are those about it.
void countSectors(const KernelView &kernel, const KernelFacts &facts,
                  OpFactsCache &cache, KernelCounts &counts);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_COSTMODEL_KERNELCOUNTS_H
