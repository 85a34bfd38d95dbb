// Contractions whose results are only read in slices that meet again: gate and
// up projections with one weight for both, whose halves are multiplied. Each
// slice becomes the contraction of a slice of the factor, so that what meets
// lies at one place of the space of both.
#include "MatchUsers.h"
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "fuse-mlir/Analysis/ContractionShape.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Elements of a dimension.
struct SliceRange {
  int64_t offset, size, stride;

  bool operator==(const SliceRange &other) const {
    return offset == other.offset && size == other.size &&
           stride == other.stride;
  }
  /// Whether no element is one of `other`, of the same size and stride.
  bool isApartFrom(const SliceRange &other) const {
    int64_t distance = std::abs(offset - other.offset);
    return distance % stride != 0 || distance >= size * stride;
  }
};

/// A contraction and what is made of its result, up to slices along one
/// dimension.
class ContractionSplitter {
public:
  ContractionSplitter(linalg::LinalgOp contraction, RewriterBase &rewriter)
      : contraction(contraction), rewriter(rewriter) {}

  /// Whether all that depends on it is element by element, up to slices along
  /// `dim` that meet again.
  bool match(int64_t dim);
  void rewrite();

private:
  bool matchUser(Operation *user);
  bool matchSlice(tensor::ExtractSliceOp slice);
  bool matchView(Operation *view);
  bool matchElementwise(linalg::LinalgOp op);
  bool mayTake(linalg::LinalgOp op, unsigned loop) const;
  bool meet() const;
  Value takeFrom(Value tensor, int64_t dim, const SliceRange &range);
  Value takeOperand(OpOperand *operand, unsigned loop, const SliceRange &range,
                    const IRMapping &taken);
  Value takeStructured(linalg::LinalgOp op, const SliceRange &range,
                       const IRMapping &taken);
  Value takeView(Operation *view, const SliceRange &range,
                 const IRMapping &taken);

  linalg::LinalgOp contraction;
  RewriterBase &rewriter;
  /// The dimension of each tensor that slices are along, in the order of the
  /// block.
  llvm::MapVector<Value, int64_t> dims;
  SmallVector<std::pair<tensor::ExtractSliceOp, SliceRange>> slices;
};

} // namespace

/// The loop that dimension `dim` of the result of `op` is.
static unsigned getLoop(linalg::LinalgOp op, int64_t dim) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getDimPosition(dim);
}

/// Whether operands can be taken in slices of `loop`: it is a dimension of
/// theirs. What is multiplied keeps its neighbours along the last one.
bool ContractionSplitter::mayTake(linalg::LinalgOp op, unsigned loop) const {
  AffineExpr expr = getAffineDimExpr(loop, op.getContext());
  bool keepsLast = op == contraction && slices.front().second.stride != 1;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, result] : llvm::enumerate(map.getResults()))
      if (result.isFunctionOfDim(loop) &&
          (result != expr || (keepsLast && !op.isDpsInit(&operand) &&
                              i + 1 == map.getNumResults())))
        return false;
  }
  WalkResult numbered =
      op->walk([&](linalg::IndexOp) { return WalkResult::interrupt(); });
  return !numbered.wasInterrupted();
}

bool ContractionSplitter::matchSlice(tensor::ExtractSliceOp slice) {
  int64_t dim = dims.find(slice.getSource())->second;
  ArrayRef<int64_t> shape = slice.getSourceType().getShape();
  if (!slice.getSourceType().hasStaticShape())
    return false;
  for (auto [i, size] : llvm::enumerate(shape))
    if (int64_t(i) != dim && slice.getStaticSizes()[i] != size)
      return false;
  SmallVector<int64_t> sizes(slice.getStaticSizes());
  if (sizes.size() != slice.getType().getShape().size() &&
      !getReassociationIndicesForCollapse(sizes, slice.getType().getShape()))
    return false;
  SliceRange range{slice.getStaticOffsets()[dim], slice.getStaticSizes()[dim],
                   slice.getStaticStrides()[dim]};
  if (ShapedType::isDynamic(range.offset) ||
      ShapedType::isDynamic(range.stride))
    return false;
  slices.push_back({slice, range});
  return true;
}

