// After packing: operators move from one group to another, groups are split,
// and copies of operators are given up or made, each as long as the sum of
// prices falls. A step is tried, priced and taken back; the best one of each
// group stays. With a step goes the merge that it makes possible, if there is
// one: a group that needs less of others may share a launch with them.
#include "Search.h"

#include "fuse-mlir/Analysis/ClassPairs.h"
#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Rounds over all groups, and steps of one group in a round.
static constexpr int kRounds = 4, kStepsOfGroup = 4;
/// Groups of more operators than that together are left as they are: a launch
/// more or less is little for them.
static constexpr size_t kMaxSize = 256;
/// Sets of operators that are tried for each group, groups that each may move
/// to, groups before and after it in the running order that may be merged with
/// what is left, and copies that may be given up.
static constexpr size_t kMaxCones = 64, kMaxTargets = 4, kNear = 4,
                        kMaxReloads = 8;
/// The work of all steps (`Evaluator::getWork`, and `kWorkOfTrial` for each
/// operator of groups that are changed to try a step) is `kWork` for graphs of
/// up to `kSmall` operators, less for larger ones with the square of their size,
/// and so much for each operator beside that: planning stays linear, and a
/// launch more or less matters most where there are few.
static constexpr int64_t kWork = 1 << 20, kSmall = 192, kWorkOfOp = 4,
                         kWorkOfTrial = 8;

static bool readsMemory(const OpNode &node) {
  return llvm::any_of(node.reads, [](Value value) {
    return value.getDefiningOp<bufferization::ToTensorOp>() != nullptr;
  });
}

bool Search::isSpent() const {
  return evaluator.getWork() + trialWork > workLimit;
}

/// Lets what follows do its share of work.
void Search::setWorkLimit() {
  int64_t size = graph.nodes.size(), atLeast = std::max(size, kSmall);
  workLimit = evaluator.getWork() + trialWork +
              kWork * kSmall / atLeast * kSmall / atLeast + kWorkOfOp * size;
}

/// The open groups in the running order.
void Search::findRunning() {
  running.clear();
  for (unsigned i = 0; i < graph.groups.size(); ++i)
    if (isOpen(i))
      running.push_back(i);
  llvm::sort(running, [&](unsigned a, unsigned b) {
    return graph.groups[a].position < graph.groups[b].position;
  });
}

