// Which loops each factor of a contraction depends on, found by walking the
// body from the factor to the operands.
#include "fuse-mlir/Analysis/ContractionShape.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// The loops that `factor` depends on; nothing if it depends on the
/// accumulator.
static std::optional<llvm::SmallBitVector> findLoops(linalg::LinalgOp op,
                                                     Value factor) {
  llvm::SmallBitVector loops(op.getNumLoops());
  SmallVector<Value> work = {factor};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second || value.getParentBlock() != op.getBlock())
      continue;
    if (BlockArgument argument = dyn_cast<BlockArgument>(value)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (op.isDpsInit(operand))
        return std::nullopt;
      AffineMap map = op.getMatchingIndexingMap(operand);
      for (unsigned i = 0; i < op.getNumLoops(); ++i)
        if (map.isFunctionOfDim(i))
          loops.set(i);
      continue;
    }
    value.getDefiningOp()->walk([&](Operation *inner) {
      llvm::append_range(work, inner->getOperands());
      if (linalg::IndexOp index = dyn_cast<linalg::IndexOp>(inner))
        loops.set(index.getDim());
    });
  }
  return loops;
}

Operation *fuse::findProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !hasCombinablePartials(op))
    return nullptr;
  Operation *sum =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa<arith::AddFOp, arith::AddIOp>(sum))
    return nullptr;
  unsigned other = sum->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0;
  Operation *product = sum->getOperand(other).getDefiningOp();
  bool multiplies = product && product->hasOneUse() &&
                    isa<arith::MulFOp, arith::MulIOp>(product) &&
                    product->getBlock() == op.getBlock();
  return multiplies ? product : nullptr;
}

bool fuse::multipliesFactors(linalg::LinalgOp op) {
  Operation *product = findProduct(op);
  if (!product)
    return false;
  std::optional<llvm::SmallBitVector> left =
      findLoops(op, product->getOperand(0));
  std::optional<llvm::SmallBitVector> right =
      findLoops(op, product->getOperand(1));
  return left && right && *left != *right;
}

void ContractionShape::transpose() {
  std::swap(left, right);
  std::swap(rowLoops, columnLoops);
  std::swap(rowExtent, columnExtent);
  std::swap(rows, columns);
}

void ContractionShape::cutColumns(int64_t section, const TensorSizes &sizes) {
  sections = columnExtent.floorDiv(section);
  batchExtent = sizes.multiply(batchExtent, sections);
  batches = sizes.assume(batchExtent);
  columnExtent = getAffineConstantExpr(section, columnExtent.getContext());
  columns = section;
}

std::optional<ContractionShape> fuse::matchContraction(Operation *root,
                                                       const TensorSizes &sizes,
                                                       bool mayBeVector) {
  auto op = dyn_cast<linalg::LinalgOp>(root);
  Operation *product = op ? findProduct(op) : nullptr;
  if (!product)
    return std::nullopt;
  ContractionShape shape;
  shape.loopExtents = sizes.getLoops(op);
  AffineExpr one = getAffineConstantExpr(1, root->getContext());
  shape.sections = one;
  shape.op = root;
  shape.multiply = product;
  shape.add = *product->user_begin();
  shape.left = product->getOperand(0);
  shape.right = product->getOperand(1);
  std::optional<llvm::SmallBitVector> left = findLoops(op, shape.left);
  std::optional<llvm::SmallBitVector> right = findLoops(op, shape.right);
  if (!left || !right)
    return std::nullopt;
  op.getReductionDims(shape.depthLoops);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  bool lastIsRow = false;
  for (AffineExpr expr : result.getResults()) {
    AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    unsigned loop = dim.getPosition();
    bool inLeft = left->test(loop), inRight = right->test(loop);
    bool isUnit = shape.loopExtents[loop] == one;
    if (isUnit)
      shape.batchLoops.push_back(loop);
    else if (!inLeft && !inRight)
      return std::nullopt;
    else
      (inLeft && inRight ? shape.batchLoops
       : inLeft          ? shape.rowLoops
                         : shape.columnLoops)
          .push_back(loop);
    if (!isUnit)
      lastIsRow = inLeft && !inRight;
  }
  if (lastIsRow) {
    std::swap(shape.left, shape.right);
    std::swap(shape.rowLoops, shape.columnLoops);
  }
  if (shape.columnLoops.empty() || (shape.rowLoops.empty() && !mayBeVector))
    return std::nullopt;
  auto multiply = [&](ArrayRef<unsigned> loops, AffineExpr &extent) {
    extent = one;
    for (unsigned loop : loops)
      extent = sizes.multiply(extent, shape.loopExtents[loop]);
    return sizes.assume(extent);
  };
  shape.batches = multiply(shape.batchLoops, shape.batchExtent);
  shape.rows = multiply(shape.rowLoops, shape.rowExtent);
  shape.columns = multiply(shape.columnLoops, shape.columnExtent);
  shape.depth = multiply(shape.depthLoops, shape.depthExtent);
  return shape;
}

