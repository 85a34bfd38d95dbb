// The exact search behind the strategy `optimal`, without any IR: items that
// need each other, and prices of sets of items. Unit tests compare it with
// brute force.
#ifndef FUSE_MLIR_LIB_PLANNER_EXACTCOVER_H
#define FUSE_MLIR_LIB_PLANNER_EXACTCOVER_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace mlir::fuse::plan {

/// An operator, or operators that must stay together.
struct ExactItem {
  /// Results that it reads, or that stand for what must run before it; made by
  /// items with smaller numbers.
  SmallVector<unsigned, 4> needs;
  /// Results that it makes. No other item makes them.
  SmallVector<unsigned, 2> makes;
  /// Shares a kernel with nobody.
  bool alone = false;
  /// Runs once: a reduction, a read of memory. Others may be computed again.
  bool once = false;
};

/// What a set of items costs as one kernel.
struct ExactPrice {
  /// Nothing if the set is not legal or has no price.
  std::optional<int64_t> cost;
  /// No set that also holds producers of these items is legal either.
  bool hopeless = false;
};

/// Groups are sets of items that together compute what they give to others from
/// what other groups give to them. An item without `once` may stand in several.
struct ExactProblem {
  std::vector<ExactItem> items;
  /// Number of results of all items.
  unsigned results = 0;
  /// Results that are wanted in the end, or stand for items that must run.
  SmallVector<unsigned> wanted;
  /// Price of `items` as a kernel that gives the results `given` to others.
  /// Both are sorted. Asked once for each pair.
  std::function<ExactPrice(ArrayRef<unsigned> items, ArrayRef<unsigned> given)>
      price;
  /// Groups and sets of needs looked at before the search stops.
  int64_t limit = 0;
  /// If there is one: stops the search before the limit.
  std::function<bool()> stop;
  /// Total of a known solution.
  int64_t known = 0;
  /// No group costs less, apart from items that are alone; these cost 0 or more.
  int64_t least = 0;
  /// If there is one: what `ExactPrice::hopeless` says of a set, without its
  /// price.
  std::function<bool(ArrayRef<unsigned> items)> isHopeless;
};

struct ExactGroup {
  /// Numbers of items and of results.
  SmallVector<unsigned> items, given;
};

struct ExactSolution {
  /// In an order in which they can run; empty if nothing cheaper than
  /// `ExactProblem::known` was found.
  std::vector<ExactGroup> groups;
  /// No solution costs less. Equal to the cheapest total if `complete`.
  int64_t bound = 0;
  /// What that is without taking anything for granted; see `solveExactCover`.
  int64_t provenBound = 0;
  /// The limit was not reached.
  bool complete = false;
  /// Of `ExactProblem::limit`.
  int64_t work = 0;
};

/// Finds the groups with the least sum of prices, from the last group to the
/// first: a state is the set of results that later groups need, a step chooses
/// the group that gives some of them. States are visited best first; groups that
/// would cost too much at `ExactProblem::least` are not priced.
///
/// An eighth of the limit is spent without another bound on what a state still
/// costs than that; what this finds is exact whatever the prices. If it does not
/// suffice, the bound is the largest of the exact prices of the state's single results,
/// which are found first. That is right as long as a group that gives less is
/// neither dearer nor less legal; see
/// `ExactSolution::provenBound`.
ExactSolution solveExactCover(const ExactProblem &problem);

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EXACTCOVER_H
