// Which operators lie in one space of rows and columns, so that they can share
// a kernel without a look at each element.
#include "PlanGraph.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

Alignment Alignment::with(const Alignment &other) const {
  Alignment both;
  if (!aligned || !other.aligned)
    return both;
  if (!rows == !other.rows) {
    both = *this;
    both.aligned = places == other.places && rows == other.rows;
  } else {
    // One without rows has an element for each place or each row.
    const Alignment &plain = rows ? other : *this;
    both = rows ? *this : other;
    both.aligned = plain.places == both.places || plain.places == both.rows;
  }
  both.roots = roots + other.roots;
  return both;
}

/// Rows of the operand that `map` reads in a space of `sizes`: the product of
/// the leading loops if it depends on just these; 0 otherwise.
static int64_t getRows(AffineMap map, ArrayRef<int64_t> sizes) {
  int64_t rows = 1;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (expr != getAffineDimExpr(i, map.getContext()))
      return 0;
    rows *= sizes[i];
  }
  return map.getNumResults() == 0 ? 0 : rows;
}

/// Parallel loops come first, all sizes are known, results have an element for
/// each place or each row, and partial results of rows can be combined.
void PlanGraph::alignKind(Operation *op, KindFacts &facts) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return;
  SmallVector<int64_t> sizes = linalgOp.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = linalgOp.getIteratorTypesArray();
  unsigned parallel = linalgOp.getNumParallelLoops();
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(ArrayRef(kinds).take_front(parallel),
                    [](utils::IteratorType kind) {
                      return kind == utils::IteratorType::parallel;
                    }))
    return;
  Alignment &alignment = facts.alignment;
  alignment.places = 1;
  for (int64_t size : sizes)
    alignment.places *= size;
  bool reduces = linalgOp.getNumReductionLoops() != 0;
  alignment.roots = reduces;
  SmallVector<AffineMap> maps = linalgOp.getIndexingMapsArray();
  for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
    AffineMap map = maps[init.getOperandNumber()];
    if (!isa<RankedTensorType>(init.get().getType()) ||
        map.getNumResults() != parallel || !getRows(map, sizes))
      return;
    if (reduces)
      alignment.rows = getRows(map, sizes);
  }
  if (alignment.places <= 1 ||
      (reduces && (alignment.rows == alignment.places || alignment.rows == 1 ||
                   !hasCombinablePartials(op))))
    return;
  alignment.aligned = true;
  facts.skewed.resize(op->getNumOperands());
  for (auto [i, map] : llvm::enumerate(maps)) {
    int64_t rows = getRows(map, sizes);
    bool perRow = rows > 1 && rows < alignment.places &&
                  map.getNumResults() < sizes.size();
    if (perRow && alignment.rows == 0)
      alignment.rows = rows;
    facts.skewed[i] = !map.isIdentity() && !(perRow && rows == alignment.rows);
  }
}

static void addSkewed(SmallVectorImpl<Value> &skewed, Value value) {
  Value base = cost::lookThroughViews(value);
  if (isa<RankedTensorType>(base.getType()) &&
      !llvm::is_contained(skewed, base))
    skewed.push_back(base);
}

/// A body that gathers reads wherever the data say.
void PlanGraph::align(OpNode &node, Value captured) {
  if (isa<ShapedType>(captured.getType()))
    node.alignment.aligned = false;
}

void PlanGraph::align(OpNode &node) const {
  const KindFacts &facts = kindFacts[node.kind];
  node.alignment = facts.alignment;
  if (!node.alignment.aligned)
    return;
  for (auto [i, value] : llvm::enumerate(node.op->getOperands()))
    if (facts.skewed.test(i) || cost::lookThroughViews(value) != value)
      addSkewed(node.skewed, value);
}

bool PlanGraph::readsSkewed(const Group &reader, const Group &producer) const {
  return llvm::any_of(reader.skewed, [&](Value value) {
    Operation *def = value.getDefiningOp();
    auto it = def ? indices.find(def) : indices.end();
    return it != indices.end() &&
           std::binary_search(producer.ops.begin(), producer.ops.end(),
                              it->second);
  });
}

Alignment PlanGraph::getAlignment(unsigned a, unsigned b) const {
  return alignBoth(groups[a], groups[b]);
}

