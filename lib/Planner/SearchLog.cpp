// What the search tells of its decisions: a row for each candidate, in the
// order of the program.
#include "Search.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

void Search::note(const Candidate &candidate, bool accepted,
                  const RuleViolation *violation, Quantity fused,
                  Quantity unfused, Quantity bytesSaved) {
  if (!options.wantsDecisions)
    return;
  uint64_t key =
      uint64_t(candidate.edge.producer) << 32 | candidate.edge.consumer;
  auto [place, added] = rows[int(candidate.kind)].try_emplace(key, log.size());
  if (added)
    log.emplace_back();
  LogRow &row = log[place->second];
  if (row.accepted && !accepted)
    return; // Already together.
  row = {candidate.kind, accepted, candidate.edge, violation,
         fused,          unfused,  bytesSaved};
  if (!isImprovement(candidate.kind))
    last[getPairKey(candidate.first, candidate.second)] = row;
}

/// The two operators as they stand in the program.
Edge Search::toProgramOrder(Edge edge) const {
  if (graph.nodes[edge.producer].place > graph.nodes[edge.consumer].place)
    std::swap(edge.producer, edge.consumer);
  return edge;
}

/// An edge inside of a larger candidate ends as that candidate did, and what
/// was taken apart again is apart.
void Search::settle(LogRow &row) {
  if (isImprovement(row.kind))
    return;
  auto [producer, consumer] = row.edge;
  bool together =
      llvm::any_of(graph.getHolders(row.edge.producer), [&](unsigned holder) {
        return llvm::is_contained(graph.getHolders(row.edge.consumer), holder);
      });
  if (row.accepted) {
    row.accepted = together || row.kind == DecisionKind::Recompute;
    return;
  }
  if (together) {
    row.accepted = row.kind != DecisionKind::Recompute;
    row.violation = nullptr;
    return;
  }
  for (unsigned a : graph.getHolders(producer))
    for (unsigned b : graph.getHolders(consumer)) {
      auto it = last.find(getPairKey(a, b));
      if (it == last.end() || it->second.accepted)
        continue;
      row.violation = it->second.violation;
      row.fusedNs = it->second.fusedNs;
      row.unfusedNs = it->second.unfusedNs;
      row.bytesSaved = it->second.bytesSaved;
      return;
    }
}

std::vector<Decision> Search::takeDecisions() {
  auto getPlace = [&](const LogRow &row) {
    return std::tuple(graph.nodes[row.edge.producer].place,
                      graph.nodes[row.edge.consumer].place, row.kind);
  };
  for (LogRow &row : log)
    row.edge = toProgramOrder(row.edge);
  llvm::sort(log, [&](const LogRow &a, const LogRow &b) {
    return getPlace(a) < getPlace(b);
  });
  std::vector<Decision> decisions;
  decisions.reserve(log.size());
  for (LogRow &row : log) {
    settle(row);
    Decision &decision = decisions.emplace_back();
    decision.kind = row.kind;
    decision.producer = graph.nodes[row.edge.producer].op;
    decision.consumer = graph.nodes[row.edge.consumer].op;
    decision.accepted = row.accepted;
    if (row.violation)
      decision.violation = *row.violation;
    decision.fusedNs = row.fusedNs;
    decision.unfusedNs = row.unfusedNs;
    decision.bytesSaved = row.bytesSaved;
  }
  return decisions;
}
