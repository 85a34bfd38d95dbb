// After the queue is empty: values that a kernel stores only for others to read
// are computed there again where that is cheaper.
#include "Search.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// The groups that read `value` of group `from`; nothing if the host or a group
/// that may not change does.
std::optional<SmallVector<unsigned>>
Search::getTradePartners(unsigned from, unsigned op) const {
  SmallVector<unsigned> partners;
  for (unsigned user : graph.nodes[op].users)
    for (unsigned holder : graph.getHolders(user)) {
      if (holder == from || llvm::is_contained(graph.getHolders(op), holder))
        continue;
      if (!graph.groups[holder].mergeable || !graph.groups[holder].nanoseconds)
        return std::nullopt;
      if (!llvm::is_contained(partners, holder))
        partners.push_back(holder);
    }
  llvm::sort(partners);
  return partners;
}

/// Tries to have `op`'s value computed by those that read it. True if that was
/// cheaper and has been done.
bool Search::tryTrade(unsigned from, unsigned op) {
  Group &group = graph.groups[from];
  std::optional<SmallVector<unsigned>> partners = getTradePartners(from, op);
  if (!partners || partners->empty() || !group.nanoseconds)
    return false;
  SmallVector<unsigned, 4> slice = graph.getSlice(from, op);
  for (unsigned at : slice)
    for (Value value : graph.nodes[at].reads)
      if (value.getDefiningOp<bufferization::ToTensorOp>())
        return false;
  int64_t before = *group.nanoseconds;
  int64_t bytesBefore = group.bytes.value_or(0);
  for (unsigned partner : *partners) {
    before += *graph.groups[partner].nanoseconds;
    bytesBefore += graph.groups[partner].bytes.value_or(0);
  }

  PlanGraph::Traded traded = graph.trade(from, slice, *partners);
  SmallVector<unsigned> changed{from};
  changed.append(partners->begin(), partners->end());
  std::vector<Evaluation> evaluations;
  int64_t after = 0, bytesAfter = 0;
  bool legal = !group.ops.empty();
  for (unsigned index : changed) {
    if (!legal)
      break;
    evaluations.push_back(evaluator.evaluateGroup(index));
    legal = !evaluations.back().violation && evaluations.back().nanoseconds;
    after += evaluations.back().nanoseconds.value_or(0);
    bytesAfter += evaluations.back().bytes.value_or(0);
  }
  Candidate candidate;
  candidate.kind = DecisionKind::Recompute;
  candidate.first = from;
  candidate.second = partners->front();
  candidate.edge = {op, graph.groups[partners->front()].ops.back()};
  bool cheaper =
      after < before || (after == before && bytesAfter < bytesBefore);
  if (!legal || !cheaper || bytesAfter > bytesBefore) {
    graph.undo(traded);
    return false;
  }
  // The groups are changed already, but not yet their neighbours.
  GroupChange change;
  for (unsigned partner : *partners)
    change.inherits.emplace_back(partner, from);
  const RuleViolation *refused = checkMemory(change);
  if (!refused)
    refused = askHandler(candidate);
  if (refused) {
    note(candidate, false, refused, after, before, bytesBefore - bytesAfter);
    graph.undo(traded);
    return false;
  }
  note(candidate, true, nullptr, after, before, bytesBefore - bytesAfter);
  graph.settleTrade(from, *partners);
  for (auto [index, evaluation] : llvm::zip(changed, evaluations))
    setPrice(index, evaluation);
  for (unsigned index : changed)
    pushNeighbours(index, 1);
  return true;
}

bool Search::tradeStoredValues() {
  if (getVerdict() || !allows(DecisionKind::Recompute))
    return false;
  bool any = false;
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    Group &group = graph.groups[i];
    // Without a reduction the queue has seen these candidates.
    if (!group.alive || !group.mergeable || !group.hasRoots)
      continue;
    SmallVector<unsigned> stored;
    for (Value output : graph.getOutputs(group.ops, {i}))
      stored.push_back(graph.getIndex(output.getDefiningOp()));
    for (unsigned op : stored)
      if (!isRootOp(graph.nodes[op].op) && graph.getHome(op) == int(i))
        any |= tryTrade(i, op);
  }
  return any;
}
