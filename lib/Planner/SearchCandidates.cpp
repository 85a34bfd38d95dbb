// What may be fused with what: along edges, by recomputation, and siblings that
// read one value.
#include "Search.h"

#include "fuse-mlir/CostModel/KernelCounts.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Readers of a value up to this number are paired each with each.
static constexpr size_t kAllPairs = 8;

/// The rule that keeps one of two operators out of every fusion.
const RuleViolation *Search::getFixedRule(const OpNode &node) {
  if (isa<BoundaryOp>(node.op))
    return boundaryRule;
  if (isa<GroupOp>(node.op))
    return evaluator.intern(
        {"user-group", "a group made by hand is left as it is"});
  if (node.op->hasAttr(FuseDialect::kNeverFuseAttrName))
    return evaluator.intern(
        {"never-fuse", "the operator has 'fuse.never_fuse'"});
  if (node.role != Role::Compute && node.role != Role::Generator)
    return evaluator.intern(
        {"opaque", "'" + node.op->getName().getStringRef().str() +
                       "' is no operator of a kernel"});
  return nullptr;
}

void Search::refuseFixed(Edge edge) {
  const OpNode &producer = graph.nodes[edge.producer];
  const OpNode &consumer = graph.nodes[edge.consumer];
  if (consumer.op->hasTrait<OpTrait::IsTerminator>() ||
      (producer.role == Role::Host && consumer.role == Role::Host))
    return;
  bool tensor = llvm::any_of(consumer.reads, [&](Value value) {
    return value.getDefiningOp() == producer.op;
  });
  if (!tensor)
    return;
  const RuleViolation *rule = getFixedRule(producer);
  if (!rule)
    rule = getFixedRule(consumer);
  Candidate candidate;
  candidate.edge = edge;
  note(candidate, false, rule);
}

void Search::findCandidates() {
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    const Group &group = graph.groups[i];
    if (!group.alive)
      continue;
    for (auto &[next, edge] : group.successors) {
      if (!group.mergeable || !graph.groups[next].mergeable)
        refuseFixed(edge);
      else
        pushPair(DecisionKind::ProducerConsumer, i, next, edge, 1);
    }
    pushRecompute(i);
  }
  findSiblings();
}

/// Iterations that two siblings must have in common.
double Search::getSpace(unsigned op) {
  const cost::OpFacts &facts = *evaluator.getNumbered(op).facts;
  Operation *node = graph.nodes[op].op;
  if (facts.known ? !facts.contraction : !cost::isContraction(node))
    return facts.known ? facts.work.iterations : cost::getWork(node).iterations;
  return -cost::getElements(node->getResult(0).getType()).value_or(0);
}

void Search::findSiblings() {
  llvm::MapVector<Value, SmallVector<unsigned>> readers;
  for (unsigned i = 0; i < graph.groups.size(); ++i)
    if (graph.groups[i].alive && graph.groups[i].mergeable)
      for (unsigned op : graph.groups[i].ops)
        for (Value value : graph.nodes[op].reads)
          if (PlanGraph::isWorthSharing(value))
            readers[value].push_back(i);
  for (auto &[value, groups] : readers)
    linkSiblings(groups);
}

void Search::linkSiblings(ArrayRef<unsigned> groups) {
  if (groups.size() < 2 || !allows(DecisionKind::Sibling))
    return;
  std::map<double, SmallVector<unsigned>> bySpace;
  for (unsigned group : groups) {
    SmallVector<unsigned> &bucket =
        bySpace[getSpace(graph.groups[group].ops.back())];
    if (bucket.empty() || bucket.back() != group)
      bucket.push_back(group);
  }
  auto link = [&](unsigned a, unsigned b) {
    Group &first = graph.groups[a], &second = graph.groups[b];
    if (a == b || first.successors.contains(b) ||
        second.successors.contains(a) || first.siblings.contains(b))
      return;
    Edge edge{first.ops.back(), second.ops.back()};
    if (edge.consumer < edge.producer)
      std::swap(edge.producer, edge.consumer);
    first.siblings.try_emplace(b, edge);
    second.siblings.try_emplace(a, edge);
    pushPair(DecisionKind::Sibling, a, b, edge, 1);
  };
  for (auto &[space, bucket] : bySpace)
    for (size_t i = 0; i < bucket.size(); ++i) {
      size_t end = bucket.size() <= kAllPairs ? bucket.size() : i + 2;
      for (size_t j = i + 1; j < std::min(end, bucket.size()); ++j)
        link(bucket[i], bucket[j]);
    }
}
