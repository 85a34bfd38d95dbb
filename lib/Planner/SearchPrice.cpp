// Whether candidates are legal, and what they save.
#include "Search.h"

#include "fuse-mlir/Analysis/ClassPairs.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

const RuleViolation *Search::checkOrder(const Candidate &candidate) const {
  unsigned first = candidate.first, second = candidate.second;
  if (graph.groups[first].position > graph.groups[second].position)
    std::swap(first, second);
  if (!graph.hasIndirectPath(first, second))
    return nullptr;
  for (unsigned boundary : boundaries)
    if (graph.hasPath(first, boundary) && graph.hasPath(boundary, second))
      return boundaryRule;
  return cycleRule;
}

/// What the class-pair table says about the two operators of a candidate.
const RuleViolation *Search::checkClasses(const Candidate &candidate) {
  OpClass producer = graph.nodes[candidate.edge.producer].opClass;
  OpClass consumer = graph.nodes[candidate.edge.consumer].opClass;
  auto never = [&](FusionRole role) {
    return getPairCondition(producer, consumer, role) == PairCondition::Never;
  };
  bool refused =
      candidate.kind == DecisionKind::Sibling ||
              candidate.kind == DecisionKind::Independent
          ? never(FusionRole::Sibling)
          : never(FusionRole::Prologue) && never(FusionRole::Epilogue);
  if (!refused)
    return nullptr;
  return evaluator.intern({"class-pair", "the table has no role for " +
                                             stringifyOpClass(producer).str() +
                                             " and " +
                                             stringifyOpClass(consumer).str()});
}

/// The most that kernels of the price `apart` may save as one: candidates are
/// taken for that good until it is their turn.
int64_t Search::getMostGain(Quantity apart) const {
  if (std::optional<bool> verdict = getVerdict())
    return *verdict;
  return apart ? *apart - leastNs : 0;
}

/// The same for a group that is recomputed in its consumers.
int64_t Search::getMostGain(const Group &producer) const {
  Quantity apart = producer.nanoseconds;
  if (getVerdict() || !apart)
    return getMostGain(apart);
  int64_t most = *apart;
  for (auto &[next, edge] : producer.successors)
    if (Quantity own = graph.groups[next].nanoseconds)
      most += std::max<int64_t>(*own - leastNs, 0);
  return most;
}

/// Looks at the merge of two groups: legality and price. The rule if it is not
/// legal.
const RuleViolation *Search::evaluate(Candidate &candidate) {
  unsigned first = candidate.first, second = candidate.second;
  const Group &a = graph.groups[first], &b = graph.groups[second];
  Quantity unfused = add(a.nanoseconds, b.nanoseconds);
  const RuleViolation *rule = checkClasses(candidate);
  bool independent = candidate.kind == DecisionKind::Independent;
  if (!rule)
    rule = checkOrder(candidate);
  Evaluation &merged = candidate.evaluation;
  if (!rule) {
    merged = independent
                 ? evaluator.evaluatePacked(first, second)
                 : evaluator.evaluateUnion(first, second, {first, second});
    rule = merged.violation;
  }
  candidate.gain = 0;
  if (rule) {
    note(candidate, false, rule, std::nullopt, unfused);
  } else if (!isPutOff(candidate)) {
    std::optional<bool> verdict = getVerdict();
    candidate.gain = verdict
                         ? int64_t(*verdict)
                         : subtract(unfused, merged.nanoseconds).value_or(0);
    note(candidate, false, nullptr, merged.nanoseconds, unfused,
         subtract(add(a.bytes, b.bytes), merged.bytes));
  }
  return rule;
}

/// Whether the candidate has to wait until kernels may be put side by side.
bool Search::isPutOff(const Candidate &candidate) const {
  return candidate.evaluation.packed && !packing;
}

/// Prices the merge of two groups. False if it is not to be done.
bool Search::price(Candidate &candidate) {
  const RuleViolation *rule = evaluate(candidate);
  candidate.version = getVersion(candidate);
  candidate.size = graph.groups[candidate.first].ops.size() +
                   graph.groups[candidate.second].ops.size();
  candidate.priced = true;
  if (!rule && isPutOff(candidate)) {
    putOff.push_back(candidate);
    return false;
  }
  // What lies between the two may join one of them at any time.
  bool order = rule && (rule == cycleRule || rule == boundaryRule);
  if (candidate.gain <= 0 && candidate.size > kSmallSize && !order)
    refusedSize[getPairKey(candidate.first, candidate.second)] = candidate.size;
  return candidate.gain > 0;
}

/// Whether `op` reads memory that a later operator may write.
static bool readsMemory(const OpNode &node) {
  return llvm::any_of(node.reads, [](Value value) {
    return value.getDefiningOp<bufferization::ToTensorOp>() != nullptr;
  });
}

/// Whether a group may be computed where its results are used.
bool Search::mayRecompute(const Group &group) const {
  return group.alive && group.mergeable && group.nanoseconds &&
         !group.hasRoots && llvm::none_of(group.ops, [&](unsigned op) {
           return readsMemory(graph.nodes[op]);
         });
}

/// Prices recomputing a group in its consumers: in all of them if that is legal
/// and nobody else needs it; otherwise where it pays by itself. Nothing if it
/// does not pay.
std::optional<Recomputation> Search::priceRecompute(unsigned producer) {
  const Group &group = graph.groups[producer];
  if (!mayRecompute(group))
    return std::nullopt;
  // In every consumer, and only where each consumer alone gets faster.
  Recomputation all, some;
  some.keep = true;
  all.fused = 0;
  all.unfused = *group.nanoseconds;
  all.bytesSaved = group.bytes;
  for (auto &[next, edge] : group.successors) {
    const Group &consumer = graph.groups[next];
    Evaluation evaluation;
    if (consumer.mergeable && consumer.nanoseconds)
      evaluation = evaluator.evaluateUnion(producer, next, {next});
    if (evaluation.violation || !evaluation.nanoseconds) {
      all.keep = true;
      continue;
    }
    auto take = [&](Recomputation &into) {
      into.consumers.push_back(next);
      into.evaluations.push_back(evaluation);
      into.fused += *evaluation.nanoseconds;
      into.unfused += *consumer.nanoseconds;
      into.bytesSaved =
          add(into.bytesSaved, subtract(consumer.bytes, evaluation.bytes));
    };
    take(all);
    if (*evaluation.nanoseconds < *consumer.nanoseconds)
      take(some);
  }
  Recomputation &found = all.keep ? some : all;
  if (found.consumers.empty())
    return std::nullopt;
  found.gain = found.unfused - found.fused;
  if (std::optional<bool> verdict = getVerdict())
    found.gain = *verdict && !found.keep ? 1 : 0;
  Candidate candidate;
  candidate.kind = DecisionKind::Recompute;
  candidate.first = candidate.second = producer;
  candidate.edge = group.successors.begin()->second;
  if (!found.keep)
    note(candidate, false, nullptr, found.fused, found.unfused,
         found.bytesSaved);
  if (found.gain <= 0)
    return std::nullopt;
  return std::move(found);
}

/// Prices a recomputation that waits. False if it is not to be done.
bool Search::priceRecompute(Candidate &candidate) {
  std::optional<Recomputation> found = priceRecompute(candidate.first);
  if (!found)
    return false;
  candidate.priced = true;
  candidate.gain = found->gain;
  candidate.size = graph.groups[candidate.first].ops.size();
  for (unsigned consumer : found->consumers)
    candidate.size += graph.groups[consumer].ops.size();
  return true;
}
