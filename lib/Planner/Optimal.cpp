// Strategy `optimal`: the greedy plan first, then an exact search for a cheaper
// one, with the same legality and the same prices.
#include "ExactCover.h"
#include "Search.h"

#include "fuse-mlir/Analysis/ClassPairs.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

namespace {
/// The groups of a graph before any fusion as items of the exact search, and
/// back.
class ExactView {
public:
  ExactView(const PlanGraph &graph, const PlanOptions &options,
            Evaluator &evaluator);

  /// The cheapest groups below `known`.
  ExactSolution solve(int64_t known);
  const std::vector<Group> &getGroups() const { return groups; }
  std::vector<PlanGraph::Installed>
  describe(const ExactSolution &solution) const;

private:
  ExactPrice getPrice(ArrayRef<unsigned> items, ArrayRef<unsigned> given);
  Evaluation evaluate(ArrayRef<unsigned> items, ArrayRef<unsigned> given);
  bool holdsConflict(ArrayRef<unsigned> items);
  bool areInConflict(unsigned first, unsigned second);
  void addItem(unsigned group);
  void addNeeds(unsigned group);
  unsigned getToken(unsigned group);

  const PlanGraph &graph;
  Evaluator &evaluator;
  /// As they are before any fusion.
  const std::vector<Group> groups;
  ExactProblem problem;
  /// By item: the group; by group: the item, and the result that stands for
  /// having run.
  SmallVector<unsigned> groupOf;
  llvm::DenseMap<unsigned, unsigned> itemOf, tokenOf;
  /// By result: the number of the value in the graph (-1 for a token) and the
  /// operator.
  SmallVector<std::pair<int, unsigned>> results;
  llvm::DenseMap<Value, unsigned> resultOf;
  /// Items that depend on each item, itself included.
  std::vector<llvm::BitVector> dependents;
  /// Whether no kernel can hold both of two items; see `areInConflict`.
  llvm::DenseMap<std::pair<unsigned, unsigned>, bool> conflicts;
};
} // namespace

/// Whether a group must not be computed twice. Operators of several results are
/// left whole, too: one group is the home of them all.
static bool runsOnce(const PlanGraph &graph, const Group &group) {
  if (group.ops.size() > 1 || group.hasRoots ||
      graph.nodes[group.ops.front()].op->getNumResults() > 1)
    return true;
  return llvm::any_of(graph.nodes[group.ops.front()].reads, [](Value value) {
    return value.getDefiningOp<bufferization::ToTensorOp>() != nullptr;
  });
}

/// Whether the class-pair table has a role for an operator of this class.
static bool hasRole(OpClass opClass) {
  return llvm::any_of(
      ArrayRef{FusionRole::Prologue, FusionRole::Epilogue, FusionRole::Sibling},
      [&](FusionRole role) {
        return getPairCondition(opClass, OpClass::Injective, role) !=
               PairCondition::Never;
      });
}

void ExactView::addItem(unsigned index) {
  const Group &group = groups[index];
  itemOf[index] = problem.items.size();
  groupOf.push_back(index);
  ExactItem &item = problem.items.emplace_back();
  item.alone = !group.mergeable || !group.nanoseconds ||
               llvm::any_of(group.ops, [&](unsigned op) {
                 return !hasRole(graph.nodes[op].opClass);
               });
  item.once = runsOnce(graph, group);
  for (unsigned op : group.ops)
    for (OpResult result : graph.nodes[op].op->getResults()) {
      resultOf[result] = results.size();
      item.makes.push_back(results.size());
      results.emplace_back(
          graph.nodes[op].firstResult + result.getResultNumber(), op);
    }
  if (!group.mergeable)
    problem.wanted.push_back(getToken(index));
}

/// The result that stands for having run.
unsigned ExactView::getToken(unsigned group) {
  auto [it, added] = tokenOf.try_emplace(group, results.size());
  if (added) {
    problem.items[itemOf[group]].makes.push_back(results.size());
    // Whoever waits for it waits for the one time that it runs.
    problem.items[itemOf[group]].once = true;
    results.emplace_back(-1, groups[group].ops.front());
  }
  return it->second;
}

void ExactView::addNeeds(unsigned index) {
  const Group &group = groups[index];
  llvm::SmallSetVector<unsigned, 8> needs;
  llvm::SmallDenseSet<unsigned> makers;
  for (unsigned op : group.ops)
    for (Value value : graph.nodes[op].reads) {
      auto it = resultOf.find(value);
      if (it == resultOf.end() ||
          llvm::is_contained(group.ops, results[it->second].second))
        continue;
      needs.insert(it->second);
      makers.insert(results[it->second].second);
    }
  // Scalars, and what only has to run before.
  for (auto &[before, edge] : group.predecessors)
    if (llvm::none_of(groups[before].ops,
                      [&](unsigned op) { return makers.contains(op); }))
      needs.insert(getToken(before));
  problem.items[itemOf[index]].needs.assign(needs.begin(), needs.end());
}

