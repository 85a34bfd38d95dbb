// Strategy `optimal`: the greedy plan first, then an exact search for a cheaper
// one, with the same legality and the same prices.
#include "ExactItems.h"
#include "Search.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

namespace {
/// The groups of a graph before any fusion as items of the exact search, and
/// back.
class ExactView {
public:
  ExactView(const PlanGraph &graph, Evaluator &evaluator);

  /// The cheapest groups below `known`.
  ExactSolution solve(int64_t known, int64_t least, int64_t limit) {
    return items.solve(known, least, limit);
  }
  const std::vector<Group> &getGroups() const { return groups; }
  std::vector<PlanGraph::Installed>
  describe(const ExactSolution &solution) const;

private:
  ItemTraits getTraits(const Group &group) const;

  const PlanGraph &graph;
  /// As they are before any fusion.
  const std::vector<Group> groups;
  ExactItems items;
  /// The group of each item.
  SmallVector<unsigned> groupOf;
};
} // namespace

ItemTraits ExactView::getTraits(const Group &group) const {
  ItemTraits traits;
  traits.alone = !group.mergeable || !group.nanoseconds ||
                 llvm::any_of(group.ops, [&](unsigned op) {
                   return !hasRole(graph.nodes[op].opClass);
                 });
  traits.price = group.mergeable ? group.nanoseconds.value_or(0) : 0;
  traits.once = group.ops.size() > 1 || group.hasRoots ||
                runsOnce(graph.nodes[group.ops.front()]);
  traits.hasRoots = group.hasRoots;
  return traits;
}

ExactView::ExactView(const PlanGraph &graph, Evaluator &evaluator)
    : graph(graph), groups(graph.groups), items(graph, evaluator) {
  for (unsigned i = 0; i < groups.size(); ++i)
    if (groups[i].alive)
      groupOf.push_back(i);
  llvm::sort(groupOf, [&](unsigned a, unsigned b) {
    return groups[a].position < groups[b].position;
  });
  llvm::DenseMap<unsigned, unsigned> itemOf;
  for (unsigned group : groupOf)
    itemOf[group] = items.add(groups[group].ops, getTraits(groups[group]));
  for (auto [item, group] : llvm::enumerate(groupOf)) {
    if (!groups[group].mergeable)
      items.wantItem(item);
    items.addReads(item);
    // Scalars, and what only has to run before.
    for (auto &[before, edge] : groups[group].predecessors)
      items.addOrder(item, itemOf.lookup(before));
  }
}

std::vector<PlanGraph::Installed>
ExactView::describe(const ExactSolution &solution) const {
  std::vector<PlanGraph::Installed> after;
  for (const ExactGroup &group : solution.groups) {
    PlanGraph::Installed &next = after.emplace_back();
    for (unsigned item : group.items)
      next.parts.push_back(groupOf[item]);
    next.given = items.getGiven(group);
  }
  return after;
}

//===----------------------------------------------------------------------===//
// In the search
//===----------------------------------------------------------------------===//

/// Sum of the prices that depend on the plan.
int64_t Search::getTotal() {
  int64_t total = 0;
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    const Group &group = graph.groups[i];
    if (!group.alive || !group.mergeable)
      continue;
    setPrice(i, evaluator.evaluate(group.ops, {i}));
    total += group.nanoseconds.value_or(0);
  }
  return total;
}

/// Has the log tell of the groups as they are now.
void Search::noteGroups() {
  for (LogRow &row : log)
    row.accepted = false;
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    const Group &group = graph.groups[i];
    if (!group.alive || !group.mergeable)
      continue;
    Candidate candidate;
    candidate.first = candidate.second = i;
    for (unsigned op : group.ops) {
      bool connected = false;
      for (unsigned source : graph.nodes[op].sources) {
        if (!std::binary_search(group.ops.begin(), group.ops.end(), source))
          continue;
        connected = true;
        candidate.edge = {source, op};
        candidate.kind = graph.getHolders(source).size() > 1 &&
                                 graph.getHome(source) != int(i)
                             ? DecisionKind::Recompute
                             : DecisionKind::ProducerConsumer;
        note(candidate, true, nullptr);
      }
      if (connected || op == group.ops.front())
        continue;
      unsigned first = group.ops.front();
      bool related = llvm::any_of(graph.nodes[op].reads, [&](Value value) {
        return llvm::is_contained(graph.nodes[first].reads, value);
      });
      candidate.edge = {first, op};
      candidate.kind =
          related ? DecisionKind::Sibling : DecisionKind::Independent;
      note(candidate, true, nullptr);
    }
  }
}

