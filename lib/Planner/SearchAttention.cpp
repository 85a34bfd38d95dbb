// Attentions are taken whole: no two of their operators could be merged without
// the others.
#include "Search.h"

#include "fuse-mlir/Analysis/Attention.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Merges groups, each after those that it needs, into a kernel that has been
/// evaluated.
unsigned Search::mergeSet(ArrayRef<unsigned> owners, const Evaluation &merged) {
  unsigned left = owners.front();
  for (unsigned group : owners.drop_front()) {
    evaluator.forget(group);
    left = graph.merge(left, group);
  }
  evaluator.forget(left);
  setPrice(left, merged);
  graph.dropUnneeded(left);
  return left;
}

/// Whether an attention is faster than its best parts, or about as fast without
/// moving more bytes. Prices of kernels with contractions are right within a
/// quarter (docs/Performance.md); what is not moved, and the memory that scores
/// would take, are certain.
static bool isWorthMerging(Quantity fused, Quantity apart, Quantity saved) {
  if (!fused || !apart)
    return false;
  if (*fused < *apart)
    return true;
  return saved && *saved >= 0 && *fused - *apart <= *apart / 4;
}

/// Merges the groups of `ops`, in program order, if they are a kernel that is
/// faster than the best ones without it.
void Search::mergeAttention(ArrayRef<unsigned> ops) {
  llvm::SmallSetVector<unsigned, 16> owners;
  SmallVector<unsigned, 4> all;
  for (unsigned op : ops) {
    if (graph.getHolders(op).size() != 1)
      return;
    unsigned group = graph.getHolders(op).front();
    if (!graph.groups[group].mergeable)
      return;
    owners.insert(group);
    all = PlanGraph::unite(all, graph.groups[group].ops);
  }
  // What others make of results must not come back.
  for (unsigned group : owners)
    for (auto &[next, edge] : graph.groups[group].successors)
      if (!owners.contains(next) &&
          llvm::any_of(owners, [&, next = next](unsigned owner) {
            return graph.hasPath(next, owner);
          }))
        return;
  Candidate candidate;
  candidate.kind = DecisionKind::Attention;
  candidate.first = owners.front();
  candidate.second = owners.back();
  candidate.edge = {ops.front(), ops.back()};
  candidate.evaluation = evaluator.evaluate(all, owners.getArrayRef());
  const Evaluation &merged = candidate.evaluation;
  if (merged.violation) {
    note(candidate, false, merged.violation, std::nullopt, std::nullopt,
         std::nullopt);
    return;
  }
  std::optional<SplitCost> apart =
      evaluator.priceApart(all, graph.getOutputIds(all, owners.getArrayRef()));
  Quantity unfused = apart ? apart->nanoseconds : std::nullopt, saved;
  if (apart && apart->bytesRead && apart->bytesWritten && merged.bytes)
    saved = *apart->bytesRead + *apart->bytesWritten - *merged.bytes;
  std::optional<bool> verdict = getVerdict();
  bool accepted =
      verdict ? *verdict : isWorthMerging(merged.nanoseconds, unfused, saved);
  const RuleViolation *refused = nullptr;
  if (accepted && memory.hasLimit())
    refused = checkMemory(
        GroupChange::merge(graph, owners.getArrayRef(), merged.scratchBytes));
  if (accepted && !refused)
    refused = askHandler(candidate);
  accepted &= !refused;
  note(candidate, accepted, refused, merged.nanoseconds, unfused, saved);
  if (!accepted)
    return;
  mergeSet(owners.getArrayRef(), merged);
}

/// Adds what is element-wise behind the last one of `ops`, as far as each has
/// one use: results that are rounded there are half as many bytes.
void Search::addEpilogue(SmallVectorImpl<unsigned> &ops) const {
  constexpr size_t kMost = 8;
  for (size_t number = 0; number < kMost; ++number) {
    Operation *last = graph.nodes[ops.back()].op;
    if (!last->hasOneUse())
      return;
    Operation *user = *last->user_begin();
    if (user->getBlock() != last->getBlock() ||
        user->hasTrait<OpTrait::IsTerminator>())
      return;
    const auto &next = graph.nodes[graph.getIndex(user)];
    if (next.role != Role::Compute || (next.opClass != OpClass::Injective &&
                                       next.opClass != OpClass::Broadcast))
      return;
    ops.push_back(graph.getIndex(user));
  }
}

void Search::mergeAttentions() {
  if (!options.attentions || !allows(DecisionKind::ProducerConsumer))
    return;
  for (unsigned i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].role != Role::Compute)
      continue;
    SmallVector<unsigned> ops;
    for (Operation *op : findAttention(graph.nodes[i].op))
      if (graph.nodes[graph.getIndex(op)].role != Role::Free)
        ops.push_back(graph.getIndex(op));
    if (ops.empty())
      continue;
    addEpilogue(ops);
    mergeAttention(ops);
  }
}
