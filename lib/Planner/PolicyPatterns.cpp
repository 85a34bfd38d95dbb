// Patterns that several policies recognise: normalisations, operands and
// epilogues of library calls.
#include "Policy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Operators that lie between a reduction and where its result comes back, and
/// between what both read, at most.
static constexpr size_t kReach = 16;

/// The only operator of the body of a structured operator; null if it has more.
static Operation *getOnlyBodyOp(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured->getNumRegions() != 1)
    return nullptr;
  Block &body = structured->getRegion(0).front();
  if (!llvm::hasNItems(body.without_terminator(), 1))
    return nullptr;
  return &body.front();
}

bool Policy::isConcat(unsigned group) const {
  return llvm::any_of(getGroup(group).ops, [&](unsigned op) {
    return isa<tensor::ConcatOp>(graph.nodes[op].op);
  });
}

bool Policy::isMaximum(unsigned op) const {
  auto structured = dyn_cast<linalg::LinalgOp>(graph.nodes[op].op);
  if (!structured || structured->getNumRegions() != 1)
    return false;
  return llvm::any_of(structured->getRegion(0).front(), [](Operation &inner) {
    return isa<arith::MaximumFOp, arith::MaxNumFOp>(inner);
  });
}

bool Policy::isBiasOrRelu(unsigned group) const {
  if (getGroup(group).ops.size() != 1)
    return false;
  const OpNode &node = graph.nodes[getGroup(group).ops.front()];
  Operation *inner = getOnlyBodyOp(node.op);
  if (!inner)
    return false;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(inner))
    return node.reads.size() == 1;
  return isa<arith::AddFOp>(inner) && node.opClass == OpClass::Broadcast;
}

void Policy::foldOperands() {
  for (unsigned group : getGroups()) {
    Operation *op = graph.nodes[getGroup(group).ops.front()].op;
    bool moves = isa<linalg::TransposeOp, tensor::PadOp>(op);
    if (auto structured = dyn_cast<linalg::GenericOp>(op))
      moves =
          llvm::hasSingleElement(*structured.getBody()) &&
          structured.getNumDpsInputs() == 1 &&
          structured.getMatchingIndexingMap(structured.getDpsInputOperand(0))
              .isPermutation();
    std::optional<SmallVector<unsigned>> consumers = getOnlyConsumers(group);
    if (!moves || !consumers || getGroup(group).ops.size() != 1 ||
        !llvm::all_of(*consumers,
                      [&](unsigned consumer) { return contracts(consumer); }))
      continue;
    if (consumers->size() == 1)
      search.mergeIfLegal(DecisionKind::ProducerConsumer, group,
                          consumers->front());
    else
      search.recomputeIfLegal(group);
  }
}

/// The operators from a reduction to the first one that runs through all places
/// again and reads what the reduction reads; empty if there is none.
SmallVector<unsigned> Policy::findDiamond(unsigned reduction) {
  double space = search.getSpace(reduction);
  auto isElementwise = [&](unsigned op) {
    const OpNode &node = graph.nodes[op];
    return node.role == Role::Compute && (node.opClass == OpClass::Injective ||
                                          node.opClass == OpClass::Broadcast);
  };
  // What an operator reads, and what that is computed from at each place.
  auto getRead = [&](unsigned op) {
    llvm::SmallSetVector<unsigned, 16> before;
    llvm::SmallSetVector<Value, 16> read;
    before.insert(op);
    for (size_t i = 0; i < before.size() && i < kReach; ++i) {
      read.insert_range(graph.nodes[before[i]].reads);
      for (unsigned source : graph.nodes[before[i]].sources)
        if (isElementwise(source) && search.getSpace(source) == space)
          before.insert(source);
    }
    return read;
  };
  llvm::SmallSetVector<Value, 16> read = getRead(reduction);
  llvm::SmallSetVector<unsigned, 16> rows;
  rows.insert(reduction);
  for (size_t i = 0; i < rows.size() && i < kReach; ++i)
    for (unsigned user : graph.nodes[rows[i]].users) {
      if (!isElementwise(user))
        continue;
      if (search.getSpace(user) != space) {
        rows.insert(user);
      } else if (llvm::any_of(getRead(user), [&](Value value) {
                   return read.contains(value);
                 })) {
        SmallVector<unsigned> diamond = rows.takeVector();
        diamond.push_back(user);
        return diamond;
      }
    }
  return {};
}

void Policy::mergeDiamonds(function_ref<bool(unsigned op)> starts) {
  llvm::DenseSet<unsigned> roots;
  auto isDiamond = [&](unsigned group) {
    return llvm::any_of(getGroup(group).ops,
                        [&](unsigned op) { return roots.contains(op); });
  };
  for (unsigned op = 0; op < graph.nodes.size(); ++op) {
    if (graph.nodes[op].role != Role::Compute ||
        graph.nodes[op].opClass != OpClass::Reduction)
      continue;
    llvm::SmallSetVector<unsigned, 8> groups;
    for (unsigned other : findDiamond(op))
      groups.insert(graph.getHolders(other).front());
    bool legal = groups.size() > 1 &&
                 llvm::all_of(groups, [&](unsigned i) { return isLive(i); });
    if (legal && search.mergeIfLegal(groups.getArrayRef()))
      roots.insert(op);
  }
  // Chains of them: element-wise operators between, and those at the end.
  for (bool changed = true; std::exchange(changed, false);)
    for (unsigned group : getGroups()) {
      if (!isLive(group) || !isDiamond(group))
        continue;
      bool started = llvm::any_of(getGroup(group).ops, [&](unsigned op) {
        return roots.contains(op) && starts(op);
      });
      std::optional<SmallVector<unsigned>> consumers = getOnlyConsumers(group);
      if (!started || !consumers || consumers->size() != 1)
        continue;
      unsigned next = consumers->front();
      if (!(isPointwise(next) || isDiamond(next)) || !isAligned(group, next))
        continue;
      changed |=
          search.mergeIfLegal(DecisionKind::ProducerConsumer, group, next)
              .has_value();
    }
}
