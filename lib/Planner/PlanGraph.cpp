// Builds the graph of a block: roles of operators, who reads what, and edges
// that keep side effects in order.
#include "PlanGraph.h"
#include "VisitOrder.h"

#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

static Role classifyRole(Operation *op) {
  if (isFreeOp(op))
    return Role::Free;
  if (isGeneratorOp(op))
    return Role::Generator;
  if (isa<GroupOp>(op))
    return Role::Alone;
  if (!isComputeOp(op))
    return Role::Host;
  return op->hasAttr(FuseDialect::kNeverFuseAttrName) ? Role::Alone
                                                      : Role::Compute;
}

/// Whether `op` only extends each element: its input is smaller than its
/// result.
static bool isWideningCast(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInputs() != 1 ||
      linalgOp.getBlock()->getOperations().size() != 2)
    return false;
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
      linalgOp.getBlock()->front());
}

PlanGraph::KindFacts PlanGraph::getKindFacts(Operation *op) {
  KindFacts facts;
  facts.role = classifyRole(op);
  facts.mayFuse = facts.role == Role::Compute ||
                  (facts.role == Role::Generator &&
                   !op->hasAttr(FuseDialect::kNeverFuseAttrName));
  if (facts.mayFuse)
    facts.opClass = fuse::classify(op);
  if (facts.role == Role::Compute) {
    facts.moves = facts.opClass == OpClass::Movement || isWideningCast(op);
  }
  facts.effectFree = isMemoryEffectFree(op);
  bool staysInOrder = facts.role == Role::Host || isa<GroupOp>(op);
  facts.hasOrder =
      isa<bufferization::ToTensorOp>(op) || (staysInOrder && !facts.effectFree);
  visitUsedValuesDefinedAbove(op->getRegions(),
                              [&](OpOperand *) { facts.captures = true; });
  alignKind(op, facts);
  return facts;
}

PlanGraph::PlanGraph(Block &block) {
  classify(block);
  connect();
  addOrderEdges();
  classifyValues();
}

unsigned PlanGraph::getValueId(Value value) {
  auto [it, added] = valueIds.try_emplace(value, values.size());
  if (added)
    values.emplace_back().value = value;
  return it->second;
}

void PlanGraph::addNode(Operation *op, unsigned kind) {
  OpNode &node = nodes.emplace_back();
  node.op = op;
  node.firstResult = values.size();
  node.numResults = op->getNumResults();
  for (Value result : op->getResults())
    values[getValueId(result)].def = int(nodes.size()) - 1;
  node.kind = kind;
  const KindFacts &facts = kindFacts[kind];
  node.role = facts.role;
  node.opClass = facts.opClass;
  node.moves = facts.moves;
}

void PlanGraph::classify(Block &block) {
  // At first the places in the program.
  std::vector<unsigned> kindOfPlace;
  for (Operation &op : block) {
    indices.try_emplace(&op, kindOfPlace.size());
    unsigned kind = kindOfPlace.emplace_back(kinds.get(&op));
    if (kind == kindFacts.size())
      kindFacts.push_back(getKindFacts(&op));
  }
  auto lookUp = [&](Operation *op) {
    unsigned place = indices.lookup(op);
    const KindFacts &facts = kindFacts[kindOfPlace[place]];
    return VisitedOp{place, facts.hasOrder, facts.captures};
  };
  std::vector<Operation *> order = getVisitOrder(block, lookUp);
  nodes.reserve(order.size());
  values.reserve(order.size() + block.getNumArguments());
  valueIds.reserve(order.size() + block.getNumArguments());
  for (Operation *op : order) {
    unsigned &index = indices.find(op)->second;
    unsigned place = std::exchange(index, unsigned(nodes.size()));
    addNode(op, kindOfPlace[place]);
    nodes.back().place = place;
  }
  for (OpNode &node : llvm::reverse(nodes)) {
    if (node.role == Role::Free || !kindFacts[node.kind].effectFree ||
        node.op->hasTrait<OpTrait::IsTerminator>())
      continue;
    bool used = llvm::any_of(node.op->getUsers(), [&](Operation *user) {
      Operation *own = block.findAncestorOpInBlock(*user);
      return !own || nodes[indices.lookup(own)].role != Role::Dead;
    });
    if (!used && node.op->getNumResults() != 0)
      node.role = Role::Dead;
  }
}

/// Calls `use` for every operand of `op` and every value that its regions take
/// from outside, with the operator that uses it.
static void forEachUse(Operation *op, bool captures,
                       function_ref<void(Value, Operation *)> use) {
  for (Value operand : op->getOperands())
    use(operand, op);
  if (!captures)
    return;
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(region, [&](OpOperand *operand) {
      use(operand->get(), operand->getOwner());
    });
}

