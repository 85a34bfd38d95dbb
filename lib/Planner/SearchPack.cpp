// The last step of the search: kernels of different spaces, or with nothing in
// common, side by side in one launch.
#include "Search.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Looks again at pairs that share a value and would run as parts.
void Search::packSiblings() {
  std::vector<Candidate> again;
  std::swap(again, putOff);
  for (const Candidate &candidate : again)
    if (graph.groups[candidate.first].alive &&
        graph.groups[candidate.second].alive)
      pushPair(candidate.kind, candidate.first, candidate.second,
               candidate.edge, candidate.gain);
  drain();
}

/// Packs two groups if that pays; `first` becomes the group of both. Nothing if
/// one of them needs the other.
bool Search::tryPack(unsigned &first, unsigned second) {
  const Group &group = graph.groups[first];
  if (group.successors.contains(second) || group.predecessors.contains(second))
    return false;
  Candidate candidate = makeCandidate(DecisionKind::Independent, first, second);
  if (!price(candidate))
    return false;
  std::optional<unsigned> left = merge(candidate);
  first = left.value_or(first);
  return left.has_value();
}

/// Packs neighbours in the list, then the packed ones, as long as it pays: the
/// number of rounds is logarithmic in the number of groups.
void Search::packNeighbours(SmallVector<unsigned> &groups) {
  bool before = true;
  for (unsigned offset = 0, any = true; groups.size() > 1 && (any || before);
       offset = 1 - offset) {
    before = std::exchange(any, false);
    SmallVector<unsigned> next(groups.begin(), groups.begin() + offset);
    for (size_t i = offset; i < groups.size(); i += 2) {
      next.push_back(groups[i]);
      if (i + 1 == groups.size())
        break;
      if (tryPack(next.back(), groups[i + 1]))
        any = true;
      else
        next.push_back(groups[i + 1]);
    }
    groups = std::move(next);
  }
}

void Search::packIndependent() {
  if (!allows(DecisionKind::Independent) || getVerdict() == false)
    return;
  SmallVector<unsigned> all;
  for (SmallVector<unsigned> &level : graph.layOutByLevel()) {
    llvm::erase_if(level, [&](unsigned i) {
      return !graph.groups[i].mergeable || !graph.groups[i].nanoseconds;
    });
    // Kernels with reductions go with their like.
    llvm::sort(level, [&](unsigned a, unsigned b) {
      return std::pair(graph.groups[a].hasRoots, a) <
             std::pair(graph.groups[b].hasRoots, b);
    });
    packNeighbours(level);
    llvm::append_range(all, level);
  }
  // What is left of a level may go with what is left of others.
  packNeighbours(all);
}
