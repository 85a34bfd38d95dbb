// Where the threads of a warp are in a kernel's space at one step.
#ifndef FUSE_MLIR_LIB_COSTMODEL_WARPACCESS_H
#define FUSE_MLIR_LIB_COSTMODEL_WARPACCESS_H

#include "fuse-mlir/CostModel/Traffic.h"

#include <array>

namespace mlir::fuse::cost {

inline constexpr int64_t kWarp = 32;
using Lanes = std::array<int64_t, kWarp>;

/// An affine expression as a list of steps, evaluated for all lanes at once.
class LaneProgram {
public:
  explicit LaneProgram(AffineExpr expr) { compile(expr); }
  /// The values for dimensions and symbols.
  Lanes run(ArrayRef<Lanes> dims, ArrayRef<int64_t> symbols) const;
  /// Whether it is a sum of multiples of the dimensions.
  bool isLinear() const;

private:
  /// Pushes a constant, dimension or symbol, or combines the value on top of
  /// the stack with a constant (`isImmediate`) or with the one above it.
  struct Step {
    AffineExprKind kind;
    bool isImmediate = false;
    int64_t number = 0;
  };
  void compile(AffineExpr expr);
  SmallVector<Step, 16> steps;
};

/// Sorts the sectors and leaves each once. Mostly they come in order.
template <typename Sectors>
void sortSectors(Sectors &sectors) {
  if (!llvm::is_sorted(sectors))
    std::sort(sectors.begin(), sectors.end());
  sectors.erase(llvm::unique(sectors), sectors.end());
}

/// The neighbouring elements that each thread of a warp handles at one step.
struct WarpStep {
  /// First element of each thread, and how many there are.
  Lanes row, column;
  int64_t width = 1;
  /// Distance of neighbours along the rows.
  int64_t rowStep = 1;
  /// The place exists; others were moved to the last one that does.
  std::array<bool, kWarp> exists;
  /// How many steps of the kernel this one stands for.
  double weight = 1;
};

/// A block that is looked at: its steps, in the order in which they run.
struct SampledBlock {
  /// Blocks that it stands for; part of the weights of its steps.
  double weight = 1;
  std::vector<WarpStep> steps;
};

/// What a sample looks at: positions and neighbouring elements matter only to
/// accesses that depend on them.
struct SampleKind {
  /// Only once per thread and row: the access is the same for all columns.
  bool perRow = false;
  /// The same for all rows that a thread visits.
  bool perColumn = false;
  /// Left out at places that do not exist, where others are moved to the last
  /// one that does.
  bool masked = false;
  /// Done by the thread that stores what there is once per row.
  bool byOwner = false;
  /// Done in some rows, or some columns, only, which a few samples may miss: a
  /// part of a concatenation.
  bool guardsRows = false, guardsColumns = false;
  /// Path `box`: the axes along which threads lie, and most neighbours of one.
  ArrayRef<unsigned> order = {};
  int64_t vector = 1;
};

/// Numbers `0 .. count - 1`, or `most` of them with what each stands for. The
/// last one always stands for itself: it may be ragged.
SmallVector<std::pair<int64_t, double>, 8> sampleNumbers(int64_t count,
                                                         int64_t most);

/// The same, but the first ones, which are neighbours, and the last one.
SmallVector<std::pair<int64_t, double>, 8> sampleNeighbours(int64_t count,
                                                            int64_t most);

/// A few blocks of a kernel whose steps, by their weights, stand for all.
SmallVector<SampledBlock> sampleBlocks(const GroupShape &shape,
                                       const LaunchShape &launch,
                                       SampleKind kind);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_LIB_COSTMODEL_WARPACCESS_H