/// A reshape that leaves the dimension alone, but for unit dimensions.
bool ContractionSplitter::matchView(Operation *view) {
  int64_t dim = dims.find(view->getOperand(0))->second;
  auto expand = dyn_cast<tensor::ExpandShapeOp>(view);
  SmallVector<ReassociationIndices> groups =
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
  Value wide = expand ? view->getResult(0) : view->getOperand(0);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(wide.getType()).getShape();
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (expand ? int64_t(i) != dim : !llvm::is_contained(group, dim))
      continue;
    auto isWhole = [&](int64_t each) { return shape[each] != 1; };
    if (llvm::count_if(group, isWhole) != 1)
      return false;
    int64_t whole = *llvm::find_if(group, isWhole);
    dims.insert({view->getResult(0), expand ? whole : int64_t(i)});
    return expand || whole == dim;
  }
  return false;
}

bool ContractionSplitter::matchElementwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || dims.contains(op.getDpsInits()[0]))
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  std::optional<unsigned> dim;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto known = dims.find(operand->get());
    if (known == dims.end())
      continue;
    // Each element once, else slices have more work than the whole.
    AffineMap own = op.getMatchingIndexingMap(operand);
    if (!own.isPermutation())
      return false;
    std::optional<unsigned> position =
        map.getResultPosition(own.getResult(known->second));
    if (!position || (dim && *dim != *position))
      return false;
    dim = position;
  }
  if (!dim || !map.isPermutation() || op.payloadUsesValueFromOperand(init))
    return false;
  dims.insert({op->getResult(0), int64_t(*dim)});
  return true;
}

bool ContractionSplitter::matchUser(Operation *user) {
  if (hasMarker(user))
    return false;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return matchSlice(slice);
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
    return matchView(user);
  auto op = dyn_cast<linalg::LinalgOp>(user);
  return op && matchElementwise(op);
}

/// Whether an element-wise operator needs two of the slices.
bool ContractionSplitter::meet() const {
  constexpr size_t kMostSteps = 16;
  llvm::DenseMap<Operation *, size_t> reachedBy;
  for (auto [number, slice] : llvm::enumerate(slices)) {
    SmallVector<Operation *> work(slice.first->getUsers());
    for (size_t step = 0; step < kMostSteps && !work.empty(); ++step) {
      Operation *op = work.pop_back_val();
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      bool isView = isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
      if (!isView && (!structured || structured.getNumReductionLoops() != 0))
        continue;
      auto [known, isNew] = reachedBy.try_emplace(op, number);
      if (!isNew && !(slices[known->second].second == slice.second))
        return true;
      llvm::append_range(work, op->getUsers());
    }
  }
  return false;
}

bool ContractionSplitter::match(int64_t dim) {
  dims.insert({contraction->getResult(0), dim});
  if (!matchUsersInOrder(
          contraction, [&](Operation *user) { return matchUser(user); },
          [&](Value value) { return dims.contains(value); }))
    return false;
  // More of them leave a block too few places for its sums.
  constexpr size_t kMostRanges = 2;
  SmallVector<SliceRange> ranges;
  for (auto &[slice, range] : slices)
    if (!llvm::is_contained(ranges, range))
      ranges.push_back(range);
  if (ranges.size() > kMostRanges)
    return false;
  for (auto &[slice, range] : slices)
    for (auto &[other, second] : slices)
      if (range.size != second.size || range.stride != second.stride ||
          (!(range == second) && !range.isApartFrom(second)))
        return false;
  for (auto [value, own] : dims)
    if (auto op = value.getDefiningOp<linalg::LinalgOp>();
        op && !mayTake(op, getLoop(op, own)))
      return false;
  return meet();
}

