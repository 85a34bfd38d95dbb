// The last improvement of a plan: what a few groups hold is grouped anew by the
// exact search, with everything else as it is. That finds what no single step
// does, such as a kernel taken apart whose parts both compute some operators.
//
// The operators of the groups are taken together to few enough items: first
// chains of element-wise operators, then these with the reductions that they
// end at, at last whole groups.
#include "ExactItems.h"
#include "Search.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Items of a window, steps of its exact search, and groups looked at together
/// with one.
static constexpr size_t kMaxItems = 9, kMaxNear = 6;
static constexpr int64_t kSteps = 2000;
static constexpr int kRounds = 3;
/// Groups between those of a window that what they give leads through.
static constexpr size_t kMaxBetween = 8;
/// Groups of a window that are near each other; of one that compute the same
/// operators, and steps of its search.
static constexpr size_t kMaxNeighbours = 3, kMaxSharers = 8;
static constexpr int64_t kStepsOfSharers = 16000;

struct Search::Window {
  Window(const PlanGraph &graph, Evaluator &evaluator)
      : items(graph, evaluator) {}

  SmallVector<unsigned> groups;
  /// Of all groups, sorted.
  SmallVector<unsigned, 4> ops;
  ExactItems items;
  int64_t nanoseconds = 0, bytes = 0;
};

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

namespace {
/// How far operators of a window are taken together.
enum class Grain { Operators, Chains, Roots, Groups };

/// Takes the operators of a window together.
class Chunks {
public:
  Chunks(const PlanGraph &graph, ArrayRef<unsigned> groups,
         ArrayRef<unsigned> ops)
      : graph(graph), groups(groups), ops(ops) {}

  /// The items of this grain in an order in which they can run; nothing if an
  /// operator would be in two of them.
  std::optional<std::vector<SmallVector<unsigned, 4>>> find(Grain grain) const;

private:
  std::optional<unsigned> getOnlyUser(unsigned op) const;
  SmallVector<unsigned> getOwners(unsigned op) const;

  const PlanGraph &graph;
  ArrayRef<unsigned> groups, ops;
};
} // namespace

/// Groups of the window that hold `op`.
SmallVector<unsigned> Chunks::getOwners(unsigned op) const {
  SmallVector<unsigned> owners;
  for (unsigned group : groups)
    if (llvm::is_contained(graph.getHolders(op), group))
      owners.push_back(group);
  return owners;
}

/// The one operator that needs `op`, if the same groups hold both.
std::optional<unsigned> Chunks::getOnlyUser(unsigned op) const {
  const OpNode &node = graph.nodes[op];
  if (node.users.size() != 1 ||
      !std::binary_search(ops.begin(), ops.end(), node.users.front()) ||
      getOwners(op) != getOwners(node.users.front()))
    return std::nullopt;
  return node.users.front();
}

std::optional<std::vector<SmallVector<unsigned, 4>>>
Chunks::find(Grain grain) const {
  std::vector<SmallVector<unsigned, 4>> chunks;
  if (grain == Grain::Groups) {
    SmallVector<unsigned> order(groups);
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return graph.groups[a].position < graph.groups[b].position;
    });
    size_t count = 0;
    for (unsigned group : order) {
      chunks.push_back(graph.groups[group].ops);
      count += chunks.back().size();
    }
    if (count != ops.size())
      return std::nullopt;
    return chunks;
  }
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned op : ops) {
    classes.insert(op);
    std::optional<unsigned> user = getOnlyUser(op);
    if (grain == Grain::Operators || !user || isRootOp(graph.nodes[op].op))
      continue;
    if (grain == Grain::Roots || !isRootOp(graph.nodes[*user].op))
      classes.unionSets(op, *user);
  }
  // Each is a tree of operators that leads to its last one.
  llvm::MapVector<unsigned, SmallVector<unsigned, 4>> byLast;
  for (unsigned op : llvm::reverse(ops)) {
    unsigned last = op;
    for (unsigned member : classes.members(op))
      last = std::max(last, member);
    byLast[last].push_back(op);
  }
  for (auto &[last, members] : llvm::reverse(byLast)) {
    llvm::sort(members);
    chunks.push_back(std::move(members));
  }
  return chunks;
}

namespace {
/// Writes down the problem of a window: items, what they need of each other,
/// also by way of groups outside, and what others need.
class WindowBuilder {
public:
  WindowBuilder(const PlanGraph &graph, ArrayRef<unsigned> groups,
                ArrayRef<unsigned> ops, ExactItems &items)
      : graph(graph), groups(groups), ops(ops), items(items) {}