void PlanGraph::collectSources(Value value, bool throughGenerators,
                               SmallVectorImpl<unsigned> &sources,
                               SmallVectorImpl<Value> &reads) const {
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value at = stack.pop_back_val();
    Operation *def = at.getDefiningOp();
    bool through =
        def && (cost::isView(def) || (isFreeOp(def) && !isLargeConstant(def)) ||
                (throughGenerators && isGeneratorOp(def)));
    if (through) {
      auto reshape = dyn_cast<tensor::ReshapeOp>(def);
      for (Value operand : llvm::reverse(def->getOperands())) {
        // Sizes are scalars of the host, and no tensor has to be made of them.
        auto sizes = operand.getDefiningOp<tensor::FromElementsOp>();
        if (reshape && sizes && operand == reshape.getShape())
          llvm::append_range(stack, llvm::reverse(sizes->getOperands()));
        else
          stack.push_back(operand);
      }
      continue;
    }
    if (isa<RankedTensorType>(at.getType()) && !llvm::is_contained(reads, at))
      reads.push_back(at);
    auto it = def ? indices.find(def) : indices.end();
    if (it != indices.end() && !isFreeOp(def))
      sources.push_back(it->second);
  }
}

/// Words of keys that are no numbers: a value from outside, the outputs, and
/// the kind of an empty tensor.
static constexpr unsigned kOutside = ~0u, kOutputs = ~1u, kEmpty = ~2u;

/// Whether `op` makes an empty tensor of a known size. The type says all about
/// it, and whoever uses it has that type.
static bool isPlainEmpty(Operation *op) {
  return isa<tensor::EmptyOp>(op) && op->getNumOperands() == 0;
}

/// Whether a kernel makes the value itself instead of reading it.
static bool isHelper(Value value) {
  Operation *def = value.getDefiningOp();
  return def && (isFreeOp(def) || isGeneratorOp(def)) && !isLargeConstant(def);
}

/// Finds values that kernels take from outside alike.
void PlanGraph::classifyValues() {
  for (OpNode &node : nodes)
    for (unsigned value : node.uses) {
      int def = values[value].def;
      if (def < 0 || !copied.test(def))
        continue;
      node.usesHelpers |= !isPlainEmpty(nodes[def].op);
      node.usesViews |= nodes[def].usesViews || cost::isView(nodes[def].op);
    }
  // Whoever reads a view reads its base, so that gets a number, too.
  for (unsigned i = 0; i < values.size(); ++i) {
    Value value = values[i].value, base = cost::lookThroughViews(value);
    unsigned baseId = base == value ? i : getValueId(base);
    values[i].base = baseId;
    int def = values[i].def;
    worthSharing.push_back(isWorthSharing(value));
    if (def >= 0 && copied.test(def))
      outsideKinds.push_back(isPlainEmpty(nodes[def].op) ? kEmpty : 0);
    else
      outsideKinds.push_back(kinds.getOutside(value, isHelper(value)));
  }
  keyNumbers.resize(values.size());
}

void PlanGraph::addEdge(unsigned producer, unsigned consumer) {
  groups[producer].successors.try_emplace(consumer, Edge{producer, consumer});
  groups[consumer].predecessors.try_emplace(producer, Edge{producer, consumer});
}

void PlanGraph::connect() {
  for (unsigned i = 0; i < nodes.size(); ++i) {
    OpNode &node = nodes[i];
    copied.push_back((node.role == Role::Free || isGeneratorOp(node.op)) &&
                     !isLargeConstant(node.op));
    if (node.role == Role::Dead)
      continue;
    if (node.role == Role::Free) {
      for (Value operand : node.op->getOperands())
        node.uses.push_back(getValueId(operand));
      continue;
    }
    bool copies = node.role != Role::Host;
    if (node.role == Role::Compute || node.role == Role::Generator)
      align(node);
    bool captures = kindFacts[node.kind].captures;
    forEachUse(node.op, captures, [&](Value value, Operation *user) {
      node.uses.push_back(getValueId(value));
      if (user != node.op)
        align(node, value);
      bool through = copies || (user != node.op && isComputeOp(user));
      collectSources(value, through, node.sources, node.reads);
    });
    llvm::sort(node.sources);
    node.sources.erase(llvm::unique(node.sources), node.sources.end());
    for (unsigned source : node.sources)
      nodes[source].users.push_back(i);
    for (Value value : node.reads)
      values[node.readIds.emplace_back(getValueId(value))].users.push_back(i);
  }
  groups.resize(nodes.size());
  holders.resize(nodes.size());
  homes.assign(nodes.size(), -1);
  for (unsigned i = 0; i < nodes.size(); ++i) {
    Group &group = groups[i];
    OpNode &node = nodes[i];
    // A fill is a kernel only for the host.
    group.alive = node.role != Role::Free && node.role != Role::Dead &&
                  !(node.role == Role::Generator && node.users.empty());
    group.position = i;
    if (!group.alive)
      continue;
    group.mergeable = kindFacts[node.kind].mayFuse;
    group.alignment = node.alignment;
    group.skewed = node.skewed;
    group.ops = {i};
    holders[i] = {i};
    homes[i] = int(i);
    for (unsigned source : node.sources)
      addEdge(source, i);
  }
}

