// Moving operators between groups that have formed already: what each group
// holds and stores, then the edges and the running order around those that have
// changed. The order is kept as in Pearce and Kelly (2006): each new edge
// reorders the groups between its ends only.
#include "PlanGraph.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

static bool holds(const Group &group, unsigned op) {
  return std::binary_search(group.ops.begin(), group.ops.end(), op);
}

SmallVector<unsigned, 4> PlanGraph::getCone(unsigned group, unsigned op,
                                            bool below) const {
  SmallVector<unsigned, 4> cone{op};
  opMarks.start(nodes.size());
  opMarks.insert(op);
  for (size_t i = 0; i < cone.size(); ++i) {
    const OpNode &node = nodes[cone[i]];
    for (unsigned next : below ? node.users : node.sources)
      if (holds(groups[group], next) && opMarks.insert(next))
        cone.push_back(next);
  }
  llvm::sort(cone);
  return cone;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

void PlanGraph::saveGroup(unsigned group, Traded &traded) const {
  if (llvm::none_of(traded.groups,
                    [&](auto &saved) { return saved.first == group; }))
    traded.groups.emplace_back(group, groups[group]);
}

void PlanGraph::saveOp(unsigned op, Traded &traded) const {
  traded.holders.emplace_back(op, holders[op]);
  traded.homes.emplace_back(op, homes[op]);
}

/// Has a group give `op`'s results to those that need them, if none does yet.
void PlanGraph::giveHome(unsigned op, int preferred, Traded &traded) {
  if (homes[op] >= 0 || holders[op].empty())
    return;
  unsigned first = nodes[op].firstResult;
  for (unsigned i = 0, e = nodes[op].numResults; i < e; ++i)
    if (isNeededOutside(first + i, op, {})) {
      saveOp(op, traded);
      bool fits = preferred >= 0 &&
                  llvm::is_contained(holders[op], unsigned(preferred));
      homes[op] = fits ? preferred : int(holders[op].front());
      return;
    }
}

PlanGraph::Traded PlanGraph::move(int from, ArrayRef<unsigned> ops, int to) {
  Traded traded;
  for (unsigned op : ops)
    saveOp(op, traded);
  for (int index : {from, to})
    if (index >= 0) {
      saveGroup(index, traded);
      traded.affected.insert(index);
      touch(index);
    }
  if (to >= 0) {
    Group &group = groups[to];
    if (!group.alive)
      group.ops.clear();
    group.alive = group.mergeable = true;
    group.ops = unite(group.ops, ops);
    for (unsigned op : ops)
      if (!llvm::is_contained(holders[op], unsigned(to)))
        holders[op].push_back(to);
  }
  if (from >= 0) {
    llvm::erase_if(groups[from].ops, [&](unsigned op) {
      return std::binary_search(ops.begin(), ops.end(), op);
    });
    for (unsigned op : ops) {
      llvm::erase(holders[op], unsigned(from));
      if (homes[op] == from)
        homes[op] = to;
    }
  }
  for (unsigned op : ops) {
    giveHome(op, to, traded);
    for (unsigned source : nodes[op].sources)
      giveHome(source, from, traded);
  }
  // Who gives something to the operators may store less or more now, and need
  // not compute what only led to that.
  SmallVector<unsigned> stack(ops.begin(), ops.end());
  auto look = [&](unsigned op) {
    for (unsigned source : nodes[op].sources)
      if (homes[source] >= 0 && groups[homes[source]].mergeable)
        traded.affected.insert(homes[source]);
    if (homes[op] >= 0)
      traded.affected.insert(homes[op]);
  };
  llvm::for_each(ops, look);
  for (size_t i = 0; i < traded.affected.size(); ++i) {
    unsigned group = traded.affected[i];
    saveGroup(group, traded);
    size_t known = traded.holders.size();
    prune(group, traded);
    for (size_t j = known; j < traded.holders.size(); ++j)
      look(traded.holders[j].first);
  }
  for (auto &[index, old] : traded.groups) {
    Group &group = groups[index];
    group.skewed.clear();
    if (!group.ops.empty())
      group.alignment = getAlignment(group.ops, group.skewed);
  }
  return traded;
}

/// Numbers of operators that are no group's, for new groups: the first that is
/// free of each group's own operators, else of those of `old`.
static std::optional<SmallVector<unsigned>>
findNumbers(const PlanGraph &graph, ArrayRef<unsigned> old,
            ArrayRef<PlanGraph::Regrouped> now) {
  SmallVector<unsigned> numbers;
  auto isFree = [&](unsigned number) {
    return (!graph.groups[number].alive || llvm::is_contained(old, number)) &&
           !llvm::is_contained(numbers, number);
  };
  for (const PlanGraph::Regrouped &group : now) {
    auto it = llvm::find_if(group.ops, isFree);
    if (it != group.ops.end()) {
      numbers.push_back(*it);
      continue;
    }
    const auto *other = llvm::find_if(old, isFree);
    if (other == old.end())
      return std::nullopt;
    numbers.push_back(*other);
  }
  return numbers;
}

std::optional<PlanGraph::Traded> PlanGraph::regroup(ArrayRef<unsigned> old,
                                                    ArrayRef<Regrouped> now) {
  std::optional<SmallVector<unsigned>> numbers = findNumbers(*this, old, now);
  if (!numbers)
    return std::nullopt;
  Traded traded;
  for (ArrayRef<unsigned> indices : {old, ArrayRef(*numbers)})
    for (unsigned index : indices) {
      saveGroup(index, traded);
      touch(index);
    }
  for (unsigned index : old) {
    for (unsigned op : groups[index].ops) {
      saveOp(op, traded);
      llvm::erase(holders[op], index);
      if (homes[op] == int(index))
        homes[op] = -1;
    }
    groups[index].alive = false;
    groups[index].ops.clear();
  }
  for (auto [index, source] : llvm::zip(*numbers, now)) {
    Group &group = groups[index];
    group.alive = group.mergeable = true;
    group.ops = source.ops;
    group.skewed.clear();
    group.alignment = getAlignment(group.ops, group.skewed);
    for (unsigned op : group.ops)
      holders[op].push_back(index);
    for (unsigned op : source.given)
      homes[op] = int(index);
    traded.affected.insert(index);
  }
  for (const Regrouped &source : now)
    for (unsigned op : source.ops)
      giveHome(op, -1, traded);
  return traded;
}

//===----------------------------------------------------------------------===//
// Edges and the running order
//===----------------------------------------------------------------------===//

void PlanGraph::disconnect(unsigned index, Traded &traded) {
  Group &group = groups[index];
  for (auto &[before, ops] : group.predecessors) {
    groups[before].successors.erase(index);
    traded.edges.push_back({{before, index}, ops, /*added=*/false});
  }
  for (auto &[after, ops] : group.successors) {
    groups[after].predecessors.erase(index);
    traded.edges.push_back({{index, after}, ops, /*added=*/false});
  }
  group.predecessors.clear();
  group.successors.clear();
}

/// Gives `first` a place before `second`; false if it needs the other one.
bool PlanGraph::orderBefore(unsigned first, unsigned second, Traded &traded) {
  unsigned low = groups[second].position, high = groups[first].position;
  SmallVector<unsigned> before{first}, after{second}, places;
  groupMarks.start(groups.size());
  for (size_t i = 0; i < after.size(); ++i)
    for (auto &[next, ops] : groups[after[i]].successors) {
      if (next == first)
        return false;
      if (groups[next].position < high && groupMarks.insert(next))
        after.push_back(next);
    }
  for (size_t i = 0; i < before.size(); ++i)
    for (auto &[next, ops] : groups[before[i]].predecessors)
      if (groups[next].position > low && groupMarks.insert(next))
        before.push_back(next);
  for (SmallVector<unsigned> *side : {&before, &after}) {
    llvm::sort(*side, [&](unsigned a, unsigned b) {
      return groups[a].position < groups[b].position;
    });
    for (unsigned group : *side) {
      places.push_back(groups[group].position);
      traded.positions.emplace_back(group, groups[group].position);
    }
  }
  llvm::sort(places);
  before.append(after);
  for (auto [group, place] : llvm::zip(before, places))
    groups[group].position = place;
  return true;
}

bool PlanGraph::addEdge(Edge between, Edge ops, Traded &traded) {
  auto [producer, consumer] = between;
  if (!groups[producer].successors.try_emplace(consumer, ops).second)
    return true;
  groups[consumer].predecessors.try_emplace(producer, ops);
  traded.edges.push_back({between, ops, /*added=*/true});
  return groups[producer].position < groups[consumer].position ||
         orderBefore(producer, consumer, traded);
}

bool PlanGraph::connect(unsigned index, Traded &traded) {
  const Group &group = groups[index];
  SmallVector<std::pair<Edge, Edge>> wanted;
  auto need = [&](unsigned source, unsigned op) {
    if (!holds(group, source) && homes[source] >= 0)
      wanted.push_back({{unsigned(homes[source]), index}, {source, op}});
  };
  auto give = [&](unsigned op, unsigned user) {
    for (unsigned holder : holders[user])
      if (holder != index && !llvm::is_contained(holders[op], holder))
        wanted.push_back({{index, holder}, {op, user}});
  };
  for (unsigned op : group.ops) {
    for (unsigned source : nodes[op].sources)
      need(source, op);
    for (unsigned source : runsAfter.lookup(op))
      need(source, op);
    if (homes[op] != int(index))
      continue;
    for (unsigned user : nodes[op].users)
      give(op, user);
    for (unsigned user : runsBefore.lookup(op))
      give(op, user);
  }
  return llvm::all_of(wanted, [&](auto &edge) {
    return addEdge(edge.first, edge.second, traded);
  });
}

bool PlanGraph::reconnect(Traded &traded) {
  for (auto &[group, old] : traded.groups)
    disconnect(group, traded);
  return llvm::all_of(
      traded.groups, [&](auto &saved) { return connect(saved.first, traded); });
}

void PlanGraph::settleMove(const Traded &traded) {
  for (unsigned group : traded.affected)
    if (groups[group].alive && groups[group].mergeable &&
        getOutputIds(groups[group].ops, {group}).empty())
      recompute(group, {}, /*keep=*/false);
}
