// Sets of operators of a plan graph as items of the exact search, with the
// planner's legality and prices: all of a graph (strategy `optimal`), or what a
// few groups hold (the local improvement).
#ifndef FUSE_MLIR_LIB_PLANNER_EXACTITEMS_H
#define FUSE_MLIR_LIB_PLANNER_EXACTITEMS_H

#include "Evaluator.h"
#include "ExactCover.h"

#include "llvm/ADT/BitVector.h"

namespace mlir::fuse::plan {

/// How a set of operators takes part in the exact search.
struct ItemTraits {
  /// Shares a kernel with nobody, and costs `price` in every plan.
  bool alone = false;
  int64_t price = 0;
  /// Must not be computed twice.
  bool once = false;
  /// Has reductions or contractions.
  bool hasRoots = false;
};

class ExactItems {
public:
  ExactItems(const PlanGraph &graph, Evaluator &evaluator)
      : graph(graph), evaluator(evaluator) {}

  /// Adds operators that stay together; none for something that lies between
  /// others. Items come in an order in which they can run. Gives the number.
  unsigned add(ArrayRef<unsigned> ops, const ItemTraits &traits);
  size_t size() const { return ops.size(); }

  /// After all items: `item` needs what its operators read of others.
  void addReads(unsigned item);
  /// The same for one value; nothing if no item makes it.
  void addRead(unsigned item, Value value);
  /// `item` has to run after `before`.
  void addOrder(unsigned item, unsigned before);
  /// A value that is needed in the end; an item that has to run.
  void wantValue(Value value);
  void wantItem(unsigned item);

  /// The cheapest groups below `known`, found with at most `limit` steps; no
  /// kernel costs less than `least`. Stops if `stop` says so.
  ExactSolution solve(int64_t known, int64_t least, int64_t limit,
                      std::function<bool()> stop = nullptr);

  /// Operators of an item.
  ArrayRef<unsigned> getOps(unsigned item) const { return ops[item]; }
  /// Operators of a group of a solution, sorted.
  SmallVector<unsigned, 4> getOps(const ExactGroup &group) const;
  /// Operators whose results a group of a solution gives to others, or that
  /// others wait for.
  SmallVector<unsigned> getGiven(const ExactGroup &group) const;

private:
  ExactPrice getPrice(ArrayRef<unsigned> items, ArrayRef<unsigned> given);
  Evaluation evaluate(ArrayRef<unsigned> items, ArrayRef<unsigned> given);
  /// Whether it is one item that shares with nobody.
  bool isAlone(ArrayRef<unsigned> items) const {
    return items.size() == 1 && traits[items.front()].alone;
  }
  bool holdsConflict(ArrayRef<unsigned> items);
  bool areInConflict(unsigned first, unsigned second);
  void findDependents();
  void need(unsigned item, unsigned result);
  unsigned getToken(unsigned item);

  const PlanGraph &graph;
  Evaluator &evaluator;
  ExactProblem problem;
  // By item:
  std::vector<SmallVector<unsigned, 4>> ops;
  std::vector<ItemTraits> traits;
  /// The result that stands for having run.
  llvm::DenseMap<unsigned, unsigned> tokenOf;
  /// Items that depend on each item, itself included.
  std::vector<llvm::BitVector> dependents;
  struct Result {
    /// The value in the graph; -1 for a token.
    int value = -1;
    unsigned item = 0;
    /// The operator that makes it; -1 for the token of an item without any.
    int op = -1;
  };
  SmallVector<Result> results;
  llvm::DenseMap<Value, unsigned> resultOf;
  /// Whether no kernel can hold both of two items; see `areInConflict`.
  llvm::DenseMap<std::pair<unsigned, unsigned>, bool> conflicts;
};

/// Whether an operator must not be computed twice: a reduction or contraction,
/// one that reads memory, and one of several results, which one group is the
/// home of.
bool runsOnce(const OpNode &node);

/// Whether the class-pair table has a role for operators of this class.
bool hasRole(OpClass opClass);

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EXACTITEMS_H