Value ContractionSplitter::takeFrom(Value tensor, int64_t dim,
                                    const SliceRange &range) {
  Location loc = contraction.getLoc();
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    Value empty = takeFrom(fill.getDpsInits()[0], dim, range);
    return linalg::FillOp::create(rewriter, loc, fill.getInputs(), empty)
        .getResult(0);
  }
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  sizes[dim] = rewriter.getIndexAttr(range.size);
  if (tensor.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(rewriter, loc, sizes,
                                   getElementTypeOrSelf(tensor.getType()));
  offsets[dim] = rewriter.getIndexAttr(range.offset);
  strides[dim] = rewriter.getIndexAttr(range.stride);
  auto slice = tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets,
                                              sizes, strides);
  if (Attribute ordinal = contraction->getAttr(FuseDialect::kOrdinalAttrName))
    slice->setAttr(FuseDialect::kOrdinalAttrName, ordinal);
  return slice;
}

Value ContractionSplitter::takeOperand(OpOperand *operand, unsigned loop,
                                       const SliceRange &range,
                                       const IRMapping &taken) {
  if (Value known = taken.lookupOrNull(operand->get()))
    return known;
  auto op = cast<linalg::LinalgOp>(operand->getOwner());
  AffineMap map = op.getMatchingIndexingMap(operand);
  std::optional<unsigned> dim =
      map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  return dim ? takeFrom(operand->get(), *dim, range) : operand->get();
}

Value ContractionSplitter::takeStructured(linalg::LinalgOp op,
                                          const SliceRange &range,
                                          const IRMapping &taken) {
  unsigned loop = getLoop(op, dims.find(op->getResult(0))->second);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(takeOperand(&operand, loop, range, taken));
  return clone(rewriter, op, TypeRange(operands.back().getType()), operands)
      ->getResult(0);
}

Value ContractionSplitter::takeView(Operation *view, const SliceRange &range,
                                    const IRMapping &taken) {
  Value source = taken.lookup(view->getOperand(0));
  auto expand = dyn_cast<tensor::ExpandShapeOp>(view);
  if (!expand)
    return tensor::CollapseShapeOp::create(
        rewriter, view->getLoc(), source,
        cast<tensor::CollapseShapeOp>(view).getReassociationIndices());
  SmallVector<int64_t> sizes(expand.getResultType().getShape());
  sizes[dims.find(expand)->second] = range.size;
  return tensor::ExpandShapeOp::create(
      rewriter, view->getLoc(), expand.getResultType().clone(sizes), source,
      expand.getReassociationIndices());
}

void ContractionSplitter::rewrite() {
  for (auto &[slice, range] : slices) {
    IRMapping taken;
    rewriter.setInsertionPoint(slice);
    for (auto [value, dim] : dims) {
      Operation *op = value.getDefiningOp();
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      taken.map(value, structured ? takeStructured(structured, range, taken)
                                  : takeView(op, range, taken));
    }
    Value found = taken.lookup(slice.getSource());
    RankedTensorType type = slice.getType();
    auto from = cast<RankedTensorType>(found.getType());
    // The slice may have dropped unit dimensions.
    if (from.getRank() != type.getRank())
      found = tensor::CollapseShapeOp::create(
          rewriter, slice.getLoc(), type, found,
          *getReassociationIndicesForCollapse(from.getShape(),
                                              type.getShape()));
    rewriter.replaceOp(slice, found);
  }
}

namespace {

struct SplitContraction : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        hasMarker(op) || !multipliesFactors(op) ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
             .isProjectedPermutation())
      return failure();
    int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      ContractionSplitter splitter(op, rewriter);
      if (!splitter.match(dim))
        continue;
      splitter.rewrite();
      return success();
    }
    return failure();
  }
};

} // namespace

void fuse::populateSplitContractionsPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitContraction>(patterns.getContext());
}
