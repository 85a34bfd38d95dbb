// Brings aggregate and unstructured tensor operators to structured form.
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "fuse-mlir/Analysis/ElementAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {

/// Sizes of `source` without dimension `dropped`.
SmallVector<OpFoldResult> sizesWithout(OpBuilder &b, Location loc, Value source,
                                       int64_t dropped) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source);
  sizes.erase(sizes.begin() + dropped);
  return sizes;
}

/// softmax → max, exp(x − max), sum, quotient. Unlike upstream's, the maximum
/// starts at −inf and hands NaN on, so that it is an ordinary maximum.
struct DecomposeSoftmax : public OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    Value max = reduce(rewriter, op, op.getInput(), /*isMax=*/true);
    Value exp = combine(rewriter, op, op.getInput(), max, /*isExp=*/true);
    Value sum = reduce(rewriter, op, exp, /*isMax=*/false);
    rewriter.replaceOp(op, combine(rewriter, op, exp, sum, /*isExp=*/false));
    return success();
  }

private:
  static AffineMap rowMap(linalg::SoftmaxOp op, int64_t rank) {
    return AffineMap::getMultiDimIdentityMap(rank, op.getContext())
        .dropResult(op.getDimension());
  }

  static Value reduce(PatternRewriter &b, linalg::SoftmaxOp op, Value source,
                      bool isMax) {
    Location loc = op.getLoc();
    RankedTensorType type = cast<RankedTensorType>(source.getType());
    FloatType element = cast<FloatType>(type.getElementType());
    APFloat start =
        isMax ? APFloat::getInf(element.getFloatSemantics(), /*Negative=*/true)
              : APFloat::getZero(element.getFloatSemantics());
    Value neutral =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(element, start));
    Value empty = tensor::EmptyOp::create(
        b, loc, sizesWithout(b, loc, source, op.getDimension()), element);
    Value init = linalg::FillOp::create(b, loc, neutral, empty).getResult(0);
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    iterators[op.getDimension()] = utils::IteratorType::reduction;
    AffineMap full =
        AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext());
    return linalg::GenericOp::create(
               b, loc, init.getType(), source, init,
               ArrayRef<AffineMap>{full, rowMap(op, type.getRank())}, iterators,
               [&](OpBuilder &inner, Location at, ValueRange args) {
                 Value result =
                     isMax ? arith::MaximumFOp::create(inner, at, args[0],
                                                       args[1])
                                 .getResult()
                           : arith::AddFOp::create(inner, at, args[0], args[1])
                                 .getResult();
                 linalg::YieldOp::create(inner, at, result);
               })
        .getResult(0);
  }

  static Value combine(PatternRewriter &b, linalg::SoftmaxOp op, Value source,
                       Value row, bool isExp) {
    Location loc = op.getLoc();
    RankedTensorType type = cast<RankedTensorType>(source.getType());
    Value empty = tensor::EmptyOp::create(
        b, loc, tensor::getMixedSizes(b, loc, source), type.getElementType());
    AffineMap full =
        AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, loc, empty.getType(), ValueRange{source, row}, empty,
               ArrayRef<AffineMap>{full, rowMap(op, type.getRank()), full},
               iterators,
               [&](OpBuilder &inner, Location at, ValueRange args) {
                 Value result;
                 if (isExp) {
                   Value less =
                       arith::SubFOp::create(inner, at, args[0], args[1]);
                   result = math::ExpOp::create(inner, at, less);
                 } else {
                   result = arith::DivFOp::create(inner, at, args[0], args[1]);
                 }
                 linalg::YieldOp::create(inner, at, result);
               })
        .getResult(0);
  }
};

struct LowerPack : public OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    return linalg::lowerPack(rewriter, op, /*lowerPadLikeWithInsertSlice=*/
                             false);
  }
};

struct LowerUnPack : public OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    return linalg::lowerUnPack(rewriter, op, /*lowerUnpadLikeWithExtractSlice=*/
                               false);
  }
};

