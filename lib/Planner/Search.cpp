// The queue of candidates: pricing, accepting, and what follows from a merge.
#include "Search.h"

#include "Policy.h"
#include "fuse-mlir/Analysis/ClassPairs.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/Planner/FusionAction.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Merged groups up to this size are priced at once, larger ones when due.
static constexpr unsigned kEagerSize = 64;
/// A refused merge of large groups is looked at again when they have grown by
/// one part in so many.
static constexpr unsigned kGrowth = 8;
/// Readers of a value up to this number are paired each with each.
static constexpr size_t kAllPairs = 8;

/// The two groups as one number, whatever their order.
static uint64_t getPairKey(unsigned a, unsigned b) {
  return uint64_t(std::min(a, b)) << 32 | std::max(a, b);
}

Search::Search(PlanGraph &graph, const PlanOptions &options)
    : graph(graph), options(options), evaluator(graph, options),
      memory(graph, options.budgets.peakBytes) {
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
  group.nanoseconds = evaluation.nanoseconds;
  group.bytes = evaluation.bytes;
  group.scratchBytes = evaluation.scratchBytes;
}

bool Search::Later::operator()(const Candidate &a, const Candidate &b) const {
  // True if `a` comes after `b`.
  if (a.moves != b.moves)
    return b.moves;
  if (a.gain != b.gain)
    return a.gain < b.gain;
  if (a.size != b.size)
    return a.size > b.size;
  int ka = a.kind == DecisionKind::ProducerConsumer ? 0 : 1 + int(a.kind);
  int kb = b.kind == DecisionKind::ProducerConsumer ? 0 : 1 + int(b.kind);
  if (ka != kb)
    return ka > kb;
  return b.edge < a.edge;
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

void Search::note(const Candidate &candidate, bool accepted,
                  const RuleViolation *violation, Quantity fused,
                  Quantity unfused, Quantity bytesSaved) {
  if (!options.wantsDecisions)
    return;
  uint64_t key =
      uint64_t(candidate.edge.producer) << 32 | candidate.edge.consumer;
  auto [place, added] = rows[int(candidate.kind)].try_emplace(key, log.size());
  if (added)
    log.emplace_back();
  LogRow &row = log[place->second];
  if (row.accepted && !accepted)
    return; // Already together.
  row = {candidate.kind, accepted, candidate.edge, violation,
         fused,          unfused,  bytesSaved};
  if (!isImprovement(candidate.kind))
    last[getPairKey(candidate.first, candidate.second)] = row;
}

//===----------------------------------------------------------------------===//
// Finding candidates
//===----------------------------------------------------------------------===//

/// The rule that keeps one of two operators out of every fusion.
const RuleViolation *Search::getFixedRule(const OpNode &node) {
  if (isa<BoundaryOp>(node.op))
    return boundaryRule;
  if (isa<GroupOp>(node.op))
    return evaluator.intern(
        {"user-group", "a group made by hand is left as it is"});
  if (node.role == Role::Alone)
    return evaluator.intern(
        {"never-fuse", "the operator has 'fuse.never_fuse'"});
  if (node.role != Role::Compute)
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
  const cost::OpFacts &facts = evaluator.getFacts(op);
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

/// Time of the last change of anything that the price depends on.
unsigned Search::getVersion(const Candidate &candidate) const {
  unsigned version = graph.groups[candidate.first].version;
  version = std::max(version, graph.groups[candidate.second].version);
  if (candidate.kind == DecisionKind::Recompute)
    for (auto &[next, edge] : graph.groups[candidate.first].successors)
      version = std::max(version, graph.groups[next].version);
  return version;
}

void Search::push(Candidate candidate) {
  waiting[getPairKey(candidate.first, candidate.second)] = candidate.version;
  queue.push(std::move(candidate));
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
  uint64_t key = getPairKey(first, second);
  if (candidate.size <= kEagerSize) {
    if (price(candidate))
      push(std::move(candidate));
    return;
  }
  // A large group is priced when its turn comes. What waits already is priced
  // again then; what was refused is looked at again when it has grown.
  auto refused = refusedSize.find(key);
  if (waiting.contains(key) ||
      (refused != refusedSize.end() &&
       candidate.size < refused->second + refused->second / kGrowth))
    return;
  push(std::move(candidate));
}

void Search::pushRecompute(unsigned producer) {
  const Group &group = graph.groups[producer];
  if (!group.alive || !group.mergeable || group.successors.size() < 2 ||
      !allows(DecisionKind::Recompute) ||
      waiting.contains(getPairKey(producer, producer)))
    return;
  std::optional<Recomputation> found = priceRecompute(producer);
  if (!found)
    return;
  Candidate candidate;
  candidate.kind = DecisionKind::Recompute;
  candidate.first = candidate.second = producer;
  candidate.edge = group.successors.begin()->second;
  candidate.moves = onlyMoves(producer);
  candidate.gain = found->gain;
  candidate.size = group.ops.size();
  for (unsigned consumer : found->consumers)
    candidate.size += graph.groups[consumer].ops.size();
  candidate.version = getVersion(candidate);
  push(std::move(candidate));
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

//===----------------------------------------------------------------------===//
// Pricing
//===----------------------------------------------------------------------===//

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

/// Prices the merge of two groups. False if it is not to be done.
bool Search::price(Candidate &candidate) {
  unsigned first = candidate.first, second = candidate.second;
  const Group &a = graph.groups[first], &b = graph.groups[second];
  candidate.version = getVersion(candidate);
  candidate.size = a.ops.size() + b.ops.size();
  candidate.priced = true;
  Quantity unfused = add(a.nanoseconds, b.nanoseconds);
  const RuleViolation *rule = checkClasses(candidate);
  bool independent = candidate.kind == DecisionKind::Independent;
  if (!rule && !independent)
    rule = checkOrder(candidate);
  Evaluation &merged = candidate.evaluation;
  if (!rule) {
    merged = independent
                 ? evaluator.evaluatePacked(first, second)
                 : evaluator.evaluateUnion(first, second, {first, second});
    rule = merged.violation;
  }
  candidate.gain = 0;
  if (!rule && merged.packed && !packing) {
    putOff.push_back(candidate);
    return false;
  }
  if (rule) {
    note(candidate, false, rule, std::nullopt, unfused);
  } else {
    std::optional<bool> verdict = getVerdict();
    candidate.gain = verdict
                         ? int64_t(*verdict)
                         : subtract(unfused, merged.nanoseconds).value_or(0);
    note(candidate, false, nullptr, merged.nanoseconds, unfused,
         subtract(add(a.bytes, b.bytes), merged.bytes));
  }
  // What lies between the two may join one of them at any time.
  bool order = rule && (rule == cycleRule || rule == boundaryRule);
  if (candidate.gain <= 0 && candidate.size > kEagerSize && !order)
    refusedSize[getPairKey(first, second)] = candidate.size;
  return candidate.gain > 0;
}

/// Whether `op` reads memory that a later operator may write.
static bool readsMemory(const OpNode &node) {
  return llvm::any_of(node.reads, [](Value value) {
    return value.getDefiningOp<bufferization::ToTensorOp>() != nullptr;
  });
}

/// Prices recomputing a group in its consumers: in all of them if that is legal
/// and nobody else needs it; otherwise where it pays by itself. Nothing if it
/// does not pay.
std::optional<Recomputation> Search::priceRecompute(unsigned producer) {
  const Group &group = graph.groups[producer];
  if (!group.nanoseconds || group.hasRoots ||
      llvm::any_of(group.ops,
                   [&](unsigned op) { return readsMemory(graph.nodes[op]); }))
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

//===----------------------------------------------------------------------===//
// Accepting
//===----------------------------------------------------------------------===//

/// The two operators as they stand in the program.
Edge Search::toProgramOrder(Edge edge) const {
  if (graph.nodes[edge.producer].place > graph.nodes[edge.consumer].place)
    std::swap(edge.producer, edge.consumer);
  return edge;
}

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
    if (count() == before)
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

/// Takes candidates from the queue until it is empty.
void Search::drain() {
  while (!queue.empty()) {
    Candidate candidate = queue.top();
    queue.pop();
    auto place = waiting.find(getPairKey(candidate.first, candidate.second));
    if (place == waiting.end() || place->second != candidate.version)
      continue; // Another one has taken its place.
    waiting.erase(place);
    if (!graph.groups[candidate.first].alive ||
        !graph.groups[candidate.second].alive)
      continue;
    bool stale = candidate.version != getVersion(candidate);
    if (candidate.kind == DecisionKind::Recompute) {
      if (stale)
        pushRecompute(candidate.first);
      else
        acceptRecompute(candidate);
      continue;
    }
    if (stale || !candidate.priced) {
      if (price(candidate))
        push(std::move(candidate));
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
// What the user asks for, and what is told
//===----------------------------------------------------------------------===//

/// Merges what lies between the two groups into the first one; the rule if
/// that is not possible. `unfused` is what all of them cost.
const RuleViolation *Search::takeBetween(Candidate &candidate,
                                         Quantity &unfused) {
  unsigned &first = candidate.first, &second = candidate.second;
  unfused =
      add(graph.groups[first].nanoseconds, graph.groups[second].nanoseconds);
  if (graph.groups[first].position > graph.groups[second].position)
    std::swap(first, second);
  for (unsigned between : graph.getBetween(first, second)) {
    if (!graph.groups[between].mergeable)
      return isa<BoundaryOp>(graph.nodes[between].op) ? boundaryRule
                                                      : cycleRule;
    unfused = add(unfused, graph.groups[between].nanoseconds);
    Quantity bytes =
        add(graph.groups[first].bytes, graph.groups[between].bytes);
    first = graph.merge(first, between);
    graph.groups[first].bytes = bytes;
  }
  return nullptr;
}

LogicalResult Search::mergeMust(Operation *first, Operation *second) {
  unsigned a = graph.getIndex(first), b = graph.getIndex(second);
  Candidate candidate;
  candidate.kind = DecisionKind::MustFuse;
  candidate.edge = {std::min(a, b), std::max(a, b)};
  const RuleViolation *rule = nullptr;
  Quantity unfused;
  for (unsigned op : {a, b})
    if (!graph.groups[op].mergeable && graph.getHolders(op).size() <= 1)
      rule = getFixedRule(graph.nodes[op]);
  if (!rule) {
    candidate.first = graph.getHolders(a).front();
    candidate.second = graph.getHolders(b).front();
    if (candidate.first == candidate.second)
      return success();
    if (const RuleViolation *refused = askHandler(candidate)) {
      note(candidate, false, refused);
      return success();
    }
    rule = takeBetween(candidate, unfused);
  }
  if (rule) {
    InFlightDiagnostic diag = second->emitError("illegal 'fuse.must_fuse': ")
                              << rule->message << " (" << rule->rule << ")";
    diag.attachNote(first->getLoc()) << "to share a kernel with this";
    return diag;
  }
  Quantity bytes = add(graph.groups[candidate.first].bytes,
                       graph.groups[candidate.second].bytes);
  unsigned left = graph.merge(candidate.first, candidate.second);
  graph.dropUnneeded(left);
  // More may have to come before the kernel is legal.
  Evaluation merged = evaluator.evaluateGroup(left);
  setPrice(left, merged);
  note(candidate, true, nullptr, merged.nanoseconds, unfused,
       subtract(bytes, merged.bytes));
  return success();
}

LogicalResult Search::mergeMusts() {
  llvm::MapVector<StringAttr, SmallVector<Operation *>> tags;
  for (OpNode &node : graph.nodes)
    if (auto tag =
            node.op->getAttrOfType<StringAttr>(FuseDialect::kMustFuseAttrName))
      if (node.role != Role::Dead)
        tags[tag].push_back(node.op);
  for (auto &[tag, ops] : tags) {
    for (Operation *op : ArrayRef(ops).drop_front())
      if (failed(mergeMust(ops.front(), op)))
        return failure();
    unsigned index = graph.getHolders(graph.getIndex(ops.front())).front();
    const Group &group = graph.groups[index];
    if (ops.size() == 1 || !group.mergeable)
      continue;
    Evaluation merged = evaluator.evaluateGroup(index);
    // What is legal but needs several kernels is taken apart when groups are
    // isolated.
    if (merged.violation && !needsSeveralKernels(*merged.violation)) {
      InFlightDiagnostic diag =
          ops.back()->emitError("illegal 'fuse.must_fuse': ")
          << merged.violation->message << " (" << merged.violation->rule << ")";
      diag.attachNote(ops.front()->getLoc()) << "to share a kernel with this";
      return diag;
    }
    setPrice(index, merged);
  }
  return success();
}

/// An edge inside of a larger candidate ends as that candidate did, and what
/// was taken apart again is apart.
void Search::settle(LogRow &row) {
  if (isImprovement(row.kind))
    return;
  auto [producer, consumer] = row.edge;
  bool together =
      llvm::any_of(graph.getHolders(row.edge.producer), [&](unsigned holder) {
        return llvm::is_contained(graph.getHolders(row.edge.consumer), holder);
      });
  if (row.accepted) {
    row.accepted = together || row.kind == DecisionKind::Recompute;
    return;
  }
  if (together) {
    row.accepted = row.kind != DecisionKind::Recompute;
    row.violation = nullptr;
    return;
  }
  for (unsigned a : graph.getHolders(producer))
    for (unsigned b : graph.getHolders(consumer)) {
      auto it = last.find(getPairKey(a, b));
      if (it == last.end() || it->second.accepted)
        continue;
      row.violation = it->second.violation;
      row.fusedNs = it->second.fusedNs;
      row.unfusedNs = it->second.unfusedNs;
      row.bytesSaved = it->second.bytesSaved;
      return;
    }
}

std::vector<Decision> Search::takeDecisions() {
  auto getPlace = [&](const LogRow &row) {
    return std::tuple(graph.nodes[row.edge.producer].place,
                      graph.nodes[row.edge.consumer].place, row.kind);
  };
  for (LogRow &row : log)
    row.edge = toProgramOrder(row.edge);
  llvm::sort(log, [&](const LogRow &a, const LogRow &b) {
    return getPlace(a) < getPlace(b);
  });
  std::vector<Decision> decisions;
  decisions.reserve(log.size());
  for (LogRow &row : log) {
    settle(row);
    Decision &decision = decisions.emplace_back();
    decision.kind = row.kind;
    decision.producer = graph.nodes[row.edge.producer].op;
    decision.consumer = graph.nodes[row.edge.consumer].op;
    decision.accepted = row.accepted;
    if (row.violation)
      decision.violation = *row.violation;
    decision.fusedNs = row.fusedNs;
    decision.unfusedNs = row.unfusedNs;
    decision.bytesSaved = row.bytesSaved;
  }
  return decisions;
}
