// Policy of TVM: classes of operators over the tree of post-dominators
// (src/relax/analysis/graph_partitioner.cc, src/relax/transform/fuse_ops.cc).
#include "Policy.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

namespace {
/// OpPatternKind, in its order: the larger one of two is that of both.
enum class OpPattern {
  ElemWise,
  Broadcast,
  Injective,
  CommReduce,
  OutEWiseFusable,
  Opaque
};

class TvmPolicy : public Policy {
public:
  explicit TvmPolicy(Search &search)
      : Policy(search), tree(graph.nodes.size()) {}
  void run() override;

private:
  /// Place of an operator in the tree of post-dominators.
  struct TreeNode {
    int parent = -1;
    unsigned depth = 1;
    /// Of the ways to `parent`.
    OpPattern pattern = OpPattern::Opaque;
  };
  using Condition = function_ref<bool(OpPattern pattern, bool isSink)>;

  OpPattern getPattern(unsigned op) const;
  OpPattern getEdgePattern(unsigned producer, unsigned consumer);
  OpPattern getGroupPattern(unsigned op) const;
  int getCommonParent(int a, int b, OpPattern &pattern) const;
  void buildTree();
  bool collectWays(unsigned op, unsigned sink, Condition condition,
                   llvm::SmallSetVector<unsigned, 8> &ops) const;
  void fuse(unsigned op, Condition condition);
  void visit(unsigned op, int phase);

  /// Program order.
  std::vector<unsigned> order;
  std::vector<TreeNode> tree;
};
} // namespace

/// `relax.FuseOps.max_depth`.
static constexpr size_t kMaxOps = 256;

OpPattern TvmPolicy::getPattern(unsigned op) const {
  switch (graph.nodes[op].opClass) {
  case OpClass::Injective:
    return OpPattern::ElemWise;
  case OpClass::Broadcast:
    return OpPattern::Broadcast;
  case OpClass::Movement:
    return OpPattern::Injective;
  case OpClass::Reduction:
    return OpPattern::CommReduce;
  case OpClass::Contraction:
    return OpPattern::OutEWiseFusable;
  case OpClass::Scan:
  case OpClass::Opaque:
    break;
  }
  return OpPattern::Opaque;
}

/// An operand of a broadcast that has the shape of the result is element-wise.
OpPattern TvmPolicy::getEdgePattern(unsigned producer, unsigned consumer) {
  OpPattern pattern = getPattern(consumer);
  if (pattern != OpPattern::Broadcast)
    return pattern;
  Type from = graph.nodes[producer].op->getResult(0).getType();
  Type to = graph.nodes[consumer].op->getResult(0).getType();
  return cost::getElements(from) == cost::getElements(to) ? OpPattern::ElemWise
                                                          : pattern;
}

OpPattern TvmPolicy::getGroupPattern(unsigned op) const {
  OpPattern pattern = OpPattern::ElemWise;
  for (unsigned other : getGroup(graph.getHolders(op).front()).ops)
    pattern = std::max(pattern, getPattern(other));
  return pattern;
}

int TvmPolicy::getCommonParent(int a, int b, OpPattern &pattern) const {
  while (a != b) {
    if (a < 0 || b < 0)
      return -1;
    unsigned depthA = tree[a].depth, depthB = tree[b].depth;
    if (depthA >= depthB) {
      pattern = std::max(pattern, tree[a].pattern);
      a = tree[a].parent;
    }
    if (depthB >= depthA) {
      pattern = std::max(pattern, tree[b].pattern);
      b = tree[b].parent;
    }
  }
  return a;
}