void PlanGraph::addOrder(unsigned first, unsigned second) {
  addEdge(first, second);
  runsBefore[first].push_back(second);
  runsAfter[second].push_back(first);
}

/// Keeps effects of the host in order, and reads of memory before the next
/// write to memory.
void PlanGraph::addOrderEdges() {
  int last = -1;
  SmallVector<unsigned> readers;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    OpNode &node = nodes[i];
    if (!groups[i].alive || node.op->hasTrait<OpTrait::IsTerminator>())
      continue;
    bool readsMemory = llvm::any_of(node.reads, [](Value value) {
      return value.getDefiningOp<bufferization::ToTensorOp>() != nullptr;
    });
    if (readsMemory && node.role != Role::Host)
      readers.push_back(i);
    bool effect = isa<bufferization::ToTensorOp>(node.op) ||
                  (node.role == Role::Host && !kindFacts[node.kind].effectFree);
    if (!effect)
      continue;
    if (last >= 0)
      addOrder(last, i);
    for (unsigned reader : readers)
      addOrder(reader, i);
    if (!isa<bufferization::ToTensorOp>(node.op))
      readers.clear();
    last = int(i);
  }
}

//===----------------------------------------------------------------------===//
// Sets of operators as kernels
//===----------------------------------------------------------------------===//

bool PlanGraph::isNeededOutside(unsigned value, unsigned op,
                                ArrayRef<unsigned> owners) const {
  for (unsigned user : values[value].users)
    for (unsigned holder : holders[user])
      if (!llvm::is_contained(owners, holder) &&
          !llvm::is_contained(holders[op], holder))
        return true;
  return false;
}

/// Whether another group needs a result of `op` from one of `owners`.
bool PlanGraph::isNeededOutside(unsigned op, ArrayRef<unsigned> owners) const {
  unsigned first = nodes[op].firstResult;
  for (unsigned i = first, e = first + nodes[op].numResults; i < e; ++i)
    if (isNeededOutside(i, op, owners))
      return true;
  return false;
}

SmallVector<unsigned> PlanGraph::getOutputIds(ArrayRef<unsigned> ops,
                                              ArrayRef<unsigned> owners) const {
  SmallVector<unsigned> outputs;
  for (unsigned op : ops) {
    if (homes[op] < 0 || !llvm::is_contained(owners, unsigned(homes[op])))
      continue; // Another group gives it to those that need it.
    unsigned first = nodes[op].firstResult;
    for (unsigned i = first, e = first + nodes[op].numResults; i < e; ++i)
      if (isNeededOutside(i, op, owners))
        outputs.push_back(i);
  }
  return outputs;
}

bool PlanGraph::isNeeded(unsigned group) const {
  // What others read is mostly made last.
  return llvm::any_of(llvm::reverse(groups[group].ops), [&](unsigned op) {
    return homes[op] == int(group) && isNeededOutside(op, group);
  });
}

SmallVector<Value> PlanGraph::getOutputs(ArrayRef<unsigned> ops,
                                         ArrayRef<unsigned> owners) const {
  return llvm::map_to_vector(getOutputIds(ops, owners),
                             [&](unsigned id) { return values[id].value; });
}

SmallVector<Value> PlanGraph::getInputs(ArrayRef<unsigned> ops) const {
  return llvm::map_to_vector(getInputIds(ops),
                             [&](unsigned id) { return values[id].value; });
}

SmallVector<unsigned, 16> PlanGraph::getInputIds(ArrayRef<unsigned> ops) const {
  SmallVector<unsigned, 16> inputs;
  valueMarks.start(values.size());
  for (unsigned op : ops)
    for (unsigned i = 0, e = nodes[op].numResults; i < e; ++i)
      valueMarks.insert(nodes[op].firstResult + i);
  for (unsigned op : ops)
    for (unsigned value : nodes[op].readIds)
      if (valueMarks.insert(value))
        inputs.push_back(value);
  return inputs;
}

