// The queue of candidates: what waits, what is accepted, and what follows from
// a merge.
#include "Search.h"

#include "Policy.h"
#include "fuse-mlir/Planner/FusionAction.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

Search::Search(PlanGraph &graph, const PlanOptions &options)
    : graph(graph), options(options), evaluator(graph, options),
      memory(graph, options.budgets.peakBytes),
      leastNs(options.costModel->leastNanoseconds(options.device)) {
  cycleRule = evaluator.intern(
      {"cycle", "another kernel or host operator lies between the two"});
  boundaryRule = evaluator.intern({"boundary", "'fuse.boundary' lies between"});
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    const Group &group = graph.groups[i];
    if (!group.alive)
      continue;
    if (isa<BoundaryOp>(graph.nodes[i].op))
      boundaries.push_back(i);
    if (graph.nodes[i].role != Role::Host && !isa<GroupOp>(graph.nodes[i].op))
      setPrice(i, evaluator.evaluateGroup(i));
  }
}

void Search::setPrice(unsigned index, const Evaluation &evaluation) {
  Group &group = graph.groups[index];
  group.hasRoots = evaluation.hasRoots;
  group.isAttention = evaluation.isAttention;
  group.nanoseconds = evaluation.nanoseconds;
  group.bytes = evaluation.bytes;
  group.scratchBytes = evaluation.scratchBytes;
}

/// Whether the group only moves or widens elements.
bool Search::onlyMoves(unsigned group) const {
  return llvm::all_of(graph.groups[group].ops,
                      [&](unsigned op) { return graph.nodes[op].moves; });
}

bool Search::allows(DecisionKind kind) const {
  if (options.mode == PlanMode::All)
    return true;
  if (kind == DecisionKind::Independent)
    return false;
  bool sibling = kind == DecisionKind::Sibling;
  return sibling == (options.mode == PlanMode::Sibling);
}

