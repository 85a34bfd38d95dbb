// The factors of path `tile`: which elements of which tensors they are, which of
// them several contractions have in common, and what is kept of them.
#include "TileKernel.h"

using namespace mlir;
using namespace mlir::fuse;

/// The loops of a product at a row (or column) and a step of the sum.
SmallVector<AffineExpr> TileKernel::loopsAt(const ContractionShape &shape,
                                            AffineExpr outer, AffineExpr depth,
                                            bool isLeft) {
  AffineExpr zero = emitter.constant(0);
  AffineExpr row = batch * shape.rowExtent + (isLeft ? outer : zero);
  SmallVector<AffineExpr> loops =
      context.at(context.shape.rootLoops.lookup(shape.op),
                 emitter.simplify(row), isLeft ? zero : outer);
  SmallVector<AffineExpr> depths = llvm::map_to_vector(
      shape.depthLoops,
      [&](unsigned loop) { return shape.loopExtents[loop]; });
  for (auto [loop, expr] : llvm::zip(
           shape.depthLoops, delinearize(depth, depths, emitter.getRanges())))
    loops[loop] = expr;
  return loops;
}

/// Whether both factors are the same elements of the same tensor.
bool TileKernel::isSame(const ContractionShape &a, const ContractionShape &b,
                        const Factor &factor, const Factor &other,
                        bool isLeft) {
  BlockArgument first = dyn_cast<BlockArgument>(factor.kept);
  BlockArgument second = dyn_cast<BlockArgument>(other.kept);
  if (!first || !second)
    return false;
  linalg::LinalgOp firstOp = cast<linalg::LinalgOp>(a.op);
  linalg::LinalgOp secondOp = cast<linalg::LinalgOp>(b.op);
  OpOperand *operand = firstOp.getMatchingOpOperand(first);
  OpOperand *otherOperand = secondOp.getMatchingOpOperand(second);
  if (operand->get() != otherOperand->get())
    return false;
  // At any place: thread and block numbers stand for outer and depth.
  auto indexOf = [&](linalg::LinalgOp op, OpOperand *own,
                     const ContractionShape &shape) {
    SmallVector<AffineExpr> loops =
        loopsAt(shape, context.thread, context.block, isLeft);
    return llvm::map_to_vector(
        op.getMatchingIndexingMap(own).getResults(), [&](AffineExpr expr) {
          return emitter.simplify(expr.replaceDims(loops));
        });
  };
  return indexOf(firstOp, operand, a) == indexOf(secondOp, otherOperand, b);
}

Factor TileKernel::makeFactor(Walk &walk, const ContractionShape &shape,
                              const std::optional<MatrixForm> &form,
                              bool isLeft) {
  Factor factor;
  if (form)
    factor.kept = isLeft ? form->left : form->right;
  else
    factor.kept =
        getKeptFactor(isLeft ? shape.left : shape.right, &factor.casts);
  for (const Product &product : walk.products) {
    const Factor &other = isLeft ? product.left : product.right;
    if (!isSame(product.shape, shape, other, factor, isLeft))
      continue;
    factor.operand = other.operand;
    return factor;
  }
  factor.operand = walk.operands.size();
  TileSource source;
  source.element = factor.kept.getType();
  source.firstOuter = isLeft ? tileRow * tile.getRows()
                             : tileColumn * tile.getColumns();
  source.outer = isLeft ? shape.rowExtent : shape.columnExtent;
  source.depth = shape.depthExtent;
  source.window = getWindow(shape, tile.getDepth());
  source.emit = [this, &shape, kept = factor.kept, isLeft](AffineExpr outer,
                                                           AffineExpr depth) {
    return emitter.emitBodyValue(cast<linalg::LinalgOp>(shape.op),
                                 loopsAt(shape, outer, depth, isLeft), kept);
  };
  SharedLayout layout;
  layout.lineGroup = 4;
  if (form)
    layout = getFragmentLayout(source.element);
  layout.outer = isLeft ? tile.getRows() : tile.getColumns();
  layout.depth = tile.getDepth();
  walk.operands.push_back(std::make_unique<TileFiller>(
      context, std::move(source), layout, tile.getStages(), tile.getAsync()));
  return factor;
}

Walk TileKernel::makeWalk(ArrayRef<unsigned> numbers) {
  Walk walk;
  for (unsigned number : numbers) {
    const ContractionShape &shape = context.shape.contractions[number];
    std::optional<MatrixForm> form;
    if (usesFragments)
      form = matchMatrixForm(shape);
    Factor left = makeFactor(walk, shape, form, /*isLeft=*/true);
    Factor right = makeFactor(walk, shape, form, /*isLeft=*/false);
    walk.products.push_back({shape, std::move(left), std::move(right), form});
  }
  walk.steps = walk.operands.front()->getSteps();
  walk.firstStep = emitter.constant(0);
  if (tile.getParts() > 1) {
    // What a last part has too many of are tiles of zeros.
    walk.steps = emitter.simplify(
        (walk.steps + (tile.getParts() - 1)).floorDiv(tile.getParts()));
    walk.firstStep = emitter.simplify(part * walk.steps);
  }
  return walk;
}

Value TileKernel::applyCasts(const Factor &factor, Value value) {
  for (Operation *cast : factor.casts)
    value = emitCopy(context, cast, value);
  return value;
}
