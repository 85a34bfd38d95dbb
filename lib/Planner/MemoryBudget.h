// The budget `max-peak-bytes` while a search changes groups: what the device
// memory of the whole block would be at its peak.
#ifndef FUSE_MLIR_LIB_PLANNER_MEMORYBUDGET_H
#define FUSE_MLIR_LIB_PLANNER_MEMORYBUDGET_H

#include "PlanGraph.h"
#include "fuse-mlir/Planner/PeakMemory.h"

namespace mlir::fuse::plan {

/// A change of groups that is not made yet.
struct GroupChange {
  struct Changed {
    unsigned group = 0;
    /// What it would hold.
    SmallVector<unsigned, 4> ops;
    int64_t scratchBytes = 0;
  };
  SmallVector<Changed, 2> changed;
  /// Groups that would be gone.
  SmallVector<unsigned, 2> gone;
  /// The group that takes the place of those that are gone; none if what they
  /// gave to others is computed there.
  std::optional<unsigned> heir;
  /// Groups of which the second one's predecessors become the first one's.
  SmallVector<std::pair<unsigned, unsigned>, 2> inherits;

  /// The merge of two groups.
  static GroupChange merge(const PlanGraph &graph, ArrayRef<unsigned> groups,
                           int64_t scratchBytes);
};

/// Numbers of the living groups of `graph`, the terminator left out, in the
/// order in which they are emitted: that of the program as far as dependences
/// allow, if `change` were made.
std::vector<unsigned> getRunningOrder(const PlanGraph &graph,
                                      const GroupChange &change = {});

class MemoryBudget {
public:
  MemoryBudget(const PlanGraph &graph, std::optional<int64_t> limit)
      : graph(graph), limit(limit) {}

  /// What the rule `peak-memory` says of `change`: nothing if the peak stays
  /// within the budget, or does not grow. Linear in the size of the block.
  std::optional<RuleViolation> check(const GroupChange &change) const;
  /// Whether the block as it is now keeps the budget.
  bool isKept() const;
  bool hasLimit() const { return limit.has_value(); }

private:
  struct Found {
    PeakMemory peak;
    /// First operator of the step at which it is.
    Operation *at = nullptr;
  };
  std::optional<Found> findPeak(const GroupChange &change) const;

  const PlanGraph &graph;
  std::optional<int64_t> limit;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_MEMORYBUDGET_H
