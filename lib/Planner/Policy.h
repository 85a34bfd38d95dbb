// The rules by which other compilers decide on fusion, over our operators and
// our code generation (docs/Policies.md). A policy says which groups are looked
// at in which order and which of them are joined; what is legal is up to the
// search, as for every strategy.
#ifndef FUSE_MLIR_LIB_PLANNER_POLICY_H
#define FUSE_MLIR_LIB_PLANNER_POLICY_H

#include "Search.h"

namespace mlir::fuse::plan {

class Policy {
public:
  virtual ~Policy();
  virtual void run() = 0;

protected:
  explicit Policy(Search &search) : search(search), graph(search.getGraph()) {}

  const Group &getGroup(unsigned index) const { return graph.groups[index]; }
  /// Groups that may take part in fusion, in a running order.
  SmallVector<unsigned> getGroups() const;
  bool isLive(unsigned group) const {
    return getGroup(group).alive && getGroup(group).mergeable;
  }
  /// Whether some operator of the group has one of the classes.
  bool has(unsigned group, std::initializer_list<OpClass> classes) const;
  bool contracts(unsigned group) const {
    return has(group, {OpClass::Contraction, OpClass::Scan, OpClass::Opaque});
  }
  bool reduces(unsigned group) const {
    return has(group, {OpClass::Reduction});
  }
  /// Element-wise operators, broadcasts and movements only.
  bool isPointwise(unsigned group) const {
    return !contracts(group) && !reduces(group);
  }
  /// Consumers of a group; nothing if the host needs its results, too.
  std::optional<SmallVector<unsigned>> getOnlyConsumers(unsigned group) const;
  /// Iterations of the last operator; see `Search::getSpace`.
  double getSpace(unsigned group) {
    return search.getSpace(getGroup(group).ops.back());
  }
  /// Whether both run through the same rows and columns.
  bool isAligned(unsigned a, unsigned b) const {
    return graph.getAlignment(a, b).aligned;
  }
  /// Whether both run through the same loops: equally aligned, or element-wise
  /// without movements over as many elements (scalars have no place in rows and
  /// columns).
  bool haveSameLoops(unsigned a, unsigned b);
  /// Tensors that a kernel of both groups would read and write.
  size_t countOperands(unsigned a, unsigned b) const;
  /// Puts transposes and paddings of the operands of contractions into these:
  /// libraries and loops of products take them as they come.
  void foldOperands();
  /// Whether the group is a concat.
  bool isConcat(unsigned group) const;
  /// Whether an operator takes a maximum over its reduction loops.
  bool isMaximum(unsigned op) const;
  /// Whether the group adds a vector to each row, or takes the maximum with
  /// zero.
  bool isBiasOrRelu(unsigned group) const;

  /// Makes a kernel of each normalisation: row reductions whose results come
  /// back, possibly through operators on rows, to where what they reduce is
  /// read at every place ("diamonds").
  ///
  /// `starts` says of reductions whether one may begin with them.
  void mergeDiamonds(function_ref<bool(unsigned op)> starts);

  Search &search;
  const PlanGraph &graph;

private:
  SmallVector<unsigned> findDiamond(unsigned reduction);
};

std::unique_ptr<Policy> makeXlaPolicy(Search &search);
std::unique_ptr<Policy> makeTvmPolicy(Search &search);
std::unique_ptr<Policy> makeInductorPolicy(Search &search);
std::unique_ptr<Policy> makeNvfuserPolicy(Search &search);
std::unique_ptr<Policy> makeIreePolicy(Search &search);
/// The policy that `strategy` (`isPolicy`) asks for.
std::unique_ptr<Policy> makePolicy(PlanStrategy strategy, Search &search);

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_POLICY_H
