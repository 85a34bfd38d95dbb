// What policies have in common, and what the search does for them.
#include "Policy.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Policy::~Policy() = default;

SmallVector<unsigned> Policy::getGroups() const {
  SmallVector<unsigned> groups;
  for (unsigned i = 0; i < graph.groups.size(); ++i)
    if (isLive(i))
      groups.push_back(i);
  llvm::sort(groups, [&](unsigned a, unsigned b) {
    return getGroup(a).position < getGroup(b).position;
  });
  return groups;
}

bool Policy::has(unsigned group, std::initializer_list<OpClass> classes) const {
  return llvm::any_of(getGroup(group).ops, [&](unsigned op) {
    return llvm::is_contained(classes, graph.nodes[op].opClass);
  });
}

std::optional<SmallVector<unsigned>>
Policy::getOnlyConsumers(unsigned group) const {
  SmallVector<unsigned> consumers;
  for (auto &[next, edge] : getGroup(group).successors) {
    if (!isLive(next))
      return std::nullopt;
    consumers.push_back(next);
  }
  if (consumers.empty())
    return std::nullopt;
  return consumers;
}

bool Policy::haveSameLoops(unsigned a, unsigned b) {
  if (getSpace(a) != getSpace(b))
    return false;
  auto isPlain = [&](unsigned group) {
    return isPointwise(group) && !has(group, {OpClass::Movement});
  };
  return isAligned(a, b) || (isPlain(a) && isPlain(b));
}

size_t Policy::countOperands(unsigned a, unsigned b) const {
  SmallVector<unsigned, 4> ops =
      PlanGraph::unite(getGroup(a).ops, getGroup(b).ops);
  return graph.getInputIds(ops).size() + graph.getOutputIds(ops, {a, b}).size();
}

std::unique_ptr<Policy> plan::makePolicy(PlanStrategy strategy,
                                         Search &search) {
  switch (strategy) {
  case PlanStrategy::PolicyXla:
    return makeXlaPolicy(search);
  case PlanStrategy::PolicyTvm:
    return makeTvmPolicy(search);
  case PlanStrategy::PolicyInductor:
    return makeInductorPolicy(search);
  case PlanStrategy::PolicyNvfuser:
    return makeNvfuserPolicy(search);
  case PlanStrategy::PolicyIree:
    return makeIreePolicy(search);
  default:
    llvm_unreachable("not the strategy of a policy");
  }
}

//===----------------------------------------------------------------------===//
// The search's side
//===----------------------------------------------------------------------===//

Candidate Search::makeCandidate(DecisionKind kind, unsigned first,
                                unsigned second) const {
  Candidate candidate;
  candidate.kind = kind;
  candidate.first = first;
  candidate.second = second;
  const Group &a = graph.groups[first], &b = graph.groups[second];
  for (auto [from, to] : {std::pair(first, second), std::pair(second, first)}) {
    auto it = graph.groups[from].successors.find(to);
    if (it != graph.groups[from].successors.end()) {
      candidate.edge = it->second;
      return candidate;
    }
  }
  std::tie(candidate.edge.producer, candidate.edge.consumer) =
      std::minmax({a.ops.back(), b.ops.back()});
  return candidate;
}

std::optional<unsigned> Search::mergeIfLegal(DecisionKind kind, unsigned first,
                                             unsigned second) {
  // Parts side by side are what a fusion of siblings may mean, no more.
  packing = kind != DecisionKind::ProducerConsumer;
  Candidate candidate = makeCandidate(kind, first, second);
  if (price(candidate))
    return merge(candidate);
  if (!putOff.empty())
    refuse(kind, first, second, "would run as parts side by side");
  putOff.clear();
  return std::nullopt;
}

std::optional<unsigned> Search::mergeIfLegal(ArrayRef<unsigned> owners) {
  SmallVector<unsigned> groups(owners);
  llvm::sort(groups, [&](unsigned a, unsigned b) {
    return graph.groups[a].position < graph.groups[b].position;
  });
  SmallVector<unsigned, 4> all;
  for (unsigned group : groups)
    all = PlanGraph::unite(all, graph.groups[group].ops);
  Candidate candidate = makeCandidate(DecisionKind::ProducerConsumer,
                                      groups.front(), groups.back());
  candidate.evaluation = evaluator.evaluate(all, groups);
  const RuleViolation *refused = candidate.evaluation.violation;
  Quantity unfused = 0, bytes = 0;
  for (unsigned group : groups) {
    unfused = add(unfused, graph.groups[group].nanoseconds);
    bytes = add(bytes, graph.groups[group].bytes);
    for (auto &[next, edge] : graph.groups[group].successors)
      if (!llvm::is_contained(groups, next) &&
          llvm::any_of(groups, [&, next = next](unsigned other) {
            return graph.hasPath(next, other);
          }))
        refused = cycleRule;
  }
  if (!refused && memory.hasLimit())
    refused = checkMemory(
        GroupChange::merge(graph, groups, candidate.evaluation.scratchBytes));
  if (!refused)
    refused = askHandler(candidate);
  note(candidate, !refused, refused, candidate.evaluation.nanoseconds, unfused,
       subtract(bytes, candidate.evaluation.bytes));
  if (refused)
    return std::nullopt;
  return mergeSet(groups, candidate.evaluation);
}

bool Search::recomputeIfLegal(unsigned producer) {
  Candidate candidate;
  candidate.kind = DecisionKind::Recompute;
  candidate.first = candidate.second = producer;
  candidate.edge = graph.groups[producer].successors.begin()->second;
  return recompute(candidate).has_value();
}

Quantity Search::getGainInConsumers(unsigned producer) {
  const Group &group = graph.groups[producer];
  if (group.successors.size() > 1) {
    std::optional<Recomputation> found = priceRecompute(producer);
    return found ? Quantity(found->unfused - found->fused) : std::nullopt;
  }
  packing = false;
  unsigned consumer = group.successors.begin()->first;
  Candidate candidate =
      makeCandidate(DecisionKind::ProducerConsumer, producer, consumer);
  bool legal = price(candidate);
  putOff.clear();
  if (!legal)
    return std::nullopt;
  return subtract(add(group.nanoseconds, graph.groups[consumer].nanoseconds),
                  candidate.evaluation.nanoseconds);
}

void Search::refuse(DecisionKind kind, unsigned first, unsigned second,
                    StringRef why) {
  note(makeCandidate(kind, first, second), false,
       evaluator.intern({"policy", why.str()}));
}