/// A value that the host needs, a result for instance, has no post-dominator.
void TvmPolicy::buildTree() {
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].role == Role::Compute &&
        graph.getHolders(i).size() == 1 && isLive(graph.getHolders(i).front()))
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return graph.nodes[a].place < graph.nodes[b].place;
  });
  for (unsigned op : llvm::reverse(order)) {
    ArrayRef<unsigned> users = graph.nodes[op].users;
    bool needed = users.empty() || llvm::any_of(users, [&](unsigned user) {
                    return graph.nodes[user].role != Role::Compute;
                  });
    if (needed)
      continue;
    TreeNode &node = tree[op];
    node.parent = int(users.front());
    node.pattern = getEdgePattern(op, users.front());
    for (unsigned user : users.drop_front()) {
      node.parent = getCommonParent(node.parent, int(user), node.pattern);
      node.pattern = std::max(node.pattern, getEdgePattern(op, user));
    }
    if (node.parent >= 0)
      node.depth = tree[node.parent].depth + 1;
  }
}

/// Adds all operators from `op` to `sink` to `ops`; false if one of them does
/// not meet the condition.
bool TvmPolicy::collectWays(unsigned op, unsigned sink, Condition condition,
                            llvm::SmallSetVector<unsigned, 8> &ops) const {
  if (!ops.insert(op))
    return true;
  if (op == sink)
    return true;
  for (unsigned user : graph.nodes[op].users)
    if (!condition(getGroupPattern(user), user == sink) ||
        !collectWays(user, sink, condition, ops))
      return false;
  return true;
}

void TvmPolicy::fuse(unsigned op, Condition condition) {
  unsigned sink = unsigned(tree[op].parent);
  unsigned first = graph.getHolders(op).front();
  unsigned last = graph.getHolders(sink).front();
  llvm::SmallSetVector<unsigned, 8> ops, groups;
  if (!collectWays(op, sink, condition, ops))
    return search.refuse(DecisionKind::ProducerConsumer, first, last,
                         "tvm: a pattern on the way does not fit");
  for (unsigned other : ops)
    groups.insert(graph.getHolders(other).front());
  size_t size = 0;
  for (unsigned group : groups)
    size += getGroup(group).ops.size();
  if (size > kMaxOps)
    return search.refuse(DecisionKind::ProducerConsumer, first, last,
                         "tvm: more than 256 operators");
  search.mergeIfLegal(groups.getArrayRef());
}

void TvmPolicy::visit(unsigned op, int phase) {
  const TreeNode &node = tree[op];
  OpPattern pattern = getGroupPattern(op);
  if (node.parent < 0 || pattern == OpPattern::Opaque)
    return;
  unsigned group = graph.getHolders(op).front();
  unsigned sink = graph.getHolders(unsigned(node.parent)).front();
  if (group == sink || !isLive(sink))
    return;
  auto refuse = [&](StringRef why) {
    search.refuse(DecisionKind::ProducerConsumer, group, sink, why);
  };
  if (pattern == OpPattern::OutEWiseFusable) {
    if (phase == 0 && node.pattern == OpPattern::ElemWise)
      return fuse(op, [](OpPattern other, bool) {
        return other <= OpPattern::Broadcast;
      });
    if (phase == 0)
      refuse("tvm: only element-wise operators follow a contraction");
  } else if (pattern <= OpPattern::Broadcast) {
    if (node.pattern > OpPattern::CommReduce)
      return refuse("tvm: element-wise operators do not go into a contraction");
    fuse(op, [](OpPattern other, bool isSink) {
      return other <= OpPattern::Injective ||
             (isSink && (other == OpPattern::CommReduce ||
                         other == OpPattern::OutEWiseFusable));
    });
  } else if (pattern == OpPattern::Injective) {
    if (phase == 1)
      fuse(op,
           [](OpPattern other, bool) { return other <= OpPattern::Injective; });
  } else {
    refuse("tvm: nothing follows a reduction");
  }
}

void TvmPolicy::run() {
  buildTree();
  for (int phase : {0, 1})
    for (unsigned op : order)
      if (!graph.getHolders(op).empty())
        visit(op, phase);
}

std::unique_ptr<Policy> plan::makeTvmPolicy(Search &search) {
  return std::make_unique<TvmPolicy>(search);
}