  /// False if the window is too large for this grain, or has no order.
  bool build(Grain grain, ArrayRef<unsigned> outputs);

private:
  /// Operators taken together, or a group outside that needs something of the
  /// window and gives something to it.
  struct Part {
    SmallVector<unsigned, 4> ops;
    bool outside = false;
    /// Parts that it needs.
    llvm::SmallSetVector<unsigned, 8> needs;
  };
  bool findParts(Grain grain);
  void findNeeds(unsigned part);
  bool sort(SmallVectorImpl<unsigned> &order) const;

  const PlanGraph &graph;
  ArrayRef<unsigned> groups, ops;
  ExactItems &items;
  std::vector<Part> parts;
  /// Parts by operator of the window, and by group outside.
  llvm::DenseMap<unsigned, unsigned> partOf, partOfGroup;
};
} // namespace

bool WindowBuilder::findParts(Grain grain) {
  auto chunks = Chunks(graph, groups, ops).find(grain);
  if (!chunks || chunks->size() > kMaxItems)
    return false;
  for (SmallVector<unsigned, 4> &chunk : *chunks) {
    for (unsigned op : chunk)
      partOf[op] = parts.size();
    parts.emplace_back().ops = std::move(chunk);
  }
  for (unsigned from : groups)
    for (unsigned to : groups) {
      if (graph.groups[from].position >= graph.groups[to].position)
        continue;
      for (unsigned group : graph.getBetween(from, to)) {
        if (llvm::is_contained(groups, group) ||
            !partOfGroup.try_emplace(group, parts.size()).second)
          continue;
        Part &part = parts.emplace_back();
        part.ops = graph.groups[group].ops;
        part.outside = true;
      }
    }
  return partOfGroup.size() <= kMaxBetween;
}

void WindowBuilder::findNeeds(unsigned number) {
  Part &part = parts[number];
  auto add = [&](unsigned source) {
    if (std::binary_search(part.ops.begin(), part.ops.end(), source))
      return;
    if (auto it = partOf.find(source); it != partOf.end()) {
      part.needs.insert(it->second);
      return;
    }
    auto home = partOfGroup.find(unsigned(graph.getHome(source)));
    if (graph.getHome(source) >= 0 && home != partOfGroup.end())
      part.needs.insert(home->second);
  };
  for (unsigned op : part.ops) {
    llvm::for_each(graph.nodes[op].sources, add);
    llvm::for_each(graph.getRunsAfter(op), add);
  }
  part.needs.remove(number);
}

/// An order in which the parts can run; false if there is none.
bool WindowBuilder::sort(SmallVectorImpl<unsigned> &order) const {
  llvm::BitVector done(parts.size());
  while (order.size() < parts.size()) {
    size_t before = order.size();
    for (unsigned i = 0; i < parts.size(); ++i)
      if (!done.test(i) && llvm::all_of(parts[i].needs, [&](unsigned need) {
            return done.test(need);
          })) {
        done.set(i);
        order.push_back(i);
      }
    if (order.size() == before)
      return false;
  }
  return true;
}

