// What threads of an aligned kernel read and store: each at its own place or in
// its own row, but for the skewed tensors.
#include "AlignedShape.h"

#include "fuse-mlir/Analysis/BoxShape.h"
#include "fuse-mlir/CostModel/OpFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

AlignedShapes::AlignedShapes(const PlanGraph &graph)
    : graph(graph), marks(graph.values.size()) {
  for (const ValueNode &node : graph.values) {
    auto type = dyn_cast<RankedTensorType>(node.value.getType());
    elements.push_back(type && type.hasStaticShape() ? type.getNumElements()
                                                     : ShapedType::kDynamic);
  }
}

/// Whether no reduction needs another one, and all outputs need one.
bool AlignedShapes::isSinglePass(ArrayRef<unsigned> ops) const {
  llvm::DenseSet<unsigned> after;
  for (unsigned op : ops) {
    bool isRoot = graph.nodes[op].alignment.roots != 0;
    bool isAfter = llvm::any_of(graph.nodes[op].sources, [&](unsigned source) {
      return after.contains(source);
    });
    if (isAfter && isRoot)
      return false;
    if (isAfter || isRoot)
      after.insert(op);
  }
  return true;
}

/// Sets the path, rows and columns. False if they are not plain to see.
bool AlignedShapes::takesPath(ArrayRef<unsigned> ops, ArrayRef<unsigned> reads,
                              ArrayRef<unsigned> outputs,
                              const Alignment &alignment,
                              ArrayRef<Value> skewed) {
  auto isWhole = [&](unsigned value) {
    return elements[value] == alignment.places;
  };
  columns = alignment.rows ? alignment.places / alignment.rows : 1;
  shape.rows = alignment.places;
  if (alignment.roots == 0)
    return llvm::all_of(outputs, isWhole);
  // Neighbouring columns must be neighbours in the largest input.
  for (unsigned input : reads)
    if (ShapedType::isDynamic(elements[input]) ||
        elements[input] > alignment.places ||
        (isWhole(input) &&
         llvm::is_contained(skewed, graph.values[input].value)))
      return false;
  if (llvm::none_of(reads, isWhole))
    return false;
  shape.path = KernelPath::Row;
  shape.rows = alignment.rows;
  shape.columns = columns;
  for (unsigned op : ops)
    if (graph.nodes[op].alignment.roots != 0)
      shape.roots.push_back(graph.nodes[op].op);
  shape.singlePass = llvm::none_of(outputs, isWhole) && isSinglePass(ops);
  return true;
}

/// The place that a thread works at, of a space of `places` or of its rows.
AffineExpr AlignedShapes::getPlace(MLIRContext *context, int64_t places) const {
  AffineExpr d0 = getAffineDimExpr(0, context);
  if (shape.path == KernelPath::Row)
    return places == shape.rows
               ? d0
               : d0 * shape.columns + getAffineDimExpr(1, context);
  return places == shape.rows ? d0 : d0.floorDiv(columns);
}

void AlignedShapes::addOutput(unsigned output) {
  Value value = graph.values[output].value;
  auto type = cast<RankedTensorType>(value.getType());
  OutputSeed &seed = shape.outputs.emplace_back();
  seed.value = value;
  seed.perRow = shape.path == KernelPath::Row && elements[output] == shape.rows;
  auto [rows, space] = getSpace();
  auto [it, added] =
      stores.try_emplace({type.getAsOpaquePointer(), seed.perRow, rows, space});
  if (added)
    it->second = delinearize(getPlace(type.getContext(), elements[output]),
                             type.getShape(), ranges);
  seed.index = it->second;
}

/// The row-major number of the element that an operator reads; null if it does
/// not look at the element.
AffineExpr AlignedShapes::getAccess(unsigned op, OpOperand &operand) const {
  const OpNode &node = graph.nodes[op];
  auto linalgOp = cast<linalg::LinalgOp>(node.op);
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !linalgOp.payloadUsesValueFromOperand(&operand))
    return AffineExpr();
  MLIRContext *context = node.op->getContext();
  int64_t places = node.alignment.places;
  SmallVector<AffineExpr> loops = delinearize(
      getPlace(context, places), linalgOp.getStaticLoopRanges(), ranges);
  SmallVector<AffineExpr> index;
  for (AffineExpr expr : linalgOp.getMatchingIndexingMap(&operand).getResults())
    index.push_back(simplifyIndex(expr.replaceDims(loops), ranges));
  return linearize(context, index, type.getShape(), ranges);
}

const AlignedShapes::Accesses &AlignedShapes::getAccesses(unsigned op) {
  const OpNode &node = graph.nodes[op];
  if (node.kind >= accesses.size())
    accesses.resize(node.kind + 1);
  Space space = getSpace();
  for (const Accesses &known : accesses[node.kind])
    if (known.space == space)
      return known;
  Accesses &added = accesses[node.kind].emplace_back();
  added.space = space;
  for (OpOperand &operand : node.op->getOpOperands()) {
    AffineExpr place = added.places.emplace_back(getAccess(op, operand));
    if (place && shape.path == KernelPath::Pointwise)
      added.contiguous &= isContiguous(
          place, cost::getElementBytes(operand.get().getType()), shape.rows);
  }
  return added;
}

void AlignedShapes::addAccess(unsigned base, AffineExpr place) {
  Mark &mark = marks[base];
  if (mark.input != number)
    return;
  Value value = graph.values[base].value;
  if (std::exchange(mark.read, number) != number)
    mark.place = place;
  else if (mark.place == place ||
           llvm::any_of(shape.accesses, [&](const LeafAccess &access) {
             return access.value == value && access.linear == place;
           }))
    return;
  shape.accesses.push_back({value, place, {}});
}

void AlignedShapes::addAccesses(unsigned op) {
  const Accesses &own = getAccesses(op);
  contiguous &= own.contiguous;
  for (auto [place, value] : llvm::zip(own.places, graph.nodes[op].uses))
    if (place)
      addAccess(graph.values[value].base, place);
}

std::optional<GroupShape> AlignedShapes::make(ArrayRef<unsigned> ops,
                                              ArrayRef<unsigned> reads,
                                              ArrayRef<unsigned> outputs,
                                              const Alignment &alignment,
                                              ArrayRef<Value> skewed) {
  shape = GroupShape();
  ++number;
  for (unsigned value : reads)
    marks[value].input = number;
  if (outputs.empty() || !takesPath(ops, reads, outputs, alignment, skewed))
    return std::nullopt;
  ranges.dims = {IndexRange::ofSize(shape.rows),
                 IndexRange::ofSize(shape.columns)};
  shape.outputs.reserve(outputs.size());
  for (unsigned output : outputs)
    addOutput(output);
  shape.accesses.reserve(reads.size());
  contiguous = true;
  for (unsigned op : ops)
    addAccesses(op);
  // Whole outputs are stored in the order of the threads.
  if (!contiguous) {
    shape.rowExtent = getAffineConstantExpr(
        shape.rows, shape.outputs.front().value.getContext());
    chooseBox(shape);
  }
  return std::move(shape);
}