/// Static `tensor.reshape` → collapse, expand, or both by way of one dimension.
struct ReshapeToViews : public OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType from =
        dyn_cast<RankedTensorType>(op.getSource().getType());
    RankedTensorType to = dyn_cast<RankedTensorType>(op.getResult().getType());
    if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape())
      return failure();
    if (from == to) {
      rewriter.replaceOp(op, op.getSource());
      return success();
    }
    Value value = op.getSource();
    RankedTensorType flat =
        RankedTensorType::get({from.getNumElements()}, from.getElementType());
    if (std::optional<SmallVector<ReassociationIndices>> direct =
            getReassociationIndicesForReshape(from, to)) {
      rewriter.replaceOp(op,
                         reshape(rewriter, op.getLoc(), value, to, *direct));
      return success();
    }
    value = reshape(rewriter, op.getLoc(), value, flat, allOf(from.getRank()));
    rewriter.replaceOp(
        op, reshape(rewriter, op.getLoc(), value, to, allOf(to.getRank())));
    return success();
  }

private:
  static SmallVector<ReassociationIndices> allOf(int64_t rank) {
    if (rank == 0)
      return {};
    return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
  }

  static Value reshape(PatternRewriter &b, Location loc, Value value,
                       RankedTensorType to,
                       ArrayRef<ReassociationIndices> groups) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    if (rank > to.getRank())
      return tensor::CollapseShapeOp::create(b, loc, to, value, groups);
    if (rank < to.getRank())
      return tensor::ExpandShapeOp::create(b, loc, to, value, groups);
    return value;
  }
};

/// `tensor.splat` and one-element `tensor.from_elements` → `linalg.fill`.
struct SplatToFill : public OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type,
                                          op.getDynamicSizes());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), empty);
    return success();
  }
};

struct FromOneElementToFill : public OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    // A shape operand is host data and stays so.
    RankedTensorType type = cast<RankedTensorType>(op.getType());
    if (op.getElements().size() != 1 || type.getElementType().isIndex())
      return failure();
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), type, ValueRange());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getElements().front(),
                                                empty);
    return success();
  }
};

struct GenerateToGeneric : public OpRewritePattern<tensor::GenerateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GenerateOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::rewriteInDestinationPassingStyle(rewriter, op);
  }
};

/// Whether the body reads `init`. Upstream's query denies it for linalg.map.
bool readsInit(linalg::LinalgOp op, OpOperand &init) {
  Block *body = op.getBlock();
  if (body->getNumArguments() != op->getNumOperands())
    return true;
  return !body->getArgument(init.getOperandNumber()).use_empty();
}

/// An init that the body does not read is only a shape: `tensor.empty`, so that
/// no dependence is seen where there is none.
struct DropUnreadInits : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    bool changed = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (readsInit(op, init) || init.get().getDefiningOp<tensor::EmptyOp>())
        continue;
      // What the map leaves out (all but a diagonal, say) stays as it was.
      if (!fuse::writesWholeResult(op.getMatchingIndexingMap(&init),
                                   op.getShape(&init)))
        continue;
      RankedTensorType type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type)
        continue;
      Value empty = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), init.get()),
          type.getElementType());
      if (empty.getType() != type)
        continue;
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
      changed = true;
    }
    return success(changed);
  }
};

/// A linalg.map that reads its init → linalg.generic, which everybody knows to.
struct GeneralizeReadingMap : public OpRewritePattern<linalg::MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::MapOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        !readsInit(op, op.getDpsInitsMutable()[0]))
      return failure();
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

/// A copy of a value is the value.
struct DropCopy : public OpRewritePattern<linalg::CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::CopyOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        op.getInputs()[0].getType() != op.getResult(0).getType())
      return failure();
    rewriter.replaceOp(op, op.getInputs()[0]);
    return success();
  }
};

/// An operator with a loop of no round gives its inits.
struct DropEmptyLoops : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        !llvm::is_contained(op.getStaticLoopRanges(), 0))
      return failure();
    rewriter.replaceOp(op, op.getDpsInits());
    return success();
  }
};

/// A tensor without elements needs no operator that moves them.
template <typename OpTy>
struct MoveNothing : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type =
        dyn_cast<RankedTensorType>(op->getResult(0).getType());
    ReifiedRankedShapedTypeDims shapes;
    if (!type || !llvm::is_contained(type.getShape(), 0) ||
        failed(reifyResultShapes(rewriter, op, shapes)))
      return failure();
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), shapes[0],
                                          type.getElementType());
    if (empty.getType() != type)
      empty = tensor::CastOp::create(rewriter, op.getLoc(), type, empty);
    rewriter.replaceOp(op, empty);
    return success();
  }
};

