// Trading a stored value for recomputation after groups have formed: consumers
// get a copy of the element-wise operators that lead to it, and the producer
// stores the values of reductions instead, which are small.
#include "PlanGraph.h"

#include "fuse-mlir/Analysis/GroupShape.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

SmallVector<unsigned, 4> PlanGraph::getSlice(unsigned group,
                                             unsigned op) const {
  const Group &holder = groups[group];
  SmallVector<unsigned, 4> slice, stack{op};
  llvm::DenseSet<unsigned> seen{op};
  while (!stack.empty()) {
    unsigned at = stack.pop_back_val();
    slice.push_back(at);
    for (unsigned source : nodes[at].sources)
      if (std::binary_search(holder.ops.begin(), holder.ops.end(), source) &&
          !isRootOp(nodes[source].op) && seen.insert(source).second)
        stack.push_back(source);
  }
  llvm::sort(slice);
  return slice;
}

/// Drops operators of a group that lead to none of its outputs.
void PlanGraph::prune(unsigned index, Traded &traded) {
  Group &group = groups[index];
  llvm::DenseSet<unsigned> needed;
  SmallVector<unsigned> stack;
  for (Value output : getOutputs(group.ops, {index}))
    stack.push_back(indices.lookup(output.getDefiningOp()));
  while (!stack.empty()) {
    unsigned at = stack.pop_back_val();
    if (!needed.insert(at).second)
      continue;
    for (unsigned source : nodes[at].sources)
      if (std::binary_search(group.ops.begin(), group.ops.end(), source))
        stack.push_back(source);
  }
  for (unsigned op : group.ops) {
    if (needed.contains(op))
      continue;
    group.alignment.roots -= nodes[op].alignment.roots;
    traded.holders.emplace_back(op, holders[op]);
    traded.homes.emplace_back(op, homes[op]);
    llvm::erase(holders[op], index);
    if (homes[op] == int(index))
      homes[op] = -1;
  }
  llvm::erase_if(group.ops, [&](unsigned op) { return !needed.contains(op); });
}

PlanGraph::Traded PlanGraph::trade(unsigned from, ArrayRef<unsigned> slice,
                                   ArrayRef<unsigned> consumers) {
  Traded traded;
  traded.groups.emplace_back(from, groups[from]);
  for (unsigned op : slice)
    traded.holders.emplace_back(op, holders[op]);
  for (unsigned consumer : consumers) {
    Group &group = groups[consumer];
    traded.groups.emplace_back(consumer, group);
    alignWith(group, groups[from], slice);
    group.ops = unite(group.ops, slice);
    for (unsigned op : slice)
      if (!llvm::is_contained(holders[op], consumer))
        holders[op].push_back(consumer);
    touch(consumer);
  }
  prune(from, traded);
  touch(from);
  return traded;
}

void PlanGraph::undo(Traded &traded) {
  for (auto &[op, old] : llvm::reverse(traded.homes))
    homes[op] = old;
  for (auto &[op, old] : llvm::reverse(traded.holders))
    holders[op] = old;
  for (auto &[between, ops, added] : llvm::reverse(traded.edges)) {
    auto &after = groups[between.producer].successors;
    auto &before = groups[between.consumer].predecessors;
    if (added) {
      after.erase(between.consumer);
      before.erase(between.producer);
    } else {
      after.try_emplace(between.consumer, ops);
      before.try_emplace(between.producer, ops);
    }
  }
  for (auto &[group, old] : llvm::reverse(traded.positions))
    groups[group].position = old;
  for (auto &[group, old] : llvm::reverse(traded.groups))
    groups[group] = old;
}

PlanGraph::Traded PlanGraph::save() const {
  Traded all;
  for (unsigned i = 0; i < groups.size(); ++i) {
    all.groups.emplace_back(i, groups[i]);
    all.holders.emplace_back(i, holders[i]);
    all.homes.emplace_back(i, homes[i]);
  }
  return all;
}

void PlanGraph::settleTrade(unsigned from, ArrayRef<unsigned> consumers) {
  for (unsigned consumer : consumers)
    for (auto &[neighbour, edge] : groups[from].predecessors) {
      groups[consumer].predecessors.try_emplace(neighbour, edge);
      groups[neighbour].successors.try_emplace(consumer, edge);
    }
}
