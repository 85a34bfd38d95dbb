// The cheapest plan by trying everything: all sets of stored values, all ways
// to split them over kernels, all ways to compute each of these. Knows nothing
// of the planner.
#ifndef FUSE_MLIR_TEST_UNIT_PLANNER_BRUTEFORCE_H
#define FUSE_MLIR_TEST_UNIT_PLANNER_BRUTEFORCE_H

#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace brute {
/// A set of items, one bit each.
using Mask = unsigned;

/// Items in topological order, each with one result.
class Graph {
public:
  virtual ~Graph() = default;
  virtual unsigned getCount() const = 0;
  /// Items whose results the items of `group` read and do not make.
  virtual Mask getInputs(Mask group) const = 0;
  /// Whether the item must stand in one group only.
  virtual bool runsOnce(unsigned item) const = 0;
  /// Items whose results must be stored in the end.
  virtual Mask getWanted() const = 0;
  /// Price of a group that stores the results `given`; nothing if illegal.
  virtual std::optional<int64_t> getPrice(Mask group, Mask given) const = 0;
};

class BruteForce {
public:
  explicit BruteForce(const Graph &graph) : graph(graph) {}

  /// The least total price below `best`; else `best`.
  int64_t run(int64_t best = std::numeric_limits<int64_t>::max()) {
    this->best = best;
    Mask must = graph.getWanted();
    for (stored = 0; stored < (1u << graph.getCount()); ++stored)
      if ((stored & must) == must)
        split(0, stored);
    return this->best;
  }

private:
  struct Group {
    Mask items, given;
  };

  /// Gives the lowest of `left` to a new group, with every subset of the rest.
  void split(int64_t price, Mask left) {
    if (price >= best)
      return;
    if (left == 0) {
      if (isSound())
        best = price;
      return;
    }
    Mask low = left & -left, rest = left & ~low;
    for (Mask others = rest;; others = (others - 1) & rest) {
      tryGroups(price, left, low | others);
      if (others == 0)
        break;
    }
  }
  /// Computes `given` in all ways: of it and of what it depends on.
  void tryGroups(int64_t price, Mask left, Mask given) {
    Mask above = 0;
    for (Mask next = graph.getInputs(given); next & ~above;
         next = graph.getInputs(above | given) & ~given)
      above |= next;
    for (Mask more = above;; more = (more - 1) & above) {
      Mask items = given | more;
      if ((graph.getInputs(items) & ~stored) == 0)
        if (std::optional<int64_t> own = graph.getPrice(items, given)) {
          groups.push_back({items, given});
          split(price + *own, left & ~given);
          groups.pop_back();
        }
      if (more == 0)
        break;
    }
  }
  /// Items that run once stand in one group; the groups can run in some order.
  bool isSound() const {
    for (unsigned i = 0; i < graph.getCount(); ++i) {
      int count = 0;
      for (const Group &group : groups)
        count += group.items >> i & 1;
      if (graph.runsOnce(i) && count > 1)
        return false;
    }
    std::vector<Group> waiting = groups;
    Mask made = 0;
    while (!waiting.empty()) {
      auto next = llvm::find_if(waiting, [&](const Group &group) {
        return (graph.getInputs(group.items) & ~made) == 0;
      });
      if (next == waiting.end())
        return false;
      made |= next->given;
      waiting.erase(next);
    }
    return true;
  }

  const Graph &graph;
  Mask stored = 0;
  std::vector<Group> groups;
  int64_t best = 0;
};
} // namespace brute

#endif // FUSE_MLIR_TEST_UNIT_PLANNER_BRUTEFORCE_H
