// What threads of an aligned kernel read and store: each at its own place or in
// its own row, but for the skewed tensors.
#include "AlignedShape.h"

#include "fuse-mlir/CostModel/OpFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

static int64_t getElements(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
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
bool AlignedShapes::takesPath(ArrayRef<unsigned> ops, ArrayRef<Value> outputs,
                              const Alignment &alignment,
                              ArrayRef<Value> skewed) {
  auto isWhole = [&](Value value) {
    return getElements(value) == alignment.places;
  };
  columns = alignment.rows ? alignment.places / alignment.rows : 1;
  shape.rows = alignment.places;
  if (alignment.roots == 0)
    return llvm::all_of(outputs, isWhole);
  // Neighbouring columns must be neighbours in the largest input.
  for (Value input : inputs) {
    int64_t elements = getElements(input);
    if (ShapedType::isDynamic(elements) || elements > alignment.places ||
        (isWhole(input) && llvm::is_contained(skewed, input)))
      return false;
  }
  if (llvm::none_of(inputs, isWhole))
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

void AlignedShapes::addOutput(Value output) {
  auto type = cast<RankedTensorType>(output.getType());
  OutputSeed seed{output, {}, false};
  int64_t elements = type.getNumElements();
  seed.perRow = shape.path == KernelPath::Row && elements == shape.rows;
  Key key{type.getAsOpaquePointer(), seed.perRow, shape.columns};
  auto [it, added] = stores.try_emplace(key);
  if (added)
    it->second = delinearize(getPlace(type.getContext(), elements),
                             type.getShape(), ranges);
  seed.index = it->second;
  shape.outputs.push_back(std::move(seed));
}

/// The row-major number of the element that an operator reads; null if it does
/// not look at the element.
AffineExpr AlignedShapes::getAccess(unsigned op, OpOperand &operand) {
  const OpNode &node = graph.nodes[op];
  int64_t space = shape.path == KernelPath::Row ? columns : -columns;
  Key key{graph.getExample(op), operand.getOperandNumber(), space};
  auto [it, added] = accesses.try_emplace(key);
  if (!added)
    return it->second;
  auto linalgOp = cast<linalg::LinalgOp>(node.op);
  if (!linalgOp.payloadUsesValueFromOperand(&operand))
    return it->second;
  MLIRContext *context = node.op->getContext();
  int64_t places = node.alignment.places;
  SmallVector<AffineExpr> loops = delinearize(
      getPlace(context, places), linalgOp.getStaticLoopRanges(), ranges);
  SmallVector<AffineExpr> index;
  for (AffineExpr expr : linalgOp.getMatchingIndexingMap(&operand).getResults())
    index.push_back(simplifyIndex(expr.replaceDims(loops), ranges));
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(operand.get().getType()).getShape();
  return it->second = linearize(context, index, sizes, ranges);
}

void AlignedShapes::addAccesses(unsigned op) {
  for (OpOperand &operand : graph.nodes[op].op->getOpOperands()) {
    Value base = cost::lookThroughViews(operand.get());
    if (!isa<RankedTensorType>(base.getType()) || !inputs.contains(base))
      continue;
    AffineExpr access = getAccess(op, operand);
    if (access && seen.insert({base, access}).second)
      shape.accesses.push_back({base, access, {}});
  }
}

std::optional<GroupShape> AlignedShapes::make(ArrayRef<unsigned> ops,
                                              ArrayRef<Value> reads,
                                              ArrayRef<Value> outputs,
                                              const Alignment &alignment,
                                              ArrayRef<Value> skewed) {
  shape = GroupShape();
  seen.clear();
  inputs.clear();
  inputs.insert(reads.begin(), reads.end());
  if (outputs.empty() || !takesPath(ops, outputs, alignment, skewed))
    return std::nullopt;
  ranges.dims = {IndexRange::ofSize(shape.rows),
                 IndexRange::ofSize(shape.columns)};
  for (Value output : outputs)
    addOutput(output);
  for (unsigned op : ops)
    addAccesses(op);
  return std::move(shape);
}
