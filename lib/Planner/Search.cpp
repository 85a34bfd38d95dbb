// The queue of candidates: pricing, accepting, and what follows from a merge.
#include "Search.h"

#include "fuse-mlir/Analysis/ClassPairs.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Merged groups up to this size are priced at once, larger ones when due.
static constexpr unsigned kEagerSize = 64;
/// Readers of a value up to this number are paired each with each.
static constexpr size_t kAllPairs = 8;

Search::Search(PlanGraph &graph, const PlanOptions &options)
    : graph(graph), options(options), recomputePending(graph.groups.size()) {
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    Group &group = graph.groups[i];
    if (!group.alive)
      continue;
    hasBoundaries |= isa<BoundaryOp>(graph.nodes[i].op);
    if (graph.nodes[i].role == Role::Host || isa<GroupOp>(graph.nodes[i].op))
      continue;
    Evaluation single = evaluate(group.ops, {i});
    group.shape = std::move(single.shape);
    group.nanoseconds = single.nanoseconds;
    group.bytes = single.bytes;
  }
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
  bool sibling = kind == DecisionKind::Sibling;
  return sibling == (options.mode == PlanMode::Sibling);
}

std::optional<bool> Search::getVerdict() const {
  if (options.strategy == PlanStrategy::Max)
    return true;
  return options.costModel->getVerdict();
}

Evaluation Search::evaluate(ArrayRef<unsigned> ops, ArrayRef<unsigned> owners,
                            std::optional<int64_t> alignedElements) const {
  Evaluation result;
  SmallVector<Operation *> members = graph.getMembers(ops);
  SmallVector<Value> inputs = graph.getInputs(ops);
  SmallVector<Value> outputs = graph.getOutputs(ops, owners);
  RuleViolation shapeViolation;
  if (alignedElements && !outputs.empty()) {
    // What the analysis would find; where outputs are stored is left open.
    result.shape.emplace();
    result.shape->rows = *alignedElements;
  } else {
    FailureOr<GroupShape> shape =
        analyzeGroup(members, outputs, &shapeViolation);
    if (succeeded(shape))
      result.shape = std::move(*shape);
  }
  GroupView view;
  view.kernel = {members, inputs, outputs,
                 result.shape ? &*result.shape : nullptr};
  view.shapeViolation = result.shape ? nullptr : &shapeViolation;
  view.device = options.device;
  for (const GroupConstraint *constraint : options.constraints) {
    result.violation = constraint->check(view);
    if (result.violation)
      return result;
  }
  cost::KernelCounts counts = cost::countKernel(view.kernel, &facts);
  view.kernel.counts = &counts;
  const CostModel &model = *options.costModel;
  result.nanoseconds = model.estimateNanoseconds(view.kernel, options.device);
  Quantity read = model.bytesRead(view.kernel);
  Quantity written = model.bytesWritten(view.kernel);
  if (read && written)
    result.bytes = *read + *written;
  return result;
}

static Quantity add(Quantity a, Quantity b) {
  if (!a || !b)
    return std::nullopt;
  return *a + *b;
}

static Quantity subtract(Quantity a, Quantity b) {
  if (!a || !b)
    return std::nullopt;
  return *a - *b;
}

void Search::note(const Candidate &candidate, bool accepted,
                  std::optional<RuleViolation> violation, Quantity fused,
                  Quantity unfused, Quantity bytesSaved) {
  Decision &row = log[{candidate.edge.producer, candidate.edge.consumer,
                       int(candidate.kind)}];
  if (row.accepted && !accepted)
    return; // Already together.
  row.kind = candidate.kind;
  row.producer = graph.nodes[candidate.edge.producer].op;
  row.consumer = graph.nodes[candidate.edge.consumer].op;
  row.accepted = accepted;
  row.violation = violation.value_or(RuleViolation());
  row.fusedNs = fused;
  row.unfusedNs = unfused;
  row.bytesSaved = bytesSaved;
  last[std::minmax(candidate.first, candidate.second)] = row;
}

//===----------------------------------------------------------------------===//
// Finding candidates
//===----------------------------------------------------------------------===//