static bool isEmptyShape(Value value) {
  RankedTensorType type = dyn_cast<RankedTensorType>(value.getType());
  return type && llvm::is_contained(type.getShape(), 0);
}

/// A border around nothing is all there is.
struct PadNothing : public OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    ReifiedRankedShapedTypeDims shapes;
    if (!isEmptyShape(op.getSource()) ||
        failed(reifyResultShapes(rewriter, op, shapes)))
      return failure();
    SmallVector<Value> extents;
    for (auto [size, extent] :
         llvm::zip(op.getResultType().getShape(), shapes[0]))
      if (ShapedType::isDynamic(size))
        extents.push_back(
            getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), extent));
    tensor::GenerateOp border = tensor::GenerateOp::create(
        rewriter, op.getLoc(), op.getResultType(), extents);
    rewriter.inlineRegionBefore(op.getRegion(), border.getBody(),
                                border.getBody().begin());
    rewriter.replaceOp(op, border);
    return success();
  }
};

struct InsertNothing : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmptyShape(op.getSource()))
      return failure();
    rewriter.replaceOp(op, op.getDest());
    return success();
  }
};

/// `tensor.gather` → a generic that extracts each element.
struct GatherToGeneric : public OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResultType();
    if (!type.hasStaticShape())
      return failure();
    int64_t rank = type.getRank();
    int64_t batch = op.getIndicesType().getRank() - 1;
    int64_t sourceRank = op.getSourceType().getRank();
    bool reduced = rank != batch + sourceRank;
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    auto body = [&](OpBuilder &b, Location at, ValueRange) {
      SmallVector<Value> loops, index;
      for (int64_t i = 0; i < rank; ++i)
        loops.push_back(linalg::IndexOp::create(b, at, i));
      int64_t next = batch;
      for (int64_t dim = 0; dim < sourceRank; ++dim) {
        const int64_t *found = llvm::find(op.getGatherDims(), dim);
        if (found == op.getGatherDims().end()) {
          index.push_back(loops[next++]);
          continue;
        }
        next += !reduced;
        SmallVector<Value> place(loops.begin(), loops.begin() + batch);
        place.push_back(arith::ConstantIndexOp::create(
            b, at, found - op.getGatherDims().begin()));
        Value coordinate =
            tensor::ExtractOp::create(b, at, op.getIndices(), place);
        if (!coordinate.getType().isIndex())
          coordinate =
              arith::IndexCastOp::create(b, at, b.getIndexType(), coordinate);
        index.push_back(coordinate);
      }
      Value element = tensor::ExtractOp::create(b, at, op.getSource(), index);
      linalg::YieldOp::create(b, at, element);
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, ValueRange(), empty,
        ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(rank)}, iterators,
        body);
    return success();
  }
};

/// A pattern from one of upstream's decomposition functions.
template <typename OpTy,
          FailureOr<Operation *> (*decompose)(RewriterBase &, OpTy)>
struct DecomposeBy : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    return decompose(rewriter, op);
  }
};

} // namespace

void fuse::populateDecomposePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  patterns
      .add<DecomposeSoftmax, LowerPack, LowerUnPack, ReshapeToViews,
           SplatToFill, FromOneElementToFill, GenerateToGeneric, DropCopy,
           DropEmptyLoops, GatherToGeneric, MoveNothing<tensor::PadOp>,
           MoveNothing<tensor::ConcatOp>, MoveNothing<tensor::ExtractSliceOp>,
           MoveNothing<tensor::InsertSliceOp>, PadNothing, InsertNothing,
           DropUnreadInits, GeneralizeReadingMap,
           DecomposeBy<linalg::WinogradFilterTransformOp,
                       linalg::decomposeWinogradFilterTransformOp>,
           DecomposeBy<linalg::WinogradInputTransformOp,
                       linalg::decomposeWinogradInputTransformOp>,
           DecomposeBy<linalg::WinogradOutputTransformOp,
                       linalg::decomposeWinogradOutputTransformOp>>(context);
}
