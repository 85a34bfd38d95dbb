// Policy of XLA for GPUs (xla/backends/gpu/transforms): normalisations as one
// kernel, then a queue of producers by the time that computing them in all of
// their consumers saves, then kernels with several outputs, then small ones
// side by side.
#include "Policy.h"

#include <queue>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// `MaxOperandsAndOutputsPerFusion` (gpu_fusible.h).
static constexpr size_t kMaxOperands = 96;
/// A shorter reduction is element-wise code (priority_fusion.cc).
static constexpr double kShortReduction = 16;
/// `IsProfitableFusionCandidate` (horizontal_loop_fusion.cc): elements and
/// instructions of a kernel that is small enough to go side by side.
static constexpr double kSmallElements = 128 * 2048;
static constexpr size_t kSmallOps = 30;

namespace {
class XlaPolicy : public Policy {
public:
  explicit XlaPolicy(Search &search) : Policy(search) {}
  void run() override;

private:
  bool reducesMuch(unsigned group);
  const char *getObstacle(unsigned producer, unsigned consumer);
  std::optional<int64_t> getPriority(unsigned producer);
  void fuseBias();
  void fuseByPriority();
  void fuseMultiOutput();
  const char *getMultiOutputObstacle(unsigned a, unsigned b);
  void fuseHorizontally();
};
} // namespace

/// Whether the group has a reduction of many elements.
bool XlaPolicy::reducesMuch(unsigned group) {
  return llvm::any_of(getGroup(group).ops, [&](unsigned op) {
    if (graph.nodes[op].opClass != OpClass::Reduction)
      return false;
    double results =
        cost::getElements(graph.nodes[op].op->getResult(0).getType())
            .value_or(1);
    return search.getSpace(op) >= kShortReduction * results;
  });
}

/// `CanFuse` of priority_fusion.cc.
const char *XlaPolicy::getObstacle(unsigned producer, unsigned consumer) {
  if (contracts(producer) || contracts(consumer))
    return "xla: a contraction is a library call";
  if (reducesMuch(producer) && reducesMuch(consumer))
    return "xla: both the producer and the consumer contain a reduce";
  if (reducesMuch(producer))
    return "xla: a reduce in the producer would become a loop fusion";
  if (countOperands(producer, consumer) > kMaxOperands)
    return "xla: more than 96 operands and outputs";
  return nullptr;
}

/// gemm_rewriter.cc: the library call adds a bias and takes a ReLU.
void XlaPolicy::fuseBias() {
  for (unsigned group : getGroups()) {
    if (!isLive(group) || !contracts(group))
      continue;
    for (unsigned current = group;;) {
      std::optional<SmallVector<unsigned>> consumers =
          getOnlyConsumers(current);
      if (!consumers || consumers->size() != 1 ||
          !isBiasOrRelu(consumers->front()))
        break;
      std::optional<unsigned> left = search.mergeIfLegal(
          DecisionKind::ProducerConsumer, current, consumers->front());
      if (!left)
        break;
      current = *left;
    }
  }
}

/// Nanoseconds saved if `producer` goes into all of its consumers; nothing if
/// it must not, into any of them.
std::optional<int64_t> XlaPolicy::getPriority(unsigned producer) {
  std::optional<SmallVector<unsigned>> consumers = getOnlyConsumers(producer);
  if (!consumers)
    return std::nullopt;
  for (unsigned consumer : *consumers)
    if (const char *obstacle = getObstacle(producer, consumer)) {
      search.refuse(DecisionKind::ProducerConsumer, producer, consumer,
                    obstacle);
      return std::nullopt;
    }
  Quantity gain = search.getGainInConsumers(producer);
  if (gain && *gain < 0)
    search.refuse(consumers->size() > 1 ? DecisionKind::Recompute
                                        : DecisionKind::ProducerConsumer,
                  producer, consumers->front(),
                  "xla: fused into all consumers it takes longer");
  return gain && *gain >= 0 ? gain : std::nullopt;
}

