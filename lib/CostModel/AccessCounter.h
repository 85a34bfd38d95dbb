// One access of a kernel, or several that a thread does side by side, evaluated
// lane by lane over a few blocks.
#ifndef FUSE_MLIR_LIB_COSTMODEL_ACCESSCOUNTER_H
#define FUSE_MLIR_LIB_COSTMODEL_ACCESSCOUNTER_H

#include "WarpAccess.h"

#include "fuse-mlir/Analysis/BoxShape.h"

namespace mlir::fuse::cost {

/// Whether some output has an element for each place.
bool hasFullOutput(const GroupShape &shape);

/// How `access` goes through shared memory, if it does.
const BoxOperand *findBoxed(const GroupShape &shape, const LeafAccess &access,
                            bool isStore);

/// An access, or several side by side, evaluated over sampled blocks.
class AccessCounter {
public:
  AccessCounter(const GroupShape &shape, const LaunchShape &launch,
                ArrayRef<PlacedAccess> places, int64_t elementBytes,
                bool isStore);
  AccessTraffic run();

private:
  /// A condition; `stride` is by how much the place changes with it, if a
  /// window takes the nearest element where it does not hold.
  struct Limit {
    LaneProgram expr;
    int64_t size, stride;
  };
  /// Where a thread accesses the tensor.
  struct Place {
    LaneProgram linear;
    SmallVector<Limit, 2> limits;
  };
  /// The element of one neighbour in one step and iteration, and the lanes that
  /// access it.
  struct Element {
    Lanes numbers;
    std::array<bool, kWarp> active;
    /// The first number before it is moved to the nearest element.
    int64_t order = 0;
    /// What the numbers are known to be multiples of, if lanes do not say that.
    int64_t alignment = 0;
    bool operator==(const Element &other) const {
      return numbers == other.numbers && active == other.active;
    }
  };
  using Elements = SmallVector<Element, 8>;
  void findLoops();
  void setIteration(int64_t iteration);
  int64_t findStride(const LeafAccess &access, AffineExpr guard);
  void limit(const Limit &limit, ArrayRef<Lanes> place, Element &element) const;
  SampleKind getKind() const;
  void evaluate(const WarpStep &step, Elements &elements) const;
  Elements evaluateTogether(const WarpStep &step, int64_t first);
  void findAlignments(ArrayRef<SampledBlock> blocks);
  static void sortElements(Elements &elements);
  int64_t findWidth(const Elements &elements, size_t first) const;
  double countStep(const WarpStep &step, int64_t first,
                   std::vector<int64_t> &seen);
  double findShare();
  int64_t findLoopWidth(const WarpStep &step);
  Lanes evaluateFirst(const WarpStep &step, int64_t iteration);

  const GroupShape &shape;
  const LaunchShape &launch;
  const LeafAccess &access;
  ArrayRef<RunTimeIndex> kinds;
  int64_t elementBytes;
  bool isStore, onlyStored;
  SmallVector<Place, 1> places;
  /// Values of the run-time indices at this moment.
  SmallVector<int64_t> indices;
  /// Loops around the access, outermost first.
  SmallVector<unsigned> loops;
  double trips = 1;
  /// Iterations side by side in the code of a thread: places of its window.
  int64_t together = 1;
  /// Of a window, by place: what the numbers of all threads are multiples of.
  SmallVector<int64_t> alignments;
  /// The place comes from the data.
  bool fromData = false;
  /// Places of the sample at which the access is done, those of them in warps
  /// some of whose lanes leave it out, and all places.
  double done = 0, divided = 0, all = 0;
};

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_LIB_COSTMODEL_ACCESSCOUNTER_H
