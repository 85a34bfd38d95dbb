// Concatenations with single elements that only reductions of the whole and
// slices of the rest read: a softmax with an extra logit, or a sink, for each
// row. An element becomes part of what reductions begin with, so that all else
// works on the long part alone.
#include "MatchUsers.h"
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A concatenation along `dim` of a long part and single elements, and what is
/// made of it.
class ConcatSplitter {
public:
  ConcatSplitter(tensor::ConcatOp concat, RewriterBase &rewriter)
      : concat(concat), rewriter(rewriter) {}

  /// Whether all that depends on it can be split.
  bool match();
  void rewrite();

private:
  /// A tensor that is split: its dimension, and what takes its place, the long
  /// part and, without that dimension, the elements.
  struct Split {
    int64_t dim;
    Value main;
    SmallVector<Value> elements;
  };

  bool matchParts();
  bool matchUser(Operation *user);
  bool matchSlice(tensor::ExtractSliceOp slice);
  bool matchView(Operation *view);
  bool matchStructured(linalg::LinalgOp op);
  std::optional<unsigned> findLoop(linalg::LinalgOp op) const;
  void splitConcat();
  void splitSlice(tensor::ExtractSliceOp slice);
  void splitView(Operation *view);
  void splitElementwise(linalg::LinalgOp op);
  void splitReduction(linalg::LinalgOp op);
  Value cloneForMain(linalg::LinalgOp op, Value init);
  Value cloneForElement(linalg::LinalgOp op, size_t number, Value before);

  tensor::ConcatOp concat;
  RewriterBase &rewriter;
  /// The long part, and where it begins.
  unsigned longPart = 0;
  int64_t longSize = 1, longOffset = 0;
  llvm::MapVector<Value, Split> splits;
  /// In the order of the block.
  SmallVector<Operation *> users;
  bool reduces = false;
};

} // namespace

bool ConcatSplitter::matchParts() {
  int64_t dim = concat.getDim(), offset = 0;
  if (concat.getResultType().getRank() < 2 || concat.getInputs().size() < 2)
    return false;
  for (auto [i, input] : llvm::enumerate(concat.getInputs())) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(size) || (size != 1 && longSize != 1))
      return false;
    if (size != 1) {
      longPart = i;
      longSize = size;
      longOffset = offset;
    }
    offset += size;
  }
  return longSize > 1;
}

bool ConcatSplitter::matchSlice(tensor::ExtractSliceOp slice) {
  int64_t dim = splits.find(slice.getSource())->second.dim;
  int64_t offset = slice.getStaticOffsets()[dim];
  int64_t size = slice.getStaticSizes()[dim];
  return !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size) &&
         slice.getStaticStrides()[dim] == 1 && offset >= longOffset &&
         offset + size <= longOffset + longSize;
}

/// Groups of the dimensions of a reshape; nothing if `op` is none.
static SmallVector<ReassociationIndices> getGroups(Operation *op) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapse.getReassociationIndices();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getReassociationIndices();
  return {};
}

/// A reshape that leaves the dimension alone.
bool ConcatSplitter::matchView(Operation *view) {
  int64_t dim = splits.find(view->getOperand(0))->second.dim;
  for (auto [i, group] : llvm::enumerate(getGroups(view))) {
    bool isExpansion = isa<tensor::ExpandShapeOp>(view);
    if (isExpansion ? int64_t(i) != dim : !llvm::is_contained(group, dim))
      continue;
    int64_t moved = isExpansion ? group.front() : int64_t(i);
    splits.insert({view->getResult(0), {moved, Value(), {}}});
    return group.size() == 1;
  }
  return false;
}

/// The loop of `op` along the dimension that is split; nothing if there is no
/// single one, or anything else depends on it.
std::optional<unsigned> ConcatSplitter::findLoop(linalg::LinalgOp op) const {
  std::optional<unsigned> loop;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto split = splits.find(operand->get());
    if (split == splits.end())
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isProjectedPermutation())
      return std::nullopt;
    unsigned own = map.getDimPosition(split->second.dim);
    if (loop && *loop != own)
      return std::nullopt;
    loop = own;
  }
  if (!loop)
    return std::nullopt;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (!splits.contains(operand->get()) &&
        op.getMatchingIndexingMap(operand).isFunctionOfDim(*loop))
      return std::nullopt;
  WalkResult numbered =
      op->walk([&](linalg::IndexOp) { return WalkResult::interrupt(); });
  return numbered.wasInterrupted() ? std::nullopt : loop;
}