bool WindowBuilder::build(Grain grain, ArrayRef<unsigned> outputs) {
  if (!findParts(grain))
    return false;
  for (unsigned i = 0; i < parts.size(); ++i)
    findNeeds(i);
  SmallVector<unsigned> order, numbers(parts.size());
  if (!sort(order))
    return false;
  for (unsigned i : order) {
    ItemTraits traits;
    traits.alone = parts[i].outside;
    for (unsigned op : parts[i].ops) {
      traits.once |= runsOnce(graph.nodes[op]);
      traits.hasRoots |= isRootOp(graph.nodes[op].op);
    }
    ArrayRef<unsigned> own;
    if (!parts[i].outside)
      own = parts[i].ops;
    numbers[i] = items.add(own, traits);
  }
  for (unsigned i : order) {
    for (unsigned op : parts[i].ops)
      for (Value value : graph.nodes[op].reads)
        items.addRead(numbers[i], value);
    for (unsigned need : parts[i].needs)
      items.addOrder(numbers[i], numbers[need]);
  }
  for (unsigned output : outputs)
    items.wantValue(graph.values[output].value);
  return true;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The problem of these groups, of the finest grain that is small enough; with
/// its price. Nothing if they may not change or were looked at in vain.
std::unique_ptr<Search::Window> Search::openWindow(ArrayRef<unsigned> groups) {
  SmallVector<unsigned, 4> ops;
  for (unsigned group : groups)
    ops = PlanGraph::unite(ops, graph.groups[group].ops);
  bool closed = llvm::any_of(ops, [&](unsigned op) {
    int home = graph.getHome(op);
    return (home >= 0 && !llvm::is_contained(groups, unsigned(home))) ||
           !hasRole(graph.nodes[op].opClass) ||
           graph.nodes[op].op->hasAttr(FuseDialect::kMustFuseAttrName);
  });
  if (closed || ops.size() == 1)
    return nullptr;
  SmallVector<unsigned> outputs = graph.getOutputIds(ops, groups);
  SmallVector<unsigned> key;
  graph.getKey(ops, outputs, key);
  key.push_back(groups.size());
  if (!seenWindows.insert(std::move(key)).second)
    return nullptr;
  for (Grain grain :
       {Grain::Operators, Grain::Chains, Grain::Roots, Grain::Groups}) {
    if (grain == Grain::Groups && groups.size() < 3)
      break; // Pairs were looked at before.
    auto window = std::make_unique<Window>(graph, evaluator);
    if (!WindowBuilder(graph, groups, ops, window->items).build(grain, outputs))
      continue;
    window->groups = llvm::to_vector(groups);
    window->ops = ops;
    for (unsigned group : groups) {
      window->nanoseconds += *graph.groups[group].nanoseconds;
      window->bytes += graph.groups[group].bytes.value_or(0);
    }
    return window;
  }
  return nullptr;
}

/// Two operators that stand for a window in reports: the first that were
/// together and now are apart, or the reverse.
Edge Search::getEdge(const Window &window,
                     ArrayRef<PlanGraph::Regrouped> regrouped) const {
  auto holdsBoth = [](ArrayRef<unsigned> ops, Edge edge) {
    return std::binary_search(ops.begin(), ops.end(), edge.producer) &&
           std::binary_search(ops.begin(), ops.end(), edge.consumer);
  };
  for (unsigned op : window.ops)
    for (unsigned source : graph.nodes[op].sources) {
      Edge edge{source, op};
      bool before = llvm::any_of(window.groups, [&](unsigned group) {
        return holdsBoth(graph.groups[group].ops, edge);
      });
      bool after = llvm::any_of(
          regrouped, [&](auto &group) { return holdsBoth(group.ops, edge); });
      if (before != after)
        return edge;
    }
  return {window.ops.front(), window.ops.back()};
}

/// Forms the groups of a window anew. False, and all is as before, if that does
/// not pay or may not be.
bool Search::takeWindow(const Window &window,
                        ArrayRef<PlanGraph::Regrouped> regrouped) {
  Candidate candidate;
  candidate.kind = DecisionKind::Regroup;
  candidate.edge = getEdge(window, regrouped);
  Trial trial;
  std::optional<PlanGraph::Traded> change =
      graph.regroup(window.groups, regrouped);
  if (!change)
    return false;
  trial.change = std::move(*change);
  for (auto &[index, old] : trial.change.groups)
    evaluator.forget(index);
  const RuleViolation *refused = nullptr;
  if (!priceTrial(trial))
    refused = trial.violation;
  bool pays = trial.evaluations.size() == trial.change.groups.size() &&
              isCheaper(trial) && graph.reconnect(trial.change);
  if (pays && memory.hasLimit() && !memory.isKept())
    refused = evaluator.intern(
        {"peak-memory", "the program's device memory would exceed the budget"});
  if (pays && !refused)
    refused = askHandler(candidate);
  if (pays || refused)
    note(candidate, pays && !refused, refused, trial.after, trial.before,
         trial.bytesBefore - trial.bytesAfter);
  if (!pays || refused) {
    takeBack(trial);
    return false;
  }
  for (auto [saved, now] : llvm::zip(trial.change.groups, trial.evaluations)) {
    auto &siblings = graph.groups[saved.first].siblings;
    for (auto &[sibling, edge] : siblings)
      graph.groups[sibling].siblings.erase(saved.first);
    siblings.clear();
    if (graph.groups[saved.first].alive)
      setPrice(saved.first, now);
  }
  graph.settleMove(trial.change);
  SmallVector<unsigned> formed(trial.change.affected.begin(),
                               trial.change.affected.end());
  for (unsigned group : formed)
    if (graph.groups[group].alive)
      pushNeighbours(group, 1);
  drain();
  for (unsigned group : formed)
    if (graph.groups[group].alive)
      priceAround(group);
  return true;
}

/// True if what the groups hold has been grouped anew.
bool Search::improveWindow(ArrayRef<unsigned> groups) {
  std::unique_ptr<Window> window = openWindow(groups);
  if (!window)
    return false;
  ExactSolution solution = window->items.solve(
      window->nanoseconds, leastNs,
      groups.size() > kMaxNeighbours ? kStepsOfSharers : kSteps,
      [&] { return isSpent(); });
  std::vector<PlanGraph::Regrouped> regrouped;
  for (const ExactGroup &group : solution.groups) {
    PlanGraph::Regrouped now{window->items.getOps(group),
                             window->items.getGiven(group)};
    if (!now.ops.empty())
      regrouped.push_back(std::move(now));
  }
  return !regrouped.empty() && takeWindow(*window, regrouped);
}

/// Groups that may be looked at together with one: its consumers, and those
/// that run soon after it.
SmallVector<unsigned> Search::getNear(unsigned group) const {
  SmallVector<unsigned> near;
  auto add = [&](unsigned other) {
    if (near.size() < kMaxNear && other != group && isOpen(other) &&
        !llvm::is_contained(near, other))
      near.push_back(other);
  };
  unsigned position = graph.groups[group].position;
  SmallVector<unsigned> consumers;
  for (auto &[next, edge] : graph.groups[group].successors)
    consumers.push_back(next);
  llvm::sort(consumers, [&](unsigned a, unsigned b) {
    return graph.groups[a].position < graph.groups[b].position;
  });
  auto after = llvm::upper_bound(
      running, position, [&](unsigned position, unsigned other) {
        return position < graph.groups[other].position;
      });
  // In turn, so that neither kind takes all places.
  for (size_t i = 0; near.size() < kMaxNear; ++i) {
    bool left = false;
    if (i < consumers.size()) {
      add(consumers[i]);
      left = true;
    }
    if (after != running.end()) {
      add(*after++);
      left = true;
    }
    if (!left)
      break;
  }
  return near;
}

/// The groups that hold operators of `group`, too, with those that compute
/// these for others, and `group`; nothing if they are too many to be looked at.
SmallVector<unsigned> Search::getSharers(unsigned group) const {
  llvm::SmallSetVector<unsigned, 8> sharers;
  sharers.insert(group);
  for (unsigned op : graph.groups[group].ops) {
    ArrayRef<unsigned> holders = graph.getHolders(op);
    if (holders.size() > 1)
      sharers.insert(holders.begin(), holders.end());
  }
  if (sharers.size() > kMaxSharers ||
      !llvm::all_of(sharers, [&](unsigned at) { return isOpen(at); }))
    return {};
  SmallVector<unsigned> sorted = sharers.takeVector();
  llvm::sort(sorted);
  return sorted;
}

/// Looks at a group alone, with each of those near, with two of them, and with
/// all that compute the same, until one of these windows is grouped anew.
bool Search::improveFrom(unsigned group) {
  if (improveWindow(group))
    return true;
  SmallVector<unsigned> near = getNear(group);
  for (unsigned other : near)
    if (!isSpent() && improveWindow({group, other}))
      return true;
  for (size_t i = 0; i < near.size(); ++i)
    for (size_t j = i + 1; j < near.size(); ++j)
      if (!isSpent() && improveWindow({group, near[i], near[j]}))
        return true;
  // What many compute is stored for all of them or for none: for three it may
  // not pay.
  SmallVector<unsigned> sharers = getSharers(group);
  return sharers.size() > kMaxNeighbours && !isSpent() &&
         improveWindow(sharers);
}

/// True if anything has changed.
bool Search::improveWindows() {
  if (getVerdict() || options.mode != PlanMode::All)
    return false;
  setWorkLimit();
  bool changed = false;
  for (int round = 0; round < kRounds && !isSpent(); ++round) {
    bool any = false;
    findRunning();
    for (unsigned group : std::vector<unsigned>(running)) {
      if (isSpent() || !isOpen(group))
        continue;
      if (improveFrom(group)) {
        any = true;
        findRunning();
      }
    }
    if (!any)
      break;
    changed = true;
  }
  return changed;
}
