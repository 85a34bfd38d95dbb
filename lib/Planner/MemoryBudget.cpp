// Peak memory of groups as they would be after a change.
#include "MemoryBudget.h"

#include <queue>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

GroupChange GroupChange::merge(const PlanGraph &graph,
                               ArrayRef<unsigned> groups,
                               int64_t scratchBytes) {
  GroupChange change;
  unsigned left = *llvm::min_element(groups);
  Changed merged{left, {}, scratchBytes};
  for (unsigned group : groups) {
    merged.ops = PlanGraph::unite(merged.ops, graph.groups[group].ops);
    if (group == left)
      continue;
    change.gone.push_back(group);
    change.inherits.emplace_back(left, group);
  }
  change.changed.push_back(std::move(merged));
  change.heir = left;
  return change;
}

/// The groups that each group needs, if `change` were made; each once.
static std::vector<SmallVector<unsigned, 4>>
getPredecessors(const PlanGraph &graph, const GroupChange &change) {
  std::vector<SmallVector<unsigned, 4>> result(graph.groups.size());
  auto take = [&](unsigned group, unsigned from) {
    for (auto &[source, edge] : graph.groups[from].predecessors) {
      unsigned now = source;
      if (llvm::is_contained(change.gone, source)) {
        if (!change.heir)
          continue;
        now = *change.heir;
      }
      if (now != group)
        result[group].push_back(now);
    }
  };
  for (unsigned i = 0; i < graph.groups.size(); ++i)
    if (graph.groups[i].alive && !llvm::is_contained(change.gone, i))
      take(i, i);
  for (auto [group, from] : change.inherits)
    take(group, from);
  for (SmallVector<unsigned, 4> &sources : result) {
    llvm::sort(sources);
    sources.erase(llvm::unique(sources), sources.end());
  }
  return result;
}

std::vector<unsigned> plan::getRunningOrder(const PlanGraph &graph,
                                            const GroupChange &change) {
  std::vector<SmallVector<unsigned, 4>> needs = getPredecessors(graph, change);
  std::vector<SmallVector<unsigned, 4>> feeds(needs.size());
  std::vector<unsigned> waiting(needs.size());
  // Where the first operator that is at home there stands, and the group.
  using Placed = std::pair<unsigned, unsigned>;
  std::priority_queue<Placed, std::vector<Placed>, std::greater<>> ready;
  auto push = [&](unsigned group) {
    unsigned place = ~0u;
    for (unsigned op : graph.groups[group].ops)
      if (graph.getHome(op) == int(group))
        place = std::min(place, graph.nodes[op].place);
    ready.emplace(place, group);
  };
  for (unsigned i = 0; i < needs.size(); ++i) {
    waiting[i] = needs[i].size();
    for (unsigned source : needs[i])
      feeds[source].push_back(i);
    if (graph.groups[i].alive && !graph.groups[i].ops.empty() &&
        !llvm::is_contained(change.gone, i) && waiting[i] == 0)
      push(i);
  }
  std::vector<unsigned> order;
  while (!ready.empty()) {
    unsigned i = ready.top().second;
    ready.pop();
    if (!graph.nodes[i].op->hasTrait<OpTrait::IsTerminator>())
      order.push_back(i);
    for (unsigned next : feeds[i])
      if (--waiting[next] == 0)
        push(next);
  }
  return order;
}

namespace {
/// The groups of a graph as a change would leave them.
class ChangedGroups {
public:
  ChangedGroups(const PlanGraph &graph, const GroupChange &change,
                ArrayRef<unsigned> order);
  MemoryStep makeStep(unsigned group) const;
  ArrayRef<unsigned> getOps(unsigned group) const;

private:
  const GroupChange::Changed *findChanged(unsigned group) const;
  bool gives(unsigned group, unsigned op) const;
  bool isNeededOutside(unsigned value, unsigned op, unsigned group) const;

  const PlanGraph &graph;
  const GroupChange &change;
  /// Groups that hold each operator.
  std::vector<SmallVector<unsigned, 1>> holders;
};
} // namespace