void PlanGraph::collectHelpers(ArrayRef<unsigned> ops,
                               SmallVectorImpl<unsigned> &members) const {
  opMarks.start(nodes.size());
  members.assign(ops.begin(), ops.end());
  for (unsigned op : ops)
    opMarks.insert(op);
  for (size_t i = 0; i < members.size(); ++i)
    for (unsigned value : nodes[members[i]].uses) {
      int def = values[value].def;
      if (def >= 0 && copied.test(def) && opMarks.insert(def))
        members.push_back(def);
    }
  auto *helpers = members.begin() + ops.size();
  std::sort(helpers, members.end());
  std::inplace_merge(members.begin(), helpers, members.end());
}

void PlanGraph::getKey(ArrayRef<unsigned> ops, ArrayRef<unsigned> outputs,
                       SmallVectorImpl<unsigned> &key) const {
  SmallVector<unsigned, 32> withHelpers;
  ArrayRef<unsigned> members = ops;
  if (llvm::any_of(ops, [&](unsigned op) { return nodes[op].usesHelpers; })) {
    collectHelpers(ops, withHelpers);
    llvm::erase_if(withHelpers,
                   [&](unsigned op) { return isPlainEmpty(nodes[op].op); });
    members = withHelpers;
  }
  valueMarks.start(values.size());
  unsigned next = 0;
  for (unsigned member : members) {
    const OpNode &node = nodes[member];
    key.push_back(node.kind);
    for (unsigned value : node.uses) {
      if (valueMarks.insert(value)) {
        key.append({kOutside, outsideKinds[value]});
        keyNumbers[value] = next++;
      }
      key.push_back(keyNumbers[value]);
    }
    for (unsigned i = 0, e = node.numResults; i < e; ++i) {
      valueMarks.insert(node.firstResult + i);
      keyNumbers[node.firstResult + i] = next++;
    }
  }
  key.push_back(kOutputs);
  for (unsigned output : outputs)
    key.push_back(keyNumbers[output]);
}

void PlanGraph::collectMembers(
    Value value, ArrayRef<unsigned> ops,
    const llvm::DenseSet<Value> &viewedTwice,
    llvm::SmallSetVector<unsigned, 16> &members) const {
  if (!isHelper(value))
    return;
  Operation *def = value.getDefiningOp();
  auto it = indices.find(def);
  if (it == indices.end())
    return; // From an outer block: isolation copies it.
  if (cost::isView(def)) {
    Value base = cost::lookThroughViews(value);
    Operation *origin = base.getDefiningOp();
    auto at = origin ? indices.find(origin) : indices.end();
    bool inside = at != indices.end() &&
                  (std::binary_search(ops.begin(), ops.end(), at->second) ||
                   ((isFreeOp(origin) || isGeneratorOp(origin)) &&
                    !isLargeConstant(origin)));
    if (!inside && !viewedTwice.contains(base))
      return;
  }
  if (!members.insert(it->second))
    return;
  for (Value operand : def->getOperands())
    collectMembers(operand, ops, viewedTwice, members);
}

SmallVector<Operation *> PlanGraph::getMembers(ArrayRef<unsigned> ops) const {
  return llvm::map_to_vector(getMemberIds(ops),
                             [&](unsigned id) { return nodes[id].op; });
}

SmallVector<unsigned, 32>
PlanGraph::getMemberIds(ArrayRef<unsigned> ops) const {
  if (llvm::none_of(ops, [&](unsigned op) { return nodes[op].usesViews; })) {
    SmallVector<unsigned, 32> all;
    collectHelpers(ops, all);
    return all;
  }
  llvm::DenseMap<Value, Value> form;
  llvm::DenseSet<Value> viewedTwice;
  for (unsigned op : ops)
    for (Value operand : nodes[op].op->getOperands()) {
      Value base = cost::lookThroughViews(operand);
      if (form.try_emplace(base, operand).first->second != operand)
        viewedTwice.insert(base);
    }
  llvm::SmallSetVector<unsigned, 16> members(ops.begin(), ops.end());
  for (unsigned op : ops)
    for (unsigned value : nodes[op].uses)
      collectMembers(values[value].value, ops, viewedTwice, members);
  SmallVector<unsigned, 32> sorted(members.begin(), members.end());
  llvm::sort(sorted);
  return sorted;
}
