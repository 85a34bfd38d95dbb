// Changes of the plan graph: merging, recomputation, and the running order that
// makes the cycle check local. The order is kept as in Pearce and Kelly, "A
// dynamic topological sort algorithm for directed acyclic graphs" (2006).
#include "PlanGraph.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

SmallVector<unsigned, 4> PlanGraph::unite(ArrayRef<unsigned> a,
                                          ArrayRef<unsigned> b) {
  SmallVector<unsigned, 4> result;
  result.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(result));
  return result;
}

bool PlanGraph::hasIndirectPath(unsigned from, unsigned to) const {
  unsigned limit = groups[to].position;
  SmallVector<unsigned> stack;
  groupMarks.start(groups.size());
  for (auto &[next, edge] : groups[from].successors)
    if (next != to && groups[next].position < limit && groupMarks.insert(next))
      stack.push_back(next);
  while (!stack.empty()) {
    unsigned at = stack.pop_back_val();
    for (auto &[next, edge] : groups[at].successors) {
      if (next == to)
        return true;
      if (groups[next].position < limit && groupMarks.insert(next))
        stack.push_back(next);
    }
  }
  return false;
}

bool PlanGraph::hasPath(unsigned from, unsigned to) const {
  if (groups[from].position > groups[to].position)
    return false;
  return groups[from].successors.contains(to) || hasIndirectPath(from, to);
}

/// Groups between `first` and `second` in the running order that can be reached
/// from `start`, one of the two; in the running order.
SmallVector<unsigned> PlanGraph::reach(unsigned start, unsigned first,
                                       unsigned second, bool forward) const {
  unsigned low = groups[first].position, high = groups[second].position;
  SmallVector<unsigned> found, stack{start};
  groupMarks.start(groups.size());
  groupMarks.insert(first);
  groupMarks.insert(second);
  while (!stack.empty()) {
    const Group &at = groups[stack.pop_back_val()];
    for (auto &[next, edge] : forward ? at.successors : at.predecessors) {
      unsigned position = groups[next].position;
      if (position <= low || position >= high || !groupMarks.insert(next))
        continue;
      found.push_back(next);
      stack.push_back(next);
    }
  }
  llvm::sort(found, [&](unsigned a, unsigned b) {
    return groups[a].position < groups[b].position;
  });
  return found;
}

SmallVector<unsigned> PlanGraph::getBetween(unsigned from, unsigned to) const {
  SmallVector<unsigned> above = reach(from, from, to, /*forward=*/true);
  SmallVector<unsigned> below = reach(to, from, to, /*forward=*/false);
  llvm::DenseSet<unsigned> both(below.begin(), below.end());
  llvm::erase_if(above, [&](unsigned group) { return !both.contains(group); });
  return above;
}

/// Makes the two groups neighbours in the running order: what `second` needs
/// goes before both, what needs `first` goes after both. There is no way from
/// `first` to `second` through others.
void PlanGraph::reorder(unsigned first, unsigned second) {
  SmallVector<unsigned> before =
      reach(second, first, second, /*forward=*/false);
  SmallVector<unsigned> after = reach(first, first, second, /*forward=*/true);
  SmallVector<unsigned> places{groups[first].position, groups[second].position};
  for (unsigned group : before)
    places.push_back(groups[group].position);
  for (unsigned group : after)
    places.push_back(groups[group].position);
  llvm::sort(places);
  size_t next = 0;
  for (unsigned group : before)
    groups[group].position = places[next++];
  groups[first].position = places[next++];
  groups[second].position = places[next++];
  for (unsigned group : after)
    groups[group].position = places[next++];
}

std::vector<SmallVector<unsigned>> PlanGraph::layOutByLevel() {
  std::vector<unsigned> waiting(groups.size());
  std::vector<SmallVector<unsigned>> levels(1);
  for (unsigned i = 0; i < groups.size(); ++i) {
    waiting[i] = groups[i].predecessors.size();
    if (groups[i].alive && waiting[i] == 0)
      levels.front().push_back(i);
  }
  unsigned place = 0;
  llvm::BitVector placed(groups.size());
  while (!levels.back().empty()) {
    SmallVector<unsigned> next;
    for (unsigned i : levels.back()) {
      groups[i].position = place++;
      // A group that is taken apart gives the numbers of its operators to what
      // it becomes. These have their places here, so that little is reordered.
      for (unsigned op : groups[i].ops)
        if (!groups[op].alive && homes[op] == int(i)) {
          groups[op].position = place++;
          placed.set(op);
        }
      for (auto &[successor, edge] : groups[i].successors)
        if (--waiting[successor] == 0)
          next.push_back(successor);
    }
    llvm::sort(next);
    levels.push_back(std::move(next));
  }
  levels.pop_back();
  for (unsigned i = 0; i < groups.size(); ++i)
    if (!groups[i].alive && !placed.test(i))
      groups[i].position = place++;
  return levels;
}

