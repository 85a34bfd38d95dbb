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

void NvfuserPolicy::run() {
  foldOperands();
  privatizeUpcasts();
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned group : getGroups())
      while (isLive(group) && mergeNeighbour(group))
        changed = true;
  }
}

std::unique_ptr<Policy> plan::makeNvfuserPolicy(Search &search) {
  return std::make_unique<NvfuserPolicy>(search);
}
