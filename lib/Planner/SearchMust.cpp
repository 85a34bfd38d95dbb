// What the user asks for by `fuse.must_fuse`: merged before the search, or an
// error.
#include "Search.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Merges what lies between the two groups into the first one; the rule if
/// that is not possible. `unfused` is what all of them cost.
const RuleViolation *Search::takeBetween(Candidate &candidate,
                                         Quantity &unfused) {
  unsigned &first = candidate.first, &second = candidate.second;
  unfused =
      add(graph.groups[first].nanoseconds, graph.groups[second].nanoseconds);
  if (graph.groups[first].position > graph.groups[second].position)
    std::swap(first, second);
  for (unsigned between : graph.getBetween(first, second)) {
    if (!graph.groups[between].mergeable)
      return isa<BoundaryOp>(graph.nodes[between].op) ? boundaryRule
                                                      : cycleRule;
    unfused = add(unfused, graph.groups[between].nanoseconds);
    Quantity bytes =
        add(graph.groups[first].bytes, graph.groups[between].bytes);
    first = graph.merge(first, between);
    graph.groups[first].bytes = bytes;
  }
  return nullptr;
}

LogicalResult Search::mergeMust(Operation *first, Operation *second) {
  unsigned a = graph.getIndex(first), b = graph.getIndex(second);
  Candidate candidate;
  candidate.kind = DecisionKind::MustFuse;
  candidate.edge = {std::min(a, b), std::max(a, b)};
  const RuleViolation *rule = nullptr;
  Quantity unfused;
  for (unsigned op : {a, b})
    if (!graph.groups[op].mergeable && graph.getHolders(op).size() <= 1)
      rule = getFixedRule(graph.nodes[op]);
  if (!rule) {
    candidate.first = graph.getHolders(a).front();
    candidate.second = graph.getHolders(b).front();
    if (candidate.first == candidate.second)
      return success();
    if (const RuleViolation *refused = askHandler(candidate)) {
      note(candidate, false, refused);
      return success();
    }
    rule = takeBetween(candidate, unfused);
  }
  if (rule) {
    InFlightDiagnostic diag = second->emitError("illegal 'fuse.must_fuse': ")
                              << rule->message << " (" << rule->rule << ")";
    diag.attachNote(first->getLoc()) << "to share a kernel with this";
    return diag;
  }
  Quantity bytes = add(graph.groups[candidate.first].bytes,
                       graph.groups[candidate.second].bytes);
  unsigned left = graph.merge(candidate.first, candidate.second);
  graph.dropUnneeded(left);
  // More may have to come before the kernel is legal.
  Evaluation merged = evaluator.evaluateGroup(left);
  setPrice(left, merged);
  note(candidate, true, nullptr, merged.nanoseconds, unfused,
       subtract(bytes, merged.bytes));
  return success();
}

LogicalResult Search::mergeMusts() {
  llvm::MapVector<StringAttr, SmallVector<Operation *>> tags;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    // What the host does not need of fills is in every kernel that reads it.
    bool copied = node.role == Role::Generator && !graph.groups[i].alive;
    if (auto tag =
            node.op->getAttrOfType<StringAttr>(FuseDialect::kMustFuseAttrName))
      if (node.role != Role::Dead && !copied)
        tags[tag].push_back(node.op);
  }
  for (auto &[tag, ops] : tags) {
    for (Operation *op : ArrayRef(ops).drop_front())
      if (failed(mergeMust(ops.front(), op)))
        return failure();
    unsigned index = graph.getHolders(graph.getIndex(ops.front())).front();
    const Group &group = graph.groups[index];
    if (ops.size() == 1 || !group.mergeable)
      continue;
    Evaluation merged = evaluator.evaluateGroup(index);
    // What is legal but needs several kernels is taken apart when groups are
    // isolated.
    if (merged.violation && !needsSeveralKernels(*merged.violation)) {
      InFlightDiagnostic diag =
          ops.back()->emitError("illegal 'fuse.must_fuse': ")
          << merged.violation->message << " (" << merged.violation->rule << ")";
      diag.attachNote(ops.front()->getLoc()) << "to share a kernel with this";
      return diag;
    }
    setPrice(index, merged);
  }
  return success();
}