ChangedGroups::ChangedGroups(const PlanGraph &graph, const GroupChange &change,
                             ArrayRef<unsigned> order)
    : graph(graph), change(change), holders(graph.nodes.size()) {
  for (unsigned group : order)
    for (unsigned op : getOps(group))
      holders[op].push_back(group);
  unsigned last = graph.nodes.size() - 1;
  if (graph.nodes[last].op->hasTrait<OpTrait::IsTerminator>())
    holders[last].push_back(last);
}

const GroupChange::Changed *ChangedGroups::findChanged(unsigned group) const {
  for (const GroupChange::Changed &entry : change.changed)
    if (entry.group == group)
      return &entry;
  return nullptr;
}

ArrayRef<unsigned> ChangedGroups::getOps(unsigned group) const {
  const GroupChange::Changed *changed = findChanged(group);
  return changed ? ArrayRef<unsigned>(changed->ops)
                 : ArrayRef<unsigned>(graph.groups[group].ops);
}

/// Whether `group` would be the one that gives the results of `op` to others.
bool ChangedGroups::gives(unsigned group, unsigned op) const {
  int home = graph.getHome(op);
  if (home >= 0 && llvm::is_contained(change.gone, unsigned(home)))
    return change.heir == group;
  return home == int(group);
}

bool ChangedGroups::isNeededOutside(unsigned value, unsigned op,
                                    unsigned group) const {
  for (unsigned user : graph.values[value].users)
    for (unsigned holder : holders[user])
      if (holder != group && !llvm::is_contained(holders[op], holder))
        return true;
  return false;
}

MemoryStep ChangedGroups::makeStep(unsigned group) const {
  MemoryStep step;
  step.isKernel = graph.nodes[group].role != Role::Host;
  const GroupChange::Changed *changed = findChanged(group);
  step.extraBytes =
      changed ? changed->scratchBytes : graph.groups[group].scratchBytes;
  ArrayRef<unsigned> ops = getOps(group);
  for (unsigned op : ops) {
    const OpNode &node = graph.nodes[op];
    for (unsigned id : node.readIds) {
      int def = graph.values[id].def;
      if (def < 0 || !std::binary_search(ops.begin(), ops.end(), unsigned(def)))
        step.reads.push_back(graph.values[id].value);
    }
    for (unsigned i = 0, e = node.op->getNumResults(); i < e; ++i) {
      unsigned id = node.firstResult + i;
      if (isa<RankedTensorType>(graph.values[id].value.getType()) &&
          gives(group, op) && isNeededOutside(id, op, group))
        step.makes.push_back(graph.values[id].value);
    }
  }
  return step;
}

std::optional<MemoryBudget::Found>
MemoryBudget::findPeak(const GroupChange &change) const {
  std::vector<unsigned> order = getRunningOrder(graph, change);
  ChangedGroups groups(graph, change, order);
  std::vector<MemoryStep> steps;
  for (unsigned group : order)
    steps.push_back(groups.makeStep(group));
  ArrayRef<Value> kept;
  if (graph.nodes.back().op->hasTrait<OpTrait::IsTerminator>())
    kept = graph.nodes.back().reads;
  std::optional<PeakMemory> peak =
      findPeakMemory(steps, kept, *graph.nodes.front().op->getBlock());
  if (!peak)
    return std::nullopt;
  Found found{*peak};
  if (peak->bytes > 0)
    found.at = graph.nodes[groups.getOps(order[peak->step]).front()].op;
  return found;
}

std::optional<RuleViolation>
MemoryBudget::check(const GroupChange &change) const {
  if (!limit)
    return std::nullopt;
  std::optional<Found> after = findPeak(change);
  if (!after || after->peak.bytes <= *limit)
    return std::nullopt;
  std::optional<Found> before = findPeak({});
  if (before && after->peak.bytes <= before->peak.bytes)
    return std::nullopt;
  return RuleViolation{
      "peak-memory",
      ("the program's device memory would be " + Twine(after->peak.bytes) +
       " bytes at its peak, at '" + after->at->getName().getStringRef() +
       "' (now " + (before ? Twine(before->peak.bytes) : Twine("unknown")) +
       "), but the budget is " + Twine(*limit))
          .str()};
}

bool MemoryBudget::isKept() const {
  std::optional<Found> now = findPeak({});
  return !limit || !now || now->peak.bytes <= *limit;
}