SmallVector<int64_t> fuse::getWindows(const ContractionShape &contraction) {
  constexpr int64_t kLargest = 16;
  SmallVector<int64_t> windows;
  int64_t window = 1;
  ArrayRef<unsigned> inner = contraction.depthLoops;
  for (unsigned loop : llvm::reverse(inner.drop_front(!inner.empty()))) {
    AffineConstantExpr size =
        dyn_cast<AffineConstantExpr>(contraction.loopExtents[loop]);
    if (!size || size.getValue() < 1 || window * size.getValue() > kLargest)
      break;
    window *= size.getValue();
    if (size.getValue() > 1)
      windows.insert(windows.begin(), window);
  }
  return windows;
}

int64_t fuse::getWindow(const ContractionShape &contraction, int64_t depth) {
  for (int64_t window : getWindows(contraction))
    if (depth % window == 0)
      return window;
  return 1;
}

/// Whether a factor may be kept as what `cast` is applied to: that is smaller
/// and gives the same.
static bool isWideningCast(Operation *cast) {
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(cast))
    return false;
  Type type = cast->getOperand(0).getType();
  return type.getIntOrFloatBitWidth() % 8 == 0 &&
         (isa<IntegerType>(type) || type.getIntOrFloatBitWidth() >= 16);
}

Value fuse::getKeptFactor(Value factor, SmallVectorImpl<Operation *> *casts) {
  while (isWideningCast(factor.getDefiningOp())) {
    Operation *cast = factor.getDefiningOp();
    if (casts)
      casts->insert(casts->begin(), cast);
    factor = cast->getOperand(0);
  }
  return factor;
}

/// The operand that a factor is an element of; null if it is computed.
static OpOperand *getFactorOperand(const ContractionShape &contraction,
                                   bool isLeft) {
  Value kept = getKeptFactor(isLeft ? contraction.left : contraction.right);
  BlockArgument argument = dyn_cast<BlockArgument>(kept);
  return argument ? cast<linalg::LinalgOp>(contraction.op)
                        .getMatchingOpOperand(argument)
                  : nullptr;
}

/// The place of a factor by numbers of batch, row (column) and step, and the
/// extents that these are numbered by.
static std::pair<AffineMap, SmallVector<AffineExpr>>
getFactorPlace(const ContractionShape &contraction, OpOperand &operand,
               bool isLeft) {
  AffineMap map =
      cast<linalg::LinalgOp>(contraction.op).getMatchingIndexingMap(&operand);
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims(map.getNumDims(),
                               getAffineConstantExpr(0, context));
  SmallVector<AffineExpr> extents;
  for (ArrayRef<unsigned> loops :
       {ArrayRef(contraction.batchLoops),
        ArrayRef(isLeft ? contraction.rowLoops : contraction.columnLoops),
        ArrayRef(contraction.depthLoops)}) {
    for (unsigned loop : loops) {
      dims[loop] = getAffineDimExpr(extents.size(), context);
      extents.push_back(contraction.loopExtents[loop]);
    }
    extents.push_back(AffineExpr()); // Where a number ends.
  }
  return {map.replaceDimsAndSymbols(dims, {}, extents.size(), 0), extents};
}

bool fuse::sharesFactor(const ContractionShape &a, const ContractionShape &b,
                        bool isLeft) {
  OpOperand *one = getFactorOperand(a, isLeft);
  OpOperand *other = getFactorOperand(b, isLeft);
  return one && other && one->get() == other->get() &&
         getFactorPlace(a, *one, isLeft) == getFactorPlace(b, *other, isLeft);
}

bool fuse::keepsFactorOfEarlier(ArrayRef<ContractionShape> all, size_t number,
                                bool isLeft) {
  const ContractionShape &own = all[number];
  return llvm::any_of(all.take_front(number),
                      [&](const ContractionShape &earlier) {
                        return earlier.depthExtent == own.depthExtent &&
                               sharesFactor(earlier, own, isLeft);
                      });
}

bool fuse::suitsMatrixUnits(const ContractionShape &contraction) {
  Type left = getKeptFactor(contraction.left).getType();
  Type right = getKeptFactor(contraction.right).getType();
  return left == right && (left.isF16() || left.isBF16()) &&
         contraction.left.getType().isF32() &&
         isa<arith::AddFOp>(contraction.add);
}