void XlaPolicy::fuseByPriority() {
  // Gain, then the later producer first (`PriorityFusionQueue`).
  using Entry = std::tuple<int64_t, unsigned, unsigned, unsigned>;
  std::priority_queue<Entry> queue;
  auto getVersion = [&](unsigned group) {
    unsigned version = getGroup(group).version;
    for (auto &[next, edge] : getGroup(group).successors)
      version = std::max(version, getGroup(next).version);
    return version;
  };
  auto push = [&](unsigned group) {
    if (!isLive(group))
      return;
    if (std::optional<int64_t> gain = getPriority(group))
      queue.push({*gain, getGroup(group).position, group, getVersion(group)});
  };
  for (unsigned group : getGroups())
    push(group);
  while (!queue.empty()) {
    auto [gain, position, group, version] = queue.top();
    queue.pop();
    if (!isLive(group))
      continue;
    if (version != getVersion(group)) {
      push(group);
      continue;
    }
    SmallVector<unsigned> touched = *getOnlyConsumers(group);
    for (auto &[previous, edge] : getGroup(group).predecessors)
      touched.push_back(previous);
    if (touched.size() == getGroup(group).predecessors.size() + 1) {
      std::optional<unsigned> left = search.mergeIfLegal(
          DecisionKind::ProducerConsumer, group, touched.front());
      if (left)
        touched.push_back(*left);
    } else {
      search.recomputeIfLegal(group);
    }
    for (unsigned other : touched)
      push(other);
  }
}

/// multi_output_fusion.cc.
const char *XlaPolicy::getMultiOutputObstacle(unsigned a, unsigned b) {
  if (contracts(a) || contracts(b))
    return "xla: a contraction is a library call";
  if (countOperands(a, b) > kMaxOperands)
    return "xla: more than 96 operands and outputs";
  if (!haveSameLoops(a, b))
    return "xla: the shapes of the two do not fit";
  return nullptr;
}

/// Siblings that share an operand, then a producer that stays beside a
/// consumer.
void XlaPolicy::fuseMultiOutput() {
  for (unsigned group : getGroups()) {
    for (bool changed = true; changed;) {
      changed = false;
      if (!isLive(group))
        break;
      SmallVector<unsigned> others;
      for (unsigned other : getGroups())
        if (other != group &&
            getGroup(other).position > getGroup(group).position)
          others.push_back(other);
      for (unsigned other : others) {
        bool vertical = getGroup(group).successors.contains(other);
        if (!vertical &&
            !graph.shareValues(getGroup(group).ops, getGroup(other).ops))
          continue;
        if (vertical && !isPointwise(group))
          continue;
        DecisionKind kind =
            vertical ? DecisionKind::ProducerConsumer : DecisionKind::Sibling;
        if (const char *obstacle = getMultiOutputObstacle(group, other)) {
          search.refuse(kind, group, other, obstacle);
        } else if (std::optional<unsigned> left =
                       search.mergeIfLegal(kind, group, other)) {
          group = *left;
          changed = true;
          break;
        }
      }
    }
  }
}

/// horizontal_loop_fusion.cc: small element-wise kernels of one shape that one
/// consumer, or the host, waits for.
void XlaPolicy::fuseHorizontally() {
  std::map<std::pair<unsigned, double>, SmallVector<unsigned>> alike;
  for (unsigned group : getGroups()) {
    const Group &own = getGroup(group);
    if (!isPointwise(group) || own.ops.size() > kSmallOps ||
        getSpace(group) > kSmallElements || own.successors.size() != 1)
      continue;
    alike[{own.successors.begin()->first, getSpace(group)}].push_back(group);
  }
  for (auto &[key, groups] : alike) {
    unsigned current = groups.front();
    for (unsigned other : ArrayRef(groups).drop_front())
      if (!graph.hasPath(current, other))
        if (std::optional<unsigned> left =
                search.mergeIfLegal(DecisionKind::Independent, current, other))
          current = *left;
  }
}

void XlaPolicy::run() {
  foldOperands();
  fuseBias();
  // softmax_rewriter_triton.cc.
  mergeDiamonds([](unsigned) { return true; });
  fuseByPriority();
  fuseMultiOutput();
  fuseHorizontally();
}

std::unique_ptr<Policy> plan::makeXlaPolicy(Search &search) {
  return std::make_unique<XlaPolicy>(search);
}
