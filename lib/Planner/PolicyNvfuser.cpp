// Policy of nvFuser: merge producers and consumers as long as some scheduler
// takes the result (csrc/fusion_segmenter.cpp); nothing is compared in time.
#include "Policy.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

namespace {
class NvfuserPolicy : public Policy {
public:
  explicit NvfuserPolicy(Search &search) : Policy(search) {}
  void run() override;

private:
  void privatizeUpcasts();
  bool mergeNeighbour(unsigned &group);
  bool haveCommonRead(unsigned a, unsigned b) const;
  bool combineReductions();
};
} // namespace

/// Casts to wider types are computed again in every segment that reads them
/// (`privatizeUpcast`).
void NvfuserPolicy::privatizeUpcasts() {
  for (unsigned group : getGroups()) {
    const OpNode &node = graph.nodes[getGroup(group).ops.front()];
    std::optional<SmallVector<unsigned>> consumers = getOnlyConsumers(group);
    if (node.moves && node.opClass == OpClass::Injective && consumers &&
        consumers->size() > 1 &&
        llvm::none_of(*consumers, [&](unsigned i) { return contracts(i); }))
      search.recomputeIfLegal(group);
  }
}

/// Merges `group` with the first of its consumers that a scheduler takes it
/// with. Matrix products go to the library (`ExprEval`), each by itself.
bool NvfuserPolicy::mergeNeighbour(unsigned &group) {
  SmallVector<unsigned> consumers;
  for (auto &[next, edge] : getGroup(group).successors)
    if (isLive(next))
      consumers.push_back(next);
  for (unsigned consumer : consumers) {
    if (contracts(group) || contracts(consumer)) {
      search.refuse(DecisionKind::ProducerConsumer, group, consumer,
                    "nvfuser: a contraction is a segment of its own");
      continue;
    }
    if (std::optional<unsigned> left = search.mergeIfLegal(
            DecisionKind::ProducerConsumer, group, consumer)) {
      group = *left;
      return true;
    }
  }
  return false;
}

/// Whether both segments read a tensor that neither of them makes.
bool NvfuserPolicy::haveCommonRead(unsigned a, unsigned b) const {
  auto isRead = [&](unsigned group, Value value) {
    return llvm::any_of(getGroup(group).ops, [&](unsigned op) {
      return llvm::is_contained(graph.nodes[op].reads, value);
    });
  };
  auto isMade = [&](unsigned group, Value value) {
    return llvm::any_of(getGroup(group).ops, [&](unsigned op) {
      return graph.nodes[op].op == value.getDefiningOp();
    });
  };
  return llvm::any_of(getGroup(a).ops, [&](unsigned op) {
    return llvm::any_of(graph.nodes[op].reads, [&](Value value) {
      return isa<RankedTensorType>(value.getType()) && isRead(b, value) &&
             !isMade(a, value) && !isMade(b, value);
    });
  });
}

/// Merges segments side by side that reduce the same axes and have a producer
/// or an input in common (`CombineReductions`). There that is done first and
/// takes the operators between along; here they are in the segments already.
bool NvfuserPolicy::combineReductions() {
  bool changed = false;
  SmallVector<unsigned> groups =
      llvm::filter_to_vector(getGroups(), [&](unsigned group) {
        return reduces(group) && !contracts(group);
      });
  for (auto [i, first] : llvm::enumerate(groups))
    for (unsigned second : ArrayRef(groups).drop_front(i + 1)) {
      if (!isLive(first) || !isLive(second) || first == second ||
          !isAligned(first, second) || !haveCommonRead(first, second))
        continue;
      if (std::optional<unsigned> left =
              search.mergeIfLegal(DecisionKind::Sibling, first, second)) {
        first = *left;
        changed = true;
      }
    }
  return changed;
}

void NvfuserPolicy::run() {
  foldOperands();
  privatizeUpcasts();
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned group : getGroups())
      while (isLive(group) && mergeNeighbour(group))
        changed = true;
    changed |= combineReductions();
  }
}

std::unique_ptr<Policy> plan::makeNvfuserPolicy(Search &search) {
  return std::make_unique<NvfuserPolicy>(search);
}