/// The rule that keeps one of two operators out of every fusion.
static std::optional<RuleViolation> getFixedRule(const OpNode &node) {
  if (isa<BoundaryOp>(node.op))
    return RuleViolation{"boundary", "'fuse.boundary' lies between"};
  if (isa<GroupOp>(node.op))
    return RuleViolation{"user-group", "a group made by hand is left as it is"};
  if (node.role == Role::Alone)
    return RuleViolation{"never-fuse", "the operator has 'fuse.never_fuse'"};
  if (node.role == Role::Host)
    return RuleViolation{"opaque", "'" +
                                       node.op->getName().getStringRef().str() +
                                       "' is no operator of a kernel"};
  return std::nullopt;
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
  std::optional<RuleViolation> rule = getFixedRule(producer);
  if (!rule)
    rule = getFixedRule(consumer);
  Candidate candidate;
  candidate.edge = edge;
  note(candidate, false, rule, std::nullopt, std::nullopt, std::nullopt);
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
static double getSpace(Operation *op) {
  if (!cost::isContraction(op))
    return cost::getWork(op).iterations;
  return -cost::getElements(op->getResult(0).getType()).value_or(0);
}

void Search::findSiblings() {
  llvm::MapVector<Value, SmallVector<unsigned>> readers;
  for (unsigned i = 0; i < graph.groups.size(); ++i)
    if (graph.groups[i].alive && graph.groups[i].mergeable)
      for (unsigned op : graph.groups[i].ops)
        for (Value value : graph.nodes[op].reads)
          readers[value].push_back(i);
  for (auto &[value, groups] : readers)
    linkSiblings(groups);
}

void Search::linkSiblings(ArrayRef<unsigned> groups) {
  if (groups.size() < 2 || !allows(DecisionKind::Sibling))
    return;
  std::map<double, SmallVector<unsigned>> bySpace;
  for (unsigned group : groups) {
    Operation *op = graph.nodes[graph.groups[group].ops.back()].op;
    SmallVector<unsigned> &bucket = bySpace[getSpace(op)];
    if (bucket.empty() || bucket.back() != group)
      bucket.push_back(group);
  }
  auto link = [&](unsigned a, unsigned b) {
    Group &first = graph.groups[a], &second = graph.groups[b];
    if (a == b || first.successors.count(b) || second.successors.count(a) ||
        first.siblings.count(b))
      return;
    Edge edge{first.ops.back(), second.ops.back()};
    if (edge.consumer < edge.producer)
      std::swap(edge.producer, edge.consumer);
    first.siblings[b] = edge;
    second.siblings[a] = edge;
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
  if (candidate.size > kEagerSize || price(candidate))
    queue.push(std::move(candidate));
}

void Search::pushRecompute(unsigned producer) {
  const Group &group = graph.groups[producer];
  if (!group.alive || !group.mergeable || recomputePending.test(producer) ||
      !allows(DecisionKind::Recompute) || group.successors.size() < 2)
    return;
  Candidate candidate;
  candidate.kind = DecisionKind::Recompute;
  candidate.first = candidate.second = producer;
  candidate.edge = group.successors.begin()->second;
  candidate.moves = onlyMoves(producer);
  if (!priceRecompute(candidate))
    return;
  recomputePending.set(producer);
  queue.push(std::move(candidate));
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

std::optional<RuleViolation>
Search::checkOrder(const Candidate &candidate) const {
  unsigned first = candidate.first, second = candidate.second;
  if (graph.groups[first].position > graph.groups[second].position)
    std::swap(first, second);
  if (!graph.hasIndirectPath(first, second))
    return std::nullopt;
  if (hasBoundaries)
    for (unsigned i = 0; i < graph.groups.size(); ++i)
      if (graph.groups[i].alive && isa<BoundaryOp>(graph.nodes[i].op) &&
          graph.hasPath(first, i) && graph.hasPath(i, second))
        return RuleViolation{"boundary", "'fuse.boundary' lies between"};
  return RuleViolation{"cycle",
                       "another kernel or host operator lies between the two"};
}

/// What the class-pair table says about the two operators of a candidate.
std::optional<RuleViolation>
Search::checkClasses(const Candidate &candidate) const {
  OpClass producer = graph.nodes[candidate.edge.producer].opClass;
  OpClass consumer = graph.nodes[candidate.edge.consumer].opClass;
  auto never = [&](FusionRole role) {
    return getPairCondition(producer, consumer, role) == PairCondition::Never;
  };
  bool refused =
      candidate.kind == DecisionKind::Sibling
          ? never(FusionRole::Sibling)
          : never(FusionRole::Prologue) && never(FusionRole::Epilogue);
  if (!refused)
    return std::nullopt;
  return RuleViolation{"class-pair", "the table has no role for " +
                                         stringifyOpClass(producer).str() +
                                         " and " +
                                         stringifyOpClass(consumer).str()};
}

/// Prices the merge of two groups. False if it is not to be done.
bool Search::price(Candidate &candidate) {
  const Group &a = graph.groups[candidate.first];
  const Group &b = graph.groups[candidate.second];
  candidate.version = getVersion(candidate);
  candidate.size = a.ops.size() + b.ops.size();
  Quantity unfused = add(a.nanoseconds, b.nanoseconds);
  std::optional<RuleViolation> rule = checkClasses(candidate);
  if (!rule)
    rule = checkOrder(candidate);
  if (rule) {
    note(candidate, false, rule, std::nullopt, unfused, std::nullopt);
    return false;
  }
  SmallVector<unsigned, 4> ops = PlanGraph::unite(a.ops, b.ops);
  candidate.evaluation = std::make_shared<Evaluation>(
      evaluate(ops, {candidate.first, candidate.second},
               graph.getAlignedElements(candidate.first, candidate.second)));
  const Evaluation &merged = *candidate.evaluation;
  if (merged.violation) {
    note(candidate, false, merged.violation, std::nullopt, unfused,
         std::nullopt);
    return false;
  }
  Quantity saved = subtract(unfused, merged.nanoseconds);
  std::optional<bool> verdict = getVerdict();
  candidate.gain = verdict ? int64_t(*verdict) : saved.value_or(0);
  note(candidate, false, std::nullopt, merged.nanoseconds, unfused,
       subtract(add(a.bytes, b.bytes), merged.bytes));
  return candidate.gain > 0;
}

/// Whether `op` reads memory that a later operator may write.
static bool readsMemory(const OpNode &node) {
  return llvm::any_of(node.reads, [](Value value) {
    return value.getDefiningOp<bufferization::ToTensorOp>() != nullptr;
  });
}

/// Prices recomputing a group in its consumers: in all of them if that is legal
/// and nobody else needs it; otherwise where it pays by itself.
bool Search::priceRecompute(Candidate &candidate) {
  unsigned producer = candidate.first;
  const Group &group = graph.groups[producer];
  candidate.consumers.clear();
  candidate.consumerEvaluations.clear();
  candidate.version = getVersion(candidate);
  candidate.size = group.ops.size();
  if (!group.nanoseconds || !group.shape || !group.shape->roots.empty())
    return false;
  for (unsigned op : group.ops)
    if (readsMemory(graph.nodes[op]))
      return false;
  std::optional<bool> verdict = getVerdict();
  candidate.keep = false;
  int64_t total = *group.nanoseconds, unfused = total;
  int64_t partial = 0;
  SmallVector<unsigned> worthwhile;
  for (auto &[next, edge] : group.successors) {
    const Group &consumer = graph.groups[next];
    std::shared_ptr<Evaluation> evaluation;
    if (consumer.mergeable && consumer.nanoseconds)
      evaluation = std::make_shared<Evaluation>(
          evaluate(PlanGraph::unite(group.ops, consumer.ops), {next},
                   graph.getAlignedElements(producer, next)));
    if (!evaluation || evaluation->violation || !evaluation->nanoseconds) {
      candidate.keep = true;
      continue;
    }
    int64_t saved = *consumer.nanoseconds - *evaluation->nanoseconds;
    total += saved;
    unfused += *consumer.nanoseconds;
    if (saved > 0) {
      partial += saved;
      worthwhile.push_back(candidate.consumers.size());
    }
    candidate.consumers.push_back(next);
    candidate.consumerEvaluations.push_back(std::move(evaluation));
    candidate.size += consumer.ops.size();
  }
  candidate.gain = total;
  if (candidate.keep) {
    // Only where each consumer alone gets faster.
    SmallVector<unsigned, 4> consumers;
    SmallVector<std::shared_ptr<Evaluation>, 4> evaluations;
    for (unsigned i : worthwhile) {
      consumers.push_back(candidate.consumers[i]);
      evaluations.push_back(candidate.consumerEvaluations[i]);
    }
    candidate.consumers = std::move(consumers);
    candidate.consumerEvaluations = std::move(evaluations);
    candidate.gain = partial;
  }
  if (verdict)
    candidate.gain = *verdict && !candidate.keep ? 1 : 0;
  if (candidate.consumers.empty())
    return false;
  if (!candidate.keep)
    note(candidate, false, std::nullopt, unfused - total, unfused,
         std::nullopt);
  return candidate.gain > 0;
}

//===----------------------------------------------------------------------===//
// Accepting
//===----------------------------------------------------------------------===//

void Search::accept(const Candidate &candidate) {
  const Group &a = graph.groups[candidate.first];
  const Group &b = graph.groups[candidate.second];
  Evaluation &merged = *candidate.evaluation;
  note(candidate, true, std::nullopt, merged.nanoseconds,
       add(a.nanoseconds, b.nanoseconds),
       subtract(add(a.bytes, b.bytes), merged.bytes));
  unsigned left = graph.merge(candidate.first, candidate.second);
  Group &group = graph.groups[left];
  group.shape = merged.shape;
  group.nanoseconds = merged.nanoseconds;
  group.bytes = merged.bytes;
  graph.dropUnneeded(left);
  pushNeighbours(left, candidate.gain);
}

void Search::acceptRecompute(const Candidate &candidate) {
  int64_t fused = 0, unfused = 0;
  const Group &producer = graph.groups[candidate.first];
  if (!candidate.keep)
    unfused = producer.nanoseconds.value_or(0);
  for (auto [consumer, evaluation] :
       llvm::zip(candidate.consumers, candidate.consumerEvaluations)) {
    fused += evaluation->nanoseconds.value_or(0);
    unfused += graph.groups[consumer].nanoseconds.value_or(0);
  }
  note(candidate, true, std::nullopt, fused, unfused, std::nullopt);
  graph.recompute(candidate.first, candidate.consumers, candidate.keep);
  for (auto [consumer, evaluation] :
       llvm::zip(candidate.consumers, candidate.consumerEvaluations)) {
    Group &group = graph.groups[consumer];
    group.shape = evaluation->shape;
    group.nanoseconds = evaluation->nanoseconds;
    group.bytes = evaluation->bytes;
  }
  for (unsigned consumer : candidate.consumers)
    graph.dropUnneeded(consumer);
  for (unsigned consumer : candidate.consumers)
    pushNeighbours(consumer, candidate.gain);
  linkSiblings(candidate.consumers);
}

void Search::run() {
  if (options.strategy == PlanStrategy::None)
    return;
  findCandidates();
  drain();
  if (tradeStoredValues())
    drain();
}

/// Takes candidates from the queue until it is empty.
void Search::drain() {
  while (!queue.empty()) {
    Candidate candidate = queue.top();
    queue.pop();
    bool recompute = candidate.kind == DecisionKind::Recompute;
    if (recompute)
      recomputePending.reset(candidate.first);
    if (!graph.groups[candidate.first].alive ||
        !graph.groups[candidate.second].alive)
      continue;
    bool stale = candidate.version != getVersion(candidate);
    if (recompute) {
      if (stale)
        pushRecompute(candidate.first);
      else
        acceptRecompute(candidate);
      continue;
    }
    if (stale || !candidate.evaluation) {
      if (price(candidate))
        queue.push(std::move(candidate));
      continue;
    }
    if (std::optional<RuleViolation> rule = checkOrder(candidate)) {
      note(candidate, false, rule, std::nullopt, std::nullopt, std::nullopt);
      continue;
    }
    accept(candidate);
  }
}

//===----------------------------------------------------------------------===//
// What the user asks for, and what is told
//===----------------------------------------------------------------------===//

/// Merges what lies between the two groups into the first one; the rule if
/// that is not possible.
std::optional<RuleViolation> Search::takeBetween(Candidate &candidate) {
  unsigned &first = candidate.first, &second = candidate.second;
  if (graph.groups[first].position > graph.groups[second].position)
    std::swap(first, second);
  for (unsigned between : graph.getBetween(first, second)) {
    if (!graph.groups[between].mergeable) {
      if (isa<BoundaryOp>(graph.nodes[between].op))
        return getFixedRule(graph.nodes[between]);
      return RuleViolation{
          "cycle", "another kernel or host operator lies between the two"};
    }
    first = graph.merge(first, between);
  }
  return std::nullopt;
}

LogicalResult Search::mergeMust(Operation *first, Operation *second) {
  unsigned a = graph.getIndex(first), b = graph.getIndex(second);
  Candidate candidate;
  candidate.kind = DecisionKind::MustFuse;
  candidate.edge = {std::min(a, b), std::max(a, b)};
  std::optional<RuleViolation> rule;
  for (unsigned op : {a, b})
    if (!graph.groups[op].mergeable && graph.getHolders(op) == ArrayRef{op})
      rule = getFixedRule(graph.nodes[op]);
  if (!rule) {
    candidate.first = graph.getHolders(a).front();
    candidate.second = graph.getHolders(b).front();
    if (candidate.first == candidate.second)
      return success();
    rule = takeBetween(candidate);
  }
  if (rule) {
    InFlightDiagnostic diag = second->emitError("illegal 'fuse.must_fuse': ")
                              << rule->message << " (" << rule->rule << ")";
    diag.attachNote(first->getLoc()) << "to share a kernel with this";
    return diag;
  }
  unsigned left = graph.merge(candidate.first, candidate.second);
  graph.dropUnneeded(left);
  note(candidate, true, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
  return success();
}

LogicalResult Search::mergeMusts() {
  llvm::MapVector<StringAttr, SmallVector<Operation *>> tags;
  for (OpNode &node : graph.nodes)
    if (auto tag =
            node.op->getAttrOfType<StringAttr>(FuseDialect::kMustFuseAttrName))
      tags[tag].push_back(node.op);
  for (auto &[tag, ops] : tags) {
    for (Operation *op : ArrayRef(ops).drop_front())
      if (failed(mergeMust(ops.front(), op)))
        return failure();
    unsigned index = graph.getHolders(graph.getIndex(ops.front())).front();
    Group &group = graph.groups[index];
    if (ops.size() == 1 || !group.mergeable)
      continue;
    Evaluation merged = evaluate(group.ops, {index});
    if (merged.violation) {
      InFlightDiagnostic diag =
          ops.back()->emitError("illegal 'fuse.must_fuse': ")
          << merged.violation->message << " (" << merged.violation->rule << ")";
      diag.attachNote(ops.front()->getLoc()) << "to share a kernel with this";
      return diag;
    }
    group.shape = std::move(merged.shape);
    group.nanoseconds = merged.nanoseconds;
    group.bytes = merged.bytes;
  }
  return success();
}

/// An edge inside of a larger candidate ends as that candidate did.
void Search::settle(Decision &row, unsigned producer, unsigned consumer) {
  for (unsigned holder : graph.getHolders(producer))
    if (llvm::is_contained(graph.getHolders(consumer), holder)) {
      row.accepted = row.kind != DecisionKind::Recompute;
      row.violation = {};
      return;
    }
  for (unsigned a : graph.getHolders(producer))
    for (unsigned b : graph.getHolders(consumer)) {
      auto it = last.find(std::minmax(a, b));
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
  std::vector<Decision> decisions;
  for (auto &[key, row] : log) {
    auto [producer, consumer, kind] = key;
    if (!row.accepted)
      settle(row, producer, consumer);
    decisions.push_back(std::move(row));
  }
  return decisions;
}