/// Moves the entry of `from` to `to` in a neighbour's map; the first edge wins.
static void rename(EdgeMap &map, unsigned from, unsigned to) {
  EdgeMap::iterator it = map.find(from);
  if (it == map.end())
    return;
  Edge edge = it->second;
  map.erase(from);
  map.addFirst(to, edge);
}

unsigned PlanGraph::merge(unsigned first, unsigned second) {
  if (groups[first].position > groups[second].position)
    std::swap(first, second);
  reorder(first, second);
  unsigned left = std::min(first, second), gone = std::max(first, second);
  Group &to = groups[left];
  Group &from = groups[gone];
  auto take = [&](EdgeMap Group::*own, EdgeMap Group::*other) {
    for (auto &[neighbour, edge] : from.*own) {
      if (neighbour == left)
        continue;
      (to.*own).addFirst(neighbour, edge);
      rename(groups[neighbour].*other, gone, left);
    }
    (to.*own).erase(gone);
    (from.*own).clear();
  };
  take(&Group::predecessors, &Group::successors);
  take(&Group::successors, &Group::predecessors);
  take(&Group::siblings, &Group::siblings);
  std::tie(from.position, to.position) =
      std::minmax({from.position, to.position});
  for (unsigned op : from.ops) {
    llvm::erase(holders[op], gone);
    if (!llvm::is_contained(holders[op], left))
      holders[op].push_back(left);
    if (homes[op] == int(gone))
      homes[op] = int(left);
  }
  alignWith(to, from);
  to.ops = unite(to.ops, from.ops);
  touch(left);
  from.alive = false;
  return left;
}

void PlanGraph::recompute(unsigned producer, ArrayRef<unsigned> consumers,
                          bool keep) {
  Group &source = groups[producer];
  for (unsigned consumer : consumers) {
    Group &group = groups[consumer];
    alignWith(group, source);
    group.ops = unite(group.ops, source.ops);
    touch(consumer);
    for (unsigned op : source.ops)
      if (!llvm::is_contained(holders[op], consumer))
        holders[op].push_back(consumer);
    for (auto &[neighbour, edge] : source.predecessors) {
      group.predecessors.try_emplace(neighbour, edge);
      groups[neighbour].successors.try_emplace(consumer, edge);
    }
    group.predecessors.erase(producer);
    source.successors.erase(consumer);
    // Whoever shares an input with the producer now does with the consumer.
    for (auto &[neighbour, edge] : source.siblings)
      if (neighbour != consumer) {
        group.siblings.try_emplace(neighbour, edge);
        groups[neighbour].siblings.try_emplace(consumer, edge);
      }
  }
  if (keep) {
    touch(producer);
    return;
  }
  for (auto &[neighbour, edge] : source.predecessors) {
    groups[neighbour].successors.erase(producer);
    touch(neighbour);
  }
  for (auto &[neighbour, edge] : source.successors)
    groups[neighbour].predecessors.erase(producer);
  for (auto &[neighbour, edge] : source.siblings)
    groups[neighbour].siblings.erase(producer);
  source.predecessors.clear();
  source.successors.clear();
  source.siblings.clear();
  source.alive = false;
  for (unsigned op : source.ops) {
    llvm::erase(holders[op], producer);
    if (homes[op] == int(producer))
      homes[op] = -1;
  }
}

void PlanGraph::dropUnneeded(unsigned start) {
  SmallVector<unsigned> stack;
  for (auto &[neighbour, edge] : groups[start].predecessors)
    stack.push_back(neighbour);
  while (!stack.empty()) {
    unsigned at = stack.pop_back_val();
    Group &group = groups[at];
    if (!group.alive || !group.mergeable || isNeeded(at))
      continue;
    for (auto &[neighbour, edge] : group.predecessors)
      stack.push_back(neighbour);
    recompute(at, {}, /*keep=*/false);
  }
}