std::optional<bool> Search::getVerdict() const {
  if (options.strategy == PlanStrategy::Max || isPolicy(options.strategy))
    return true;
  return options.costModel->getVerdict();
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

/// Time of the last change of anything that the price depends on.
unsigned Search::getVersion(const Candidate &candidate) const {
  unsigned version = graph.groups[candidate.first].version;
  version = std::max(version, graph.groups[candidate.second].version);
  if (candidate.kind == DecisionKind::Recompute)
    for (auto &[next, edge] : graph.groups[candidate.first].successors)
      version = std::max(version, graph.groups[next].version);
  return version;
}

void Search::pushPair(DecisionKind kind, unsigned first, unsigned second,
                      Edge edge, int64_t guess) {
  const Group &a = graph.groups[first], &b = graph.groups[second];
  if (!allows(kind) || !a.mergeable || !b.mergeable)
    return;
  Candidate candidate;
  candidate.kind = kind;
  candidate.first = first;
  candidate.second = second;
  candidate.edge = edge;
  candidate.size = a.ops.size() + b.ops.size();
  candidate.version = getVersion(candidate);
  candidate.gain = guess;
  candidate.moves = kind == DecisionKind::ProducerConsumer &&
                    a.successors.size() == 1 && onlyMoves(first);
  if (candidate.size <= kSmallSize) {
    if (options.wantsDecisions) {
      auto telling = evaluator.lookOnlyToTell();
      evaluate(candidate);
    }
    candidate.gain = getMostGain(add(a.nanoseconds, b.nanoseconds));
    if (candidate.gain > 0)
      queue.push(std::move(candidate));
    return;
  }
  // A large group is priced when its turn comes. What waits already is priced
  // again then; what was refused is looked at again when it has grown.
  auto refused = refusedSize.find(getPairKey(first, second));
  if (queue.contains(first, second) ||
      (refused != refusedSize.end() &&
       candidate.size < refused->second + refused->second / kGrowth))
    return;
  queue.push(std::move(candidate));
}

void Search::pushRecompute(unsigned producer) {
  const Group &group = graph.groups[producer];
  if (group.successors.size() < 2 || !allows(DecisionKind::Recompute) ||
      queue.contains(producer, producer) || !mayRecompute(group))
    return;
  if (options.wantsDecisions) {
    auto telling = evaluator.lookOnlyToTell();
    priceRecompute(producer);
  }
  Candidate candidate;
  candidate.kind = DecisionKind::Recompute;
  candidate.first = candidate.second = producer;
  candidate.edge = group.successors.begin()->second;
  candidate.moves = onlyMoves(producer);
  candidate.gain = getMostGain(group);
  std::optional<unsigned> size = getLeastSize(group);
  if (!size || candidate.gain <= 0)
    return;
  candidate.size = *size;
  candidate.version = getVersion(candidate);
  queue.push(std::move(candidate));
}

/// Operators at least of the groups that a gainful recomputation changes;
/// nothing if there cannot be one. A consumer gains by itself only if it costs
/// more than the least; if none does, all of them must take the producer.
std::optional<unsigned> Search::getLeastSize(const Group &producer) const {
  unsigned least = ~0u, all = 0;
  bool canTakeAll = true, canGainAlone = false;
  for (auto &[next, edge] : producer.successors) {
    const Group &consumer = graph.groups[next];
    if (!consumer.mergeable || !consumer.nanoseconds) {
      canTakeAll = false;
      continue;
    }
    canGainAlone |= !getVerdict() && *consumer.nanoseconds > leastNs;
    least = std::min<unsigned>(least, consumer.ops.size());
    all += consumer.ops.size();
  }
  if (!canGainAlone && !canTakeAll)
    return std::nullopt;
  return producer.ops.size() + (canGainAlone ? least : all);
}

void Search::pushNeighbours(unsigned merged, int64_t guess) {
  const Group &group = graph.groups[merged];
  for (auto &[next, edge] : group.successors)
    pushPair(DecisionKind::ProducerConsumer, merged, next, edge, guess);
  for (auto &[next, edge] : group.predecessors) {
    pushPair(DecisionKind::ProducerConsumer, next, merged, edge, guess);
    pushRecompute(next);
  }
  for (auto &[next, edge] : group.siblings)
    pushPair(DecisionKind::Sibling, merged, next, edge, guess);
  pushRecompute(merged);
}

/// Takes candidates from the queue until it is empty.
void Search::drain() {
  while (!queue.empty()) {
    Candidate candidate = queue.pop();
    if (!graph.groups[candidate.first].alive ||
        !graph.groups[candidate.second].alive)
      continue;
    bool stale = candidate.version != getVersion(candidate);
    if (candidate.kind == DecisionKind::Recompute) {
      if (stale)
        pushRecompute(candidate.first);
      else if (candidate.priced)
        acceptRecompute(candidate);
      else if (priceRecompute(candidate))
        queue.push(std::move(candidate));
      continue;
    }
    if (stale || !candidate.priced) {
      if (price(candidate))
        queue.push(std::move(candidate));
      continue;
    }
    if (const RuleViolation *rule = checkOrder(candidate)) {
      note(candidate, false, rule);
      continue;
    }
    accept(candidate);
  }
}

//===----------------------------------------------------------------------===//
// Accepting
//===----------------------------------------------------------------------===//

/// What upstream's debug counters say of a fusion that is about to be done.
const RuleViolation *Search::askHandler(const Candidate &candidate) {
  if (!asks)
    return nullptr;
  Edge edge = toProgramOrder(candidate.edge);
  std::optional<RuleViolation> refused =
      askActionHandler(candidate.kind, graph.nodes[edge.producer].op,
                       graph.nodes[edge.consumer].op);
  return refused ? evaluator.intern(std::move(*refused)) : nullptr;
}

/// What the budget of device memory says of a change that is about to be made.
const RuleViolation *Search::checkMemory(const GroupChange &change) {
  std::optional<RuleViolation> refused = memory.check(change);
  return refused ? evaluator.intern(std::move(*refused)) : nullptr;
}

const RuleViolation *Search::checkMemory(const Candidate &merge) {
  if (!memory.hasLimit())
    return nullptr;
  return checkMemory(GroupChange::merge(graph, {merge.first, merge.second},
                                        merge.evaluation.scratchBytes));
}

/// Merges the two groups of a candidate that has been priced, if budgets and
/// handlers let it.
std::optional<unsigned> Search::merge(const Candidate &candidate) {
  const Group &a = graph.groups[candidate.first];
  const Group &b = graph.groups[candidate.second];
  const Evaluation &merged = candidate.evaluation;
  const RuleViolation *refused = checkMemory(candidate);
  if (!refused)
    refused = askHandler(candidate);
  note(candidate, !refused, refused, merged.nanoseconds,
       add(a.nanoseconds, b.nanoseconds),
       subtract(add(a.bytes, b.bytes), merged.bytes));
  if (refused)
    return std::nullopt;
  dropWaiting(std::max(candidate.first, candidate.second));
  unsigned left = graph.merge(candidate.first, candidate.second);
  if (candidate.kind == DecisionKind::Independent) {
    evaluator.mergeParts(left, left == candidate.first ? candidate.second
                                                       : candidate.first);
  } else {
    evaluator.forget(candidate.first);
    evaluator.forget(candidate.second);
  }
  setPrice(left, merged);
  graph.dropUnneeded(left);
  return left;
}

/// Takes out of the queue what waits for a group that is about to die.
void Search::dropWaiting(unsigned gone) {
  const Group &group = graph.groups[gone];
  for (const EdgeMap *neighbours :
       {&group.predecessors, &group.successors, &group.siblings})
    for (auto &[next, edge] : *neighbours)
      queue.drop(gone, next);
  queue.drop(gone, gone);
}

void Search::accept(const Candidate &candidate) {
  if (std::optional<unsigned> left = merge(candidate))
    pushNeighbours(*left, candidate.gain);
}

/// What `found` does to the groups.
static GroupChange getChange(const PlanGraph &graph, unsigned producer,
                             const Recomputation &found) {
  GroupChange change;
  ArrayRef<unsigned> ops = graph.groups[producer].ops;
  for (auto [consumer, evaluation] :
       llvm::zip(found.consumers, found.evaluations)) {
    change.changed.push_back({consumer,
                              PlanGraph::unite(graph.groups[consumer].ops, ops),
                              evaluation.scratchBytes});
    change.inherits.emplace_back(consumer, producer);
  }
  if (!found.keep)
    change.gone.push_back(producer);
  return change;
}

/// Does the candidate, priced again, if budgets and handlers let it.
std::optional<Recomputation> Search::recompute(const Candidate &candidate) {
  std::optional<Recomputation> found = priceRecompute(candidate.first);
  if (!found)
    return std::nullopt;
  const RuleViolation *refused =
      checkMemory(getChange(graph, candidate.first, *found));
  if (!refused)
    refused = askHandler(candidate);
  note(candidate, !refused, refused, found->fused, found->unfused,
       found->bytesSaved);
  if (refused)
    return std::nullopt;
  graph.recompute(candidate.first, found->consumers, found->keep);
  for (auto [consumer, evaluation] :
       llvm::zip(found->consumers, found->evaluations))
    setPrice(consumer, evaluation);
  for (unsigned consumer : found->consumers)
    graph.dropUnneeded(consumer);
  return found;
}

void Search::acceptRecompute(const Candidate &candidate) {
  std::optional<Recomputation> found = recompute(candidate);
  if (!found)
    return;
  for (unsigned consumer : found->consumers)
    pushNeighbours(consumer, candidate.gain);
  linkSiblings(found->consumers);
}

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

void Search::run() {
  if (options.strategy == PlanStrategy::None)
    return;
  if (options.strategy == PlanStrategy::Optimal)
    return runOptimal();
  if (isPolicy(options.strategy))
    return makePolicy(options.strategy, *this)->run();
  runGreedy();
  if (options.strategy == PlanStrategy::Max)
    mergeRest();
}

/// Looks at all candidates again as long as groups become fewer: a merge may
/// make another one legal that was refused before.
void Search::mergeRest() {
  auto count = [&] {
    return llvm::count_if(graph.groups,
                          [](const Group &group) { return group.alive; });
  };
  for (auto before = count();; before = count()) {
    refusedSize.clear();
    findCandidates();
    drain();
    packSiblings();
    packIndependent();
    if (count() == before && !packPairs())
      return;
  }
}

void Search::runGreedy() {
  mergeAttentions();
  findCandidates();
  drain();
  if (tradeStoredValues())
    drain();
  packing = true;
  packSiblings();
  packIndependent();
  improve();
  if (improveWindows())
    improve();
}