ExactView::ExactView(const PlanGraph &graph, const PlanOptions &options,
                     Evaluator &evaluator)
    : graph(graph), evaluator(evaluator), groups(graph.groups) {
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < groups.size(); ++i)
    if (groups[i].alive)
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return groups[a].position < groups[b].position;
  });
  for (unsigned group : order)
    addItem(group);
  for (unsigned group : order)
    addNeeds(group);
  std::vector<unsigned> makers(results.size());
  for (auto [i, item] : llvm::enumerate(problem.items))
    for (unsigned result : item.makes)
      makers[result] = i;
  dependents.assign(problem.items.size(),
                    llvm::BitVector(problem.items.size()));
  for (size_t i = problem.items.size(); i-- > 0;) {
    dependents[i].set(i);
    for (unsigned need : problem.items[i].needs)
      dependents[makers[need]] |= dependents[i];
  }
  problem.results = results.size();
  problem.limit = options.optimalLimit;
  problem.price = [this](ArrayRef<unsigned> items, ArrayRef<unsigned> given) {
    return getPrice(items, given);
  };
}

ExactSolution ExactView::solve(int64_t known) {
  problem.known = known;
  return solveExactCover(problem);
}

Evaluation ExactView::evaluate(ArrayRef<unsigned> items,
                               ArrayRef<unsigned> given) {
  SmallVector<unsigned, 4> ops;
  for (unsigned item : items)
    ops = PlanGraph::unite(ops, groups[groupOf[item]].ops);
  SmallVector<unsigned> stored;
  for (unsigned result : given)
    if (results[result].first >= 0)
      stored.push_back(results[result].first);
  llvm::sort(stored);
  return evaluator.evaluateStoring(ops, stored);
}

/// Whether the second item, a reduction, would evaluate the first one in its
/// loops. Then it does so in every kernel that holds both.
bool ExactView::areInConflict(unsigned first, unsigned second) {
  auto [it, added] = conflicts.try_emplace({first, second}, false);
  if (!added)
    return it->second;
  SmallVector<unsigned> between;
  for (unsigned item : dependents[first].set_bits())
    if (dependents[item].test(second))
      between.push_back(item);
  Evaluation evaluation = evaluate(between, problem.items[second].makes);
  return conflicts[{first, second}] =
             evaluation.violation &&
             evaluation.violation->rule == "nested-reduction";
}

bool ExactView::holdsConflict(ArrayRef<unsigned> items) {
  // Two contractions may be those of an attention, which holds what no other
  // kernel can.
  unsigned contractions = 0;
  for (unsigned item : items)
    contractions += llvm::count_if(groups[groupOf[item]].ops, [&](unsigned op) {
      return graph.nodes[op].opClass == OpClass::Contraction;
    });
  if (contractions > 1)
    return false;
  SmallVector<unsigned> roots;
  for (unsigned item : items)
    if (groups[groupOf[item]].hasRoots)
      roots.push_back(item);
  for (unsigned first : roots)
    for (unsigned second : roots)
      if (first != second && dependents[first].test(second) &&
          areInConflict(first, second))
        return true;
  return false;
}

ExactPrice ExactView::getPrice(ArrayRef<unsigned> items,
                               ArrayRef<unsigned> given) {
  if (items.size() == 1 && problem.items[items.front()].alone) {
    // The same in every plan.
    const Group &group = groups[groupOf[items.front()]];
    return {group.mergeable ? group.nanoseconds.value_or(0) : 0,
            /*hopeless=*/true};
  }
  if (holdsConflict(items))
    return {std::nullopt, /*hopeless=*/true};
  Evaluation evaluation = evaluate(items, given);
  return {evaluation.violation ? std::nullopt : evaluation.nanoseconds, false};
}

std::vector<PlanGraph::Installed>
ExactView::describe(const ExactSolution &solution) const {
  std::vector<PlanGraph::Installed> after;
  for (const ExactGroup &group : solution.groups) {
    PlanGraph::Installed &next = after.emplace_back();
    for (unsigned item : group.items)
      next.parts.push_back(groupOf[item]);
    for (unsigned result : group.given)
      next.given.push_back(results[result].second);
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
  ExactView view(graph, options, evaluator);
  // Only the kernels of the plan in the end are asked for.
  asks = false;
  runGreedy();
  ExactSolution solution = view.solve(getTotal());
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
