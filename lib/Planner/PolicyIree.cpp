// Policy of IREE with its default flags: element-wise fusion, then roots that
// take what follows them (compiler/src/iree/compiler/DispatchCreation).
#include "Policy.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// `kIreeMaxOperandCount`.
static constexpr size_t kMaxOperands = 16;

namespace {
class IreePolicy : public Policy {
public:
  explicit IreePolicy(Search &search) : Policy(search) {}
  void run() override;

private:
  const char *getObstacle(unsigned producer, unsigned consumer);
  std::optional<unsigned> fuseElementwise(unsigned group);
  bool fuseMultiUse();
  std::optional<unsigned> getFusableUse(unsigned group) const;
  void fuseRootsWithConsumers();
};
} // namespace

/// What speaks against fusing two loops element by element.
const char *IreePolicy::getObstacle(unsigned producer, unsigned consumer) {
  if (!isPointwise(producer))
    return "iree: the producer is a root";
  if (contracts(consumer))
    return "iree: nothing is fused into the operands of a contraction";
  if (isConcat(producer) || isConcat(consumer))
    return "iree: a concat is a copy of each part";
  if (countOperands(producer, consumer) > kMaxOperands)
    return "iree: more than 16 operands";
  return nullptr;
}

/// ElementwiseOpFusion.cpp: producers with one use.
std::optional<unsigned> IreePolicy::fuseElementwise(unsigned group) {
  std::optional<SmallVector<unsigned>> consumers = getOnlyConsumers(group);
  if (!consumers || consumers->size() != 1)
    return std::nullopt;
  unsigned consumer = consumers->front();
  if (const char *obstacle = getObstacle(group, consumer)) {
    search.refuse(DecisionKind::ProducerConsumer, group, consumer, obstacle);
    return std::nullopt;
  }
  return search.mergeIfLegal(DecisionKind::ProducerConsumer, group, consumer);
}

/// FuseMultiUseElementwiseProducer.cpp: a producer that others need, too, and
/// one consumer of the same loops become one operator of two results.
bool IreePolicy::fuseMultiUse() {
  bool changed = false;
  for (unsigned group : getGroups()) {
    if (!isLive(group) || !isPointwise(group))
      continue;
    SmallVector<unsigned> consumers;
    for (auto &[next, edge] : getGroup(group).successors)
      if (isLive(next))
        consumers.push_back(next);
    for (unsigned consumer : consumers) {
      const char *obstacle = getObstacle(group, consumer);
      if (!obstacle &&
          (!isPointwise(consumer) || !haveSameLoops(group, consumer)))
        obstacle = "iree: the loops of the two are not the same";
      if (obstacle)
        search.refuse(DecisionKind::ProducerConsumer, group, consumer,
                      obstacle);
      else if (search.mergeIfLegal(DecisionKind::ProducerConsumer, group,
                                   consumer)) {
        changed = true;
        break;
      }
    }
  }
  return changed;
}

/// The consumer that comes before all others and on which they depend; any if
/// there is one only.
std::optional<unsigned> IreePolicy::getFusableUse(unsigned group) const {
  std::optional<unsigned> first;
  for (auto &[next, edge] : getGroup(group).successors)
    if (isLive(next) &&
        (!first || getGroup(next).position < getGroup(*first).position))
      first = next;
  if (!first)
    return std::nullopt;
  for (auto &[next, edge] : getGroup(group).successors)
    if (next != *first && !graph.hasPath(*first, next) && isLive(next))
      return std::nullopt;
  return first;
}

/// FormDispatchRegions.cpp: a root takes the chain of element-wise consumers
/// whose loops are no more than its own.
void IreePolicy::fuseRootsWithConsumers() {
  for (unsigned root : getGroups()) {
    if (!isLive(root) || isPointwise(root))
      continue;
    double space = std::abs(getSpace(root));
    for (unsigned current = root;;) {
      std::optional<unsigned> consumer = getFusableUse(current);
      if (!consumer)
        break;
      const char *obstacle = nullptr;
      if (!isPointwise(*consumer))
        obstacle = "iree: the consumer is a root";
      else if (isConcat(*consumer))
        obstacle = "iree: a concat is a copy of each part";
      else if (std::abs(getSpace(*consumer)) > space)
        obstacle = "iree: the consumer has more loops than the root";
      if (obstacle) {
        search.refuse(DecisionKind::ProducerConsumer, current, *consumer,
                      obstacle);
        break;
      }
      std::optional<unsigned> left = search.mergeIfLegal(
          DecisionKind::ProducerConsumer, current, *consumer);
      if (!left)
        break;
      current = *left;
    }
  }
}

void IreePolicy::run() {
  // RaiseSpecialOps.cpp: softmax is one operator.
  mergeDiamonds([&](unsigned op) { return isMaximum(op); });
  foldOperands();
  for (unsigned group : getGroups())
    for (std::optional<unsigned> current = group; current && isLive(*current);)
      current = fuseElementwise(*current);
  while (fuseMultiUse())
    ;
  fuseRootsWithConsumers();
}

std::unique_ptr<Policy> plan::makeIreePolicy(Search &search) {
  return std::make_unique<IreePolicy>(search);
}
