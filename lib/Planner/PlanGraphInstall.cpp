// Replaces all groups of a plan graph by those of a plan made elsewhere.
#include "PlanGraph.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

void PlanGraph::install(const std::vector<Group> &before,
                        ArrayRef<Installed> after) {
  std::vector<unsigned> partOf(groups.size());
  for (unsigned i = 0; i < groups.size(); ++i) {
    for (unsigned op : before[i].ops)
      partOf[op] = i;
    groups[i].alive = false;
    groups[i].predecessors.clear();
    groups[i].successors.clear();
    groups[i].siblings.clear();
    holders[i].clear();
    homes[i] = -1;
  }
  std::vector<int> homeOfPart(groups.size(), -1);
  unsigned position = 0;
  for (const Installed &source : after) {
    // A group has the number of an operator that is at home there.
    int number = -1;
    for (unsigned op : source.given)
      if (homes[op] < 0) {
        number = number < 0 ? int(op) : number;
        homes[op] = homeOfPart[partOf[op]] = number;
      }
    if (number < 0)
      continue; // Everything that it gives is given before.
    Group &group = groups[number];
    group.alive = true;
    group.ops.clear();
    for (unsigned part : source.parts)
      group.ops = unite(group.ops, before[part].ops);
    group.mergeable = before[source.parts.front()].mergeable;
    group.skewed.clear();
    group.alignment = getAlignment(group.ops, group.skewed);
    group.position = position++;
    touch(number);
    for (unsigned op : group.ops)
      holders[op].push_back(number);
    for (unsigned part : source.parts)
      for (auto &[need, edge] : before[part].predecessors)
        if (!llvm::is_contained(source.parts, need))
          addEdge(homeOfPart[need], number);
  }
  for (Group &group : groups)
    if (!group.alive)
      group.position = position++;
}