bool ConcatSplitter::matchStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      splits.contains(op.getDpsInits()[0]))
    return false;
  std::optional<unsigned> loop = findLoop(op);
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!loop || !map.isProjectedPermutation())
    return false;
  if (op.getNumReductionLoops() == 1 &&
      op.getIteratorTypesArray()[*loop] == utils::IteratorType::reduction) {
    reduces = true;
    return hasCombinablePartials(op);
  }
  std::optional<unsigned> dim =
      map.getResultPosition(getAffineDimExpr(*loop, op.getContext()));
  if (op.getNumReductionLoops() != 0 || !dim ||
      op.payloadUsesValueFromOperand(init))
    return false;
  splits.insert({op->getResult(0), {int64_t(*dim), Value(), {}}});
  return true;
}

bool ConcatSplitter::matchUser(Operation *user) {
  if (hasMarker(user))
    return false;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return matchSlice(slice);
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
    return matchView(user);
  auto op = dyn_cast<linalg::LinalgOp>(user);
  return op && matchStructured(op);
}

bool ConcatSplitter::match() {
  if (hasMarker(concat) || !matchParts())
    return false;
  splits.insert({concat, {int64_t(concat.getDim()), Value(), {}}});
  auto match = [&](Operation *user) {
    users.push_back(user);
    return matchUser(user);
  };
  auto isSplit = [&](Value value) { return splits.contains(value); };
  return matchUsersInOrder(concat, match, isSplit) && reduces;
}

/// Drops loop or dimension `dropped`.
static AffineMap dropDim(AffineMap map, unsigned dropped) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < map.getNumDims(); ++i)
    dims.push_back(i == dropped ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(i - (i > dropped), context));
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    if (result != getAffineDimExpr(dropped, context))
      results.push_back(result.replaceDims(dims));
  return AffineMap::get(map.getNumDims() - 1, 0, results, context);
}

/// `tensor` without its dimension `dim`, of one element.
static Value dropUnit(RewriterBase &rewriter, Location loc, Value tensor,
                      int64_t dim) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  int64_t beside = dim == 0 ? 0 : dim - 1;
  SmallVector<ReassociationIndices> groups(rank - 1);
  for (int64_t i = 0; i < rank; ++i)
    groups[i < dim || i <= beside ? i : i - 1].push_back(i);
  return tensor::CollapseShapeOp::create(rewriter, loc, tensor, groups);
}

void ConcatSplitter::splitConcat() {
  rewriter.setInsertionPoint(concat);
  Split &split = splits.find(concat)->second;
  for (auto [i, input] : llvm::enumerate(concat.getInputs()))
    if (i == longPart)
      split.main = input;
    else
      split.elements.push_back(
          dropUnit(rewriter, concat.getLoc(), input, split.dim));
}

void ConcatSplitter::splitSlice(tensor::ExtractSliceOp slice) {
  const Split &split = splits.find(slice.getSource())->second;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  offsets[split.dim] =
      rewriter.getIndexAttr(slice.getStaticOffsets()[split.dim] - longOffset);
  // All of it without unit dimensions is a view.
  auto source = cast<RankedTensorType>(split.main.getType());
  std::optional<SmallVector<ReassociationIndices>> groups;
  if (source.hasStaticShape() && source.getShape() == slice.getStaticSizes() &&
      source.getRank() != slice.getType().getRank())
    groups = getReassociationIndicesForCollapse(source.getShape(),
                                                slice.getType().getShape());
  if (groups) {
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(slice, slice.getType(),
                                                         split.main, *groups);
    return;
  }
  auto moved = tensor::ExtractSliceOp::create(
      rewriter, slice.getLoc(), slice.getType(), split.main, offsets,
      slice.getMixedSizes(), slice.getMixedStrides());
  moved->setDiscardableAttrs(slice->getDiscardableAttrDictionary());
  rewriter.replaceOp(slice, moved);
}

/// Without `wide`, of the dimensions before a collapse or after an expansion,
/// which is a group of its own.
static SmallVector<ReassociationIndices>
dropGroup(ArrayRef<ReassociationIndices> groups, int64_t wide) {
  SmallVector<ReassociationIndices> left;
  for (ReassociationIndices group : groups) {
    if (group.front() == wide)
      continue;
    for (int64_t &dim : group)
      dim -= dim > wide;
    left.push_back(group);
  }
  return left;
}