Alignment PlanGraph::alignBoth(const Group &a, const Group &b) const {
  Alignment both = a.alignment.with(b.alignment);
  both.aligned &= !readsSkewed(a, b) && !readsSkewed(b, a);
  return both;
}

Alignment PlanGraph::getAlignment(ArrayRef<unsigned> ops,
                                  SmallVectorImpl<Value> &skewed) const {
  Alignment all = nodes[ops.front()].alignment;
  for (unsigned op : ops.drop_front()) {
    if (!all.aligned)
      return all;
    all = all.with(nodes[op].alignment);
  }
  for (unsigned op : ops)
    for (Value value : nodes[op].skewed) {
      Operation *def = value.getDefiningOp();
      auto it = def ? indices.find(def) : indices.end();
      if (it != indices.end() &&
          std::binary_search(ops.begin(), ops.end(), it->second))
        all.aligned = false;
      if (!llvm::is_contained(skewed, value))
        skewed.push_back(value);
    }
  return all;
}

/// Takes the places that `other` reads at over into `group`, before its
/// operators.
void PlanGraph::alignWith(Group &group, const Group &other) {
  group.alignment = alignBoth(group, other);
  for (Value value : other.skewed)
    if (!llvm::is_contained(group.skewed, value))
      group.skewed.push_back(value);
}

/// The same for `slice` of `other`, which is added to `group`.
void PlanGraph::alignWith(Group &group, const Group &other,
                          ArrayRef<unsigned> slice) {
  for (unsigned op : slice)
    if (!std::binary_search(group.ops.begin(), group.ops.end(), op))
      group.alignment = group.alignment.with(nodes[op].alignment);
  group.alignment.aligned &= other.alignment.aligned &&
                             !readsSkewed(group, other) &&
                             !readsSkewed(other, group);
  for (Value value : other.skewed)
    if (!llvm::is_contained(group.skewed, value))
      group.skewed.push_back(value);
}

bool PlanGraph::isWorthSharing(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *def = value.getDefiningOp();
  return type && !(type.hasStaticShape() && type.getNumElements() <= 1) &&
         !(def && def->hasTrait<OpTrait::ConstantLike>());
}

SmallVector<SmallVector<unsigned, 4>, 1>
PlanGraph::getComponents(ArrayRef<unsigned> ops) const {
  // Of each operator one before it in its component, or itself.
  auto before = llvm::to_vector<64>(llvm::seq<unsigned>(ops.size()));
  auto findFirst = [&](unsigned position) {
    while (before[position] != position)
      position = before[position] = before[before[position]];
    return position;
  };
  size_t left = ops.size();
  valueMarks.start(values.size());
  auto join = [&](unsigned value, unsigned position) {
    if (!worthSharing.test(value))
      return;
    if (valueMarks.insert(value)) {
      keyNumbers[value] = position;
      return;
    }
    unsigned a = findFirst(keyNumbers[value]), b = findFirst(position);
    if (a == b)
      return;
    before[std::max(a, b)] = std::min(a, b);
    --left;
  };
  for (auto [position, op] : llvm::enumerate(ops)) {
    const OpNode &node = nodes[op];
    for (unsigned value : node.readIds)
      join(value, position);
    for (unsigned i = 0; i < node.numResults; ++i)
      join(node.firstResult + i, position);
  }
  if (left == 1)
    return {SmallVector<unsigned, 4>(ops)};
  SmallVector<SmallVector<unsigned, 4>, 1> components;
  SmallVector<unsigned, 64> numbers(ops.size());
  for (auto [position, op] : llvm::enumerate(ops)) {
    unsigned first = findFirst(position);
    if (first == position) {
      numbers[position] = components.size();
      components.emplace_back();
    }
    components[numbers[first]].push_back(op);
  }
  return components;
}

bool PlanGraph::shareValues(ArrayRef<unsigned> a, ArrayRef<unsigned> b) const {
  valueMarks.start(values.size());
  for (unsigned op : a)
    for (unsigned value : nodes[op].readIds)
      valueMarks.insert(value);
  return llvm::any_of(b, [&](unsigned op) {
    return llvm::any_of(nodes[op].readIds, [&](unsigned value) {
      return worthSharing.test(value) && valueMarks.contains(value);
    });
  });
}