/// Whether the group may be changed at all.
bool Search::isOpen(unsigned group) const {
  const Group &candidate = graph.groups[group];
  return candidate.alive && candidate.mergeable && candidate.nanoseconds &&
         candidate.ops.size() <= kMaxSize;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Groups around `ops` of `group` that may take them: those that read or give
/// something of theirs, then others next to `group`.
SmallVector<unsigned> Search::getTargets(unsigned group,
                                         ArrayRef<unsigned> ops) const {
  SmallVector<unsigned> targets;
  auto add = [&](int target) {
    if (target >= 0 && unsigned(target) != group && isOpen(target) &&
        targets.size() < kMaxTargets &&
        !llvm::is_contained(targets, unsigned(target)))
      targets.push_back(target);
  };
  for (unsigned op : ops) {
    for (unsigned source : graph.nodes[op].sources)
      add(graph.getHome(source));
    for (unsigned user : graph.nodes[op].users)
      for (unsigned holder : graph.getHolders(user))
        add(holder);
  }
  SmallVector<unsigned> beside;
  for (const auto *edges : {&graph.groups[group].predecessors,
                            &graph.groups[group].successors})
    for (auto &[next, edge] : *edges)
      beside.push_back(next);
  llvm::sort(beside, [&](unsigned a, unsigned b) {
    return graph.groups[a].position < graph.groups[b].position;
  });
  llvm::for_each(beside, add);
  return targets;
}

/// A number for a group that is split off: that of one of the operators.
static std::optional<unsigned> findFree(const PlanGraph &graph,
                                        ArrayRef<unsigned> ops) {
  for (unsigned op : ops)
    if (!graph.groups[op].alive)
      return op;
  return std::nullopt;
}

/// Adds the steps that take `ops` out of `group`.
void Search::addMoves(unsigned group, ArrayRef<unsigned> ops, Edge cut,
                      std::vector<Step> &steps) const {
  if (ops.size() == graph.groups[group].ops.size())
    return;
  SmallVector<unsigned, 4> moved(ops.begin(), ops.end());
  for (const Step &step : steps)
    if (step.kind == DecisionKind::Split && step.ops == moved)
      return;
  for (unsigned target : getTargets(group, ops))
    steps.push_back(
        {DecisionKind::Move, int(group), int(target), moved, Edge()});
  if (std::optional<unsigned> free = findFree(graph, ops))
    steps.push_back({DecisionKind::Split, int(group), int(*free), moved, cut});
}

/// Adds the steps that have `group` read what it computes although another
/// group has it: the last such operators, which save most.
void Search::addReloads(unsigned group, std::vector<Step> &steps) const {
  size_t count = 0;
  for (unsigned op : llvm::reverse(graph.groups[group].ops))
    if (graph.getHolders(op).size() > 1 && count++ < kMaxReloads)
      steps.push_back({DecisionKind::Reload, int(group), -1, {op}, Edge()});
}

/// Adds the steps that have a reader compute what `op` of `group` stores.
void Search::addCopies(unsigned group, unsigned op,
                       std::vector<Step> &steps) const {
  if (isRootOp(graph.nodes[op].op))
    return;
  SmallVector<unsigned, 4> slice = graph.getSlice(group, op);
  if (slice.size() == graph.groups[group].ops.size())
    return; // The queue has seen that.
  if (llvm::any_of(slice,
                   [&](unsigned at) { return readsMemory(graph.nodes[at]); }))
    return;
  SmallVector<unsigned> readers;
  for (unsigned user : graph.nodes[op].users)
    for (unsigned holder : graph.getHolders(user))
      if (holder != group && isOpen(holder) &&
          !llvm::is_contained(graph.getHolders(op), holder) &&
          readers.size() < kMaxTargets && !llvm::is_contained(readers, holder))
        readers.push_back(holder);
  for (unsigned reader : readers)
    steps.push_back({DecisionKind::Recompute, -1, int(reader), slice, Edge()});
}

/// Everything that may be tried with `group`: sets of operators are what leads
/// to a value that others read, and what follows from one that others give.
std::vector<Search::Step> Search::findSteps(unsigned index) const {
  const Group &group = graph.groups[index];
  std::vector<Step> steps;
  // What the user wants together stays together.
  if (llvm::any_of(group.ops, [&](unsigned op) {
        return graph.nodes[op].op->hasAttr(FuseDialect::kMustFuseAttrName);
      }))
    return steps;
  bool small = group.ops.size() <= kMaxCones / 2;
  size_t cones = 0;
  auto isInside = [&](unsigned op) {
    return std::binary_search(group.ops.begin(), group.ops.end(), op);
  };
  auto cut = [&](unsigned op, bool below) {
    if (cones++ >= kMaxCones)
      return;
    Edge edge{op, op};
    const OpNode &node = graph.nodes[op];
    for (unsigned next : below ? node.sources : node.users)
      if (isInside(next))
        (below ? edge.producer : edge.consumer) = next;
    if (edge.producer == edge.consumer)
      edge.producer =
          op == group.ops.front() ? group.ops.back() : group.ops.front();
    if (edge.producer > edge.consumer)
      std::swap(edge.producer, edge.consumer);
    addMoves(index, graph.getCone(index, op, below), edge, steps);
  };
  for (unsigned op : group.ops) {
    const OpNode &node = graph.nodes[op];
    bool root = isRootOp(node.op);
    bool reads = llvm::any_of(
        node.sources, [&](unsigned source) { return !isInside(source); });
    bool gives = graph.getHome(op) == int(index) &&
                 !graph.getOutputIds({op}, {index}).empty();
    if (small || root || reads)
      cut(op, /*below=*/true);
    if (small || root || gives)
      cut(op, /*below=*/false);
    if (gives)
      addCopies(index, op, steps);
  }
  addReloads(index, steps);
  return steps;
}

/// Two operators that stand for a step in reports: one that is moved, and one
/// that it then is with or apart from.
Edge Search::getEdge(const Step &step) const {
  if (step.kind == DecisionKind::Split)
    return step.edge;
  int with = step.kind == DecisionKind::Reload ? step.from : step.to;
  ArrayRef<unsigned> others = graph.groups[with].ops;
  auto isOther = [&](unsigned op) {
    return !llvm::is_contained(step.ops, op) &&
           std::binary_search(others.begin(), others.end(), op);
  };
  for (unsigned op : step.ops) {
    for (unsigned user : graph.nodes[op].users)
      if (isOther(user))
        return {op, user};
    for (unsigned source : graph.nodes[op].sources)
      if (isOther(source))
        return {source, op};
  }
  auto [first, second] = std::minmax({step.ops.back(), others.back()});
  return {first, second};
}

/// What the class-pair table says of the operators that come together.
const RuleViolation *Search::checkStep(const Step &step) {
  if (step.kind == DecisionKind::Split || step.kind == DecisionKind::Reload)
    return nullptr;
  Candidate candidate;
  candidate.edge = step.edge;
  bool connected = llvm::is_contained(graph.nodes[step.edge.consumer].sources,
                                      step.edge.producer);
  candidate.kind =
      connected ? DecisionKind::ProducerConsumer : DecisionKind::Sibling;
  return checkClasses(candidate);
}

//===----------------------------------------------------------------------===//
// Trying
//===----------------------------------------------------------------------===//

/// Prices the groups that a step has changed. Nothing if one is not legal.
bool Search::priceTrial(Trial &trial) {
  for (auto &[index, old] : trial.change.groups) {
    if (old.alive) {
      trial.before += old.nanoseconds.value_or(0);
      trial.bytesBefore += old.bytes.value_or(0);
    }
    Evaluation &now = trial.evaluations.emplace_back();
    const Group &group = graph.groups[index];
    if (group.ops.size() > kMaxSize)
      return false;
    if (graph.getOutputIds(group.ops, {index}).empty())
      continue; // Nobody needs it any more.
    now = evaluator.evaluateGroup(index);
    trial.violation = now.violation;
    if (now.violation || !now.nanoseconds)
      return false;
    trial.after += *now.nanoseconds;
    trial.bytesAfter += now.bytes.value_or(0);
  }
  return true;
}

void Search::takeBack(Trial &trial) {
  for (auto &[index, old] : trial.change.groups)
    evaluator.forget(index);
  graph.undo(trial.change);
}

/// The price of two groups as one, if that is legal; nothing if one of them
/// needs something that needs the other one.
Evaluation Search::evaluateBoth(unsigned first, unsigned second) {
  if (graph.groups[first].position > graph.groups[second].position)
    std::swap(first, second);
  if (graph.hasIndirectPath(first, second)) {
    Evaluation refused;
    refused.violation = cycleRule;
    return refused;
  }
  if (graph.groups[first].successors.contains(second))
    return evaluator.evaluateUnion(first, second, {first, second});
  return evaluator.evaluatePacked(first, second);
}

/// Finds the merge that pays most of what the step has left with a group near
/// by.
void Search::findNext(const Step &step, Trial &trial) {
  if (step.from < 0 || graph.groups[step.from].ops.empty())
    return;
  unsigned rest = step.from;
  size_t at =
      llvm::lower_bound(running, graph.groups[rest].position,
                        [&](unsigned group, unsigned position) {
                          return graph.groups[group].position < position;
                        }) -
      running.begin();
  size_t begin = at > kNear ? at - kNear : 0;
  Quantity price;
  int64_t bytes = 0;
  for (auto [saved, now] : llvm::zip(trial.change.groups, trial.evaluations))
    if (saved.first == rest) {
      price = now.nanoseconds;
      bytes = now.bytes.value_or(0);
    }
  for (size_t i = begin; i < std::min(at + kNear + 1, running.size()); ++i) {
    unsigned other = running[i];
    bool changed = llvm::any_of(
        trial.change.groups, [&](auto &saved) { return saved.first == other; });
    if (changed || !isOpen(other))
      continue;
    Evaluation both = evaluateBoth(rest, other);
    if (both.violation || !both.nanoseconds || !price)
      continue;
    int64_t gain =
        *price + *graph.groups[other].nanoseconds - *both.nanoseconds;
    if (gain > trial.nextGain) {
      trial.nextGain = gain;
      trial.nextBytesSaved = bytes + graph.groups[other].bytes.value_or(0) -
                             both.bytes.value_or(0);
      trial.partner = other;
      trial.both = both;
    }
  }
}

int64_t Search::Trial::getPartedAttention() const {
  bool remains = llvm::any_of(
      evaluations, [](const Evaluation &now) { return now.isAttention; });
  int64_t nanoseconds = 0;
  for (auto &[index, old] : change.groups)
    if (!remains && old.alive && old.isAttention)
      nanoseconds += old.nanoseconds.value_or(0);
  return nanoseconds;
}

/// Whether the sum of prices falls, or bytes do at the same price. More bytes
/// have to be paid for even if they came from DRAM: the caches that the price
/// counts on are shared with other kernels, and a few nanoseconds are less than
/// what a price is good for. Nor is an attention taken apart for less than
/// `isWorthMerging` takes one for.
bool Search::isCheaper(const Trial &trial) const {
  auto [gain, bytesSaved] = trial.getGain();
  if (gain <= 0)
    return gain == 0 && bytesSaved > 0;
  // An attention was taken though its parts are faster by as much.
  if (bytesSaved < 0 && gain <= trial.getPartedAttention() / 5)
    return false;
  // Gigabytes per second are bytes per nanosecond.
  return bytesSaved >= 0 ||
         gain >= -bytesSaved / options.device.dramGBPerSecond;
}

/// Makes the step and prices it, with the merge that may follow. If it does not
/// pay, all is as before.
std::optional<Search::Trial> Search::tryStep(const Step &step) {
  Trial trial;
  Candidate candidate;
  candidate.kind = step.kind;
  candidate.edge = step.edge;
  if (const RuleViolation *rule = checkStep(step)) {
    note(candidate, false, rule);
    return std::nullopt;
  }
  trial.change = graph.move(step.from, step.ops, step.to);
  for (auto &[index, old] : trial.change.groups) {
    evaluator.forget(index);
    trialWork += kWorkOfTrial * int64_t(old.ops.size());
  }
  bool legal = priceTrial(trial);
  if (legal && trial.before - trial.after > -slack &&
      !graph.reconnect(trial.change)) {
    legal = false;
    trial.violation = cycleRule;
  }
  if (!legal) {
    if (step.kind != DecisionKind::Split)
      note(candidate, false, trial.violation);
  } else if (trial.before - trial.after > -slack) {
    findNext(step, trial);
    if (isCheaper(trial))
      return std::move(trial);
  }
  // A split that does not pay is a merge that did: that has been said.
  if (legal && step.kind != DecisionKind::Split)
    note(candidate, false, nullptr, trial.after, trial.before,
         trial.bytesBefore - trial.bytesAfter);
  takeBack(trial);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Taking
//===----------------------------------------------------------------------===//

/// Prices a group and its neighbours anew: what they store may have changed.
void Search::priceAround(unsigned index) {
  auto update = [&](unsigned group) {
    if (isOpen(group))
      setPrice(group, evaluator.evaluateGroup(group));
  };
  update(index);
  for (auto &[next, edge] : graph.groups[index].predecessors)
    update(next);
  for (auto &[next, edge] : graph.groups[index].successors)
    update(next);
}

/// Merges what the step has left with its partner.
bool Search::takeNext(const Step &step, const Trial &trial) {
  Candidate candidate;
  candidate.first = step.from;
  candidate.second = *trial.partner;
  const Group &a = graph.groups[candidate.first];
  const Group &b = graph.groups[candidate.second];
  auto edge = a.successors.find(candidate.second);
  bool connected =
      edge != a.successors.end() ||
      (edge = a.predecessors.find(candidate.second)) != a.predecessors.end();
  candidate.kind =
      connected ? DecisionKind::ProducerConsumer : DecisionKind::Independent;
  if (connected)
    candidate.edge = edge->second;
  else
    std::tie(candidate.edge.producer, candidate.edge.consumer) =
        std::minmax({a.ops.back(), b.ops.back()});
  const RuleViolation *refused = checkClasses(candidate);
  if (!refused)
    refused = askHandler(candidate);
  note(candidate, !refused, refused, trial.both.nanoseconds,
       add(a.nanoseconds, b.nanoseconds),
       subtract(add(a.bytes, b.bytes), trial.both.bytes));
  if (refused)
    return false;
  unsigned left = graph.merge(candidate.first, candidate.second);
  evaluator.forget(candidate.first);
  evaluator.forget(candidate.second);
  setPrice(left, trial.both);
  graph.dropUnneeded(left);
  return true;
}

/// Takes a step that has been found to pay. False if the user's handler does
/// not let it happen.
bool Search::takeStep(const Step &step) {
  std::optional<Trial> trial = tryStep(step);
  if (!trial)
    return false;
  Candidate candidate;
  candidate.kind = step.kind;
  candidate.edge = step.edge;
  const RuleViolation *refused = nullptr;
  if (memory.hasLimit() && !memory.isKept())
    refused = evaluator.intern(
        {"peak-memory", "the program's device memory would exceed the budget"});
  if (!refused)
    refused = askHandler(candidate);
  note(candidate, !refused, refused, trial->after, trial->before,
       trial->bytesBefore - trial->bytesAfter);
  if (refused) {
    takeBack(*trial);
    return false;
  }
  SmallVector<unsigned> changed;
  for (auto [saved, now] :
       llvm::zip(trial->change.groups, trial->evaluations)) {
    setPrice(saved.first, now);
    changed.push_back(saved.first);
  }
  bool dearer = trial->after > trial->before;
  if (trial->partner && !takeNext(step, *trial) && dearer) {
    // Without the merge it does not pay.
    takeBack(*trial);
    return false;
  }
  graph.settleMove(trial->change);
  for (unsigned group : changed)
    if (graph.groups[group].alive) {
      graph.dropUnneeded(group);
      pushNeighbours(group, 1);
    }
  drain();
  for (unsigned group : changed)
    if (graph.groups[group].alive)
      priceAround(group);
  return true;
}

/// Takes the best steps of a group, one after the other.
bool Search::improveGroup(unsigned index) {
  bool any = false;
  for (int i = 0; i < kStepsOfGroup && isOpen(index); ++i) {
    priceAround(index);
    std::optional<Step> best;
    std::pair<int64_t, int64_t> bestGain;
    for (Step &step : findSteps(index)) {
      if (isSpent())
        break;
      step.edge = getEdge(step);
      std::optional<Trial> trial = tryStep(step);
      if (!trial)
        continue;
      takeBack(*trial);
      if (!best || trial->getGain() > bestGain) {
        bestGain = trial->getGain();
        best = step;
      }
    }
    if (!best || !takeStep(*best))
      break;
    any = true;
  }
  return any;
}

/// True if anything has changed.
bool Search::improve() {
  if (getVerdict() || options.mode != PlanMode::All)
    return false;
  setWorkLimit();
  bool changed = false;
  for (int round = 0; round < kRounds; ++round) {
    findRunning();
    slack = std::numeric_limits<int64_t>::max();
    for (unsigned group : running)
      slack = std::min(slack, *graph.groups[group].nanoseconds);
    bool any = false;
    for (unsigned group : std::vector<unsigned>(running))
      if (isOpen(group) && !isSpent())
        any |= improveGroup(group);
    if (!any)
      break;
    changed = true;
  }
  return changed;
}
