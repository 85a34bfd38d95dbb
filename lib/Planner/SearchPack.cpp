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

/// Whether a group may stand beside others. Where the price does not decide it
/// need not be known.
bool Search::isPackable(const Group &group) const {
  return group.alive && group.mergeable &&
         (group.nanoseconds || getVerdict() == true);
}

void Search::packIndependent() {
  if (!allows(DecisionKind::Independent) || getVerdict() == false)
    return;
  SmallVector<unsigned> all;
  for (SmallVector<unsigned> &level : graph.layOutByLevel()) {
    llvm::erase_if(level,
                   [&](unsigned i) { return !isPackable(graph.groups[i]); });
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

namespace {
/// Which groups need nothing of each other.
class Independence {
public:
  explicit Independence(const PlanGraph &graph);

  /// Groups in the running order.
  SmallVector<unsigned, 0> order;
  /// Those behind the one at `place` that do not need it.
  SmallVector<unsigned> findBehind(unsigned place);

private:
  /// Of each place: what it needs, and the last that needs it or one before it.
  std::vector<SmallVector<unsigned, 2>> sources;
  std::vector<unsigned> lastUser, lastUserSoFar;
  /// The last place that needs nothing.
  unsigned lastSource = 0;
  /// For each place, whose walk reached it last.
  std::vector<unsigned> reached;
};
} // namespace

Independence::Independence(const PlanGraph &graph) {
  for (unsigned i = 0; i < graph.groups.size(); ++i)
    if (graph.groups[i].alive)
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return graph.groups[a].position < graph.groups[b].position;
  });
  std::vector<unsigned> places(graph.groups.size());
  for (auto [place, group] : llvm::enumerate(order))
    places[group] = place;
  reached.assign(order.size(), ~0u);
  for (auto [place, index] : llvm::enumerate(order)) {
    const Group &group = graph.groups[index];
    SmallVector<unsigned, 2> &own = sources.emplace_back();
    for (auto &[next, edge] : group.predecessors)
      own.push_back(places[next]);
    unsigned last = place;
    for (auto &[next, edge] : group.successors)
      last = std::max(last, places[next]);
    lastUser.push_back(last);
    lastUserSoFar.push_back(place == 0 ? last
                                       : std::max(last, lastUserSoFar.back()));
    if (own.empty())
      lastSource = place;
  }
}

SmallVector<unsigned> Independence::findBehind(unsigned place) {
  reached[place] = place;
  SmallVector<unsigned> found;
  // What lies further behind needs only what has been reached.
  unsigned end = lastSource;
  if (place > 0)
    end = std::max(end, lastUserSoFar[place - 1]);
  for (unsigned at = place + 1; at < order.size() && at <= end; ++at) {
    if (llvm::any_of(sources[at], [&](unsigned source) {
          return reached[source] == place;
        })) {
      reached[at] = place;
      continue;
    }
    found.push_back(order[at]);
    end = std::max(end, lastUser[at]);
  }
  return found;
}

/// Packs pairs that are no neighbours in the lists above, whatever it costs to
/// look at all of them. Whether any was.
bool Search::packPairs() {
  Independence pairs(graph);
  bool any = false;
  for (unsigned place = 0; place < pairs.order.size(); ++place) {
    unsigned first = pairs.order[place];
    if (!isPackable(graph.groups[first]))
      continue;
    for (unsigned second : pairs.findBehind(place))
      if (isPackable(graph.groups[second]) && tryPack(first, second))
        any = true;
  }
  return any;
}