void ConcatSplitter::splitView(Operation *view) {
  const Split &source = splits.find(view->getOperand(0))->second;
  Split &split = splits.find(view->getResult(0))->second;
  Location loc = view->getLoc();
  SmallVector<ReassociationIndices> groups = getGroups(view);
  auto expand = dyn_cast<tensor::ExpandShapeOp>(view);
  if (!expand) {
    split.main =
        tensor::CollapseShapeOp::create(rewriter, loc, source.main, groups);
    for (Value element : source.elements)
      split.elements.push_back(tensor::CollapseShapeOp::create(
          rewriter, loc, element, dropGroup(groups, source.dim)));
    return;
  }
  SmallVector<OpFoldResult> shape = expand.getMixedOutputShape();
  shape[split.dim] = rewriter.getIndexAttr(longSize);
  SmallVector<int64_t> sizes(expand.getResultType().getShape());
  sizes[split.dim] = longSize;
  RankedTensorType type = expand.getResultType().clone(sizes);
  split.main = tensor::ExpandShapeOp::create(rewriter, loc, type, source.main,
                                             groups, shape);
  shape.erase(shape.begin() + split.dim);
  sizes.erase(sizes.begin() + split.dim);
  for (Value element : source.elements)
    split.elements.push_back(
        tensor::ExpandShapeOp::create(rewriter, loc, type.clone(sizes), element,
                                      dropGroup(groups, split.dim), shape));
}

Value ConcatSplitter::cloneForMain(linalg::LinalgOp op, Value init) {
  SmallVector<Value> operands;
  for (Value input : op.getDpsInputs()) {
    auto split = splits.find(input);
    operands.push_back(split == splits.end() ? input : split->second.main);
  }
  operands.push_back(init);
  return clone(rewriter, op, TypeRange(init.getType()), operands)->getResult(0);
}

/// `op` for element `number`, which has no loop along the split dimension;
/// beginning with `before`, if that is not null.
Value ConcatSplitter::cloneForElement(linalg::LinalgOp op, size_t number,
                                      Value before) {
  unsigned loop = *findLoop(op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto split = splits.find(operand->get());
    inputs.push_back(split == splits.end() ? operand->get()
                                           : split->second.elements[number]);
    maps.push_back(dropDim(op.getMatchingIndexingMap(operand), loop));
  }
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap result = dropDim(op.getMatchingIndexingMap(init), loop);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, init->get());
  if (before) {
    inputs.push_back(before);
    maps.push_back(result);
  } else {
    sizes.erase(sizes.begin() + splits.find(op->getResult(0))->second.dim);
  }
  maps.push_back(result);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes, getElementTypeOrSelf(init->get().getType()));
  SmallVector<utils::IteratorType> iterators(op.getNumLoops() - 1,
                                             utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        // What it begins with is the last input.
        mapping.map(op.getBlock()->getArguments(),
                    arguments.take_front(op.getBlock()->getNumArguments()));
        for (Operation &inner : *op.getBlock())
          builder.clone(inner, mapping);
      });
  if (Attribute ordinal = op->getAttr(FuseDialect::kOrdinalAttrName))
    copy->setAttr(FuseDialect::kOrdinalAttrName, ordinal);
  return copy.getResult(0);
}

void ConcatSplitter::splitElementwise(linalg::LinalgOp op) {
  Split &split = splits.find(op->getResult(0))->second;
  Value init = op.getDpsInits()[0];
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, op.getLoc(), init);
  sizes[split.dim] = rewriter.getIndexAttr(longSize);
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                        getElementTypeOrSelf(init.getType()));
  split.main = cloneForMain(op, empty);
  for (size_t i = 0, e = concat.getInputs().size() - 1; i < e; ++i)
    split.elements.push_back(cloneForElement(op, i, Value()));
}

void ConcatSplitter::splitReduction(linalg::LinalgOp op) {
  Value init = op.getDpsInits()[0];
  for (size_t i = 0, e = concat.getInputs().size() - 1; i < e; ++i)
    init = cloneForElement(op, i, init);
  rewriter.replaceOp(op, cloneForMain(op, init));
}

void ConcatSplitter::rewrite() {
  splitConcat();
  SmallVector<Operation *> dead = {concat};
  for (Operation *user : users) {
    rewriter.setInsertionPoint(user);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
      splitSlice(slice);
    } else if (!getGroups(user).empty()) {
      splitView(user);
      dead.push_back(user);
    } else if (splits.contains(user->getResult(0))) {
      splitElementwise(cast<linalg::LinalgOp>(user));
      dead.push_back(user);
    } else {
      splitReduction(cast<linalg::LinalgOp>(user));
    }
  }
  for (Operation *op : llvm::reverse(dead))
    rewriter.eraseOp(op);
}

namespace {

struct SplitConcat : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp concat,
                                PatternRewriter &rewriter) const override {
    ConcatSplitter splitter(concat, rewriter);
    if (!splitter.match())
      return failure();
    splitter.rewrite();
    return success();
  }
};

} // namespace

void fuse::populateSplitConcatsPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitConcat>(patterns.getContext());
}