/// What the living groups hold, by the groups `before` any fusion, in an order
/// in which they can run.
static std::vector<PlanGraph::Installed>
describeGroups(const PlanGraph &graph, const std::vector<Group> &before) {
  std::vector<unsigned> partOf(graph.nodes.size()), order;
  for (unsigned i = 0; i < before.size(); ++i)
    for (unsigned op : before[i].ops)
      partOf[op] = i;
  for (unsigned i = 0; i < graph.groups.size(); ++i)
    if (graph.groups[i].alive)
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return graph.groups[a].position < graph.groups[b].position;
  });
  std::vector<PlanGraph::Installed> result;
  for (unsigned i : order) {
    PlanGraph::Installed &entry = result.emplace_back();
    for (unsigned op : graph.groups[i].ops) {
      if (!llvm::is_contained(entry.parts, partOf[op]))
        entry.parts.push_back(partOf[op]);
      if (graph.getHome(op) == int(i))
        entry.given.push_back(op);
    }
  }
  return result;
}

/// The decision that stands for a kernel of several operators.
Candidate Search::getDecision(ArrayRef<unsigned> ops) const {
  Candidate candidate;
  for (unsigned op : ops)
    for (unsigned source : graph.nodes[op].sources)
      if (llvm::is_contained(ops, source)) {
        candidate.edge = {source, op};
        return candidate;
      }
  candidate.kind = DecisionKind::Independent;
  candidate.edge = {ops.front(), ops.back()};
  return candidate;
}

/// Asks the user's handler for each kernel of several operators. One that it
/// does not let happen is taken apart; true if there is any.
bool Search::askForGroups(const std::vector<Group> &before) {
  std::vector<PlanGraph::Installed> after;
  std::vector<std::pair<Candidate, const RuleViolation *>> left;
  for (PlanGraph::Installed &entry : describeGroups(graph, before)) {
    SmallVector<unsigned, 4> ops;
    for (unsigned part : entry.parts)
      ops = PlanGraph::unite(ops, before[part].ops);
    const RuleViolation *refused = nullptr;
    Candidate candidate;
    if (entry.parts.size() > 1) {
      candidate = getDecision(ops);
      refused = askHandler(candidate);
    }
    if (!refused) {
      after.push_back(std::move(entry));
      continue;
    }
    left.emplace_back(candidate, refused);
    llvm::sort(entry.parts, [&](unsigned a, unsigned b) {
      return before[a].position < before[b].position;
    });
    for (unsigned part : entry.parts)
      after.push_back(
          {{part}, {before[part].ops.begin(), before[part].ops.end()}});
  }
  if (left.empty())
    return false;
  graph.install(before, after);
  noteGroups();
  for (auto &[candidate, refused] : left)
    note(candidate, false, refused);
  return true;
}

void Search::runOptimal() {
  if (getVerdict())
    return runGreedy(); // There is no price to minimize.
  ExactView view(graph, evaluator);
  // Only the kernels of the plan in the end are asked for.
  asks = false;
  runGreedy();
  ExactSolution solution = view.solve(getTotal(), leastNs, options.optimalLimit);
  bool changed = !solution.groups.empty();
  if (changed) {
    // The search does not know the budget of the whole program's memory.
    bool limited = memory.hasLimit() && memory.isKept();
    PlanGraph::Traded greedy = limited ? graph.save() : PlanGraph::Traded();
    graph.install(view.getGroups(), view.describe(solution));
    if (limited && !memory.isKept()) {
      graph.undo(greedy);
      solution.complete = changed = false;
    }
  }
  // Whether the search has taken something for granted that is not so.
  int64_t total = getTotal();
  if (improve()) {
    changed = true;
    total = getTotal();
  }
  if (total < solution.bound) {
    solution.complete = false;
    solution.bound = std::min(solution.provenBound, total);
  }
  if (changed)
    noteGroups();
  asks = true;
  if (askForGroups(view.getGroups())) {
    total = getTotal();
    solution.complete = false;
  }
  optimality =
      Optimality{total, solution.bound, solution.work, solution.complete};
}
